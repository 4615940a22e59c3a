# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Targets and how far a pose is from one."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ShapeError
from robodyn_ros.ik import _kernels

Array = NDArray[np.float64]
Target = tuple[ArrayLike | None, ArrayLike]

# A rotation written with seven digits passes and is made exact; a wrong one does not pass.
_LARGEST_DEFECT = 1e-6
_EXACT = 1e-12


def checked_target(target: Target, name: str = "target") -> tuple[Array | None, Array]:
    """
    Rotation (3, 3) or None, and position (3,), from what a caller gave.

    Raises ShapeError when it is not a pair, not of these shapes, not finite or no rotation.
    """
    try:
        rotation, position = target
    except (TypeError, ValueError):
        raise ShapeError(f"{name} must be a pair (rotation or None, position)") from None
    point = np.array(position, dtype=np.float64)
    if point.shape != (3,) or not abs(float(point @ point)) < np.inf:
        raise ShapeError(f"{name} position must be 3 finite numbers (m), got {position!r}")
    return None if rotation is None else checked_rotation(rotation, name), point


def checked_rotation(rotation: ArrayLike, name: str) -> Array:
    """Rotation matrix (3, 3), made exact when it is off by rounding. Raises ShapeError."""
    matrix = np.array(rotation, dtype=np.float64, order="C")
    if matrix.shape != (3, 3):
        raise ShapeError(f"{name} rotation has shape {matrix.shape}, not (3, 3)")
    defect = _kernels.rotation_defect(matrix)
    if not defect <= _LARGEST_DEFECT:
        raise ShapeError(
            f"{name} rotation is no rotation matrix: R'R differs from I by {defect:.2g} "
            "(infinite: a reflection); build it from a unit quaternion"
        )
    if defect > _EXACT:
        left, _, right = np.linalg.svd(matrix)
        matrix = np.ascontiguousarray(left @ right)
    return matrix


def pose_error(
    rotation: Array, position: Array, target_rotation: Array | None, target_position: Array
) -> Array:
    """
    Error (6,) [m; rad] in root axes, or (3,) when no rotation is asked for.

    The difference of the positions, and the rotation vector (logarithm) of
    R_target R': the shortest turn from the pose to the target.
    """
    difference = target_position - position
    if target_rotation is None:
        return difference
    turn = np.empty(3)
    _kernels.orientation_error(target_rotation, rotation, turn)
    return np.concatenate([difference, turn])
