# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Mass matrix by the Composite Rigid Body Algorithm.

Walker, Orin 1982; Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.2. Root axes,
each composite about its own body origin, so that passing one to the parent is a shift only.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit, jit_sample, require_length
from robodyn_ros.dynamics._kernels.inertia import add_shifted, shifted, turn_inertia, turned
from robodyn_ros.dynamics._kernels.lanes import LANES, put6, put10, take10, take12
from robodyn_ros.dynamics._kernels.newton_euler_steps import constants
from robodyn_ros.dynamics._kernels.placement import (
    PLACE_JOINT,
    place_block,
    place_bodies,
    root_pose,
)
from robodyn_ros.model.arrays import (
    ARMATURE,
    BODY_COLUMNS,
    INDEX,
    KIND,
    MULTIPLIER,
    PARENT,
    REVOLUTE,
)


@jit
def turning_wrench(x, y, z, m, cx, cy, cz, xx, xy, yy, xz, yz, zz):
    """Wrench that turns a composite about an axis through its reference at unit acceleration."""
    return (
        y * cz - z * cy,
        z * cx - x * cz,
        x * cy - y * cx,
        xx * x + xy * y + xz * z,
        xy * x + yy * y + yz * z,
        xz * x + yz * y + zz * z,
    )


@jit
def sliding_wrench(x, y, z, m, cx, cy, cz):
    """Wrench about the reference that moves a composite along an axis at unit acceleration."""
    return m * x, m * y, m * z, cy * z - cz * y, cz * x - cx * z, cx * y - cy * x


@jit
def crba_row(bodies, topology, q, rotation, origin, composite, mass):
    """One state: mass (n, n); rotation, origin and composite (N, 10) are work space."""
    count = topology.shape[0]
    place_bodies(bodies, topology, q, rotation, origin)
    for b in range(count):
        turn_inertia(bodies[b], rotation[b], composite[b])
    mass[:, :] = 0.0
    for b in range(count - 1, -1, -1):
        c = composite[b]
        x, y, z = rotation[b, 0, 2], rotation[b, 1, 2], rotation[b, 2, 2]
        if topology[b, KIND] == REVOLUTE:
            f = turning_wrench(x, y, z, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9])
        else:
            f = sliding_wrench(x, y, z, c[0], c[1], c[2], c[3])
        fx, fy, fz, nx, ny, nz = f
        a = b
        while a >= 0:
            x, y, z = rotation[a, 0, 2], rotation[a, 1, 2], rotation[a, 2, 2]
            if topology[a, KIND] == REVOLUTE:
                entry = x * nx + y * ny + z * nz
            else:
                entry = x * fx + y * fy + z * fz
            entry *= bodies[a, MULTIPLIER] * bodies[b, MULTIPLIER]
            i, j = int(topology[a, INDEX]), int(topology[b, INDEX])
            mass[i, j] += entry
            if a != b:
                mass[j, i] += entry
            else:
                mass[i, i] += bodies[b, ARMATURE]
            parent = int(topology[a, PARENT])
            if parent >= 0:
                rx = origin[a, 0] - origin[parent, 0]
                ry = origin[a, 1] - origin[parent, 1]
                rz = origin[a, 2] - origin[parent, 2]
                if a == b:
                    add_shifted(c, rx, ry, rz, composite[parent])
                nx += ry * fz - rz * fy
                ny += rz * fx - rx * fz
                nz += rx * fy - ry * fx
            a = parent


@jit_sample(1, 2)
def crba_vector(packed, q, mass):
    """Mass matrix (n, n) of one sample."""
    require_length(mass.shape[0], q)
    count = packed.shape[0] - 1
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    composite = np.empty((count, 10))
    topology = packed[:count, BODY_COLUMNS:]
    crba_row(packed, topology, q, rotation, origin, composite, mass)


# In lanes: a composite is 10 rows of LANES numbers, a wrench 6.


@jit
def turn_lanes(body, pose, composite):
    """Inertia of one body in root axes for all lanes."""
    k = constants(body)
    for i in range(LANES):
        p = take12(pose, i)
        put10(composite, i, turned(k, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]))


@jit
def pass_composite_lanes(pose, parent_pose, composite, parent_composite):
    """Add a composite, moved to the parent's origin, to the parent's."""
    w = LANES
    for i in range(LANES):
        rx = pose[9 * w + i] - parent_pose[9 * w + i]
        ry = pose[10 * w + i] - parent_pose[10 * w + i]
        rz = pose[11 * w + i] - parent_pose[11 * w + i]
        moved = shifted(rx, ry, rz, *take10(composite, i))
        whole = take10(parent_composite, i)
        put10(
            parent_composite,
            i,
            (
                whole[0] + moved[0],
                whole[1] + moved[1],
                whole[2] + moved[2],
                whole[3] + moved[3],
                whole[4] + moved[4],
                whole[5] + moved[5],
                whole[6] + moved[6],
                whole[7] + moved[7],
                whole[8] + moved[8],
                whole[9] + moved[9],
            ),
        )


