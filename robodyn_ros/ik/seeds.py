# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Where restarts begin: the same points for the same request, spread evenly."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ShapeError
from robodyn_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


def checked_seed(model: RobotModel, seed: ArrayLike) -> Array:
    """Copy of a seed (n,). Raises ShapeError on another size or numbers that are not finite."""
    q = np.array(seed, dtype=np.float64)
    if q.shape != (model.n,):
        raise ShapeError(
            f"seed has shape {q.shape}, but {model.name} has {model.n} joints: "
            f"{', '.join(model.joint_names)}"
        )
    if not abs(float(q @ q)) < np.inf:
        bad = [
            name
            for name, value in zip(model.joint_names, q, strict=True)
            if not np.isfinite(value)
        ]
        raise ShapeError(f"seed is not finite at {', '.join(bad)}")
    return q


def strides(dimensions: int) -> Array:
    """
    Strides a (d,) whose multiples k a mod 1, k = 1, 2, ..., fill the unit cube evenly.

    The additive recurrence of Roberts (2018), "The unreasonable effectiveness of quasirandom
    sequences": a_i = g^-i with g the root of g^(d+1) = g + 1, the golden ratio for d = 1.
    """
    g = 2.0
    for _ in range(60):
        g = (1.0 + g) ** (1.0 / (dimensions + 1))
    return g ** -np.arange(1.0, dimensions + 1.0)


def restart_spans(lower: Array, upper: Array, turn: Array, length: float) -> Array:
    """
    Width (n,) of the range that restarts of each joint are drawn from, around the seed.

    The range of the joint, but one turn where a turn repeats the pose, and two chain lengths (m)
    for a slide without end.
    """
    width = np.where(turn > 0.0, np.minimum(upper - lower, turn), upper - lower)
    return np.where(np.isfinite(width), width, 2.0 * length)
