# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Pose and geometric Jacobian of one frame, walking only the bodies that carry it."""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.dynamics._kernels.placement import attach_frame, place_body
from robodyn_ros.model.arrays import INDEX, KIND, MULTIPLIER, REVOLUTE


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
        x = gain * rotation[b, 0, 2]
        y = gain * rotation[b, 1, 2]
        z = gain * rotation[b, 2, 2]
        if topology[b, KIND] == REVOLUTE:
            dx = frame_origin[0] - origin[b, 0]
            dy = frame_origin[1] - origin[b, 1]
            dz = frame_origin[2] - origin[b, 2]
            jacobian[0, column] += y * dz - z * dy
            jacobian[1, column] += z * dx - x * dz
            jacobian[2, column] += x * dy - y * dx
            jacobian[3, column] += x
            jacobian[4, column] += y
            jacobian[5, column] += z
        else:
            jacobian[0, column] += x
            jacobian[1, column] += y
            jacobian[2, column] += z


@jit
def poses_and_jacobians(bodies, topology, path, offset, q, frame_rotation, frame_origin, jacobian):
    """Do the same for a batch q (B, n): results (B, 3, 3), (B, 3) and (B, 6, n)."""
    rotation = np.empty((bodies.shape[0], 3, 3))
    origin = np.empty((bodies.shape[0], 3))
    for s in range(q.shape[0]):
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
