# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Where every body and link is: the product of joint transforms from the root outwards.

A pose is twelve numbers, the rotation row by row and the position. The formulas are written for
one sample; drivers walk them sample by sample, or for lanes of samples.
"""

import math

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit, jit_sample, require_length
from robodyn_ros.dynamics._kernels.lanes import LANES, cos_sin, put12, take12
from robodyn_ros.model.arrays import (
    BODY_COLUMNS,
    ENTRIES,
    INDEX,
    KIND,
    MULTIPLIER,
    OFFSET,
    PARENT,
    POSITION,
    REVOLUTE,
    ROTATION,
)

# Rows of a joint in lanes: cosine, sine, slide.
PLACE_JOINT = 3


@jit
def compose(r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz, b):
    """Pose of a frame: pose of its carrier (R, p), then the frame's pose b (12,) in it."""
    return (
        r0 * b[0] + r1 * b[3] + r2 * b[6],
        r0 * b[1] + r1 * b[4] + r2 * b[7],
        r0 * b[2] + r1 * b[5] + r2 * b[8],
        r3 * b[0] + r4 * b[3] + r5 * b[6],
        r3 * b[1] + r4 * b[4] + r5 * b[7],
        r3 * b[2] + r4 * b[5] + r5 * b[8],
        r6 * b[0] + r7 * b[3] + r8 * b[6],
        r6 * b[1] + r7 * b[4] + r8 * b[7],
        r6 * b[2] + r7 * b[5] + r8 * b[8],
        r0 * b[9] + r1 * b[10] + r2 * b[11] + px,
        r3 * b[9] + r4 * b[10] + r5 * b[11] + py,
        r6 * b[9] + r7 * b[10] + r8 * b[11] + pz,
    )


@jit
def turn_and_slide(cos, sin, slide, r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz):
    """Pose of a body: its placement at joint value zero, turned about z or moved along z."""
    return (
        cos * r0 + sin * r1,
        cos * r1 - sin * r0,
        r2,
        cos * r3 + sin * r4,
        cos * r4 - sin * r3,
        r5,
        cos * r6 + sin * r7,
        cos * r7 - sin * r6,
        r8,
        px + r2 * slide,
        py + r5 * slide,
        pz + r8 * slide,
    )


@jit
def joint_motion(body, topology, q):
    """Cosine, sine and slide of one joint for one sample."""
    value = body[MULTIPLIER] * q[int(topology[INDEX])] + body[OFFSET]
    if topology[KIND] == REVOLUTE:
        return math.cos(value), math.sin(value), 0.0
    return 1.0, 0.0, value


@jit
def placement(body):
    """Pose of a body in its parent at joint value zero, as a tuple."""
    return (
        body[ROTATION],
        body[ROTATION + 1],
        body[ROTATION + 2],
        body[ROTATION + 3],
        body[ROTATION + 4],
        body[ROTATION + 5],
        body[ROTATION + 6],
        body[ROTATION + 7],
        body[ROTATION + 8],
        body[POSITION],
        body[POSITION + 1],
        body[POSITION + 2],
    )


@jit
def pose_of(rotation, origin):
    """Pose of a placed body as a tuple."""
    return (
        rotation[0, 0],
        rotation[0, 1],
        rotation[0, 2],
        rotation[1, 0],
        rotation[1, 1],
        rotation[1, 2],
        rotation[2, 0],
        rotation[2, 1],
        rotation[2, 2],
        origin[0],
        origin[1],
        origin[2],
    )


@jit
def set_pose(pose, rotation, origin):
    """Store a pose."""
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = pose[0], pose[1], pose[2]
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = pose[3], pose[4], pose[5]
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = pose[6], pose[7], pose[8]
    origin[0], origin[1], origin[2] = pose[9], pose[10], pose[11]


@jit
def place_body(bodies, topology, q, b, rotation, origin):
    """Pose of body b in the root frame, from its parent's (already placed)."""
    pose, parent = placement(bodies[b]), int(topology[b, PARENT])
    if parent >= 0:
        pose = compose(*pose_of(rotation[parent], origin[parent]), pose)
    cos, sin, slide = joint_motion(bodies[b], topology[b], q)
    set_pose(turn_and_slide(cos, sin, slide, *pose), rotation[b], origin[b])


@jit
def place_bodies(bodies, topology, q, rotation, origin):
    """Pose of every body in the root frame: rotation (N, 3, 3), origin (N, 3)."""
    for b in range(topology.shape[0]):
        place_body(bodies, topology, q, b, rotation, origin)


