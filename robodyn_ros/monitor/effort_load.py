# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What efforts did to the motors: mean square over a sliding window, and heat."""

import numpy as np
from numpy.typing import NDArray

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
