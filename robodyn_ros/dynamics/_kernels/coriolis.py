# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Coriolis matrix made of Christoffel symbols, without derivatives of the mass matrix.

Echeandia, Wensing, "Numerical methods to compute the Coriolis matrix and Christoffel symbols for
rigid-body systems", 2021, algorithm 1: C_ij = sum over bodies of J_i^T (I dJ_j/dt + B J_j) with
B(I, v) = (v x* I - I v x + (I v) xbar*) / 2, the choice that makes C the Christoffel matrix.
Spatial vectors are [linear; angular], in root axes about the root origin, so composites add up.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.dynamics._kernels.inertia import add_shifted, turn_inertia
from robodyn_ros.dynamics._kernels.placement import place_bodies
from robodyn_ros.model.arrays import INDEX, KIND, MULTIPLIER, PARENT, REVOLUTE


@jit
def add_skew(x, y, z, matrix, i, j):
    """Add [v]x to the 3x3 block of a matrix at row i, column j."""
    matrix[i, j + 1] -= z
    matrix[i, j + 2] += y
    matrix[i + 1, j] += z
    matrix[i + 1, j + 2] -= x
    matrix[i + 2, j] -= y
    matrix[i + 2, j + 1] += x


@jit
def motion_cross(v, out):
    """Write the 6x6 matrix of v x for motion vectors; v x* is minus its transpose."""
    out[:, :] = 0.0
    add_skew(v[3], v[4], v[5], out, 0, 0)
    add_skew(v[0], v[1], v[2], out, 0, 3)
    add_skew(v[3], v[4], v[5], out, 3, 3)


@jit
def spatial_inertia(row, out):
    """Write the 6x6 inertia [[m 1, -[mc]x], [[mc]x, I]] of an inertia row."""
    out[:, :] = 0.0
    out[0, 0] = out[1, 1] = out[2, 2] = row[0]
    add_skew(-row[1], -row[2], -row[3], out, 0, 3)
    add_skew(row[1], row[2], row[3], out, 3, 0)
    out[3, 3], out[4, 4], out[5, 5] = row[4], row[6], row[9]
    out[3, 4] = out[4, 3] = row[5]
    out[3, 5] = out[5, 3] = row[7]
    out[4, 5] = out[5, 4] = row[8]


@jit
def velocity_inertia(inertia, v, cross, out):
    """Write the matrix B(I, v) of one body (6, 6); cross is work space."""
    motion_cross(v, cross)
    for i in range(6):
        for j in range(6):
            s = 0.0
            for k in range(6):
                s -= cross[k, i] * inertia[k, j] + inertia[i, k] * cross[k, j]
            out[i, j] = s
    fx = fy = fz = nx = ny = nz = 0.0
    for k in range(6):
        fx += inertia[0, k] * v[k]
        fy += inertia[1, k] * v[k]
        fz += inertia[2, k] * v[k]
        nx += inertia[3, k] * v[k]
        ny += inertia[4, k] * v[k]
        nz += inertia[5, k] * v[k]
    add_skew(-fx, -fy, -fz, out, 0, 3)
    add_skew(-fx, -fy, -fz, out, 3, 0)
    add_skew(-nx, -ny, -nz, out, 3, 3)
    out *= 0.5


@jit
def outward(bodies, topology, q, qd, rotation, origin, axis, axis_rate, velocity, inertia, b_mat):
    """Joint axes, their rates, and inertia and B of every body about the root origin."""
    place_bodies(bodies, topology, q, rotation, origin)
    row = np.empty(10)
    shifted = np.empty(10)
    cross = np.empty((6, 6))
    for b in range(bodies.shape[0]):
        parent = topology[b, PARENT]
        s = axis[b]
        s[:] = 0.0
        x, y, z = rotation[b, 0, 2], rotation[b, 1, 2], rotation[b, 2, 2]
        if topology[b, KIND] == REVOLUTE:
            s[3], s[4], s[5] = x, y, z
            s[0] = origin[b, 1] * z - origin[b, 2] * y
            s[1] = origin[b, 2] * x - origin[b, 0] * z
            s[2] = origin[b, 0] * y - origin[b, 1] * x
        else:
            s[0], s[1], s[2] = x, y, z
        rate = bodies[b, MULTIPLIER] * qd[topology[b, INDEX]]
        for k in range(6):
            velocity[b, k] = s[k] * rate + (velocity[parent, k] if parent >= 0 else 0.0)
        motion_cross(velocity[b], cross)
        for i in range(6):
            axis_rate[b, i] = 0.0
            for k in range(6):
                axis_rate[b, i] += cross[i, k] * s[k]
        turn_inertia(bodies[b], rotation[b], row)
        shifted[:] = 0.0
        add_shifted(row, origin[b, 0], origin[b, 1], origin[b, 2], shifted)
        spatial_inertia(shifted, inertia[b])
        velocity_inertia(inertia[b], velocity[b], cross, b_mat[b])


@jit
def coriolis_row(bodies, topology, axis, axis_rate, inertia, b_mat, matrix):
    """One state: C (n, n); inertia and b_mat (N, 6, 6) become composites on the way."""
    along = np.empty(6)
    momentum = np.empty(6)
    turned = np.empty(6)
    matrix[:, :] = 0.0
    for b in range(bodies.shape[0] - 1, -1, -1):
        for i in range(6):
            along[i] = momentum[i] = turned[i] = 0.0
            for k in range(6):
                along[i] += b_mat[b, i, k] * axis[b, k] + inertia[b, i, k] * axis_rate[b, k]
                momentum[i] += inertia[b, i, k] * axis[b, k]
                turned[i] += b_mat[b, k, i] * axis[b, k]
        a = b
        while a >= 0:
            i, j = topology[a, INDEX], topology[b, INDEX]
            gain = bodies[a, MULTIPLIER] * bodies[b, MULTIPLIER]
            upper = lower = 0.0
            for k in range(6):
                upper += axis[a, k] * along[k]
                lower += axis_rate[a, k] * momentum[k] + axis[a, k] * turned[k]
            matrix[i, j] += gain * upper
            if a != b:
                matrix[j, i] += gain * lower
            a = topology[a, PARENT]
        parent = topology[b, PARENT]
        if parent >= 0:
            inertia[parent] += inertia[b]
            b_mat[parent] += b_mat[b]


@jit
def coriolis(bodies, topology, q, qd):
    """Coriolis matrices (B, n, n) for states q, qd (B, n)."""
    count = bodies.shape[0]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    axis = np.empty((count, 6))
    axis_rate = np.empty((count, 6))
    velocity = np.empty((count, 6))
    inertia = np.empty((count, 6, 6))
    b_mat = np.empty((count, 6, 6))
    matrix = np.empty((q.shape[0], q.shape[1], q.shape[1]))
    for s in range(q.shape[0]):
        outward(
            bodies,
            topology,
            q[s],
            qd[s],
            rotation,
            origin,
            axis,
            axis_rate,
            velocity,
            inertia,
            b_mat,
        )
        coriolis_row(bodies, topology, axis, axis_rate, inertia, b_mat, matrix[s])
    return matrix
