# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Algebra of spatial vectors and inertias as tuples: [linear; angular], root axes and origin.

About one common point everything beyond a joint adds up. Besides the inertia I of a body there is
B(I, v) = (v x* I - I v x + (I v) xbar*) / 2 (Echeandia, Wensing 2021). It is never made: summed
over the points of a body (mass m, place p, velocity u) it takes a motion with angular part w to
the force m w x u at p. Hence B (x, w) = (w x h, G w) with the momentum h, G = tr(D) - D and D the
sum of m u p^T.
"""

from robodyn_ros.dynamics._kernels.compile import jit


@jit
def motion_cross(v, m):
    """Give v x m of two motions."""
    return (
        v[4] * m[2] - v[5] * m[1] + v[1] * m[5] - v[2] * m[4],
        v[5] * m[0] - v[3] * m[2] + v[2] * m[3] - v[0] * m[5],
        v[3] * m[1] - v[4] * m[0] + v[0] * m[4] - v[1] * m[3],
        v[4] * m[5] - v[5] * m[4],
        v[5] * m[3] - v[3] * m[5],
        v[3] * m[4] - v[4] * m[3],
    )


@jit
def force_cross(v, f):
    """Give v x* f of a motion and a force."""
    return (
        v[4] * f[2] - v[5] * f[1],
        v[5] * f[0] - v[3] * f[2],
        v[3] * f[1] - v[4] * f[0],
        v[4] * f[5] - v[5] * f[4] + v[1] * f[2] - v[2] * f[1],
        v[5] * f[3] - v[3] * f[5] + v[2] * f[0] - v[0] * f[2],
        v[3] * f[4] - v[4] * f[3] + v[0] * f[1] - v[1] * f[0],
    )


@jit
def times_inertia(i, m):
    """Force that an inertia row [m, mc, xx, xy, yy, xz, yz, zz] makes of a motion."""
    return (
        i[0] * m[0] + m[4] * i[3] - m[5] * i[2],
        i[0] * m[1] + m[5] * i[1] - m[3] * i[3],
        i[0] * m[2] + m[3] * i[2] - m[4] * i[1],
        i[2] * m[2] - i[3] * m[1] + i[4] * m[3] + i[5] * m[4] + i[7] * m[5],
        i[3] * m[0] - i[1] * m[2] + i[5] * m[3] + i[6] * m[4] + i[8] * m[5],
        i[1] * m[1] - i[2] * m[0] + i[7] * m[3] + i[8] * m[4] + i[9] * m[5],
    )


@jit
def times_b(h, g, m):
    """Force that B makes of a motion: (w x h, G w)."""
    return (
        m[4] * h[2] - m[5] * h[1],
        m[5] * h[0] - m[3] * h[2],
        m[3] * h[1] - m[4] * h[0],
        g[0] * m[3] + g[1] * m[4] + g[2] * m[5],
        g[3] * m[3] + g[4] * m[4] + g[5] * m[5],
        g[6] * m[3] + g[7] * m[4] + g[8] * m[5],
    )


@jit
def times_b_transposed(h, g, m):
    """Angular part of what B^T makes of a motion; the linear part is zero."""
    return (
        h[1] * m[2] - h[2] * m[1] + g[0] * m[3] + g[3] * m[4] + g[6] * m[5],
        h[2] * m[0] - h[0] * m[2] + g[1] * m[3] + g[4] * m[4] + g[7] * m[5],
        h[0] * m[1] - h[1] * m[0] + g[2] * m[3] + g[5] * m[4] + g[8] * m[5],
    )


@jit
def turning_matrix(i, v):
    """G (9 numbers) of a body: D = v mc^T + w x E, with E = tr(I)/2 - I the second moments."""
    half = 0.5 * (i[4] + i[6] + i[9])
    ex, ey, ez = half - i[4], half - i[6], half - i[9]
    x, y, z = v[3], v[4], v[5]
    dxx = v[0] * i[1] - y * i[7] + z * i[5]
    dxy = v[0] * i[2] - y * i[8] - z * ey
    dxz = v[0] * i[3] + y * ez + z * i[8]
    dyx = v[1] * i[1] + z * ex + x * i[7]
    dyy = v[1] * i[2] - z * i[5] + x * i[8]
    dyz = v[1] * i[3] - z * i[7] - x * ez
    dzx = v[2] * i[1] - x * i[5] - y * ex
    dzy = v[2] * i[2] + x * ey + y * i[5]
    dzz = v[2] * i[3] - x * i[8] + y * i[7]
    return dyy + dzz, -dxy, -dxz, -dyx, dxx + dzz, -dyz, -dzx, -dzy, dxx + dyy


@jit
def joint_axis(turns, pose):
    """Motion of a body at unit rate of its joint."""
    x, y, z, px, py, pz = pose[2], pose[5], pose[8], pose[9], pose[10], pose[11]
    if turns:
        return py * z - pz * y, pz * x - px * z, px * y - py * x, x, y, z
    return x, y, z, 0.0, 0.0, 0.0


@jit
def along(s, f):
    """Power of a force along a motion."""
    return s[0] * f[0] + s[1] * f[1] + s[2] * f[2] + s[3] * f[3] + s[4] * f[4] + s[5] * f[5]


@jit
def total(a, b):
    """Sum of two spatial vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@jit
def scaled(x, a):
    """Spatial vector times a number."""
    return x * a[0], x * a[1], x * a[2], x * a[3], x * a[4], x * a[5]
