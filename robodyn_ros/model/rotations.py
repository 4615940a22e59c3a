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
    cr, cp, cy = np.moveaxis(np.cos(rpy), -1, 0)
    sr, sp, sy = np.moveaxis(np.sin(rpy), -1, 0)
    rows = [
        cy * cp,
        cy * sp * sr - sy * cr,
        cy * sp * cr + sy * sr,
        sy * cp,
        sy * sp * sr + cy * cr,
        sy * sp * cr - cy * sr,
        -sp,
        cp * sr,
        cp * cr,
    ]
    return np.stack(rows, axis=-1).reshape(*rpy.shape[:-1], 3, 3)


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


def _quaternion_products() -> Array:
    """Matrix (9, 16) from a rotation's entries to 4 q_i q_j - delta_ij, i, j = x y z w."""
    m = np.zeros((4, 4, 3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        m[i, i, i, i] = m[3, 3, i, i] = 1.0
        m[i, i, j, j] = m[i, i, k, k] = -1.0
        m[i, j, i, j] = m[i, j, j, i] = m[j, i, i, j] = m[j, i, j, i] = 1.0
        m[i, 3, k, j] = m[3, i, k, j] = 1.0
        m[i, 3, j, k] = m[3, i, j, k] = -1.0
    return m.reshape(16, 9).T.copy()


_QUATERNION_PRODUCTS = _quaternion_products()
_ONES = np.eye(4).ravel()


def quaternion_from_matrix(rotation: ArrayLike) -> Array:
    """
    Quaternion x y z w (..., 4) of a rotation, w >= 0.

    Shepperd 1978: the products 4 q_i q_j are linear in the rotation; the row of the largest
    square is taken, so that no rotation is ill-conditioned.
    """
    r = np.asarray(rotation, dtype=float)
    products = (r.reshape(-1, 9) @ _QUATERNION_PRODUCTS + _ONES).reshape(-1, 4, 4)
    best = products[:, range(4), range(4)].argmax(axis=1)
    q = products[np.arange(len(best)), best]
    q /= np.sqrt((q * q).sum(axis=1, keepdims=True))
    q[q[:, 3] < 0.0] *= -1.0
    return q.reshape(*r.shape[:-2], 4)


def quaternion_rate(quaternion: ArrayLike, omega: ArrayLike) -> Array:
    """
    Rate (..., 4) of a quaternion x y z w that turns with omega (..., 3) in body axes, rad/s.

    Half the product of the quaternion and (omega, 0) (Siciliano et al., Robotics, 2009, equations
    3.94 and 3.95 in body axes).
    """
    q, omega = np.asarray(quaternion, dtype=float), np.asarray(omega, dtype=float)
    vector, scalar = q[..., :3], q[..., 3:]
    turned = scalar * omega + np.cross(vector, omega)
    return 0.5 * np.concatenate([turned, -np.sum(vector * omega, axis=-1, keepdims=True)], axis=-1)


def rotation_vector(rotation: ArrayLike) -> Array:
    """Axis times angle (..., 3), angle in [0, pi]: the logarithm of a rotation."""
    q = quaternion_from_matrix(rotation)
    length = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(length, q[..., 3:])
    safe = np.where(length > 0.0, length, 1.0)
    return q[..., :3] * np.where(length > 0.0, angle / safe, 2.0)
