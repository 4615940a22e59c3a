# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Recursive Newton-Euler: joint torques in two sweeps, in body frames.

Luh, Walker, Paul, "On-line computational scheme for mechanical manipulators", 1980; in the
form of Featherstone, Rigid Body Dynamics Algorithms, 2008, section 5.3, with the true
acceleration of each body origin. Gravity enters as an acceleration -g of the root.
"""

import math

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.model.arrays import (
    INDEX,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    MULTIPLIER,
    OFFSET,
    PARENT,
    POSITION,
    REVOLUTE,
    ROTATION,
)

# Work space per body: 0-2 angular velocity, 3-5 angular acceleration, 6-8 acceleration of the
# origin, 9-11 force and 12-14 moment through the joint, 15-16 cosine and sine, 17-19 origin in
# the parent's frame.
WORK_COLUMNS = 20


@jit
def turn_in(body, cos, sin, x, y, z):
    """A vector from the parent's frame into the body's: Rz(q)^T R^T v."""
    u = body[ROTATION] * x + body[ROTATION + 3] * y + body[ROTATION + 6] * z
    v = body[ROTATION + 1] * x + body[ROTATION + 4] * y + body[ROTATION + 7] * z
    w = body[ROTATION + 2] * x + body[ROTATION + 5] * y + body[ROTATION + 8] * z
    return cos * u + sin * v, cos * v - sin * u, w


@jit
def turn_out(body, cos, sin, x, y, z):
    """A vector from the body's frame into the parent's: R Rz(q) v."""
    u = cos * x - sin * y
    v = sin * x + cos * y
    return (
        body[ROTATION] * u + body[ROTATION + 1] * v + body[ROTATION + 2] * z,
        body[ROTATION + 3] * u + body[ROTATION + 4] * v + body[ROTATION + 5] * z,
        body[ROTATION + 6] * u + body[ROTATION + 7] * v + body[ROTATION + 8] * z,
    )


@jit
def rnea_row(bodies, topology, gravity, q, qd, qdd, work, tau):
    """One state: tau (n,) from q, qd, qdd (n,); work (N, WORK_COLUMNS)."""
    count = bodies.shape[0]
    for b in range(count):
        body = bodies[b]
        w = work[b]
        parent = topology[b, PARENT]
        column = topology[b, INDEX]
        gain = body[MULTIPLIER]
        value = gain * q[column] + body[OFFSET]
        rate = gain * qd[column]
        acceleration = gain * qdd[column]

        turning = topology[b, KIND] == REVOLUTE
        cos, sin, slide = 1.0, 0.0, value
        if turning:
            cos, sin, slide = math.cos(value), math.sin(value), 0.0
        ox = body[POSITION] + body[ROTATION + 2] * slide
        oy = body[POSITION + 1] + body[ROTATION + 5] * slide
        oz = body[POSITION + 2] + body[ROTATION + 8] * slide
        w[15], w[16], w[17], w[18], w[19] = cos, sin, ox, oy, oz

        # Motion of the point of the parent where this body's origin now is.
        if parent < 0:
            wx = wy = wz = hx = hy = hz = 0.0
            ax, ay, az = turn_in(body, cos, sin, -gravity[0], -gravity[1], -gravity[2])
        else:
            p = work[parent]
            wx, wy, wz = p[0], p[1], p[2]
            hx, hy, hz = p[3], p[4], p[5]
            sx = wy * oz - wz * oy
            sy = wz * ox - wx * oz
            sz = wx * oy - wy * ox
            ax, ay, az = turn_in(
                body,
                cos,
                sin,
                p[6] + hy * oz - hz * oy + wy * sz - wz * sy,
                p[7] + hz * ox - hx * oz + wz * sx - wx * sz,
                p[8] + hx * oy - hy * ox + wx * sy - wy * sx,
            )
            wx, wy, wz = turn_in(body, cos, sin, wx, wy, wz)
            hx, hy, hz = turn_in(body, cos, sin, hx, hy, hz)

        # Plus what the joint adds.
        if turning:
            hx += wy * rate
            hy -= wx * rate
            hz += acceleration
            wz += rate
        else:
            ax += 2.0 * wy * rate
            ay -= 2.0 * wx * rate
            az += acceleration
        w[0], w[1], w[2] = wx, wy, wz
        w[3], w[4], w[5] = hx, hy, hz
        w[6], w[7], w[8] = ax, ay, az

        # Newton and Euler about the body origin: F = m a + alpha x mc + w x (w x mc),
        # N = I alpha + w x I w + mc x a.
        m = body[MASS]
        cx, cy, cz = body[MOMENT], body[MOMENT + 1], body[MOMENT + 2]
        xx, xy, yy = body[INERTIA], body[INERTIA + 1], body[INERTIA + 2]
        xz, yz, zz = body[INERTIA + 3], body[INERTIA + 4], body[INERTIA + 5]
        sx = wy * cz - wz * cy
        sy = wz * cx - wx * cz
        sz = wx * cy - wy * cx
        w[9] = m * ax + hy * cz - hz * cy + wy * sz - wz * sy
        w[10] = m * ay + hz * cx - hx * cz + wz * sx - wx * sz
        w[11] = m * az + hx * cy - hy * cx + wx * sy - wy * sx
        lx = xx * wx + xy * wy + xz * wz
        ly = xy * wx + yy * wy + yz * wz
        lz = xz * wx + yz * wy + zz * wz
        w[12] = xx * hx + xy * hy + xz * hz + wy * lz - wz * ly + cy * az - cz * ay
        w[13] = xy * hx + yy * hy + yz * hz + wz * lx - wx * lz + cz * ax - cx * az
        w[14] = xz * hx + yz * hy + zz * hz + wx * ly - wy * lx + cx * ay - cy * ax

    tau[:] = 0.0
    for b in range(count - 1, -1, -1):
        body = bodies[b]
        w = work[b]
        along_axis = w[14] if topology[b, KIND] == REVOLUTE else w[11]
        tau[topology[b, INDEX]] += body[MULTIPLIER] * along_axis
        parent = topology[b, PARENT]
        if parent >= 0:
            p = work[parent]
            cos, sin, ox, oy, oz = w[15], w[16], w[17], w[18], w[19]
            fx, fy, fz = turn_out(body, cos, sin, w[9], w[10], w[11])
            nx, ny, nz = turn_out(body, cos, sin, w[12], w[13], w[14])
            p[9] += fx
            p[10] += fy
            p[11] += fz
            p[12] += nx + oy * fz - oz * fy
            p[13] += ny + oz * fx - ox * fz
            p[14] += nz + ox * fy - oy * fx


@jit
def rnea(bodies, topology, gravity, q, qd, qdd):
    """Joint torques (B, n) for a batch of states, each (B, n)."""
    work = np.empty((bodies.shape[0], WORK_COLUMNS))
    tau = np.empty_like(q)
    for s in range(q.shape[0]):
        rnea_row(bodies, topology, gravity, q[s], qd[s], qdd[s], work, tau[s])
    return tau
