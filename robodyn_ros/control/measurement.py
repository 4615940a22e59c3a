# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A measured joint state the controller may rely on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ShapeError
from robodyn_ros.model.limits import ABSURD

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Measurement:
    """
    q and qd (n,) at stamp_ns; NaN in qd where ``known`` says that it was not measured.

    ``complete``: every velocity was measured.
    """

    q: Array
    qd: Array
    stamp_ns: int
    known: NDArray[np.bool_]
    complete: bool

    @classmethod
    def of(cls, q: ArrayLike, qd: ArrayLike, stamp_ns: int, n: int) -> "Measurement | None":
        """
        Copy a state of n joints; None when a value is infinite or absurd, or q not a number.

        Raises ShapeError for another number of values.
        """
        position, velocity = np.array(q, dtype=float), np.array(qd, dtype=float)
        if position.shape != (n,) or velocity.shape != (n,):
            raise ShapeError(f"q {position.shape} and qd {velocity.shape}: expected ({n},) each")
        known = ~np.isnan(velocity)
        complete = bool(known.all())
        if not (np.abs(position) < ABSURD).all() or (np.abs(velocity) >= ABSURD).any():
            return None
        return cls(position, velocity, stamp_ns, known, complete)
