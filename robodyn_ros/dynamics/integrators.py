# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
One step of q'' = f(q, q') by five methods; pure functions, any batch shape (..., n).

All take q, qd (..., n) in rad or m and per s and the step h in s, and return (q, qd) at t + h.
``move(q, d)`` says what displacing a configuration means where that is not q + d: for a free root
it is ``FloatingBase.integrate``, q has one entry more than qd then, and the methods keep their
order (no angles, no quaternion to renormalise). A system that depends on time carries it as one
more coordinate of velocity 1 and acceleration 0.
"""

from collections.abc import Callable
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics.newton import Acceleration, Newton, end_acceleration
from robodyn_ros.errors import ParameterError

Array = NDArray[np.float64]
Move = Callable[[Array, Array], Array]
Step = Callable[[Acceleration, Array, Array, float], tuple[Array, Array]]

_NEWTON = Newton()


def euler(f: Acceleration, q: Array, qd: Array, h: float, move: Move = add) -> tuple[Array, Array]:
    """
    Explicit Euler: order 1, gains energy on every oscillation; for comparison only.

    On an undamped oscillation of w rad/s it grows by sqrt(1 + (w h)^2) each step, for every h.
    """
    return move(q, h * qd), qd + h * f(q, qd)


def semi_implicit_euler(
    f: Acceleration, q: Array, qd: Array, h: float, move: Move = add
) -> tuple[Array, Array]:
    """
    Semi-implicit (symplectic) Euler: order 1, the new velocity moves the position.

    Stable on an undamped oscillation while w h < 2.
    Source: Hairer, Lubich, Wanner, Geometric Numerical Integration, eq. (I.1.9).
    """
    qd = qd + h * f(q, qd)
    return move(q, h * qd), qd


def rk4(f: Acceleration, q: Array, qd: Array, h: float, move: Move = add) -> tuple[Array, Array]:
    """
    Classical Runge-Kutta: order 4, four evaluations of f; stable while w h < 2 sqrt 2.

    Source: Hairer, Norsett, Wanner, Solving ODEs I, table II.1.2; with ``move`` its form by two
    displacements in a row (Celledoni, Marthinsen, Owren 2003, Commutator-free Lie group methods),
    which is the classical method where displacements add.
    """
    half, twelfth = 0.5 * h, h / 12.0
    v1, a1 = qd, f(q, qd)
    v2, q2 = qd + half * a1, move(q, half * v1)
    a2 = f(q2, v2)
    v3 = qd + half * a2
    a3 = f(move(q, half * v2), v3)
    v4 = qd + h * a3
    a4 = f(move(q2, h * v3 - half * v1), v4)
    inner = 2.0 * (v2 + v3)
    q = move(q, twelfth * (3.0 * v1 + inner - v4))
    q = move(q, twelfth * (3.0 * v4 + inner - v1))
    return q, qd + 2.0 * twelfth * (a1 + 2.0 * (a2 + a3) + a4)


def newmark(
    f: Acceleration,
    q: Array,
    qd: Array,
    h: float,
    *,
    gamma: float = 0.5,
    beta: float = 0.25,
    acceleration: Array | None = None,
    newton: Newton = _NEWTON,
    move: Move = add,
) -> tuple[Array, Array]:
    """
    Newmark's method, implicit, solved by Newton's.

    q' = q + h qd + h^2 ((1/2 - beta) a + beta a'), qd' = qd + h ((1 - gamma) a + gamma a') with
    a' = f(q', qd'). Order 2 for gamma = 1/2 only (above, it damps). On LINEAR systems stable for
    every h if beta >= gamma / 2 >= 1/4; beta = 1/4 (average acceleration) keeps their energy, and
    that of a nonlinear arm only nearly. ``acceleration`` is a = f(q, qd) when it is known, or
    what it was before a load or a plastic state jumped. Raises ParameterError and
    ConvergenceError. Source: Newmark 1959; Chopra, Dynamics of Structures, section 5.4.
    """
    if not 0.0 <= gamma <= 1.0:
        raise ParameterError("gamma", gamma, "a number from 0 to 1")
    if not 0.0 <= beta <= 1.0:
        raise ParameterError("beta", beta, "a number from 0 to 1")
    a = f(q, qd) if acceleration is None else acceleration
    glide = h * qd + h * h * (0.5 - beta) * a
    start = qd + h * (1.0 - gamma) * a
    gains = (beta * h * h, gamma * h)

    def reach(end: Array) -> tuple[Array, Array]:
        return move(q, glide + gains[0] * end), start + gains[1] * end

    if max(gains) == 0.0:
        return reach(a)
    return reach(end_acceleration(f, reach, gains, a, newton, "newmark"))


def implicit_euler(
    f: Acceleration,
    q: Array,
    qd: Array,
    h: float,
    *,
    newton: Newton = _NEWTON,
    move: Move = add,
) -> tuple[Array, Array]:
    """
    Implicit Euler: order 1, stable for every h, takes energy out of every oscillation.

    qd' = qd + h f(q', qd'), q' = q + h qd', solved by Newton's method. Raises ConvergenceError.
    Source: Hairer, Wanner, Solving ODEs II, section IV.3.
    """
    gains = (h * h, h)

    def reach(end: Array) -> tuple[Array, Array]:
        rate = qd + h * end
        return move(q, h * rate), rate

    return reach(end_acceleration(f, reach, gains, f(q, qd), newton, "implicit_euler"))


def integrate(
    step: Step, f: Acceleration, q: Array, qd: Array, h: float, steps: int
) -> tuple[Array, Array]:
    """Positions and velocities (steps + 1, ..., n), the initial ones first."""
    states = [(q, qd)]
    for _ in range(steps):
        states.append(step(f, *states[-1], h))
    positions, velocities = zip(*states, strict=True)
    return np.array(positions), np.array(velocities)


class EnergyDrift(NamedTuple):
    """Worst and final departure from the initial energy (J); the worst relative to a scale."""

    worst: Array
    final: Array
    relative: Array


def energy_drift(energy: ArrayLike, scale: ArrayLike | None = None) -> EnergyDrift:
    """
    Tell how far an energy (T, ...) that should stay constant has gone from its first value.

    ``scale`` (J) makes it relative, such as the largest kinetic energy; by default the largest
    |energy|, which depends on where potential energy is zero. ``worst`` keeps its sign: above 0
    energy came from nowhere.
    """
    energy = np.asarray(energy, dtype=float)
    departure = energy - energy[0]
    at = np.argmax(np.abs(departure), axis=0)
    worst = np.take_along_axis(departure, at[None], axis=0)[0]
    whole = np.abs(energy).max(axis=0) if scale is None else np.asarray(scale, dtype=float)
    return EnergyDrift(worst, departure[-1], np.abs(worst) / whole)
