# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rigid-body inertia in root axes: turning it out of the body frame, moving its reference.

An inertia is [m, mc (3), xx, xy, yy, xz, yz, zz], the tensor about the reference point.
"""

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.model.arrays import INERTIA, MASS, MOMENT


@jit
def turned(k, r0, r1, r2, r3, r4, r5, r6, r7, r8):
    """Inertia of a body (its constants k) in root axes, still about the body origin: R I R^T."""
    mx, my, mz = k[MOMENT], k[MOMENT + 1], k[MOMENT + 2]
    xx, xy, yy = k[INERTIA], k[INERTIA + 1], k[INERTIA + 2]
    xz, yz, zz = k[INERTIA + 3], k[INERTIA + 4], k[INERTIA + 5]
    ax = r0 * xx + r1 * xy + r2 * xz
    ay = r0 * xy + r1 * yy + r2 * yz
    az = r0 * xz + r1 * yz + r2 * zz
    bx = r3 * xx + r4 * xy + r5 * xz
    by = r3 * xy + r4 * yy + r5 * yz
    bz = r3 * xz + r4 * yz + r5 * zz
    cx = r6 * xx + r7 * xy + r8 * xz
    cy = r6 * xy + r7 * yy + r8 * yz
    cz = r6 * xz + r7 * yz + r8 * zz
    return (
        k[MASS],
        r0 * mx + r1 * my + r2 * mz,
        r3 * mx + r4 * my + r5 * mz,
        r6 * mx + r7 * my + r8 * mz,
        ax * r0 + ay * r1 + az * r2,
        bx * r0 + by * r1 + bz * r2,
        bx * r3 + by * r4 + bz * r5,
        cx * r0 + cy * r1 + cz * r2,
        cx * r3 + cy * r4 + cz * r5,
        cx * r6 + cy * r7 + cz * r8,
    )


@jit
def shifted(rx, ry, rz, m, cx, cy, cz, xx, xy, yy, xz, yz, zz):
    """Inertia about a point at -r of the present reference: parallel-axis theorem."""
    dot = 2.0 * (rx * cx + ry * cy + rz * cz) + m * (rx * rx + ry * ry + rz * rz)
    # With d = 2 c + m r the products -(r c^T + c r^T + m r r^T) are symmetric halves.
    dx, dy, dz = 2.0 * cx + m * rx, 2.0 * cy + m * ry, 2.0 * cz + m * rz
    return (
        m,
        cx + m * rx,
        cy + m * ry,
        cz + m * rz,
        xx + dot - rx * dx,
        xy - 0.5 * (rx * dy + ry * dx),
        yy + dot - ry * dy,
        xz - 0.5 * (rx * dz + rz * dx),
        yz - 0.5 * (ry * dz + rz * dy),
        zz + dot - rz * dz,
    )


@jit
def turn_inertia(body, rotation, row):
    """Write the inertia of a body row in root axes, still about the body origin."""
    r = rotation
    values = turned(
        body, *(r[0, 0], r[0, 1], r[0, 2], r[1, 0], r[1, 1], r[1, 2], r[2, 0], r[2, 1], r[2, 2])
    )
    for i in range(10):
        row[i] = values[i]


@jit
def add_shifted(row, rx, ry, rz, total):
    """Add an inertia to another whose reference point is at -r."""
    moved = shifted(
        rx, ry, rz, row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9]
    )
    for i in range(10):
        total[i] += moved[i]
