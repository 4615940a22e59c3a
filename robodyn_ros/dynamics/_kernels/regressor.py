# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Torque regressor: what each inertial parameter of each body adds to each joint torque.

Atkeson, An, Hollerbach, "Estimation of inertial parameters of manipulator loads and links", 1986:
the wrench of a body is linear in m, m c and the tensor about its origin. By the principle of
virtual power a joint feels the part of it along the motion that a unit rate of the joint gives
the body, which here is taken in the axes of the body's link.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit, jit_sample, require_length
from robodyn_ros.dynamics._kernels.placement import place_bodies
from robodyn_ros.model.arrays import (
    BODY_COLUMNS,
    INDEX,
    KIND,
    LINK_AXES,
    MULTIPLIER,
    PARENT,
    REVOLUTE,
)

# Numbers of a body's motion: angular velocity, angular acceleration, acceleration of the origin.
MOTION = 9
PARAMETERS = 10


@jit
def cross(a, b):
    """Cross product of two vectors."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit
def move(kind, axis, arm, rate, acceleration, parent, body):
    """Write the motion (9,) of a body from its parent's, all in root axes; arm between origins."""
    w = parent[0], parent[1], parent[2]
    h = parent[3], parent[4], parent[5]
    turned = cross(w, axis)
    swept = cross(w, cross(w, arm))
    pulled = cross(h, arm)
    turns = 1.0 if kind == REVOLUTE else 0.0
    slides = 1.0 - turns
    for i in range(3):
        body[i] = w[i] + turns * rate * axis[i]
        body[3 + i] = h[i] + turns * (rate * turned[i] + acceleration * axis[i])
        body[6 + i] = parent[6 + i] + pulled[i] + swept[i]
        body[6 + i] += slides * (2.0 * rate * turned[i] + acceleration * axis[i])


@jit
def turn_in(r, x, y, z):
    """Turn a vector from root axes into the axes with rotation r (9 numbers): r^T v."""
    return (
        r[0] * x + r[3] * y + r[6] * z,
        r[1] * x + r[4] * y + r[7] * z,
        r[2] * x + r[5] * y + r[8] * z,
    )


@jit
def link_rotation(rotation, axes):
    """Rotation (9 numbers) of a link whose axes (9,) are given in its body's frame."""
    r, a = rotation, axes
    return (
        r[0, 0] * a[0] + r[0, 1] * a[3] + r[0, 2] * a[6],
        r[0, 0] * a[1] + r[0, 1] * a[4] + r[0, 2] * a[7],
        r[0, 0] * a[2] + r[0, 1] * a[5] + r[0, 2] * a[8],
        r[1, 0] * a[0] + r[1, 1] * a[3] + r[1, 2] * a[6],
        r[1, 0] * a[1] + r[1, 1] * a[4] + r[1, 2] * a[7],
        r[1, 0] * a[2] + r[1, 1] * a[5] + r[1, 2] * a[8],
        r[2, 0] * a[0] + r[2, 1] * a[3] + r[2, 2] * a[6],
        r[2, 0] * a[1] + r[2, 1] * a[4] + r[2, 2] * a[7],
        r[2, 0] * a[2] + r[2, 1] * a[5] + r[2, 2] * a[8],
    )


@jit
def parameter_torques(w, h, a, v, u, gain, entries):
    """
    Add to the entries (10,) of one joint and body: power of each parameter's wrench at unit rate.

    w, h, a: angular velocity and acceleration of the body and acceleration of its origin; v, u:
    velocity of the origin and angular velocity at unit joint rate. F = m a + (h x + w x w x) mc,
    N = mc x a + I h + w x I w; entries are the factors of m, mc and I in v . F + u . N.
    """
    c = cross(v, h)
    d = cross(w, cross(w, v))
    e = cross(a, u)
    t = cross(u, w)
    entries[0] += gain * (v[0] * a[0] + v[1] * a[1] + v[2] * a[2])
    entries[1] += gain * (c[0] + d[0] + e[0])
    entries[2] += gain * (c[1] + d[1] + e[1])
    entries[3] += gain * (c[2] + d[2] + e[2])
    entries[4] += gain * (u[0] * h[0] + t[0] * w[0])
    entries[5] += gain * (u[0] * h[1] + u[1] * h[0] + t[0] * w[1] + t[1] * w[0])
    entries[6] += gain * (u[1] * h[1] + t[1] * w[1])
    entries[7] += gain * (u[0] * h[2] + u[2] * h[0] + t[0] * w[2] + t[2] * w[0])
    entries[8] += gain * (u[1] * h[2] + u[2] * h[1] + t[1] * w[2] + t[2] * w[1])
    entries[9] += gain * (u[2] * h[2] + t[2] * w[2])


