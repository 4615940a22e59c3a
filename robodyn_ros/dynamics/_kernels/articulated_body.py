# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Forward dynamics by the articulated body algorithm: three sweeps over the bodies.

The formulas are in ``articulated_body_steps``; here are the two ways to walk: sample by sample,
and in lanes. Not for models with mimic joints: their bodies share one coordinate.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.articulated_body_steps import (
    apply,
    at_parent,
    bias_motion,
    bias_wrench,
    cross,
    give_way,
    rigid,
    sliding_column,
    turning_column,
    wrench_at,
)
from robodyn_ros.dynamics._kernels.compile import jit, jit_sample, require_length
from robodyn_ros.dynamics._kernels.inertia import turned
from robodyn_ros.dynamics._kernels.lanes import (
    LANES,
    add6,
    put6,
    put9,
    put21,
    take6,
    take21,
)
from robodyn_ros.dynamics._kernels.newton_euler_steps import constants
from robodyn_ros.dynamics._kernels.placement import (
    PLACE_JOINT,
    place_block,
    place_bodies,
    pose_of,
    root_pose,
)
from robodyn_ros.model.arrays import ARMATURE, BODY_COLUMNS, INDEX, KIND, PARENT, REVOLUTE

# Rows per body: motion (angular velocity 3, bias acceleration 6), articulated inertia, bias
# wrench, column U, gate (1 / D and u), arm (axis 3, vector from the parent's origin 3),
# acceleration (linear 3, angular 3).
MOTION, INERTIA, WRENCH, GATE, ARM, ACCELERATION = 9, 21, 6, 2, 6, 6


@jit
def store(row, values):
    """Copy a tuple into an array."""
    for i in range(len(values)):
        row[i] = values[i]


@jit
def outward_row(body, turns, rate, rotation, origin, arm, parent, m, i, p):
    """Motion m, rigid inertia i and bias wrench p of one body from its parent's motion."""
    store(m, bias_motion(
        turns, arm[0], arm[1], arm[2], rate, arm[3], arm[4], arm[5],
        parent[0], parent[1], parent[2],
    ))  # fmt: skip
    pose = pose_of(rotation, origin)
    inertia = turned(body, *pose[0:9])
    store(p, bias_wrench(m[0], m[1], m[2], *inertia))
    store(i, rigid(*inertia))


@jit
def tuple6(a):
    """Read six numbers of an array as a tuple."""
    return a[0], a[1], a[2], a[3], a[4], a[5]


@jit
def tuple21(a):
    """Read 21 numbers of an array as a tuple."""
    return (
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
        a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20],
    )  # fmt: skip


