# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Derivatives of inverse dynamics with respect to position and velocity, without differences.

Singh, Russell, Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial
vector algebra", 2022, algorithm 1. With s the axis of a joint, v and a the velocity and
acceleration (gravity as -g of the root) of its parent, r = v x s and c = a x s + v x r, and for
all beyond a joint the inertia I, the force f and B(I, v) (see ``coriolis``), joints i before j:

    dtau_i/dq_j  = s_i (2 B_j r_j + I_j c_j + s_j x* f_j)
    dtau_j/dq_i  = s_j (2 B_j r_i + I_j c_i)
    dtau_i/dqd_j = 2 s_i (B_j s_j + I_j r_j)
    dtau_j/dqd_i = 2 s_j (B_j s_i + I_j r_i)

Spatial vectors are [linear; angular], in root axes about the root origin, so composites add up.
B is never made: summed over the points of a body (mass m, place p, velocity u) it takes a motion
with angular part w to the force m w x u at p. Hence B (x, w) = (w x h, G w) with the momentum h,
G = tr(D) - D and D the sum of m u p^T.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.dynamics._kernels.inertia import add_shifted, turn_inertia
from robodyn_ros.dynamics._kernels.placement import place_bodies
from robodyn_ros.model.arrays import INDEX, KIND, MULTIPLIER, PARENT, REVOLUTE

# Columns of a body's motion: velocity and acceleration (6 each).
VELOCITY, ACCELERATION, MOTION = 0, 6, 12
# Of its joint: axis s, its rate r, and c (6 each).
AXIS, RATE, CURVE, JOINT = 0, 6, 12, 18
# Of what lies beyond its joint: inertia (10), force (6), momentum (3), G (9, row-major).
BODY, FORCE, MOMENTUM, TURNING, COMPOSITE = 0, 10, 16, 19, 28


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
def joint_axis(kind, rotation, origin):
    """Motion of a body at unit rate of its joint."""
    x, y, z = rotation[0, 2], rotation[1, 2], rotation[2, 2]
    if kind == REVOLUTE:
        px, py, pz = origin[0], origin[1], origin[2]
        return py * z - pz * y, pz * x - px * z, px * y - py * x, x, y, z
    return x, y, z, 0.0, 0.0, 0.0


@jit
def along(s, f):
    """Power of a force along a motion."""
    return s[0] * f[0] + s[1] * f[1] + s[2] * f[2] + s[3] * f[3] + s[4] * f[4] + s[5] * f[5]


@jit
def outward(body, topology, rate, acceleration, rotation, origin, parent, motion, joint, beyond):
    """Write motion, joint and own part of what lies beyond the joint of one body."""
    s = joint_axis(topology[KIND], rotation, origin)
    v, a = parent[VELOCITY:ACCELERATION], parent[ACCELERATION:]
    r = motion_cross(v, s)
    c = motion_cross(v, r)
    d = motion_cross(a, s)
    for k in range(6):
        joint[AXIS + k] = s[k]
        joint[RATE + k] = r[k]
        joint[CURVE + k] = c[k] + d[k]
        motion[VELOCITY + k] = v[k] + s[k] * rate
        motion[ACCELERATION + k] = a[k] + s[k] * acceleration + r[k] * rate
    v, a, inertia = motion[VELOCITY:ACCELERATION], motion[ACCELERATION:], beyond[:FORCE]
    row = beyond[FORCE : FORCE + 10]  # filled with its own content below
    turn_inertia(body, rotation, row)
    inertia[:] = 0.0
    add_shifted(row, origin[0], origin[1], origin[2], inertia)
    momentum = times_inertia(inertia, v)
    gyration = force_cross(v, momentum)
    push = times_inertia(inertia, a)
    for k in range(6):
        beyond[FORCE + k] = push[k] + gyration[k]
    for k in range(3):
        beyond[MOMENTUM + k] = momentum[k]
    turning = turning_matrix(inertia, v)
    for k in range(9):
        beyond[TURNING + k] = turning[k]


