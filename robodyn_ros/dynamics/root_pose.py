# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Poses of a free root: position (3) and quaternion x y z w in one row (..., 7).

A twist (..., 6) is [linear; angular] in the axes of the moving frame; applied for one unit of
time it is a screw motion, the exponential of SE(3).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.model.rotations import matrix_from_quaternion

Array = NDArray[np.float64]

_SMALL = 0.1  # rad: below it the closed forms lose digits and their series are exact


def moved_pose(pose: ArrayLike, twist: ArrayLike) -> Array:
    """
    Pose (..., 7) after the screw motion of a twist (..., 6): pose * exp(twist), exactly.

    Murray, Li, Sastry 1994, equation 2.36. The quaternion comes out at unit length and does not
    change its sign along a motion.
    """
    pose, twist = np.asarray(pose, dtype=float), np.asarray(twist, dtype=float)
    v, w = twist[..., :3], twist[..., 3:]
    angle = np.linalg.norm(w, axis=-1, keepdims=True)
    across = np.cross(w, v)
    # sinc(x) is sin(pi x) / (pi x): (1 - cos a) / a^2 and sin(a / 2) / a without a division by 0
    half_sinc = 0.5 * np.sinc(angle / (2.0 * np.pi))
    shift = v + 2.0 * half_sinc**2 * across + _third(angle) * np.cross(w, across)
    rotation = matrix_from_quaternion(pose[..., 3:])
    position = pose[..., :3] + np.einsum("...ij,...j->...i", rotation, shift)
    turn = np.concatenate([half_sinc * w, np.cos(0.5 * angle)], axis=-1)
    quaternion = _product(pose[..., 3:], turn)
    return np.concatenate([position, _unit(quaternion)], axis=-1)


def twist_between(start: ArrayLike, end: ArrayLike) -> Array:
    """Twist (..., 6) that moves one pose (..., 7) into another: the inverse of moved_pose."""
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


def _third(angle: Array) -> Array:
    """Coefficient (a - sin a) / a^3."""
    a = np.where(angle < _SMALL, 1.0, angle)
    s = angle * angle
    series = (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0)))) / 6.0
    return np.where(angle < _SMALL, series, (a - np.sin(a)) / a**3)


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
