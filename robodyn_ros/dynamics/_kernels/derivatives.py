# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Derivatives of inverse dynamics with respect to position and velocity, without differences.

Singh, Russell, Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial
vector algebra", 2022, algorithm 1. With s the axis of a joint, v and a the velocity and
acceleration (gravity as -g of the root) of its parent, r = v x s and c = a x s + v x r, and for
all beyond a joint the inertia I, the force f and B(I, v) (see ``spatial``), joints i before j:

    dtau_i/dq_j  = s_i (2 B_j r_j + I_j c_j + s_j x* f_j)
    dtau_j/dq_i  = s_j (2 B_j r_i + I_j c_i)
    dtau_i/dqd_j = 2 s_i (B_j s_j + I_j r_j)
    dtau_j/dqd_i = 2 s_j (B_j s_i + I_j r_i)
"""

import numpy as np

from robodyn_ros.dynamics._kernels.articulated_body import store, tuple6
from robodyn_ros.dynamics._kernels.compile import jit, jit_sample, require_length
from robodyn_ros.dynamics._kernels.inertia import shifted, turned
from robodyn_ros.dynamics._kernels.newton_euler_steps import constants
from robodyn_ros.dynamics._kernels.placement import place_bodies, pose_of
from robodyn_ros.dynamics._kernels.spatial import (
    along,
    force_cross,
    joint_axis,
    motion_cross,
    scaled,
    times_b,
    times_b_transposed,
    times_inertia,
    total,
    turning_matrix,
)
from robodyn_ros.model.arrays import BODY_COLUMNS, INDEX, KIND, MULTIPLIER, PARENT, REVOLUTE

# Columns of a body's motion: velocity and acceleration (6 each).
VELOCITY, ACCELERATION, MOTION = 0, 6, 12
# Of its joint: axis s, its rate r, and c (6 each).
AXIS, RATE, CURVE, JOINT = 0, 6, 12, 18
# Of what lies beyond its joint: inertia (10), force (6), momentum (3), G (9, row-major).
BODY, FORCE, MOMENTUM, TURNING, COMPOSITE = 0, 10, 16, 19, 28


@jit
def outward(k, turns, rate, acceleration, pose, v, a):
    """
    Joint (s, r, c), motion (v, a) and own part of the composite of one body.

    k: its constants; v, a: its parent's motion.
    """
    s = joint_axis(turns, pose)
    r = motion_cross(v, s)
    c = total(motion_cross(a, s), motion_cross(v, r))
    v = total(v, scaled(rate, s))
    a = total(a, total(scaled(acceleration, s), scaled(rate, r)))
    inertia = shifted(pose[9], pose[10], pose[11], *turned(k, *pose[0:9]))
    momentum = times_inertia(inertia, v)
    force = total(times_inertia(inertia, a), force_cross(v, momentum))
    return s, r, c, v, a, inertia, force, momentum, turning_matrix(inertia, v)


@jit
def inward(s, r, c, inertia, force, h, g):
    """
    Give what one joint moves: forces by its position and by its rate, and I s and B^T s.

    They meet the axes of the joints before it (see the head of this file).
    """
    i_s = times_inertia(inertia, s)
    by_position = total(times_inertia(inertia, c), force_cross(s, force))
    by_position = total(by_position, scaled(2.0, times_b(h, g, r)))
    by_rate = scaled(2.0, total(times_b(h, g, s), times_inertia(inertia, r)))
    return by_position, by_rate, i_s, times_b_transposed(h, g, s)


@jit
def rnea_derivatives_row(
    bodies, topology, gravity, q, qd, qdd, rotation, origin, motion, joint, beyond, dq, dqd
):  # fmt: skip
    """One sample: dq and dqd (n, n). Work arrays have a row per body; motion one more."""
    count = topology.shape[0]
    place_bodies(bodies, topology, q, rotation, origin)
    # The row of parent -1 is the last one: the root.
    motion[count] = 0.0
    for k in range(3):
        motion[count, ACCELERATION + k] = -gravity[k]
    for b in range(count):
        gain, column = bodies[b, MULTIPLIER], int(topology[b, INDEX])
        parent = int(topology[b, PARENT])
        s, r, c, v, a, inertia, force, momentum, turning = outward(
            constants(bodies[b]), topology[b, KIND] == REVOLUTE,
            gain * qd[column], gain * qdd[column],
            pose_of(rotation[b], origin[b]), tuple6(motion[parent, VELOCITY:ACCELERATION]),
            tuple6(motion[parent, ACCELERATION:]),
        )  # fmt: skip
        store(motion[b, VELOCITY:], v)
        store(motion[b, ACCELERATION:], a)
        store(joint[b, AXIS:], s)
        store(joint[b, RATE:], r)
        store(joint[b, CURVE:], c)
        store(beyond[b, BODY:], inertia)
        store(beyond[b, FORCE:], force)
        store(beyond[b, MOMENTUM:], momentum[0:3])
        store(beyond[b, TURNING:], turning)
    dq[:, :] = 0.0
    dqd[:, :] = 0.0
    for b in range(count - 1, -1, -1):
        x = beyond[b]
        by_position, by_rate, i_s, s_b = inward(
            tuple6(joint[b, AXIS:]), tuple6(joint[b, RATE:]), tuple6(joint[b, CURVE:]),
            x[BODY:FORCE], x[FORCE:MOMENTUM], x[MOMENTUM:TURNING], x[TURNING:],
        )  # fmt: skip
        j, a = int(topology[b, INDEX]), b
        while a >= 0:
            i, gain = int(topology[a, INDEX]), bodies[a, MULTIPLIER] * bodies[b, MULTIPLIER]
            s, r, c = joint[a, AXIS:RATE], joint[a, RATE:CURVE], joint[a, CURVE:]
            dq[i, j] += gain * along(s, by_position)
            dqd[i, j] += gain * along(s, by_rate)
            if a != b:
                bent = s_b[0] * r[3] + s_b[1] * r[4] + s_b[2] * r[5]
                swung = s_b[0] * s[3] + s_b[1] * s[4] + s_b[2] * s[5]
                dq[j, i] += gain * (2.0 * bent + along(c, i_s))
                dqd[j, i] += gain * 2.0 * (swung + along(r, i_s))
            a = int(topology[a, PARENT])
        parent = int(topology[b, PARENT])
        if parent >= 0:
            for k in range(COMPOSITE):
                beyond[parent, k] += x[k]


@jit
def rnea_derivatives(bodies, topology, gravity, q, qd, qdd):
    """Slopes by q and by qd (2, B, n, n) for a batch of states (B, n)."""
    count, samples, n = bodies.shape[0], q.shape[0], q.shape[1]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    motion = np.empty((count + 1, MOTION))
    joint = np.empty((count, JOINT))
    beyond = np.empty((count, COMPOSITE))
    slopes = np.empty((2, samples, n, n))
    for i in range(samples):
        rnea_derivatives_row(
            bodies, topology, gravity, q[i], qd[i], qdd[i],
            rotation, origin, motion, joint, beyond, slopes[0, i], slopes[1, i],
        )  # fmt: skip
    return slopes


@jit_sample(3, 2, 2)
def rnea_derivatives_vector(packed, q, qd, qdd, by_q, by_qd):
    """Slopes by q and by qd (n, n) of one sample."""
    require_length(by_q.shape[0], q, qd, qdd)
    count = packed.shape[0] - 1
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    motion = np.empty((count + 1, MOTION))
    joint = np.empty((count, JOINT))
    beyond = np.empty((count, COMPOSITE))
    rnea_derivatives_row(
        packed, packed[:count, BODY_COLUMNS:], packed[count], q, qd, qdd,
        rotation, origin, motion, joint, beyond, by_q, by_qd,
    )  # fmt: skip
