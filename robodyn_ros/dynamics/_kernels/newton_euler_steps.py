# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The steps of the recursive Newton-Euler algorithm for one body and one sample.

Plain scalar formulas: arguments and results are numbers and tuples of them, so the same lines
serve the single call and every lane of a batch. ``k`` is the tuple of a body's constants.
Featherstone, Rigid Body Dynamics Algorithms, 2008, section 5.3, in body frames, with the true
acceleration of each body origin (gravity enters as an acceleration -g of the root).
"""

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.model.arrays import INERTIA, MASS, MOMENT, POSITION, ROTATION


@jit
def constants(body):
    """Give the first 22 columns of a body row as a tuple, so that they stay in registers."""
    return (
        body[0],
        body[1],
        body[2],
        body[3],
        body[4],
        body[5],
        body[6],
        body[7],
        body[8],
        body[9],
        body[10],
        body[11],
        body[12],
        body[13],
        body[14],
        body[15],
        body[16],
        body[17],
        body[18],
        body[19],
        body[20],
        body[21],
    )


@jit
def turn_in(k, cos, sin, x, y, z):
    """Turn a vector from the parent's frame into the body's: Rz(q)^T R^T v."""
    u = k[ROTATION] * x + k[ROTATION + 3] * y + k[ROTATION + 6] * z
    v = k[ROTATION + 1] * x + k[ROTATION + 4] * y + k[ROTATION + 7] * z
    w = k[ROTATION + 2] * x + k[ROTATION + 5] * y + k[ROTATION + 8] * z
    return cos * u + sin * v, cos * v - sin * u, w


@jit
def turn_out(k, cos, sin, x, y, z):
    """Turn a vector from the body's frame into the parent's: R Rz(q) v."""
    u = cos * x - sin * y
    v = sin * x + cos * y
    return (
        k[ROTATION] * u + k[ROTATION + 1] * v + k[ROTATION + 2] * z,
        k[ROTATION + 3] * u + k[ROTATION + 4] * v + k[ROTATION + 5] * z,
        k[ROTATION + 6] * u + k[ROTATION + 7] * v + k[ROTATION + 8] * z,
    )


@jit
def body_origin(k, slide):
    """Origin of the body in the parent's frame, moved along the joint axis by slide."""
    return (
        k[POSITION] + k[ROTATION + 2] * slide,
        k[POSITION + 1] + k[ROTATION + 5] * slide,
        k[POSITION + 2] + k[ROTATION + 8] * slide,
    )


@jit
def point_acceleration(ox, oy, oz, wx, wy, wz, hx, hy, hz, ax, ay, az):
    """Acceleration of point o of a body: a + alpha x o + w x (w x o)."""
    sx = wy * oz - wz * oy
    sy = wz * ox - wx * oz
    sz = wx * oy - wy * ox
    return (
        ax + hy * oz - hz * oy + wy * sz - wz * sy,
        ay + hz * ox - hx * oz + wz * sx - wx * sz,
        az + hx * oy - hy * ox + wx * sy - wy * sx,
    )


@jit
def revolute_step(k, cos, sin, rate, acceleration, wx, wy, wz, hx, hy, hz, ax, ay, az):
    """Motion (w, alpha, a) of a turning body from its parent's, each in its own frame."""
    ox, oy, oz = body_origin(k, 0.0)
    ax, ay, az = point_acceleration(ox, oy, oz, wx, wy, wz, hx, hy, hz, ax, ay, az)
    ax, ay, az = turn_in(k, cos, sin, ax, ay, az)
    wx, wy, wz = turn_in(k, cos, sin, wx, wy, wz)
    hx, hy, hz = turn_in(k, cos, sin, hx, hy, hz)
    return (
        wx,
        wy,
        wz + rate,
        hx + wy * rate,
        hy - wx * rate,
        hz + acceleration,
        ax,
        ay,
        az,
    )


@jit
def prismatic_step(k, slide, rate, acceleration, wx, wy, wz, hx, hy, hz, ax, ay, az):
    """Motion (w, alpha, a) of a sliding body from its parent's, each in its own frame."""
    ox, oy, oz = body_origin(k, slide)
    ax, ay, az = point_acceleration(ox, oy, oz, wx, wy, wz, hx, hy, hz, ax, ay, az)
    ax, ay, az = turn_in(k, 1.0, 0.0, ax, ay, az)
    wx, wy, wz = turn_in(k, 1.0, 0.0, wx, wy, wz)
    hx, hy, hz = turn_in(k, 1.0, 0.0, hx, hy, hz)
    return (
        wx,
        wy,
        wz,
        hx,
        hy,
        hz,
        ax + 2.0 * wy * rate,
        ay - 2.0 * wx * rate,
        az + acceleration,
    )


@jit
def body_wrench(k, wx, wy, wz, hx, hy, hz, ax, ay, az):
    """
    Force and moment about the body origin that its motion takes (Newton, Euler).

    F = m a + alpha x mc + w x (w x mc), N = I alpha + w x I w + mc x a.
    """
    m = k[MASS]
    cx, cy, cz = k[MOMENT], k[MOMENT + 1], k[MOMENT + 2]
    xx, xy, yy = k[INERTIA], k[INERTIA + 1], k[INERTIA + 2]
    xz, yz, zz = k[INERTIA + 3], k[INERTIA + 4], k[INERTIA + 5]
    fx, fy, fz = point_acceleration(cx, cy, cz, wx, wy, wz, hx, hy, hz, m * ax, m * ay, m * az)
    lx = xx * wx + xy * wy + xz * wz
    ly = xy * wx + yy * wy + yz * wz
    lz = xz * wx + yz * wy + zz * wz
    return (
        fx,
        fy,
        fz,
        xx * hx + xy * hy + xz * hz + wy * lz - wz * ly + cy * az - cz * ay,
        xy * hx + yy * hy + yz * hz + wz * lx - wx * lz + cz * ax - cx * az,
        xz * hx + yz * hy + zz * hz + wx * ly - wy * lx + cx * ay - cy * ax,
    )


@jit
def wrench_at_parent(k, cos, sin, slide, fx, fy, fz, nx, ny, nz):
    """Give a wrench at the body origin as the parent feels it: its axes, about its origin."""
    ox, oy, oz = body_origin(k, slide)
    fx, fy, fz = turn_out(k, cos, sin, fx, fy, fz)
    nx, ny, nz = turn_out(k, cos, sin, nx, ny, nz)
    return (
        fx,
        fy,
        fz,
        nx + oy * fz - oz * fy,
        ny + oz * fx - ox * fz,
        nz + ox * fy - oy * fx,
    )
