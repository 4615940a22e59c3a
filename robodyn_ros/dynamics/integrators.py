# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""One step of q'' = f(q, q') by the explicit methods; pure functions, any batch shape of q."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Acceleration = Callable[[Array, Array], Array]


def euler(f: Acceleration, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
    """
    Explicit Euler: order 1, gains energy on every oscillation; for comparison only.

    q, qd (..., n) in rad or m and per s, h in s. Returns (q, qd) at t + h.
    """
    return q + h * qd, qd + h * f(q, qd)


def semi_implicit_euler(f: Acceleration, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
    """
    Semi-implicit (symplectic) Euler: order 1, the new velocity moves the position.

    q, qd (..., n) in rad or m and per s, h in s. Returns (q, qd) at t + h.
    Source: Hairer, Lubich, Wanner, Geometric Numerical Integration, eq. (I.1.9).
    """
    qd = qd + h * f(q, qd)
    return q + h * qd, qd


def rk4(f: Acceleration, q: Array, qd: Array, h: float) -> tuple[Array, Array]:
    """
    Classical Runge-Kutta: order 4, four evaluations of f.

    q, qd (..., n) in rad or m and per s, h in s. Returns (q, qd) at t + h.
    Source: Hairer, Norsett, Wanner, Solving ODEs I, table II.1.2.
    """
    half = 0.5 * h
    v1, a1 = qd, f(q, qd)
    v2 = qd + half * a1
    a2 = f(q + half * v1, v2)
    v3 = qd + half * a2
    a3 = f(q + half * v2, v3)
    v4 = qd + h * a3
    a4 = f(q + h * v3, v4)
    sixth = h / 6.0
    return q + sixth * (v1 + 2.0 * (v2 + v3) + v4), qd + sixth * (a1 + 2.0 * (a2 + a3) + a4)
