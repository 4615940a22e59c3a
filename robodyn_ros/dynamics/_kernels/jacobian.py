# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Pose and geometric Jacobian of one frame, walking only the bodies that carry it."""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.dynamics._kernels.lanes import LANES, put6
from robodyn_ros.dynamics._kernels.placement import (
    PLACE_JOINT,
    attach_frame,
    attach_lanes,
    joint_lanes,
    place_body,
    place_lanes,
    root_pose,
    store_poses,
)
from robodyn_ros.model.arrays import INDEX, KIND, MULTIPLIER, REVOLUTE


@jit
def turning_column(gain, x, y, z, dx, dy, dz):
    """Column of a turning joint with axis (x, y, z), seen from a point at (dx, dy, dz) of it."""
    x, y, z = gain * x, gain * y, gain * z
    return y * dz - z * dy, z * dx - x * dz, x * dy - y * dx, x, y, z


@jit
def pose_and_jacobian(
    bodies, topology, path, offset, q, rotation, origin, frame_rotation, frame_origin, jacobian
):
    """
    Pose of a frame and its Jacobian (6, n), linear rows first, root axes, at the frame.

    ``path`` lists the bodies from the root to the frame's own, ``offset`` (12,) is the frame's
    pose in the last of them; ``rotation`` (N, 3, 3) and ``origin`` (N, 3) are work space.
    """
    for b in path:
        place_body(bodies, topology, q, b, rotation, origin)
    last = path[path.shape[0] - 1] if path.shape[0] > 0 else -1
    attach_frame(offset, last, rotation, origin, frame_rotation, frame_origin)
    jacobian[:, :] = 0.0
    for b in path:
        column = topology[b, INDEX]
        gain = bodies[b, MULTIPLIER]
        x, y, z = rotation[b, 0, 2], rotation[b, 1, 2], rotation[b, 2, 2]
        if topology[b, KIND] == REVOLUTE:
            entries = turning_column(
                gain,
                x,
                y,
                z,
                frame_origin[0] - origin[b, 0],
                frame_origin[1] - origin[b, 1],
                frame_origin[2] - origin[b, 2],
            )
            for i in range(6):
                jacobian[i, column] += entries[i]
        else:
            jacobian[0, column] += gain * x
            jacobian[1, column] += gain * y
            jacobian[2, column] += gain * z


@jit
def jacobian_vector(bodies, topology, path, offset, q):
    """Jacobian (6, n) of a frame for one sample."""
    count = bodies.shape[0]
    jacobian = np.empty((6, q.shape[0]))
    work = np.empty((count + 1, 3, 3))
    origin = np.empty((count + 1, 3))
    pose_and_jacobian(
        bodies, topology, path, offset, q, work, origin, work[count], origin[count], jacobian
    )
    return jacobian


@jit
def pose_vector(bodies, topology, path, offset, q):
    """Pose of a frame for one sample: rotation (3, 3) and position (3,)."""
    count = bodies.shape[0]
    work = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    rotation = np.empty((3, 3))
    position = np.empty(3)
    last = -1
    for b in path:
        place_body(bodies, topology, q, b, work, origin)
        last = b
    attach_frame(offset, last, work, origin, rotation, position)
    return rotation, position


@jit
def column_lanes(gain, kind, body, frame, column):
    """Jacobian column (6 rows) of one joint for all lanes, from poses of body and frame."""
    w = LANES
    if kind == REVOLUTE:
        for i in range(LANES):
            entries = turning_column(
                gain,
                body[2 * w + i],
                body[5 * w + i],
                body[8 * w + i],
                frame[9 * w + i] - body[9 * w + i],
                frame[10 * w + i] - body[10 * w + i],
                frame[11 * w + i] - body[11 * w + i],
            )
            put6(column, i, entries)
    else:
        for i in range(LANES):
            column[i] = gain * body[2 * w + i]
            column[w + i] = gain * body[5 * w + i]
            column[2 * w + i] = gain * body[8 * w + i]
        column[3 * w :] = 0.0


@jit
def jacobian_block(bodies, topology, path, offset, q, start, lanes, joint, poses, frame, column):
    """Poses of the bodies of a path and of the frame for a block of samples."""
    carrier = bodies.shape[0]  # the root's row
    for b in path:
        joint_lanes(bodies[b], topology[b], q, start, lanes, joint)
        place_lanes(bodies[b], joint, poses[carrier], poses[b])
        carrier = b
    attach_lanes(offset, poses[carrier], frame)


@jit
def poses_and_jacobians(bodies, topology, path, offset, q, frame_rotation, frame_origin, jacobian):
    """Do the same for a batch q (B, n): results (B, 3, 3), (B, 3) and (B, 6, n)."""
    count, samples = bodies.shape[0], q.shape[0]
    done = 0
    if samples >= LANES // 8:
        joint = np.zeros(PLACE_JOINT * LANES)
        poses = np.zeros((count + 1, 12 * LANES))
        frame = np.zeros(12 * LANES)
        column = np.zeros(6 * LANES)
        root_pose(poses[count])
        while samples - done >= LANES // 8:
            lanes = min(LANES, samples - done)
            jacobian_block(
                bodies, topology, path, offset, q, done, lanes, joint, poses, frame, column
            )
            store_poses(frame, done, lanes, frame_rotation, frame_origin)
            jacobian[done : done + lanes] = 0.0
            for b in path:
                j = topology[b, INDEX]
                column_lanes(bodies[b, MULTIPLIER], topology[b, KIND], poses[b], frame, column)
                for i in range(lanes):
                    for r in range(6):
                        jacobian[done + i, r, j] += column[r * LANES + i]
            done += lanes
    if done < samples:
        rotation = np.empty((count, 3, 3))
        origin = np.empty((count, 3))
        for s in range(done, samples):
            pose_and_jacobian(
                bodies,
                topology,
                path,
                offset,
                q[s],
                rotation,
                origin,
                frame_rotation[s],
                frame_origin[s],
                jacobian[s],
            )
