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

from robodyn_ros.dynamics._kernels.articulated_body import store, tuple6
from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.dynamics._kernels.inertia import shifted, turned
from robodyn_ros.dynamics._kernels.placement import place_bodies, pose_of
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


@jit
def outward(k, turns, rate, acceleration, pose, v, a):
    """
    Joint (s, r, c), motion (v, a) and own part of the composite of one body.

    k: its constants; v, a: its parent's motion.
    """
    s = joint_axis(turns, pose)
    r = motion_cross(v, s)
    c = total(motion_cross(a, s), motion_cross(v, r))
    v = total(v, scaled(rate, s))
    a = total(a, total(scaled(acceleration, s), scaled(rate, r)))
    inertia = shifted(pose[9], pose[10], pose[11], *turned(k, *pose[0:9]))
    momentum = times_inertia(inertia, v)
    force = total(times_inertia(inertia, a), force_cross(v, momentum))
    return s, r, c, v, a, inertia, force, momentum, turning_matrix(inertia, v)


@jit
def inward(s, r, c, inertia, force, h, g):
    """
    Give what one joint moves: forces by its position and by its rate, and I s and B^T s.

    They meet the axes of the joints before it (see the head of this file).
    """
    i_s = times_inertia(inertia, s)
    by_position = total(times_inertia(inertia, c), force_cross(s, force))
    by_position = total(by_position, scaled(2.0, times_b(h, g, r)))
    by_rate = scaled(2.0, total(times_b(h, g, s), times_inertia(inertia, r)))
    return by_position, by_rate, i_s, times_b_transposed(h, g, s)


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
        gain, column, parent = bodies[b, MULTIPLIER], topology[b, INDEX], topology[b, PARENT]
        s, r, c, v, a, inertia, force, momentum, turning = outward(
            bodies[b], topology[b, KIND] == REVOLUTE, gain * qd[column], gain * qdd[column],
            pose_of(rotation[b], origin[b]), tuple6(motion[parent, VELOCITY:ACCELERATION]),
            tuple6(motion[parent, ACCELERATION:]),
        )  # fmt: skip
        store(motion[b, VELOCITY:], v)
        store(motion[b, ACCELERATION:], a)
        store(joint[b, AXIS:], s)
        store(joint[b, RATE:], r)
        store(joint[b, CURVE:], c)
        store(beyond[b, BODY:], inertia)
        store(beyond[b, FORCE:], force)
        store(beyond[b, MOMENTUM:], momentum[0:3])
        store(beyond[b, TURNING:], turning)
    dq[:, :] = 0.0
    dqd[:, :] = 0.0
    for b in range(count - 1, -1, -1):
        x = beyond[b]
        by_position, by_rate, i_s, s_b = inward(
            tuple6(joint[b, AXIS:]), tuple6(joint[b, RATE:]), tuple6(joint[b, CURVE:]),
            x[BODY:FORCE], x[FORCE:MOMENTUM], x[MOMENTUM:TURNING], x[TURNING:],
        )  # fmt: skip
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
                beyond[parent, k] += x[k]


@jit
def rnea_derivatives(bodies, topology, gravity, q, qd, qdd):
    """Slopes by q and by qd (2, B, n, n) for a batch of states (B, n)."""
    count, samples, n = bodies.shape[0], q.shape[0], q.shape[1]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    motion = np.empty((count + 1, MOTION))
    joint = np.empty((count, JOINT))
    beyond = np.empty((count, COMPOSITE))
    slopes = np.empty((2, samples, n, n))
    for i in range(samples):
        rnea_derivatives_row(
            bodies, topology, gravity, q[i], qd[i], qdd[i],
            rotation, origin, motion, joint, beyond, slopes[0, i], slopes[1, i],
        )  # fmt: skip
    return slopes


@jit
def rnea_derivatives_vector(bodies, topology, gravity, q, qd, qdd):
    """Slopes by q and by qd (2, n, n) of one sample."""
    count, n = bodies.shape[0], q.shape[0]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    motion = np.empty((count + 1, MOTION))
    joint = np.empty((count, JOINT))
    beyond = np.empty((count, COMPOSITE))
    slopes = np.empty((2, n, n))
    rnea_derivatives_row(
        bodies, topology, gravity, q, qd, qdd,
        rotation, origin, motion, joint, beyond, slopes[0], slopes[1],
    )  # fmt: skip
    return slopes
