# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The way from one pose of a free root to another: the logarithm of SE(3)."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.model.rotations import matrix_from_quaternion

Array = NDArray[np.float64]

_SMALL = 0.1  # rad: below it the closed form loses digits and its series is exact


def twist_between(start: ArrayLike, end: ArrayLike) -> Array:
    """
    Twist (..., 6) [linear; angular] that moves one pose into another in one unit of time.

    Poses (..., 7) are position and quaternion x y z w; the twist is in the axes of the moving
    frame, its turn at most half a revolution. The inverse of the kernel ``moved_pose`` (Murray,
    Li, Sastry 1994, equation 2.36).
    """
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    turn = _product(_unit(start[..., 3:]) * [-1.0, -1.0, -1.0, 1.0], _unit(end[..., 3:]))
    turn = np.where(turn[..., 3:] < 0.0, -turn, turn)
    sine = np.linalg.norm(turn[..., :3], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, turn[..., 3:])
    w = turn[..., :3] * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 2.0)
    shift = np.einsum(
        "...ji,...j->...i",
        matrix_from_quaternion(start[..., 3:]),
        end[..., :3] - start[..., :3],
    )
    across = np.cross(w, shift)
    return np.concatenate(
        [shift - 0.5 * across + _twelfth(angle) * np.cross(w, across), w], axis=-1
    )


def _twelfth(angle: Array) -> Array:
    """Coefficient 1 / a^2 - cot(a / 2) / (2 a)."""
    a = np.where(angle < _SMALL, 1.0, angle)
    s = angle * angle
    series = (1.0 + s / 60.0 * (1.0 + s / 42.0 * (1.0 + s / 40.0))) / 12.0
    return np.where(angle < _SMALL, series, (1.0 - 0.5 * a / np.tan(0.5 * a)) / a**2)


def _product(a: Array, b: Array) -> Array:
    """Product of quaternions x y z w: first b, then a."""
    u, v = a[..., :3], b[..., :3]
    s, t = a[..., 3:], b[..., 3:]
    scalar = s * t - np.sum(u * v, axis=-1, keepdims=True)
    return np.concatenate([s * v + t * u + np.cross(u, v), scalar], axis=-1)


def _unit(quaternion: Array) -> Array:
    return quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
