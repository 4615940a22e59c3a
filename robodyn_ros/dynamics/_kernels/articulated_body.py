# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Forward dynamics by the Articulated Body Algorithm.

Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3. Root axes, every quantity about
its own body origin and true (classical) accelerations, so that inertia and bias pass to the
parent by a shift only. Not for models with mimic joints: their bodies share one coordinate.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.dynamics._kernels.inertia import turn_inertia
from robodyn_ros.dynamics._kernels.placement import place_bodies
from robodyn_ros.model.arrays import INDEX, KIND, PARENT, REVOLUTE

# Motion work space per body: 0-2 angular velocity, 3-8 bias acceleration (linear, angular),
# 9-14 acceleration (linear, angular), 15-20 bias wrench (force, moment), 21-26 U = I^A s,
# 27 D = s^T U, 28 u.
WORK_COLUMNS = 29


@jit
def cross(ax, ay, az, bx, by, bz):
    """Cross product of two vectors."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@jit
def outward_velocities(topology, gain_rate, rotation, origin, row, inertia, w, work):
    """Velocity, bias acceleration, rigid inertia and bias wrench of one body."""
    parent = topology[PARENT]
    x, y, z = rotation[0, 2], rotation[1, 2], rotation[2, 2]
    px = py = pz = bx = by = bz = 0.0
    if parent >= 0:
        px, py, pz = work[parent, 0], work[parent, 1], work[parent, 2]
        sx, sy, sz = cross(px, py, pz, origin[0], origin[1], origin[2])
        bx, by, bz = cross(px, py, pz, sx, sy, sz)
    cx, cy, cz = cross(px, py, pz, gain_rate * x, gain_rate * y, gain_rate * z)
    if topology[KIND] == REVOLUTE:
        px += gain_rate * x
        py += gain_rate * y
        pz += gain_rate * z
        w[6], w[7], w[8] = cx, cy, cz
    else:
        bx += 2.0 * cx
        by += 2.0 * cy
        bz += 2.0 * cz
        w[6] = w[7] = w[8] = 0.0
    w[0], w[1], w[2] = px, py, pz
    w[3], w[4], w[5] = bx, by, bz

    m, mx, my, mz = row[0], row[1], row[2], row[3]
    xx, xy, yy, xz, yz, zz = row[4], row[5], row[6], row[7], row[8], row[9]
    sx, sy, sz = cross(px, py, pz, mx, my, mz)
    w[15], w[16], w[17] = cross(px, py, pz, sx, sy, sz)
    lx = xx * px + xy * py + xz * pz
    ly = xy * px + yy * py + yz * pz
    lz = xz * px + yz * py + zz * pz
    w[18], w[19], w[20] = cross(px, py, pz, lx, ly, lz)

    # [F; N] = [[m 1, -[mc]x], [[mc]x, I]] [a; alpha] + bias
    inertia[:, :] = 0.0
    inertia[0, 0] = inertia[1, 1] = inertia[2, 2] = m
    inertia[1, 3] = inertia[3, 1] = -mz
    inertia[0, 4] = inertia[4, 0] = mz
    inertia[0, 5] = inertia[5, 0] = -my
    inertia[2, 3] = inertia[3, 2] = my
    inertia[2, 4] = inertia[4, 2] = -mx
    inertia[1, 5] = inertia[5, 1] = mx
    inertia[3, 3], inertia[4, 4], inertia[5, 5] = xx, yy, zz
    inertia[3, 4] = inertia[4, 3] = xy
    inertia[3, 5] = inertia[5, 3] = xz
    inertia[4, 5] = inertia[5, 4] = yz


@jit
def pass_to_parent(inertia, w, rx, ry, rz, parent_inertia, parent_w):
    """Add the articulated inertia and bias left after the joint gave way to the parent's."""
    scale = 1.0 / w[27]
    for i in range(6):
        for j in range(6):
            inertia[i, j] -= w[21 + i] * w[21 + j] * scale
    for i in range(6):
        bias = w[21 + i] * w[28] * scale
        for j in range(6):
            bias += inertia[i, j] * w[3 + j]
        w[15 + i] += bias
    # X = [[1, -[r]x], [0, 1]] takes the parent's acceleration to this origin: I_p += X^T I X.
    for i in range(6):
        fx, fy, fz = inertia[i, 0], inertia[i, 1], inertia[i, 2]
        inertia[i, 3] += ry * fz - rz * fy
        inertia[i, 4] += rz * fx - rx * fz
        inertia[i, 5] += rx * fy - ry * fx
    for j in range(6):
        fx, fy, fz = inertia[0, j], inertia[1, j], inertia[2, j]
        parent_inertia[0, j] += fx
        parent_inertia[1, j] += fy
        parent_inertia[2, j] += fz
        parent_inertia[3, j] += inertia[3, j] + ry * fz - rz * fy
        parent_inertia[4, j] += inertia[4, j] + rz * fx - rx * fz
        parent_inertia[5, j] += inertia[5, j] + rx * fy - ry * fx
    fx, fy, fz = w[15], w[16], w[17]
    parent_w[15] += fx
    parent_w[16] += fy
    parent_w[17] += fz
    parent_w[18] += w[18] + ry * fz - rz * fy
    parent_w[19] += w[19] + rz * fx - rx * fz
    parent_w[20] += w[20] + rx * fy - ry * fx


