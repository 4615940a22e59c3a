# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Between the control law and the motors: ramp after switch-on, clamp, bounded rate of change."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class EffortShaper:
    """
    Turns wanted efforts (n,) into those to send; keeps the last one.

    limit (n,) N m and rate (n,) N m/s: NaN = not limited. ramp_ns: how long ``start_ramp`` blends.
    """

    def __init__(self, limit: Array, rate: Array, ramp_ns: int):
        self.limit = np.where(np.isnan(limit), np.inf, limit)
        self._rate = None if np.isnan(rate).all() else np.where(np.isnan(rate), np.inf, rate)
        self._ramp_ns = ramp_ns
        self._ramp_start = 0
        self._ramp_from: Array | None = None
        self.last: Array | None = None
        self._last_ns = 0

    def start_ramp(self, origin: Array, now_ns: int) -> None:
        """From now on lead over from ``origin`` (n,) to what is wanted."""
        self._ramp_from, self._ramp_start = origin, now_ns

    def ramped(self, wanted: Array, now_ns: int) -> Array:
        """Blend ``wanted`` with the origin of a running ramp."""
        if self._ramp_from is None:
            return wanted
        passed = now_ns - self._ramp_start
        if passed >= self._ramp_ns:
            self._ramp_from = None
            return wanted
        share = max(passed, 0) / self._ramp_ns
        return self._ramp_from + share * (wanted - self._ramp_from)

    def clamped(self, wanted: Array) -> Array:
        """Cut ``wanted`` at the limits."""
        return np.minimum(np.maximum(wanted, -self.limit), self.limit)

    def send(self, wanted: Array, now_ns: int) -> Array:
        """Clamp ``wanted``, bound its change since the last call, and remember it as sent."""
        effort = self.clamped(wanted)
        if self._rate is not None and self.last is not None:
            passed = max(now_ns - self._last_ns, 0) * 1e-9
            with np.errstate(invalid="ignore"):
                change = self._rate * passed
            # inf N m/s times 0 s: still not limited
            change[np.isnan(change)] = np.inf
            effort = np.minimum(np.maximum(effort, self.last - change), self.last + change)
        self.last, self._last_ns = effort, now_ns
        return effort
