# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
How fast a joint torque can bend over time: a bound on its second time derivative.

A sweep like recursive Newton-Euler, but with lengths of vectors instead of vectors, so that the
result holds whatever the pose: |a + b| <= |a| + |b|, |a x b| <= |a| |b|, and Leibniz' rule for
every product. A vector of length 1 fixed in a body that turns with w, w', w'', ... has the
derivatives
    b' = w x b,  b'' = w' x b + w x b',  b''' = w'' x b + 2 w' x b' + w x b'',  ...
whose lengths the row ``turn`` of a body bounds.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.model.arrays import (
    ARMATURE,
    INDEX,
    KIND,
    MULTIPLIER,
    OFFSET,
    PARENT,
    REVOLUTE,
)

# Columns of a body's geometry: distance to its parent's origin, mass, distance of the centre of
# mass from the origin, largest principal moment of inertia about the centre of mass; then what the
# environment does to it: force, moment about the origin, and distance at which the force acts.
LENGTH, MASS, LEVER, INERTIA, FORCE, MOMENT, REACH = 0, 1, 2, 3, 4, 5, 6
GEOMETRY_COLUMNS = 7


@jit
def torque_curvature(bodies, topology, geometry, gravity, motion):
    """
    Bounds (S, n) of |d^2 tau / dt^2|.

    motion (S, 5, n): bounds of |q|, |qd|, |qdd| and the next two derivatives, per segment;
    gravity: its size.
    """
    count, segments, n = bodies.shape[0], motion.shape[0], motion.shape[2]
    bounds = np.zeros((segments, n))
    spin = np.zeros((count + 1, 4))  # w, w', w'', w'''
    turn = np.zeros((count + 1, 5))
    origin = np.zeros((count + 1, 3))  # second to fourth derivative of the origin's position
    force = np.zeros((count + 1, 3))  # and its first two derivatives
    moment = np.zeros((count + 1, 3))
    turn[count, 0] = 1.0  # the row of parent -1: the root
    for s in range(segments):
        for b in range(count):
            outward(bodies[b], topology[b], geometry[b], motion[s], b, spin, turn, origin)
            loads(geometry[b], gravity, spin[b], turn[b], origin[b], force[b], moment[b])
        for b in range(count - 1, -1, -1):
            parent, column = int(topology[b, PARENT]), int(topology[b, INDEX])
            t = turn[parent]
            revolute = topology[b, KIND] == REVOLUTE
            load = moment[b] if revolute else force[b]
            along = t[2] * load[0] + 2.0 * t[1] * load[1] + t[0] * load[2]
            bounds[s, column] += abs(bodies[b, MULTIPLIER]) * along
            bounds[s, column] += bodies[b, ARMATURE] * motion[s, 4, column]
            if parent >= 0:
                inward(bodies[b], topology[b], geometry[b], motion[s], b, turn, force, moment)
    return bounds


@jit
def outward(body, topology, geometry, motion, b, spin, turn, origin):
    """How a body turns and how its origin moves, from its parent's row and its joint."""
    parent, column, gain = int(topology[PARENT]), int(topology[INDEX]), abs(body[MULTIPLIER])
    v, a = gain * motion[1, column], gain * motion[2, column]
    j, s = gain * motion[3, column], gain * motion[4, column]
    w, t, o, length = spin[parent], turn[parent], origin[parent], geometry[LENGTH]
    for k in range(3):
        origin[b, k] = o[k] + length * t[k + 2]
        spin[b, k] = w[k]
    spin[b, 3] = w[3]
    if topology[KIND] == REVOLUTE:
        spin[b, 0] += v
        spin[b, 1] += a + v * t[1]
        spin[b, 2] += j + 2.0 * a * t[1] + v * t[2]
        spin[b, 3] += s + 3.0 * j * t[1] + 3.0 * a * t[2] + v * t[3]
    else:
        d = gain * motion[0, column] + abs(body[OFFSET])
        origin[b, 0] += d * t[2] + 2.0 * v * t[1] + a
        origin[b, 1] += d * t[3] + 3.0 * v * t[2] + 3.0 * a * t[1] + j
        origin[b, 2] += d * t[4] + 4.0 * v * t[3] + 6.0 * a * t[2] + 4.0 * j * t[1] + s
    w, r = spin[b], turn[b]
    r[0] = 1.0
    r[1] = w[0]
    r[2] = w[1] + w[0] * r[1]
    r[3] = w[2] + 2.0 * w[1] * r[1] + w[0] * r[2]
    r[4] = w[3] + 3.0 * w[2] * r[1] + 3.0 * w[1] * r[2] + w[0] * r[3]


@jit
def loads(geometry, gravity, w, t, o, force, moment):
    """Force and moment about the origin that move a body, and their first two derivatives."""
    mass, c, inertia = geometry[MASS], geometry[LEVER], geometry[INERTIA]
    force[0] = mass * (o[0] + c * t[2] + gravity)
    force[1] = mass * (o[1] + c * t[3])
    force[2] = mass * (o[2] + c * t[4])
    # the inertia tensor turns with two legs
    e1 = 2.0 * t[1]
    e2 = 2.0 * t[2] + 2.0 * t[1] * t[1]
    e3 = 2.0 * t[3] + 6.0 * t[1] * t[2]
    moment[0] = inertia * (e1 * w[0] + w[1])
    moment[1] = inertia * (e2 * w[0] + 2.0 * e1 * w[1] + w[2])
    moment[2] = inertia * (e3 * w[0] + 3.0 * e2 * w[1] + 3.0 * e1 * w[2] + w[3])
    moment[0] += c * force[0]
    moment[1] += c * (t[1] * force[0] + force[1])
    moment[2] += c * (t[2] * force[0] + 2.0 * t[1] * force[1] + force[2])
    # a wrench from outside keeps its direction; its point moves with the body
    arm = geometry[REACH] * geometry[FORCE]
    force[0] += geometry[FORCE]
    moment[0] += geometry[MOMENT] + arm
    moment[1] += t[1] * arm
    moment[2] += t[2] * arm


@jit
def inward(body, topology, geometry, motion, b, turn, force, moment):
    """Add the load of a body to its parent's."""
    parent, column, gain = int(topology[PARENT]), int(topology[INDEX]), abs(body[MULTIPLIER])
    t, f, m, length = turn[parent], force[b], moment[b], geometry[LENGTH]
    arm0, arm1, arm2 = length, length * t[1], length * t[2]
    if topology[KIND] != REVOLUTE:
        d = gain * motion[0, column] + abs(body[OFFSET])
        v, a = gain * motion[1, column], gain * motion[2, column]
        arm0 += d
        arm1 += d * t[1] + v
        arm2 += d * t[2] + 2.0 * v * t[1] + a
    for k in range(3):
        force[parent, k] += f[k]
        moment[parent, k] += m[k]
    moment[parent, 0] += arm0 * f[0]
    moment[parent, 1] += arm0 * f[1] + arm1 * f[0]
    moment[parent, 2] += arm0 * f[2] + 2.0 * arm1 * f[1] + arm2 * f[0]