@jit
def aba_row(bodies, topology, gravity, q, qd, tau, rotation, origin, arm, row, inertia, work, qdd):
    """One state: qdd (n,) from q, qd, tau (n,); the rest is work space."""
    count = bodies.shape[0]
    place_bodies(bodies, topology, q, rotation, origin)
    for b in range(count):
        parent = topology[b, PARENT]
        for k in range(3):
            arm[b, k] = origin[b, k] - (origin[parent, k] if parent >= 0 else 0.0)
        turn_inertia(bodies[b], rotation[b], row)
        outward_velocities(
            topology[b],
            qd[topology[b, INDEX]],
            rotation[b],
            arm[b],
            row,
            inertia[b],
            work[b],
            work,
        )

    for b in range(count - 1, -1, -1):
        w = work[b]
        first = 3 if topology[b, KIND] == REVOLUTE else 0
        x, y, z = rotation[b, 0, 2], rotation[b, 1, 2], rotation[b, 2, 2]
        for i in range(6):
            w[21 + i] = (
                inertia[b, i, first] * x
                + inertia[b, i, first + 1] * y
                + inertia[b, i, first + 2] * z
            )
        w[27] = x * w[21 + first] + y * w[22 + first] + z * w[23 + first]
        w[28] = tau[topology[b, INDEX]] - (
            x * w[15 + first] + y * w[16 + first] + z * w[17 + first]
        )
        parent = topology[b, PARENT]
        if parent >= 0:
            pass_to_parent(
                inertia[b], w, arm[b, 0], arm[b, 1], arm[b, 2], inertia[parent], work[parent]
            )

    for b in range(count):
        w = work[b]
        parent = topology[b, PARENT]
        ax, ay, az = -gravity[0], -gravity[1], -gravity[2]
        hx = hy = hz = 0.0
        if parent >= 0:
            p = work[parent]
            hx, hy, hz = p[12], p[13], p[14]
            sx, sy, sz = cross(hx, hy, hz, arm[b, 0], arm[b, 1], arm[b, 2])
            ax, ay, az = p[9] + sx, p[10] + sy, p[11] + sz
        w[9], w[10], w[11] = ax + w[3], ay + w[4], az + w[5]
        w[12], w[13], w[14] = hx + w[6], hy + w[7], hz + w[8]
        force = w[28]
        for i in range(6):
            force -= w[21 + i] * w[9 + i]
        acceleration = force / w[27]
        qdd[topology[b, INDEX]] = acceleration
        first = 12 if topology[b, KIND] == REVOLUTE else 9
        for k in range(3):
            w[first + k] += acceleration * rotation[b, k, 2]


@jit
def aba(bodies, topology, gravity, q, qd, tau):
    """Joint accelerations (B, n) for a batch of states and torques, each (B, n)."""
    count = bodies.shape[0]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    arm = np.empty((count, 3))
    row = np.empty(10)
    inertia = np.empty((count, 6, 6))
    work = np.empty((count, WORK_COLUMNS))
    qdd = np.empty_like(q)
    for s in range(q.shape[0]):
        aba_row(
            bodies,
            topology,
            gravity,
            q[s],
            qd[s],
            tau[s],
            rotation,
            origin,
            arm,
            row,
            inertia,
            work,
            qdd[s],
        )
    return qdd
