# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits between the points: exact extrema of the polynomials a controller really follows."""

from math import comb

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.errors import TrajectoryError
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.trajectory.splines import TrajectorySpline
from robodyn_ros.trajectory.validation import LIMIT_MARGIN

Array = NDArray[np.float64]


def bernstein(coefficients: Array) -> Array:
    """
    Turn power coefficients (..., d + 1) on [0, 1] into Bernstein coefficients of the same shape.

    The polynomial stays between the smallest and the largest of them.
    Source: Farouki, The Bernstein polynomial basis: a centennial retrospective (2012), eq. (25).
    """
    return coefficients @ bernstein_matrix(coefficients.shape[-1] - 1).T


def bernstein_matrix(d: int) -> Array:
    """Matrix (d + 1, d + 1) from power to Bernstein coefficients of degree d; lower triangular."""
    return np.array(
        [[comb(j, k) / comb(d, k) if k <= j else 0.0 for k in range(d + 1)] for j in range(d + 1)]
    )


def extrema(coefficients: Array) -> tuple[float, float, float, float]:
    """Find (minimum, u of it, maximum, u of it) on [0, 1] of sum_k coefficients[k] u^k."""
    derivative = coefficients[1:] * np.arange(1, len(coefficients))
    roots = np.roots(derivative[::-1])
    # a double root may come out as a complex pair: its real part is the place to look at
    inside = roots.real[(roots.real > 0.0) & (roots.real < 1.0)]
    u = np.concatenate([[0.0, 1.0], inside])
    values = np.polynomial.polynomial.polyval(u, coefficients)
    low, high = int(np.argmin(values)), int(np.argmax(values))
    return float(values[low]), float(u[low]), float(values[high]), float(u[high])


def check_between_points(
    spline: TrajectorySpline, limits: JointLimits, joint_names: tuple[str, ...]
) -> None:
    """
    Test position and velocity of the whole motion, between the points too, against known limits.

    The first segment may begin outside a limit (an arm that has to be brought back) but not go
    further out. Raises TrajectoryError naming the point the segment leads to, joint, extreme
    value and limit.
    """
    c = np.swapaxes(spline.coefficients, 1, 2)
    if len(c) == 0:
        return
    lower, upper = limits.lower, limits.upper
    low = np.tile(lower - LIMIT_MARGIN * (1.0 + np.abs(lower)), (len(c), 1))
    high = np.tile(upper + LIMIT_MARGIN * (1.0 + np.abs(upper)), (len(c), 1))
    low[0] = np.minimum(low[0], c[0, :, 0] - LIMIT_MARGIN)
    high[0] = np.maximum(high[0], c[0, :, 0] + LIMIT_MARGIN)
    _check(spline, c, low, high, "position", joint_names, (lower, upper))
    rate = c[..., 1:] * np.arange(1, 6) / spline.durations[:, None, None]
    speed = np.tile(limits.velocity * (1.0 + LIMIT_MARGIN), (len(c), 1))
    speed[0] = np.maximum(speed[0], np.abs(rate[0, :, 0]) * (1.0 + LIMIT_MARGIN))
    _check(
        spline, rate, -speed, speed, "velocity", joint_names, (-limits.velocity, limits.velocity)
    )


def _check(
    spline: TrajectorySpline,
    coefficients: Array,
    low: Array,
    high: Array,
    what: str,
    joint_names: tuple[str, ...],
    limits: tuple[Array, Array],
) -> None:
    """Refuse the first segment whose polynomial (S, n, d + 1) leaves low..high (S, n)."""
    control = bernstein(coefficients)
    suspect = (control.max(-1) > high) | (control.min(-1) < low)
    for s, j in np.argwhere(suspect):
        minimum, u_min, maximum, u_max = extrema(coefficients[s, j])
        over, under = maximum > high[s, j], minimum < low[s, j]
        if not (over or under):
            continue
        value, u = (maximum, u_max) if over else (minimum, u_min)
        limit = float(limits[1 if over else 0][j])
        p = int(s) + spline.first_point
        seconds = (spline.times_ns[s] - spline.start_ns) * 1e-9 + u * spline.durations[s]
        raise TrajectoryError(
            f"on the way to point {p}, {seconds:.4g} s after the start, joint '{joint_names[j]}'"
            f" reaches {what} {value:.5g}: the limit is {limit:g}",
            point=p,
            joint=joint_names[j],
            value=value,
            limit=limit,
        )


def velocity_peaks(spline: TrajectorySpline) -> Array:
    """Largest |velocity| of the whole motion per joint (n,), between the points too."""
    return _peaks(spline, 1)


def acceleration_peaks(spline: TrajectorySpline) -> Array:
    """Largest |acceleration| of the whole motion per joint (n,), between the points too."""
    return _peaks(spline, 2)


def _peaks(spline: TrajectorySpline, order: int) -> Array:
    """Exact maxima: Bernstein coefficients say in which segments to look for them."""
    c = np.swapaxes(spline.coefficients, 1, 2)
    if len(c) == 0:
        return np.zeros(c.shape[1])
    for _ in range(order):
        c = c[..., 1:] * np.arange(1, c.shape[-1]) / spline.durations[:, None, None]
    most = np.abs(bernstein(c)).max(axis=-1)
    peaks = np.maximum(np.abs(c[..., 0]), np.abs(c.sum(axis=-1))).max(axis=0)
    for s, j in np.argwhere(most > peaks * (1.0 + 1e-12)):
        if most[s, j] > peaks[j]:
            low, _, high, _ = extrema(c[s, j])
            peaks[j] = max(peaks[j], -low, high)
    return peaks
