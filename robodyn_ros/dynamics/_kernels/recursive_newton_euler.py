# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Recursive Newton-Euler: joint torques in two sweeps over the bodies.

Luh, Walker, Paul, "On-line computational scheme for mechanical manipulators", 1980. The formulas
are in ``newton_euler_steps``; here are the two ways to walk: sample by sample, and in lanes.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit, jit_sample, require_length
from robodyn_ros.dynamics._kernels.lanes import LANES, add6, put6, put9, take6, take9
from robodyn_ros.dynamics._kernels.newton_euler_steps import (
    body_wrench,
    constants,
    prismatic_step,
    revolute_step,
    wrench_at_parent,
)
from robodyn_ros.dynamics._kernels.placement import joint_lanes, joint_motion
from robodyn_ros.model.arrays import (
    ARMATURE,
    BODY_COLUMNS,
    INDEX,
    KIND,
    MULTIPLIER,
    PARENT,
    REVOLUTE,
)

# Rows of a body's motion: angular velocity, angular acceleration, acceleration (3 each); of its
# wrench: force, moment (3 each); of its joint: cosine, sine, slide, rate, acceleration.
MOTION, WRENCH, JOINT = 9, 6, 5


@jit
def rnea_row(bodies, topology, gravity, q, qd, qdd, motion, wrench, joint, tau):
    """One sample: tau (n,). The rest of the arrays has a row per body; motion one more."""
    count = topology.shape[0]
    root = motion[count]
    root[:] = 0.0
    root[6], root[7], root[8] = -gravity[0], -gravity[1], -gravity[2]
    for b in range(count):
        k = constants(bodies[b])
        # The row of parent -1 is the last one: the root.
        p, m, f, x = motion[int(topology[b, PARENT])], motion[b], wrench[b], joint[b]
        column, gain = int(topology[b, INDEX]), bodies[b, MULTIPLIER]
        cos, sin, slide = joint_motion(bodies[b], topology[b], q)
        rate, acceleration = gain * qd[column], gain * qdd[column]
        if topology[b, KIND] == REVOLUTE:
            step = revolute_step(
                k, cos, sin, rate, acceleration,
                p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8],
            )  # fmt: skip
        else:
            step = prismatic_step(
                k, slide, rate, acceleration,
                p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8],
            )  # fmt: skip
        x[0], x[1], x[2], x[3] = cos, sin, slide, qdd[column]
        (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]) = step
        (f[0], f[1], f[2], f[3], f[4], f[5]) = body_wrench(k, *step)
    tau[:] = 0.0
    for b in range(count - 1, -1, -1):
        f, x, parent = wrench[b], joint[b], int(topology[b, PARENT])
        along_axis = f[5] if topology[b, KIND] == REVOLUTE else f[2]
        column = int(topology[b, INDEX])
        tau[column] += bodies[b, MULTIPLIER] * along_axis + bodies[b, ARMATURE] * x[3]
        if parent >= 0:
            g = wrench_at_parent(
                constants(bodies[b]), x[0], x[1], x[2], f[0], f[1], f[2], f[3], f[4], f[5]
            )
            for i in range(WRENCH):
                wrench[parent, i] += g[i]


@jit_sample(3, 1)
def rnea_vector(packed, q, qd, qdd, tau):
    """Joint torques (n,) of one sample; tau may be one of the others."""
    require_length(tau.shape[0], q, qd, qdd)
    count = packed.shape[0] - 1
    work = np.empty((3 * count + 1, MOTION))
    rnea_row(
        packed,
        packed[:count, BODY_COLUMNS:],
        packed[count],
        q,
        qd,
        qdd,
        work[: count + 1],
        work[count + 1 : 2 * count + 1],
        work[2 * count + 1 :],
        tau,
    )


@jit_sample(1, 1)
def gravity_vector(packed, q, tau):
    """Torques (n,) that hold one sample still."""
    still = np.zeros(q.shape[0])
    rnea_vector(packed, q, still, still, tau)