@jit
def regressor_row(
    bodies, topology, gravity, q, qd, qdd, rotation, origin, motion, matrix
):  # fmt: skip
    """One sample: matrix (n, 10 N). The work arrays have a row per body and one for the root."""
    count = topology.shape[0]
    place_bodies(bodies, topology, q, rotation, origin)
    # The row of parent -1 is the last one: the root.
    origin[count] = 0.0
    motion[count] = 0.0
    motion[count, 6], motion[count, 7], motion[count, 8] = -gravity[0], -gravity[1], -gravity[2]
    matrix[:, :] = 0.0
    for b in range(count):
        r, o, m, parent = rotation[b], origin[b], motion[b], int(topology[b, PARENT])
        gain, column = bodies[b, MULTIPLIER], int(topology[b, INDEX])
        axis = r[0, 2], r[1, 2], r[2, 2]
        p = origin[parent]
        arm = o[0] - p[0], o[1] - p[1], o[2] - p[2]
        move(
            topology[b, KIND], axis, arm, gain * qd[column], gain * qdd[column],
            motion[parent], m,
        )  # fmt: skip
        link = link_rotation(r, bodies[b, LINK_AXES:BODY_COLUMNS])
        w = turn_in(link, m[0], m[1], m[2])
        h = turn_in(link, m[3], m[4], m[5])
        a = turn_in(link, m[6], m[7], m[8])
        j = b
        while j >= 0:
            x, y, z = rotation[j, 0, 2], rotation[j, 1, 2], rotation[j, 2, 2]
            along = turn_in(link, x, y, z)
            entries = matrix[int(topology[j, INDEX]), PARAMETERS * b : PARAMETERS * (b + 1)]
            if topology[j, KIND] == REVOLUTE:
                arm = o[0] - origin[j, 0], o[1] - origin[j, 1], o[2] - origin[j, 2]
                swung = cross((x, y, z), arm)
                v = turn_in(link, swung[0], swung[1], swung[2])
                parameter_torques(w, h, a, v, along, bodies[j, MULTIPLIER], entries)
            else:
                parameter_torques(w, h, a, along, (0.0, 0.0, 0.0), bodies[j, MULTIPLIER], entries)
            j = int(topology[j, PARENT])


@jit
def regressors(bodies, topology, gravity, q, qd, qdd):
    """Regressors (B, n, 10 N) for a batch of states, each (B, n)."""
    count, n = bodies.shape[0], q.shape[1]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count + 1, 3))
    motion = np.empty((count + 1, MOTION))
    matrix = np.empty((q.shape[0], n, PARAMETERS * count))
    for s in range(q.shape[0]):
        regressor_row(
            bodies, topology, gravity, q[s], qd[s], qdd[s],
            rotation, origin, motion, matrix[s],
        )  # fmt: skip
    return matrix


@jit_sample(3, 2)
def regressor_vector(packed, q, qd, qdd, matrix):
    """Regressor (n, 10 N) of one sample."""
    require_length(matrix.shape[0], q, qd, qdd)
    count = packed.shape[0] - 1
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count + 1, 3))
    motion = np.empty((count + 1, MOTION))
    regressor_row(
        packed, packed[:count, BODY_COLUMNS:], packed[count], q, qd, qdd,
        rotation, origin, motion, matrix,
    )  # fmt: skip
