# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Where every body and link is: the product of joint transforms from the root outwards."""

import math

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.model.arrays import (
    INDEX,
    KIND,
    MULTIPLIER,
    OFFSET,
    PARENT,
    POSITION,
    REVOLUTE,
    ROTATION,
)


@jit
def place_body(bodies, topology, q, b, rotation, origin):
    """Pose of body b in the root frame, from its parent's (already placed)."""
    value = bodies[b, MULTIPLIER] * q[topology[b, INDEX]] + bodies[b, OFFSET]
    cos, sin, slide = 1.0, 0.0, value
    if topology[b, KIND] == REVOLUTE:
        cos, sin, slide = math.cos(value), math.sin(value), 0.0
    parent = topology[b, PARENT]
    for i in range(3):
        # Row i of the parent's rotation times the fixed placement; then the joint's own turn.
        x = bodies[b, ROTATION + 3 * i]
        y = bodies[b, ROTATION + 3 * i + 1]
        z = bodies[b, ROTATION + 3 * i + 2]
        p = bodies[b, POSITION + i]
        if parent >= 0:
            x = y = z = 0.0
            p = origin[parent, i]
            for k in range(3):
                r = rotation[parent, i, k]
                x += r * bodies[b, ROTATION + 3 * k]
                y += r * bodies[b, ROTATION + 3 * k + 1]
                z += r * bodies[b, ROTATION + 3 * k + 2]
                p += r * bodies[b, POSITION + k]
        rotation[b, i, 0] = cos * x + sin * y
        rotation[b, i, 1] = cos * y - sin * x
        rotation[b, i, 2] = z
        origin[b, i] = p + z * slide


@jit
def place_bodies(bodies, topology, q, rotation, origin):
    """Pose of every body in the root frame: rotation (N, 3, 3), origin (N, 3)."""
    for b in range(bodies.shape[0]):
        place_body(bodies, topology, q, b, rotation, origin)


@jit
def attach_frame(offset, body, rotation, origin, frame_rotation, frame_origin):
    """Pose of a frame fixed to a body (or to the root, body -1) at an offset (12,)."""
    for i in range(3):
        for j in range(3):
            if body < 0:
                frame_rotation[i, j] = offset[3 * i + j]
            else:
                s = 0.0
                for k in range(3):
                    s += rotation[body, i, k] * offset[3 * k + j]
                frame_rotation[i, j] = s
        p = offset[9 + i]
        if body >= 0:
            p = origin[body, i]
            for k in range(3):
                p += rotation[body, i, k] * offset[9 + k]
        frame_origin[i] = p


@jit
def link_poses(bodies, topology, frame_body, frame_offset, q, link_rotation, link_position):
    """Poses of all links for q (B, n): rotation (B, L, 3, 3), position (B, L, 3)."""
    rotation = np.empty((bodies.shape[0], 3, 3))
    origin = np.empty((bodies.shape[0], 3))
    for s in range(q.shape[0]):
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
