# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rotation matrices, quaternions (x y z w), roll-pitch-yaw and rotation vectors.

All functions are batched by leading axes and right-handed.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def skew(v: ArrayLike) -> Array:
    """Matrix [v]x (..., 3, 3) with [v]x u = v x u."""
    v = np.asarray(v, dtype=float)
    zero = np.zeros_like(v[..., 0])
    rows = [zero, -v[..., 2], v[..., 1], v[..., 2], zero, -v[..., 0], -v[..., 1], v[..., 0], zero]
    return np.stack(rows, axis=-1).reshape(*v.shape[:-1], 3, 3)


def rotation_about(axis: ArrayLike, angle: ArrayLike) -> Array:
    """Rotation (..., 3, 3) by an angle (rad) about a unit axis (..., 3): Rodrigues' formula."""
    axis = np.asarray(axis, dtype=float)
    angle = np.asarray(angle, dtype=float)[..., None, None]
    outer = axis[..., :, None] * axis[..., None, :]
    return np.cos(angle) * np.eye(3) + (1.0 - np.cos(angle)) * outer + np.sin(angle) * skew(axis)


def matrix_from_rpy(rpy: ArrayLike) -> Array:
    """Rotation of URDF's roll, pitch, yaw (..., 3): Rz(yaw) Ry(pitch) Rx(roll)."""
    rpy = np.asarray(rpy, dtype=float)
    x, y, z = np.eye(3)
    roll = rotation_about(x, rpy[..., 0])
    pitch = rotation_about(y, rpy[..., 1])
    return rotation_about(z, rpy[..., 2]) @ pitch @ roll


def matrix_from_quaternion(quaternion: ArrayLike) -> Array:
    """Rotation (..., 3, 3) of a quaternion x y z w (..., 4), which is normalised first."""
    q = np.asarray(quaternion, dtype=float)
    x, y, z, w = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        1 - 2 * (y * y + z * z),
        2 * (x * y - z * w),
        2 * (x * z + y * w),
        2 * (x * y + z * w),
        1 - 2 * (x * x + z * z),
        2 * (y * z - x * w),
        2 * (x * z - y * w),
        2 * (y * z + x * w),
        1 - 2 * (x * x + y * y),
    ]
    return np.stack(rows, axis=-1).reshape(*q.shape[:-1], 3, 3)


def quaternion_from_matrix(rotation: ArrayLike) -> Array:
    """
    Quaternion x y z w (..., 4) of a rotation, w >= 0.

    Shepperd 1978: of the four squared components the largest is taken as divisor, so that no
    rotation is ill-conditioned.
    """
    r = np.asarray(rotation, dtype=float)
    xx, yy, zz = r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]
    squares = np.stack(
        [1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz], -1
    )
    xy, xz, yz = (
        r[..., 1, 0] + r[..., 0, 1],
        r[..., 0, 2] + r[..., 2, 0],
        r[..., 2, 1] + r[..., 1, 2],
    )
    wx, wy, wz = (
        r[..., 2, 1] - r[..., 1, 2],
        r[..., 0, 2] - r[..., 2, 0],
        r[..., 1, 0] - r[..., 0, 1],
    )
    products = np.stack(
        [
            np.stack([squares[..., 0], xy, xz, wx], -1),
            np.stack([xy, squares[..., 1], yz, wy], -1),
            np.stack([xz, yz, squares[..., 2], wz], -1),
            np.stack([wx, wy, wz, squares[..., 3]], -1),
        ],
        -2,
    )
    best = np.argmax(squares, axis=-1)[..., None, None]
    q = np.take_along_axis(products, best, axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., 3:] < 0.0, -q, q)


def rotation_vector(rotation: ArrayLike) -> Array:
    """Axis times angle (..., 3), angle in [0, pi]: the logarithm of a rotation."""
    q = quaternion_from_matrix(rotation)
    length = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(length, q[..., 3:])
    safe = np.where(length > 0.0, length, 1.0)
    return q[..., :3] * np.where(length > 0.0, angle / safe, 2.0)
