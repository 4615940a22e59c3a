# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The steps of the articulated body algorithm for one body and one sample.

Featherstone, Rigid Body Dynamics Algorithms, 2008, section 7.3. Root axes, every quantity about
its own body origin and true (classical) accelerations, so that inertia and bias pass to the parent
by a shift only. An articulated inertia is [[A, B], [B^T, D]] with wrench = inertia (a, alpha) +
bias: 21 numbers, A (xx, xy, yy, xz, yz, zz), B row by row, D like A.
"""

from robodyn_ros.dynamics._kernels.compile import jit


@jit
def cross(ax, ay, az, bx, by, bz):
    """Cross product of two vectors."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@jit
def symmetric_product(s, x, y, z):
    """Product of a symmetric matrix (xx, xy, yy, xz, yz, zz) with a vector."""
    return (
        s[0] * x + s[1] * y + s[3] * z,
        s[1] * x + s[2] * y + s[4] * z,
        s[3] * x + s[4] * y + s[5] * z,
    )


@jit
def bias_motion(turns, x, y, z, rate, rx, ry, rz, wx, wy, wz):
    """
    Angular velocity and bias acceleration (linear, angular) of a body.

    From its axis, joint rate, arm r from the parent's origin and the parent's angular velocity w;
    turns is 1.0 for a turning joint and 0.0 for a sliding one.
    """
    sx, sy, sz = cross(wx, wy, wz, rx, ry, rz)
    ax, ay, az = cross(wx, wy, wz, sx, sy, sz)
    cx, cy, cz = cross(wx, wy, wz, rate * x, rate * y, rate * z)
    coriolis = 2.0 * (1.0 - turns)
    turn = turns * rate
    return (
        wx + turn * x,
        wy + turn * y,
        wz + turn * z,
        ax + coriolis * cx,
        ay + coriolis * cy,
        az + coriolis * cz,
        turns * cx,
        turns * cy,
        turns * cz,
    )


@jit
def bias_wrench(wx, wy, wz, m, mx, my, mz, xx, xy, yy, xz, yz, zz):
    """Force and moment that a body's rotation alone takes: w x (w x mc), w x I w."""
    sx, sy, sz = cross(wx, wy, wz, mx, my, mz)
    fx, fy, fz = cross(wx, wy, wz, sx, sy, sz)
    lx = xx * wx + xy * wy + xz * wz
    ly = xy * wx + yy * wy + yz * wz
    lz = xz * wx + yz * wy + zz * wz
    nx, ny, nz = cross(wx, wy, wz, lx, ly, lz)
    return fx, fy, fz, nx, ny, nz


@jit
def rigid(m, mx, my, mz, xx, xy, yy, xz, yz, zz):
    """Inertia of a rigid body as 21 numbers: A = m 1, B = -[mc]x, D = I."""
    return (
        m, 0.0, m, 0.0, 0.0, m,
        0.0, mz, -my, -mz, 0.0, mx, my, -mx, 0.0,
        xx, xy, yy, xz, yz, zz,
    )  # fmt: skip


@jit
def turning_column(x, y, z, i):
    """Column U = I s of an articulated inertia i for a turning joint: force and moment."""
    nx, ny, nz = symmetric_product(i[15:21], x, y, z)
    return (
        i[6] * x + i[7] * y + i[8] * z,
        i[9] * x + i[10] * y + i[11] * z,
        i[12] * x + i[13] * y + i[14] * z,
        nx,
        ny,
        nz,
    )


@jit
def sliding_column(x, y, z, i):
    """Column U = I s of an articulated inertia i for a sliding joint: force and moment."""
    fx, fy, fz = symmetric_product(i[0:6], x, y, z)
    return (
        fx,
        fy,
        fz,
        i[6] * x + i[9] * y + i[12] * z,
        i[7] * x + i[10] * y + i[13] * z,
        i[8] * x + i[11] * y + i[14] * z,
    )


@jit
def give_way(u, scale, i):
    """Articulated inertia i less what the joint does not resist: I - U U^T / D."""
    fx, fy, fz, nx, ny, nz = u
    gx, gy, gz = scale * fx, scale * fy, scale * fz
    hx, hy, hz = scale * nx, scale * ny, scale * nz
    return (
        i[0] - gx * fx,
        i[1] - gx * fy,
        i[2] - gy * fy,
        i[3] - gx * fz,
        i[4] - gy * fz,
        i[5] - gz * fz,
        i[6] - gx * nx,
        i[7] - gx * ny,
        i[8] - gx * nz,
        i[9] - gy * nx,
        i[10] - gy * ny,
        i[11] - gy * nz,
        i[12] - gz * nx,
        i[13] - gz * ny,
        i[14] - gz * nz,
        i[15] - hx * nx,
        i[16] - hx * ny,
        i[17] - hy * ny,
        i[18] - hx * nz,
        i[19] - hy * nz,
        i[20] - hz * nz,
    )


@jit
def apply(i, ax, ay, az, hx, hy, hz):
    """Wrench of an articulated inertia i under an acceleration (linear a, angular h)."""
    fx, fy, fz = symmetric_product(i[0:6], ax, ay, az)
    nx, ny, nz = symmetric_product(i[15:21], hx, hy, hz)
    return (
        fx + i[6] * hx + i[7] * hy + i[8] * hz,
        fy + i[9] * hx + i[10] * hy + i[11] * hz,
        fz + i[12] * hx + i[13] * hy + i[14] * hz,
        nx + i[6] * ax + i[9] * ay + i[12] * az,
        ny + i[7] * ax + i[10] * ay + i[13] * az,
        nz + i[8] * ax + i[11] * ay + i[14] * az,
    )


@jit
def at_parent(rx, ry, rz, i):
    """Articulated inertia as the parent's origin feels it: X^T I X, X = [[1, -[r]x], [0, 1]]."""
    a0, a1, a2, a3, a4, a5 = i[0], i[1], i[2], i[3], i[4], i[5]
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = i[6:15]
    # B' = B - A [r]x
    c0 = b0 - a1 * rz + a3 * ry
    c1 = b1 + a0 * rz - a3 * rx
    c2 = b2 - a0 * ry + a1 * rx
    c3 = b3 - a2 * rz + a4 * ry
    c4 = b4 + a1 * rz - a4 * rx
    c5 = b5 - a1 * ry + a2 * rx
    c6 = b6 - a4 * rz + a5 * ry
    c7 = b7 + a3 * rz - a5 * rx
    c8 = b8 - a3 * ry + a4 * rx
    # D' = D + [r]x B' - B^T [r]x
    return (
        a0, a1, a2, a3, a4, a5,
        c0, c1, c2, c3, c4, c5, c6, c7, c8,
        i[15] + ry * c6 - rz * c3 - b3 * rz + b6 * ry,
        i[16] + rz * c0 - rx * c6 - b4 * rz + b7 * ry,
        i[17] + rz * c1 - rx * c7 + b1 * rz - b7 * rx,
        i[18] + rx * c3 - ry * c0 - b5 * rz + b8 * ry,
        i[19] + rx * c4 - ry * c1 + b2 * rz - b8 * rx,
        i[20] + rx * c5 - ry * c2 - b2 * ry + b5 * rx,
    )  # fmt: skip


@jit
def wrench_at(rx, ry, rz, fx, fy, fz, nx, ny, nz):
    """Wrench about a point at -r of the present reference."""
    return (
        fx,
        fy,
        fz,
        nx + ry * fz - rz * fy,
        ny + rz * fx - rx * fz,
        nz + rx * fy - ry * fx,
    )
