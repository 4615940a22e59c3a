# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Newton's method for implicit integrators: the acceleration at the end of a step."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.errors import ConvergenceError, ParameterError

Array = NDArray[np.float64]
Acceleration = Callable[[Array, Array], Array]
Slopes = Callable[[Array, Array], tuple[Array, Array]]

_HALVINGS = 12
_SPREAD = 1e-7  # of a velocity: how far finite differences look


@dataclass(frozen=True)
class Newton:
    """
    How implicit steps are solved.

    They are, when the last correction changes no velocity by more than ``tolerance`` (1 + |qd|);
    the error is then of the order of its square. ``slopes(q, qd)`` gives (df/dq, df/dqd), each
    (..., n, n); without it they come from finite differences, n evaluations of f an iteration.
    """

    tolerance: float = 1e-10
    max_iterations: int = 25
    slopes: Slopes | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.tolerance < 1.0:
            raise ParameterError("tolerance", self.tolerance, "a number between 0 and 1")
        if self.max_iterations < 1:
            raise ParameterError("max_iterations", self.max_iterations, "1 or more")


def end_acceleration(
    f: Acceleration,
    reach: Callable[[Array], tuple[Array, Array]],
    gains: tuple[float, float],
    guess: Array,
    newton: Newton,
    method: str,
) -> Array:
    """
    Solve a = f(q, qd) (..., n) where (q, qd) = ``reach(a)`` is the state at the end of the step.

    ``gains`` are dq/da and dqd/da. A correction that makes the residual larger is halved, so that
    kinks (contact, yield, friction) do not throw the iteration about. Raises ConvergenceError.
    (Nocedal, Wright, Numerical Optimization, 2006, section 11.2.)
    """
    a = guess
    miss = a - f(*reach(a))
    solved = np.zeros(a.shape[:-1], dtype=bool)
    most = max(gains)
    for _ in range(newton.max_iterations):
        if not np.all(np.isfinite(miss)):
            raise ConvergenceError(method, newton.max_iterations, float("nan"))
        rate = reach(a)[1]
        slope = _slope(f, reach, gains, a, miss, rate, newton)
        try:
            solution = np.linalg.solve(slope, -miss[..., None])
        except np.linalg.LinAlgError:
            break
        correction = np.asarray(solution[..., 0], dtype=np.float64)
        correction[solved] = 0.0  # a sample of a batch does not depend on the others
        allowed = newton.tolerance * (1.0 + np.abs(rate).max(axis=-1))
        a, miss, taken = _advance(f, reach, a, miss, correction, allowed / most)
        solved = most * np.abs(taken).max(axis=-1) <= allowed
        if np.all(solved):
            return a
    raise ConvergenceError(method, newton.max_iterations, float(np.abs(miss).max()))


def _advance(
    f: Acceleration,
    reach: Callable[[Array], tuple[Array, Array]],
    a: Array,
    miss: Array,
    correction: Array,
    negligible: Array,
) -> tuple[Array, Array, Array]:
    """Take as much of a correction as does not make things worse: (a, residual, correction)."""
    before = np.linalg.norm(miss, axis=-1)
    for _ in range(_HALVINGS):
        there = a + correction
        after = there - f(*reach(there))
        better = np.linalg.norm(after, axis=-1) <= before
        better |= np.abs(correction).max(axis=-1) <= negligible  # rounding decides there
        if np.all(better):
            break
        correction = np.where(better[..., None], correction, 0.5 * correction)
    return there, after, correction


def _slope(
    f: Acceleration,
    reach: Callable[[Array], tuple[Array, Array]],
    gains: tuple[float, float],
    a: Array,
    miss: Array,
    rate: Array,
    newton: Newton,
) -> Array:
    """Differentiate the residual a - f with respect to a: (..., n, n)."""
    if newton.slopes is not None:
        by_position, by_velocity = newton.slopes(*reach(a))
        return np.eye(a.shape[-1]) - gains[0] * by_position - gains[1] * by_velocity
    spread = _SPREAD * (1.0 + np.abs(rate).max(axis=-1, keepdims=True)) / max(gains)
    columns = []
    for unit in np.eye(a.shape[-1]):
        there = a + spread * unit
        columns.append((there - f(*reach(there)) - miss) / spread)
    return np.stack(columns, axis=-1)
