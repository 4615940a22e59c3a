# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rigid-body inertia in root axes: turning it out of the body frame, moving its reference.

An inertia row is [m, mc (3), xx, xy, yy, xz, yz, zz], the tensor about the reference point.
"""

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.model.arrays import INERTIA, MASS, MOMENT


@jit
def turn_inertia(body, rotation, row):
    """Write the inertia of a body row in root axes, still about the body origin: R I R^T."""
    row[0] = body[MASS]
    xx, xy, yy = body[INERTIA], body[INERTIA + 1], body[INERTIA + 2]
    xz, yz, zz = body[INERTIA + 3], body[INERTIA + 4], body[INERTIA + 5]
    k = 4
    for i in range(3):
        x, y, z = rotation[i, 0], rotation[i, 1], rotation[i, 2]
        row[1 + i] = x * body[MOMENT] + y * body[MOMENT + 1] + z * body[MOMENT + 2]
        ux = x * xx + y * xy + z * xz
        uy = x * xy + y * yy + z * yz
        uz = x * xz + y * yz + z * zz
        for j in range(i + 1):
            row[k] = ux * rotation[j, 0] + uy * rotation[j, 1] + uz * rotation[j, 2]
            k += 1


@jit
def add_shifted(row, rx, ry, rz, total):
    """Add an inertia to another whose reference point is at -r: parallel-axis theorem."""
    m, cx, cy, cz = row[0], row[1], row[2], row[3]
    dot = 2.0 * (rx * cx + ry * cy + rz * cz) + m * (rx * rx + ry * ry + rz * rz)
    total[0] += m
    total[1] += cx + m * rx
    total[2] += cy + m * ry
    total[3] += cz + m * rz
    total[4] += row[4] + dot - 2.0 * rx * cx - m * rx * rx
    total[5] += row[5] - rx * cy - ry * cx - m * rx * ry
    total[6] += row[6] + dot - 2.0 * ry * cy - m * ry * ry
    total[7] += row[7] - rx * cz - rz * cx - m * rx * rz
    total[8] += row[8] - ry * cz - rz * cy - m * ry * rz
    total[9] += row[9] + dot - 2.0 * rz * cz - m * rz * rz