@jit
def aba_row(
    bodies, topology, gravity, q, qd, tau, rotation, origin, arm, motion, inertia, wrench, column,
    gate, acceleration, qdd,
):  # fmt: skip
    """One state: qdd (n,) from q, qd, tau (n,); the other arrays have a row per body."""
    count = topology.shape[0]
    place_bodies(bodies, topology, q, rotation, origin)
    motion[count, :] = 0.0
    for b in range(count):
        parent = int(topology[b, PARENT])
        for k in range(3):
            arm[b, k] = rotation[b, k, 2]
            arm[b, 3 + k] = origin[b, k] - (origin[parent, k] if parent >= 0 else 0.0)
        turns = 1.0 if topology[b, KIND] == REVOLUTE else 0.0
        outward_row(
            bodies[b], turns, qd[int(topology[b, INDEX])], rotation[b], origin[b], arm[b],
            motion[parent], motion[b], inertia[b], wrench[b],
        )  # fmt: skip

    for b in range(count - 1, -1, -1):
        x, y, z, rx, ry, rz = tuple6(arm[b])
        i, p = tuple21(inertia[b]), tuple6(wrench[b])
        if topology[b, KIND] == REVOLUTE:
            u = turning_column(x, y, z, i)
            pivot = x * u[3] + y * u[4] + z * u[5]
            bias = x * p[3] + y * p[4] + z * p[5]
        else:
            u = sliding_column(x, y, z, i)
            pivot = x * u[0] + y * u[1] + z * u[2]
            bias = x * p[0] + y * p[1] + z * p[2]
        store(column[b], u)
        gate[b, 0] = 1.0 / (pivot + bodies[b, ARMATURE])
        gate[b, 1] = tau[int(topology[b, INDEX])] - bias
        parent = int(topology[b, PARENT])
        if parent >= 0:
            i = give_way(u, gate[b, 0], i)
            c = motion[b]
            f = apply(i, c[3], c[4], c[5], c[6], c[7], c[8])
            push = gate[b, 1] * gate[b, 0]
            f = wrench_at(
                rx, ry, rz,
                p[0] + f[0] + push * u[0], p[1] + f[1] + push * u[1], p[2] + f[2] + push * u[2],
                p[3] + f[3] + push * u[3], p[4] + f[4] + push * u[4], p[5] + f[5] + push * u[5],
            )  # fmt: skip
            i = at_parent(rx, ry, rz, i)
            for k in range(WRENCH):
                wrench[parent, k] += f[k]
            for k in range(INERTIA):
                inertia[parent, k] += i[k]

    root = acceleration[count]
    root[:] = 0.0
    root[0], root[1], root[2] = -gravity[0], -gravity[1], -gravity[2]
    for b in range(count):
        x, y, z, rx, ry, rz = tuple6(arm[b])
        p, c, u, a = acceleration[int(topology[b, PARENT])], motion[b], column[b], acceleration[b]
        sx, sy, sz = cross(p[3], p[4], p[5], rx, ry, rz)
        a[0], a[1], a[2] = p[0] + sx + c[3], p[1] + sy + c[4], p[2] + sz + c[5]
        a[3], a[4], a[5] = p[3] + c[6], p[4] + c[7], p[5] + c[8]
        force = gate[b, 1]
        for k in range(6):
            force -= u[k] * a[k]
        result = force * gate[b, 0]
        qdd[int(topology[b, INDEX])] = result
        first = 3 if topology[b, KIND] == REVOLUTE else 0
        a[first] += x * result
        a[first + 1] += y * result
        a[first + 2] += z * result


# In lanes.


@jit
def outward_lanes(body, turns, rate, pose, parent_pose, parent, arm, m, inertia, p):
    """Arm, motion, rigid inertia and bias wrench of one body for all lanes."""
    k = constants(body)
    w = LANES
    for i in range(LANES):
        r0, r1, r2 = pose[i], pose[w + i], pose[2 * w + i]
        r3, r4, r5 = pose[3 * w + i], pose[4 * w + i], pose[5 * w + i]
        r6, r7, r8 = pose[6 * w + i], pose[7 * w + i], pose[8 * w + i]
        rx = pose[9 * w + i] - parent_pose[9 * w + i]
        ry = pose[10 * w + i] - parent_pose[10 * w + i]
        rz = pose[11 * w + i] - parent_pose[11 * w + i]
        v = bias_motion(
            turns, r2, r5, r8, rate[i], rx, ry, rz, parent[i], parent[w + i], parent[2 * w + i]
        )
        body_inertia = turned(k, r0, r1, r2, r3, r4, r5, r6, r7, r8)
        put6(arm, i, (r2, r5, r8, rx, ry, rz))
        put9(m, i, v)
        put6(p, i, bias_wrench(v[0], v[1], v[2], *body_inertia))
        put21(inertia, i, rigid(*body_inertia))


@jit
def gate_lanes(kind, rotor, arm, inertia, p, tau, column, gate):
    """Column U, 1 / D and u of one joint for all lanes."""
    w = LANES
    if kind == REVOLUTE:
        for i in range(LANES):
            x, y, z = arm[i], arm[w + i], arm[2 * w + i]
            u = turning_column(x, y, z, take21(inertia, i))
            put6(column, i, u)
            gate[i] = 1.0 / (x * u[3] + y * u[4] + z * u[5] + rotor)
            gate[w + i] = tau[i] - (x * p[3 * w + i] + y * p[4 * w + i] + z * p[5 * w + i])
    else:
        for i in range(LANES):
            x, y, z = arm[i], arm[w + i], arm[2 * w + i]
            u = sliding_column(x, y, z, take21(inertia, i))
            put6(column, i, u)
            gate[i] = 1.0 / (x * u[0] + y * u[1] + z * u[2] + rotor)
            gate[w + i] = tau[i] - (x * p[i] + y * p[w + i] + z * p[2 * w + i])