@jit
def rnea_derivatives_row(
    bodies, topology, gravity, q, qd, qdd, rotation, origin, motion, joint, beyond, dq, dqd
):  # fmt: skip
    """One sample: dq and dqd (n, n). Work arrays have a row per body; motion one more."""
    count = bodies.shape[0]
    place_bodies(bodies, topology, q, rotation, origin)
    # The row of parent -1 is the last one: the root.
    motion[count] = 0.0
    for k in range(3):
        motion[count, ACCELERATION + k] = -gravity[k]
    for b in range(count):
        gain, column = bodies[b, MULTIPLIER], topology[b, INDEX]
        outward(
            bodies[b], topology[b], gain * qd[column], gain * qdd[column], rotation[b], origin[b],
            motion[topology[b, PARENT]], motion[b], joint[b], beyond[b],
        )  # fmt: skip
    dq[:, :] = 0.0
    dqd[:, :] = 0.0
    for b in range(count - 1, -1, -1):
        s, r, c = joint[b, AXIS:RATE], joint[b, RATE:CURVE], joint[b, CURVE:]
        inertia, force = beyond[b, BODY:FORCE], beyond[b, FORCE:MOMENTUM]
        h, g = beyond[b, MOMENTUM:TURNING], beyond[b, TURNING:]
        i_s, i_r, i_c = (
            times_inertia(inertia, s),
            times_inertia(inertia, r),
            times_inertia(inertia, c),
        )
        b_s, b_r = times_b(h, g, s), times_b(h, g, r)
        s_b = times_b_transposed(h, g, s)
        f = force_cross(s, force)
        by_position = (
            2.0 * b_r[0] + i_c[0] + f[0],
            2.0 * b_r[1] + i_c[1] + f[1],
            2.0 * b_r[2] + i_c[2] + f[2],
            2.0 * b_r[3] + i_c[3] + f[3],
            2.0 * b_r[4] + i_c[4] + f[4],
            2.0 * b_r[5] + i_c[5] + f[5],
        )
        by_rate = (
            2.0 * (b_s[0] + i_r[0]),
            2.0 * (b_s[1] + i_r[1]),
            2.0 * (b_s[2] + i_r[2]),
            2.0 * (b_s[3] + i_r[3]),
            2.0 * (b_s[4] + i_r[4]),
            2.0 * (b_s[5] + i_r[5]),
        )
        j, a = topology[b, INDEX], b
        while a >= 0:
            i, gain = topology[a, INDEX], bodies[a, MULTIPLIER] * bodies[b, MULTIPLIER]
            s, r, c = joint[a, AXIS:RATE], joint[a, RATE:CURVE], joint[a, CURVE:]
            dq[i, j] += gain * along(s, by_position)
            dqd[i, j] += gain * along(s, by_rate)
            if a != b:
                bent = s_b[0] * r[3] + s_b[1] * r[4] + s_b[2] * r[5]
                swung = s_b[0] * s[3] + s_b[1] * s[4] + s_b[2] * s[5]
                dq[j, i] += gain * (2.0 * bent + along(c, i_s))
                dqd[j, i] += gain * 2.0 * (swung + along(r, i_s))
            a = topology[a, PARENT]
        parent = topology[b, PARENT]
        if parent >= 0:
            for k in range(COMPOSITE):
                beyond[parent, k] += beyond[b, k]


@jit
def rnea_derivatives(bodies, topology, gravity, q, qd, qdd):
    """Slopes by q and by qd, each (B, n, n), for a batch of states (B, n)."""
    count, samples, n = bodies.shape[0], q.shape[0], q.shape[1]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    motion = np.empty((count + 1, MOTION))
    joint = np.empty((count, JOINT))
    beyond = np.empty((count, COMPOSITE))
    dq = np.empty((samples, n, n))
    dqd = np.empty((samples, n, n))
    for i in range(samples):
        rnea_derivatives_row(
            bodies, topology, gravity, q[i], qd[i], qdd[i],
            rotation, origin, motion, joint, beyond, dq[i], dqd[i],
        )  # fmt: skip
    return dq, dqd


@jit
def rnea_derivatives_vector(bodies, topology, gravity, q, qd, qdd):
    """Slopes by q and by qd, each (n, n), of one sample."""
    n = q.size
    states = q.reshape(1, n), qd.reshape(1, n), qdd.reshape(1, n)
    dq, dqd = rnea_derivatives(bodies, topology, gravity, *states)
    return dq[0], dqd[0]
