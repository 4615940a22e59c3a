# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Screw motion of a free root: the exponential of SE(3) applied to position and quaternion."""

import math

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit

# rad: below it (a - sin a) / a^3 loses digits and its series is exact.
_SMALL = 0.1


@jit
def cross(ax, ay, az, bx, by, bz):
    """Cross product of two vectors."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@jit
def screw_coefficients(s):
    """Give sin(a / 2) / a, cos(a / 2) and (a - sin a) / a^3 for the square s of an angle a."""
    a = math.sqrt(s)
    if a < _SMALL:
        third = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0)))) / 6.0
    else:
        third = (a - math.sin(a)) / (a * s)
    sine = math.sin(0.5 * a) / a if a > 0.0 else 0.5
    return sine, math.cos(0.5 * a), third


@jit
def moved_pose(px, py, pz, x, y, z, w, vx, vy, vz, wx, wy, wz):
    """
    Pose (p, quaternion x y z w) after a twist [v; w] in its own axes, for one unit of time.

    Murray, Li, Sastry 1994, equation 2.36. The quaternion comes out at unit length.
    """
    sine, cosine, third = screw_coefficients(wx * wx + wy * wy + wz * wz)
    # Shift in the axes of the start: v + (1 - cos a) / a^2 w x v + (a - sin a) / a^3 w x (w x v).
    cx, cy, cz = cross(wx, wy, wz, vx, vy, vz)
    dx, dy, dz = cross(wx, wy, wz, cx, cy, cz)
    second = 2.0 * sine * sine
    sx, sy, sz = (
        vx + second * cx + third * dx,
        vy + second * cy + third * dy,
        vz + second * cz + third * dz,
    )
    # Turned into the world: s + 2 (w t + u x t) / |quaternion|^2, with u = (x y z), t = u x s.
    tx, ty, tz = cross(x, y, z, sx, sy, sz)
    ux, uy, uz = cross(x, y, z, tx, ty, tz)
    twice = 2.0 / (x * x + y * y + z * z + w * w)
    # First the turn, then the start.
    a, b, c = sine * wx, sine * wy, sine * wz
    nx, ny, nz = cross(x, y, z, a, b, c)
    nx, ny, nz = nx + w * a + cosine * x, ny + w * b + cosine * y, nz + w * c + cosine * z
    nw = w * cosine - x * a - y * b - z * c
    unit = 1.0 / math.sqrt(nx * nx + ny * ny + nz * nz + nw * nw)
    return (
        px + sx + twice * (w * tx + ux),
        py + sy + twice * (w * ty + uy),
        pz + sz + twice * (w * tz + uz),
        unit * nx,
        unit * ny,
        unit * nz,
        unit * nw,
    )


@jit
def moved_configurations(q, d):
    """Move configurations (B, 7 + n) by displacements (B, 6 + n): the root on a screw."""
    moved = np.empty_like(q)
    for s in range(q.shape[0]):
        a, b = q[s], d[s]
        pose = moved_pose(
            a[0], a[1], a[2], a[3], a[4], a[5], a[6], b[0], b[1], b[2], b[3], b[4], b[5]
        )
        for i in range(7):
            moved[s, i] = pose[i]
        for i in range(7, q.shape[1]):
            moved[s, i] = a[i] + b[i - 1]
    return moved