@jit
def revolute_lanes(body, x, p, m, f):
    """Motion m and wrench f of a turning body for all lanes, from its joint x and parent's p."""
    k = constants(body)
    w = LANES
    for i in range(LANES):
        a = revolute_step(k, x[i], x[w + i], x[3 * w + i], x[4 * w + i], *take9(p, i))
        g = body_wrench(k, *a)
        put9(m, i, a)
        put6(f, i, g)


@jit
def prismatic_lanes(body, x, p, m, f):
    """Do the same for a sliding body."""
    k = constants(body)
    w = LANES
    for i in range(LANES):
        a = prismatic_step(k, x[2 * w + i], x[3 * w + i], x[4 * w + i], *take9(p, i))
        g = body_wrench(k, *a)
        put9(m, i, a)
        put6(f, i, g)


@jit
def inward_lanes(body, x, f, p):
    """Add the wrench f of one body to its parent's p for all lanes."""
    k = constants(body)
    w = LANES
    for i in range(LANES):
        g = wrench_at_parent(k, x[i], x[w + i], x[2 * w + i], *take6(f, i))
        add6(p, i, g)


@jit
def rate_lanes(body, topology, qd, qdd, start, lanes, x):
    """Rate and acceleration of one joint for a block of samples."""
    column, gain = topology[INDEX], body[MULTIPLIER]
    w = LANES
    for i in range(lanes):
        x[3 * w + i] = gain * qd[start + i, column]
        x[4 * w + i] = gain * qdd[start + i, column]


@jit
def rnea_block(bodies, topology, q, qd, qdd, start, lanes, motion, wrench, joint, tau):
    """Up to LANES samples side by side."""
    count = bodies.shape[0]
    for b in range(count):
        joint_lanes(bodies[b], topology[b], q, start, lanes, joint[b])
        rate_lanes(bodies[b], topology[b], qd, qdd, start, lanes, joint[b])
    for b in range(count):
        parent = motion[topology[b, PARENT]]
        if topology[b, KIND] == REVOLUTE:
            revolute_lanes(bodies[b], joint[b], parent, motion[b], wrench[b])
        else:
            prismatic_lanes(bodies[b], joint[b], parent, motion[b], wrench[b])
    tau[start : start + lanes] = 0.0
    for b in range(count - 1, -1, -1):
        column, gain, rotor = topology[b, INDEX], bodies[b, MULTIPLIER], bodies[b, ARMATURE]
        axis = (5 if topology[b, KIND] == REVOLUTE else 2) * LANES
        for i in range(lanes):
            tau[start + i, column] += gain * wrench[b, axis + i] + rotor * qdd[start + i, column]
        if topology[b, PARENT] >= 0:
            inward_lanes(bodies[b], joint[b], wrench[b], wrench[topology[b, PARENT]])


@jit
def rnea(bodies, topology, gravity, q, qd, qdd):
    """Joint torques (B, n) for a batch of states, each (B, n)."""
    count, samples = bodies.shape[0], q.shape[0]
    tau = np.empty_like(q)
    done = 0
    if samples >= LANES // 8:
        motion = np.zeros((count + 1, MOTION * LANES))
        wrench = np.zeros((count, WRENCH * LANES))
        joint = np.zeros((count, JOINT * LANES))
        for i in range(3):
            motion[count, (6 + i) * LANES : (7 + i) * LANES] = -gravity[i]
        while samples - done >= LANES // 8:
            lanes = min(LANES, samples - done)
            rnea_block(
                bodies, topology, q, qd, qdd, done, lanes, motion, wrench, joint, tau
            )  # fmt: skip
            done += lanes
    if done < samples:
        motion_row = np.empty((count + 1, MOTION))
        wrench_row = np.empty((count, WRENCH))
        joint_row = np.empty((count, JOINT))
        for s in range(done, samples):
            rnea_row(
                bodies, topology, gravity, q[s], qd[s], qdd[s],
                motion_row, wrench_row, joint_row, tau[s],
            )  # fmt: skip
    return tau
