# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Accelerations from measured velocities, with the delay this costs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SAMPLES = 32
_FEWEST = 3
_LONGEST_GAP_NS = 250_000_000  # beyond it two velocities say nothing about what was between


class Motion(NamedTuple):
    """Position, velocity and acceleration (n,), all of one instant."""

    q: Array
    qd: Array
    qdd: Array
    stamp_ns: int


class MotionFilter:
    """
    Least-squares slope of the velocities of the last ``window_ns``, but at least 3 samples.

    Everything is given for the middle of the samples used, so the result is consistent and late
    by half their span: exact for constant acceleration, noise of the velocity divided by about
    span * sqrt(samples / 12). Samples closer than 1/32 of the window are skipped.
    """

    def __init__(self, n: int, window_ns: int):
        self.window_ns = window_ns
        self._spacing = window_ns // _SAMPLES
        self._stamps = np.zeros(_SAMPLES, dtype=np.int64)
        self._q = np.zeros((_SAMPLES, n))
        self._qd = np.zeros((_SAMPLES, n))
        self._count = 0

    @property
    def ready(self) -> bool:
        """Whether enough samples are there."""
        return self._count >= _FEWEST

    def reset(self) -> None:
        """Forget the samples, as after a gap or a jump of time."""
        self._count = 0

    def update(self, q: Array, qd: Array, stamp_ns: int) -> Motion | None:
        """Take a finite sample; None when it came too close or too few are known."""
        elapsed = stamp_ns - int(self._stamps[-1])
        if self._count and abs(elapsed) > _LONGEST_GAP_NS:
            self.reset()
        if self._count and elapsed < max(1, self._spacing):
            return None
        for buffer, sample in ((self._stamps, stamp_ns), (self._q, q), (self._qd, qd)):
            buffer[:-1] = buffer[1:]
            buffer[-1] = sample
        self._count = min(self._count + 1, _SAMPLES)
        return self._middle() if self.ready else None

    def _middle(self) -> Motion:
        recent = int(np.count_nonzero(self._stamps[-self._count :] >= self._oldest_wanted()))
        used = max(_FEWEST, recent)
        times = (self._stamps[-used:] - self._stamps[-1]) * 1e-9
        mean = times.sum() / used
        times -= mean
        qd = self._qd[-used:]
        slope = times @ qd / (times @ times)
        nearest = -used + int(np.abs(times).argmin())
        middle_q = self._q[nearest] - self._qd[nearest] * times[nearest]
        stamp = int(self._stamps[-1]) + round(mean * 1e9)
        return Motion(middle_q, qd.sum(axis=0) / used, slope, stamp)

    def _oldest_wanted(self) -> int:
        return int(self._stamps[-1]) - self.window_ns
