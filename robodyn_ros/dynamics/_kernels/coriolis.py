# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Coriolis matrix made of Christoffel symbols, without derivatives of the mass matrix.

Echeandia, Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems", 2021, algorithm 1: with s the axis of a joint and r = v x s its rate, and I
and B of all beyond joint j (see ``spatial``), joints i before j:

    C_ij = s_i (B_j s_j + I_j r_j)
    C_ji = s_j (B_j s_i + I_j r_i)
"""

import numpy as np

from robodyn_ros.dynamics._kernels.articulated_body import store, tuple6
from robodyn_ros.dynamics._kernels.compile import jit, jit_sample, require_length
from robodyn_ros.dynamics._kernels.inertia import shifted, turned
from robodyn_ros.dynamics._kernels.newton_euler_steps import constants
from robodyn_ros.dynamics._kernels.placement import place_bodies, pose_of
from robodyn_ros.dynamics._kernels.spatial import (
    along,
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

# Columns of a body: its velocity, the axis of its joint and the rate of that (6 each).
VELOCITY, AXIS, RATE, MOTION = 0, 6, 12, 18
# Of what lies beyond its joint: inertia (10), momentum (3), G (9, row-major).
BODY, MOMENTUM, TURNING, COMPOSITE = 0, 10, 13, 22


@jit
def coriolis_row(bodies, topology, q, qd, rotation, origin, motion, beyond, matrix):
    """One sample: matrix (n, n). Work arrays have a row per body; motion one more."""
    count = topology.shape[0]
    place_bodies(bodies, topology, q, rotation, origin)
    motion[count] = 0.0  # the row of parent -1: the root
    for b in range(count):
        m, x = motion[b], beyond[b]
        pose = pose_of(rotation[b], origin[b])
        s = joint_axis(topology[b, KIND] == REVOLUTE, pose)
        rate = bodies[b, MULTIPLIER] * qd[int(topology[b, INDEX])]
        v = total(tuple6(motion[int(topology[b, PARENT]), VELOCITY:AXIS]), scaled(rate, s))
        inertia = shifted(pose[9], pose[10], pose[11], *turned(constants(bodies[b]), *pose[0:9]))
        store(m[VELOCITY:], v)
        store(m[AXIS:], s)
        store(m[RATE:], motion_cross(v, s))
        store(x[BODY:], inertia)
        store(x[MOMENTUM:], times_inertia(inertia, v)[0:3])
        store(x[TURNING:], turning_matrix(inertia, v))
    matrix[:, :] = 0.0
    for b in range(count - 1, -1, -1):
        x, s, r = beyond[b], tuple6(motion[b, AXIS:RATE]), tuple6(motion[b, RATE:])
        inertia, momentum, turning = x[BODY:MOMENTUM], x[MOMENTUM:TURNING], x[TURNING:]
        force = total(times_b(momentum, turning, s), times_inertia(inertia, r))
        i_s = times_inertia(inertia, s)
        s_b = times_b_transposed(momentum, turning, s)
        j, a = int(topology[b, INDEX]), b
        while a >= 0:
            i, gain = int(topology[a, INDEX]), bodies[a, MULTIPLIER] * bodies[b, MULTIPLIER]
            axis, rate = motion[a, AXIS:RATE], motion[a, RATE:]
            matrix[i, j] += gain * along(axis, force)
            if a != b:
                swung = s_b[0] * axis[3] + s_b[1] * axis[4] + s_b[2] * axis[5]
                matrix[j, i] += gain * (swung + along(rate, i_s))
            a = int(topology[a, PARENT])
        parent = int(topology[b, PARENT])
        if parent >= 0:
            for k in range(COMPOSITE):
                beyond[parent, k] += x[k]


@jit
def coriolis(bodies, topology, q, qd):
    """Coriolis matrices (B, n, n) for states q, qd (B, n)."""
    count = topology.shape[0]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    motion = np.empty((count + 1, MOTION))
    beyond = np.empty((count, COMPOSITE))
    matrix = np.empty((q.shape[0], q.shape[1], q.shape[1]))
    for s in range(q.shape[0]):
        coriolis_row(
            bodies, topology, q[s], qd[s], rotation, origin, motion, beyond, matrix[s]
        )  # fmt: skip
    return matrix


@jit_sample(2, 2)
def coriolis_vector(packed, q, qd, matrix):
    """Coriolis matrix (n, n) of one sample."""
    require_length(matrix.shape[0], q, qd)
    count = packed.shape[0] - 1
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    motion = np.empty((count + 1, MOTION))
    beyond = np.empty((count, COMPOSITE))
    coriolis_row(
        packed, packed[:count, BODY_COLUMNS:], q, qd, rotation, origin, motion, beyond, matrix
    )  # fmt: skip
