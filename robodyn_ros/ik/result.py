# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What the solvers answer."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Reason = Literal["converged", "time", "iterations", "out_of_reach", "limits"]

_EXPLANATIONS: dict[Reason, str] = {
    "converged": "solved",
    "time": "no solution in the time given: allow more, or give a nearer seed",
    "iterations": "no solution found from the seed or any restart",
    "out_of_reach": "the target is out of the chain's reach, whatever its joints do",
    "limits": "no solution inside the joint limits found; the nearest miss stands against them",
}


@dataclass(frozen=True, eq=False)
class IKResult:
    """
    Answer of ``solve_ik``.

    ``q`` (n,) always lies inside the limits: the solution, or the nearest miss when ``success``
    is False. ``position_error`` (m) and ``orientation_error`` (rad, 0 when none was asked for)
    are those of ``q``; ``iterations`` counts all attempts, ``restarts`` those after the seed's.
    """

    q: NDArray[np.float64]
    success: bool
    reason: Reason
    position_error: float
    orientation_error: float
    iterations: int
    restarts: int

    @property
    def explanation(self) -> str:
        """One line for a log or an error message: what happened and by how much it misses."""
        return (
            f"{_EXPLANATIONS[self.reason]} ({self.position_error:.3g} m and "
            f"{self.orientation_error:.3g} rad off, {self.iterations} iterations, "
            f"{self.restarts} restarts)"
        )


@dataclass(frozen=True, eq=False)
class DampedLeastSquaresResult:
    """
    Answer of ``damped_least_squares``.

    ``errors`` (iterations + 1,) is the length of the error before every step and at the end.
    """

    q: NDArray[np.float64]
    success: bool
    iterations: int
    errors: NDArray[np.float64]