@jit
def bias_lanes(arm, m, column, gate, inertia, p, parent_p):
    """Let the joint give way and add the bias wrench to the parent's, for all lanes."""
    w = LANES
    for i in range(LANES):
        u = take6(column, i)
        left = give_way(u, gate[i], take21(inertia, i))
        put21(inertia, i, left)
        f = apply(
            left, m[3 * w + i], m[4 * w + i], m[5 * w + i],
            m[6 * w + i], m[7 * w + i], m[8 * w + i],
        )  # fmt: skip
        push = gate[w + i] * gate[i]
        moved = wrench_at(
            arm[3 * w + i], arm[4 * w + i], arm[5 * w + i],
            p[i] + f[0] + push * u[0],
            p[w + i] + f[1] + push * u[1],
            p[2 * w + i] + f[2] + push * u[2],
            p[3 * w + i] + f[3] + push * u[3],
            p[4 * w + i] + f[4] + push * u[4],
            p[5 * w + i] + f[5] + push * u[5],
        )  # fmt: skip
        add6(parent_p, i, moved)


@jit
def inertia_lanes(arm, inertia, parent_inertia):
    """Add an articulated inertia to the parent's for all lanes."""
    w = LANES
    for i in range(LANES):
        moved = at_parent(arm[3 * w + i], arm[4 * w + i], arm[5 * w + i], take21(inertia, i))
        put21(inertia, i, moved)
    for i in range(INERTIA * LANES):
        parent_inertia[i] += inertia[i]


@jit
def acceleration_lanes(turns, arm, m, column, gate, parent, a, qdd):
    """Acceleration of one joint and its body for all lanes, from the parent's."""
    w = LANES
    slides = 1.0 - turns
    for i in range(LANES):
        hx, hy, hz = parent[3 * w + i], parent[4 * w + i], parent[5 * w + i]
        sx, sy, sz = cross(hx, hy, hz, arm[3 * w + i], arm[4 * w + i], arm[5 * w + i])
        ax = parent[i] + sx + m[3 * w + i]
        ay = parent[w + i] + sy + m[4 * w + i]
        az = parent[2 * w + i] + sz + m[5 * w + i]
        hx += m[6 * w + i]
        hy += m[7 * w + i]
        hz += m[8 * w + i]
        u = take6(column, i)
        force = gate[w + i] - (
            u[0] * ax + u[1] * ay + u[2] * az + u[3] * hx + u[4] * hy + u[5] * hz
        )
        result = force * gate[i]
        qdd[i] = result
        slide, turn = slides * result, turns * result
        x, y, z = arm[i], arm[w + i], arm[2 * w + i]
        put6(a, i, (
            ax + slide * x, ay + slide * y, az + slide * z,
            hx + turn * x, hy + turn * y, hz + turn * z,
        ))  # fmt: skip


@jit
def gather(values, column, start, lanes, row):
    """Copy one column of a block of samples into a row of lanes."""
    for i in range(lanes):
        row[i] = values[start + i, column]


