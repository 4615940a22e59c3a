# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments on their way into a kernel: one border check for all dynamics functions."""

from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ShapeError
from robodyn_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


def as_rows(model: RobotModel, **values: ArrayLike) -> tuple[tuple[int, ...], list[Array]]:
    """
    Joint vectors (..., n), broadcast against each other, as contiguous rows (B, n).

    Returns the leading shape and the rows. Raises ShapeError naming the argument.
    """
    arrays = []
    for name, value in values.items():
        array = np.asarray(value, dtype=np.float64)
        if array.ndim == 0 or array.shape[-1] != model.n:
            raise ShapeError(
                f"{name} has shape {array.shape}, but {model.name} has {model.n} joints: "
                f"the last axis must be {model.n}"
            )
        arrays.append(array)
    shape = arrays[0].shape
    if any(array.shape != shape for array in arrays):
        try:
            shape = np.broadcast_shapes(*(array.shape for array in arrays))
        except ValueError:
            shapes = ", ".join(f"{k} {a.shape}" for k, a in zip(values, arrays, strict=True))
            raise ShapeError(f"batch shapes do not fit each other: {shapes}") from None
        arrays = [a if a.shape == shape else np.broadcast_to(a, shape) for a in arrays]
    return shape[:-1], [_rows(array, model.n) for array in arrays]


# How a kernel of one sample answers arrays that are not what it takes: another type, order or
# length. The general path then serves them, or says what is wrong.
NOT_ONE_SAMPLE = (TypeError, ValueError, AttributeError)


def one_sample(q: ArrayLike) -> bool:
    """Tell whether q looks like one configuration, so that the short cut is worth a try."""
    return type(q) is np.ndarray and q.ndim == 1


def _rows(array: Array, n: int) -> Array:
    # Not -1: a robot without joints has rows too.
    rows = np.ascontiguousarray(array).reshape(prod(array.shape[:-1]), n)
    # A kernel is compiled per array type and read-only is a type of its own: copy, the rare case.
    return rows if rows.flags.writeable else rows.copy()