@jit
def wrench_lanes(kind, pose, composite, wrench):
    """Wrench that gives everything beyond one joint a unit acceleration, for all lanes."""
    w = LANES
    if kind == REVOLUTE:
        for i in range(LANES):
            x, y, z = pose[2 * w + i], pose[5 * w + i], pose[8 * w + i]
            put6(wrench, i, turning_wrench(x, y, z, *take10(composite, i)))
    else:
        for i in range(LANES):
            x, y, z = pose[2 * w + i], pose[5 * w + i], pose[8 * w + i]
            c = take10(composite, i)
            put6(wrench, i, sliding_wrench(x, y, z, c[0], c[1], c[2], c[3]))


@jit
def entry_lanes(gain, kind, pose, wrench, entry):
    """Part of a wrench along one joint's axis, for all lanes."""
    w = LANES
    first = 3 * w if kind == REVOLUTE else 0
    f = wrench[first : first + 3 * w]
    for i in range(LANES):
        entry[i] = gain * (
            pose[2 * w + i] * f[i] + pose[5 * w + i] * f[w + i] + pose[8 * w + i] * f[2 * w + i]
        )


@jit
def move_wrench_lanes(pose, parent_pose, wrench):
    """Move a wrench from a body's origin to its parent's, for all lanes."""
    w = LANES
    for i in range(LANES):
        rx = pose[9 * w + i] - parent_pose[9 * w + i]
        ry = pose[10 * w + i] - parent_pose[10 * w + i]
        rz = pose[11 * w + i] - parent_pose[11 * w + i]
        fx, fy, fz = wrench[i], wrench[w + i], wrench[2 * w + i]
        wrench[3 * w + i] += ry * fz - rz * fy
        wrench[4 * w + i] += rz * fx - rx * fz
        wrench[5 * w + i] += rx * fy - ry * fx


@jit
def crba_block(bodies, topology, q, start, lanes, joint, poses, composite, wrench, entry, mass):
    """Up to LANES samples side by side; mass (B, n, n) is filled from start on."""
    count = bodies.shape[0]
    place_block(bodies, topology, q, start, lanes, joint, poses)
    for b in range(count):
        turn_lanes(bodies[b], poses[b], composite[b])
    mass[start : start + lanes] = 0.0
    for b in range(count - 1, -1, -1):
        wrench_lanes(topology[b, KIND], poses[b], composite[b], wrench)
        a = b
        while a >= 0:
            gain = bodies[a, MULTIPLIER] * bodies[b, MULTIPLIER]
            entry_lanes(gain, topology[a, KIND], poses[a], wrench, entry)
            i, j = topology[a, INDEX], topology[b, INDEX]
            for s in range(lanes):
                mass[start + s, i, j] += entry[s]
            if a != b:
                for s in range(lanes):
                    mass[start + s, j, i] += entry[s]
            else:
                for s in range(lanes):
                    mass[start + s, i, i] += bodies[b, ARMATURE]
            parent = topology[a, PARENT]
            if parent >= 0:
                move_wrench_lanes(poses[a], poses[parent], wrench)
            a = parent
        parent = topology[b, PARENT]
        if parent >= 0:
            pass_composite_lanes(poses[b], poses[parent], composite[b], composite[parent])


@jit
def crba(bodies, topology, q):
    """Mass matrices (B, n, n) for q (B, n)."""
    count, samples = bodies.shape[0], q.shape[0]
    mass = np.empty((samples, q.shape[1], q.shape[1]))
    done = 0
    if samples >= LANES // 8:
        joint = np.zeros(PLACE_JOINT * LANES)
        poses = np.zeros((count + 1, 12 * LANES))
        composites = np.zeros((count, 10 * LANES))
        wrench = np.zeros(6 * LANES)
        entry = np.zeros(LANES)
        root_pose(poses[count])
        while samples - done >= LANES // 8:
            lanes = min(LANES, samples - done)
            crba_block(
                bodies, topology, q, done, lanes, joint, poses, composites, wrench, entry, mass
            )
            done += lanes
    if done < samples:
        rotation = np.empty((count, 3, 3))
        origin = np.empty((count, 3))
        composite = np.empty((count, 10))
        for s in range(done, samples):
            crba_row(bodies, topology, q[s], rotation, origin, composite, mass[s])
    return mass