@jit
def attach_frame(offset, body, rotation, origin, frame_rotation, frame_origin):
    """Pose of a frame fixed to a body (or to the root, body -1) at an offset (12,)."""
    pose = placement(offset)
    if body >= 0:
        pose = compose(*pose_of(rotation[body], origin[body]), pose)
    set_pose(pose, frame_rotation, frame_origin)


@jit_sample(1, 3, 2, constants=1)
def link_poses_vector(packed, frames, q, link_rotation, link_position):
    """Poses of all links for one sample; a row of frames is the offset (12,) and the body."""
    count = packed.shape[0] - 1
    require_length(int(packed[count, ENTRIES]), q)
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    place_bodies(packed, packed[:count, BODY_COLUMNS:], q, rotation, origin)
    for f in range(frames.shape[0]):
        body = int(frames[f, 12])
        attach_frame(frames[f], body, rotation, origin, link_rotation[f], link_position[f])


# In lanes: a pose is 12 rows of LANES numbers.


@jit
def joint_lanes(body, topology, q, start, lanes, x):
    """Cosine, sine and slide of one joint for a block of samples."""
    w = LANES
    for i in range(lanes):
        x[2 * w + i] = body[MULTIPLIER] * q[start + i, topology[INDEX]] + body[OFFSET]
    if topology[KIND] == REVOLUTE:
        cos_sin(x[2 * w : 3 * w], x[:w], x[w : 2 * w])
        x[2 * w : 3 * w] = 0.0
    else:
        x[:w] = 1.0
        x[w : 2 * w] = 0.0


@jit
def place_lanes(body, x, carrier, pose):
    """Pose of one body for all lanes, from its joint x and its carrier's pose."""
    b = placement(body)
    w = LANES
    for i in range(LANES):
        p = compose(*take12(carrier, i), b)
        put12(pose, i, turn_and_slide(x[i], x[w + i], x[2 * w + i], *p))


@jit
def attach_lanes(offset, carrier, pose):
    """Pose of a frame at an offset (12,) of its carrier, for all lanes."""
    b = placement(offset)
    for i in range(LANES):
        put12(pose, i, compose(*take12(carrier, i), b))


@jit
def root_pose(pose):
    """Write the pose of the root itself: no turn, no shift."""
    pose[:] = 0.0
    for k in range(3):
        pose[4 * k * LANES : (4 * k + 1) * LANES] = 1.0


@jit
def place_block(bodies, topology, q, start, lanes, joint, poses):
    """Poses of all bodies for a block of samples; the last row of ``poses`` is the root's."""
    for b in range(bodies.shape[0]):
        joint_lanes(bodies[b], topology[b], q, start, lanes, joint)
        place_lanes(bodies[b], joint, poses[topology[b, PARENT]], poses[b])


@jit
def store_poses(pose, start, lanes, rotation, position):
    """Copy poses of a block of samples to results (B, 3, 3) and (B, 3)."""
    w = LANES
    for i in range(lanes):
        r, p = rotation[start + i], position[start + i]
        r[0, 0], r[0, 1], r[0, 2] = pose[i], pose[w + i], pose[2 * w + i]
        r[1, 0], r[1, 1], r[1, 2] = pose[3 * w + i], pose[4 * w + i], pose[5 * w + i]
        r[2, 0], r[2, 1], r[2, 2] = pose[6 * w + i], pose[7 * w + i], pose[8 * w + i]
        p[0], p[1], p[2] = pose[9 * w + i], pose[10 * w + i], pose[11 * w + i]


@jit
def link_poses(bodies, topology, frame_body, frame_offset, q, link_rotation, link_position):
    """Poses of all links for q (B, n): rotation (B, L, 3, 3), position (B, L, 3)."""
    count, samples = bodies.shape[0], q.shape[0]
    done = 0
    if samples >= LANES // 8:
        joint = np.zeros(PLACE_JOINT * LANES)
        poses = np.zeros((count + 1, 12 * LANES))
        pose = np.zeros(12 * LANES)
        root_pose(poses[count])
        while samples - done >= LANES // 8:
            lanes = min(LANES, samples - done)
            place_block(bodies, topology, q, done, lanes, joint, poses)
            for f in range(frame_body.shape[0]):
                attach_lanes(frame_offset[f], poses[frame_body[f]], pose)
                store_poses(pose, done, lanes, link_rotation[:, f], link_position[:, f])
            done += lanes
    if done < samples:
        rotation = np.empty((count, 3, 3))
        origin = np.empty((count, 3))
        for s in range(done, samples):
            place_bodies(bodies, topology, q[s], rotation, origin)
            for f in range(frame_body.shape[0]):
                attach_frame(
                    frame_offset[f],
                    frame_body[f],
                    rotation,
                    origin,
                    link_rotation[s, f],
                    link_position[s, f],
                )
