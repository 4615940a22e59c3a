# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Pose and geometric Jacobian of one frame, walking only the bodies that carry it."""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit, jit_sample, require_length
from robodyn_ros.dynamics._kernels.lanes import LANES, put6
from robodyn_ros.dynamics._kernels.placement import (
    PLACE_JOINT,
    attach_lanes,
    compose,
    joint_lanes,
    joint_motion,
    place_lanes,
    placement,
    root_pose,
    set_pose,
    store_poses,
    turn_and_slide,
)
from robodyn_ros.model.arrays import BODY_COLUMNS, ENTRIES, INDEX, KIND, MULTIPLIER, REVOLUTE


@jit
def turning_column(gain, x, y, z, dx, dy, dz):
    """Column of a turning joint with axis (x, y, z), seen from a point at (dx, dy, dz) of it."""
    x, y, z = gain * x, gain * y, gain * z
    return y * dz - z * dy, z * dx - x * dz, x * dy - y * dx, x, y, z


@jit
def walk(bodies, topology, path, offset, q, axes):
    """
    Pose (12 numbers) of a frame; axes: per body of its path the joint's direction and origin.

    ``path`` lists the bodies from the root to the frame's own, ``offset`` (12,) is the frame's
    pose in the last of them; ``axes`` (at least as many rows as bodies, 6) is work space.
    """
    pose = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    for i in range(path.shape[0]):
        b = int(path[i])
        cos, sin, slide = joint_motion(bodies[b], topology[b], q)
        pose = turn_and_slide(cos, sin, slide, *compose(*pose, placement(bodies[b])))
        axis = axes[i]
        axis[0], axis[1], axis[2] = pose[2], pose[5], pose[8]
        axis[3], axis[4], axis[5] = pose[9], pose[10], pose[11]
    return compose(*pose, placement(offset))


@jit
def jacobian_columns(bodies, topology, path, pose, axes, jacobian):
    """Jacobian (6, n), linear rows first, root axes, of a frame, from what ``walk`` found."""
    jacobian[:, :] = 0.0
    for k in range(path.shape[0]):
        b, axis = int(path[k]), axes[k]
        column = int(topology[b, INDEX])
        gain = bodies[b, MULTIPLIER]
        x, y, z = axis[0], axis[1], axis[2]
        if topology[b, KIND] == REVOLUTE:
            entries = turning_column(
                gain, x, y, z, pose[9] - axis[3], pose[10] - axis[4], pose[11] - axis[5]
            )  # fmt: skip
            for i in range(6):
                jacobian[i, column] += entries[i]
        else:
            jacobian[0, column] += gain * x
            jacobian[1, column] += gain * y
            jacobian[2, column] += gain * z


@jit
def pose_and_jacobian(
    bodies, topology, path, offset, q, axes, frame_rotation, frame_origin, jacobian
):
    """Pose of a frame and its Jacobian at it; arguments as for ``walk``."""
    pose = walk(bodies, topology, path, offset, q, axes)
    set_pose(pose, frame_rotation, frame_origin)
    jacobian_columns(bodies, topology, path, pose, axes, jacobian)


@jit_sample(1, 2, constants=1)
def jacobian_vector(packed, frame, q, jacobian):
    """Jacobian (6, n) for one sample; the row of ``frame`` is its offset (12,), then its path."""
    require_length(jacobian.shape[1], q)
    topology = packed[: packed.shape[0] - 1, BODY_COLUMNS:]
    axes = np.empty((frame.shape[1], 6))
    pose = walk(packed, topology, frame[0, 12:], frame[0], q, axes)
    jacobian_columns(packed, topology, frame[0, 12:], pose, axes, jacobian)


@jit_sample(1, 2, 1, constants=1)
def pose_vector(packed, frame, q, rotation, position):
    """Pose of such a frame for one sample: rotation (3, 3) and position (3,)."""
    count = packed.shape[0] - 1
    require_length(int(packed[count, ENTRIES]), q)
    topology = packed[:count, BODY_COLUMNS:]
    axes = np.empty((frame.shape[1], 6))
    pose = walk(packed, topology, frame[0, 12:], frame[0], q, axes)
    set_pose(pose, rotation, position)


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
        axes = np.empty((count, 6))
        for s in range(done, samples):
            pose_and_jacobian(
                bodies, topology, path, offset, q[s], axes,
                frame_rotation[s], frame_origin[s], jacobian[s],
            )  # fmt: skip
