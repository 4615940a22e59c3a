# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What efforts did to the motors: mean square over a sliding window, and heat."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_BINS = 200


class SlidingMeanSquare:
    """
    Mean of a squared signal (n,) over the last ``window_ns``, weighted by time.

    The window is cut into 200 bins, so memory does not depend on the rate; inside the oldest,
    partly left bin the signal counts as constant. Time before the first sample counts as zero:
    a short burst after start is a short burst.
    """

    def __init__(self, n: int, window_ns: int):
        self._width = max(1, window_ns // _BINS)
        self._bins = np.zeros((_BINS, n))  # mean square of each full bin
        self._oldest = 0
        self._sum = np.zeros(n)
        self._current = np.zeros(n)  # integral over the unfinished bin, in units of its width
        self._filled = 0  # ns of it

    def add(self, square: Array, duration_ns: int) -> None:
        """Append a stretch over which the squared signal was constant."""
        if duration_ns >= _BINS * self._width:
            self._bins[:] = square
            self._sum = self._bins.sum(axis=0)
            self._current = np.zeros_like(square)
            self._filled = 0
            return
        while duration_ns > 0:
            part = min(duration_ns, self._width - self._filled)
            self._current = self._current + square * (part / self._width)
            self._filled += part
            duration_ns -= part
            if self._filled == self._width:
                self._bins[self._oldest] = self._current
                self._oldest = (self._oldest + 1) % _BINS
                self._sum = self._bins.sum(axis=0)
                self._current = np.zeros_like(square)
                self._filled = 0

    @property
    def mean_square(self) -> Array:
        """Mean square (n,) over the window that ends now."""
        gone = self._bins[self._oldest] * (self._filled / self._width)
        mean: Array = (self._sum - gone + self._current) / _BINS
        return mean


class ThermalState:
    """
    Heat of each winding as a first-order lag: tau dT/dt = (effort / continuous)^2 - T.

    T = 1 is where holding the continuous rating for ever leads, 0 is cold; NaN where the rating
    or the time constant is unknown. The step is exact for an effort that is constant over it.
    """

    def __init__(self, continuous: Array, time_constant_s: Array, initial: float):
        self._continuous_square = continuous**2
        self._time_constant = time_constant_s
        self.temperature = np.where(np.isnan(continuous * time_constant_s), np.nan, initial)

    def add(self, square: Array, duration_s: float) -> None:
        """Advance by a time of constant squared effort (n,); NaN = unknown: T stays."""
        gap = square / self._continuous_square - self.temperature
        step = gap * -np.expm1(-duration_s / self._time_constant)
        self.temperature = self.temperature + np.where(np.isnan(step), 0.0, step)


def thermal_series(
    square: Array,
    durations_s: Array,
    continuous: Array,
    time_constant_s: Array,
    initial: ArrayLike,
) -> Array:
    """
    Heat (K + 1, n) before and after each of K stretches of constant squared effort (K, n).

    What ``ThermalState`` does, for a whole motion at once; durations_s (K,), initial a number or
    (n,).
    """
    heat = np.full((len(square) + 1, square.shape[1]), np.nan)
    heat[0] = np.where(np.isnan(continuous * time_constant_s), np.nan, initial)
    passed = np.concatenate([[0.0], np.cumsum(durations_s)])
    # T exp(t / tau) is a plain sum; cut where the exponential would become too large
    reach = 30.0 * np.nanmin(time_constant_s, initial=np.inf)
    start = 0
    while start < len(square):
        stop = max(start + 1, int(np.searchsorted(passed, passed[start] + reach)) - 1)
        steps = slice(start, min(stop, len(square)))
        age = (passed[steps.start : steps.stop + 1, None] - passed[start]) / time_constant_s
        share = -np.expm1(-durations_s[steps, None] / time_constant_s)
        gained = square[steps] / continuous**2 * share * np.exp(age[1:])
        heat[steps.start + 1 : steps.stop + 1] = np.exp(-age[1:]) * (
            heat[start] + np.cumsum(gained, axis=0)
        )
        start = steps.stop
    return heat


def mean_square_series(square: Array, durations_s: Array, window_s: float) -> Array:
    """
    Mean square (K, n) over the window that ends with each of K stretches (K, n).

    What ``SlidingMeanSquare`` approximates: time before the first stretch counts as zero.
    """
    passed = np.concatenate([[0.0], np.cumsum(durations_s)])
    work = np.concatenate(
        [np.zeros((1, square.shape[1])), np.cumsum(square * durations_s[:, None], axis=0)]
    )
    begin = np.maximum(passed[1:] - window_s, 0.0)
    before = np.stack([np.interp(begin, passed, column) for column in work.T], axis=-1)
    mean: Array = (work[1:] - before) / window_s
    return mean