@jit
def aba_block(
    bodies, topology, q, qd, tau, start, lanes, joint, poses, row, arm, motion, inertia, wrench,
    column, gate, acceleration, qdd,
):  # fmt: skip
    """Up to LANES samples side by side."""
    count = bodies.shape[0]
    place_block(bodies, topology, q, start, lanes, joint, poses)
    for b in range(count):
        parent = topology[b, PARENT]
        gather(qd, topology[b, INDEX], start, lanes, row)
        outward_lanes(
            bodies[b], 1.0 if topology[b, KIND] == REVOLUTE else 0.0, row, poses[b],
            poses[parent], motion[parent], arm[b], motion[b], inertia[b], wrench[b],
        )  # fmt: skip
    for b in range(count - 1, -1, -1):
        parent = topology[b, PARENT]
        gather(tau, topology[b, INDEX], start, lanes, row)
        gate_lanes(
            topology[b, KIND], bodies[b, ARMATURE], arm[b], inertia[b], wrench[b], row, column[b],
            gate[b],
        )  # fmt: skip
        if parent >= 0:
            bias_lanes(
                arm[b], motion[b], column[b], gate[b], inertia[b], wrench[b], wrench[parent]
            )
            inertia_lanes(arm[b], inertia[b], inertia[parent])
    for b in range(count):
        acceleration_lanes(
            1.0 if topology[b, KIND] == REVOLUTE else 0.0, arm[b], motion[b], column[b], gate[b],
            acceleration[topology[b, PARENT]], acceleration[b], row,
        )  # fmt: skip
        for i in range(lanes):
            qdd[start + i, topology[b, INDEX]] = row[i]


@jit
def aba_rows(bodies, topology, gravity, q, qd, tau, start, qdd):
    """Sample by sample from start on."""
    count = bodies.shape[0]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    arm = np.empty((count, ARM))
    motion = np.empty((count + 1, MOTION))
    inertia = np.empty((count, INERTIA))
    wrench = np.empty((count, WRENCH))
    column = np.empty((count, WRENCH))
    gate = np.empty((count, GATE))
    acceleration = np.empty((count + 1, ACCELERATION))
    for s in range(start, q.shape[0]):
        aba_row(
            bodies, topology, gravity, q[s], qd[s], tau[s], rotation, origin, arm, motion, inertia,
            wrench, column, gate, acceleration, qdd[s],
        )  # fmt: skip


@jit_sample(3, 1)
def aba_vector(packed, q, qd, tau, qdd):
    """Joint accelerations (n,) of one sample."""
    require_length(qdd.shape[0], q, qd, tau)
    count = packed.shape[0] - 1
    rotation = np.empty((count, 3, 3))
    # One allocation for what has a row per body: an allocation costs as much as a body.
    work = np.empty((count + 1, 3 + ARM + MOTION + INERTIA + 2 * WRENCH + GATE + ACCELERATION))
    a = 3 + ARM
    m = a + MOTION
    i = m + INERTIA
    w = i + WRENCH
    c = w + WRENCH
    g = c + GATE
    aba_row(
        packed,
        packed[:count, BODY_COLUMNS:],
        packed[count],
        q,
        qd,
        tau,
        rotation,
        work[:, :3],
        work[:, 3:a],
        work[:, a:m],
        work[:, m:i],
        work[:, i:w],
        work[:, w:c],
        work[:, c:g],
        work[:, g:],
        qdd,
    )


@jit
def aba(bodies, topology, gravity, q, qd, tau):
    """Joint accelerations (B, n) for a batch of states and torques, each (B, n)."""
    count, samples = bodies.shape[0], q.shape[0]
    qdd = np.empty_like(q)
    done = 0
    if samples >= LANES // 8:
        joint = np.zeros(PLACE_JOINT * LANES)
        row = np.zeros(LANES)
        poses = np.zeros((count + 1, 12 * LANES))
        arm = np.zeros((count, ARM * LANES))
        motion = np.zeros((count + 1, MOTION * LANES))
        inertia = np.zeros((count, INERTIA * LANES))
        wrench = np.zeros((count, WRENCH * LANES))
        column = np.zeros((count, WRENCH * LANES))
        gate = np.zeros((count, GATE * LANES))
        acceleration = np.zeros((count + 1, ACCELERATION * LANES))
        root_pose(poses[count])
        for i in range(3):
            acceleration[count, i * LANES : (i + 1) * LANES] = -gravity[i]
        while samples - done >= LANES // 8:
            lanes = min(LANES, samples - done)
            aba_block(
                bodies, topology, q, qd, tau, done, lanes, joint, poses, row, arm, motion, inertia,
                wrench, column, gate, acceleration, qdd,
            )  # fmt: skip
            done += lanes
    if done < samples:
        aba_rows(bodies, topology, gravity, q, qd, tau, done, qdd)
    return qdd
