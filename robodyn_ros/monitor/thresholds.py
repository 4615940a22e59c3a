# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""When a value passes its limit and when it is back, without flicker."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """
    A joint passed a limit ("enter") or is back below it ("leave").

    ``peak_value`` is the worst value so far, ``duration_ns`` the time above (0 on entering); both
    in the unit of the limit: effort for "peak" and "continuous" (RMS), 1 = continuous rating held
    for ever for "thermal".
    """

    joint: str
    kind: str
    phase: Literal["enter", "leave"]
    stamp_ns: int
    peak_value: float
    limit: float
    duration_ns: int = 0

    def __str__(self) -> str:
        """One line for a log."""
        what = {"peak": "effort", "continuous": "RMS effort", "thermal": "thermal state"}[
            self.kind
        ]
        if self.phase == "enter":
            return f"{self.joint}: {what} {self.peak_value:.4g} above {self.kind} {self.limit:.4g}"
        lasted = f"after {self.duration_ns / 1e6:.4g} ms, worst {self.peak_value:.4g}"
        return f"{self.joint}: {what} back below {self.kind} {self.limit:.4g} {lasted}"


class ThresholdWatch:
    """
    Hysteresis per joint: above from ``value > limit`` until ``value <= limit * (1 - h)``.

    A NaN limit is never passed; a NaN value changes nothing: what was above stays above.
    """

    def __init__(self, kind: str, joint_names: Sequence[str], limit: Array, hysteresis: float):
        self.kind = kind
        self.joint_names = tuple(joint_names)
        self.limit = limit
        self.above = np.zeros(len(self.joint_names), dtype=bool)
        self._release = limit * (1.0 - hysteresis)
        self._worst = np.zeros(len(self.joint_names))
        self._since_ns = np.zeros(len(self.joint_names), dtype=np.int64)

    def update(self, value: Array, stamp_ns: int) -> list[Event]:
        """Compare values (n,), not negative, that hold from ``stamp_ns`` on."""
        over = value > self.limit
        if not (over.any() or self.above.any()):
            return []
        entered = over & ~self.above
        left = self.above & (value <= self._release)
        self._worst = np.where(entered, value, np.fmax(self._worst, value))
        self._since_ns[entered] = stamp_ns
        self.above = (self.above | over) & ~left
        events = [self._event(i, "enter", stamp_ns) for i in np.flatnonzero(entered).tolist()]
        return events + [self._event(i, "leave", stamp_ns) for i in np.flatnonzero(left).tolist()]

    def close(self, stamp_ns: int) -> list[Event]:
        """End everything that is above, as when time restarts."""
        events = [self._event(i, "leave", stamp_ns) for i in np.flatnonzero(self.above).tolist()]
        self.above = np.zeros_like(self.above)
        return events

    def _event(self, i: int, phase: Literal["enter", "leave"], stamp_ns: int) -> Event:
        return Event(
            self.joint_names[i],
            self.kind,
            phase,
            stamp_ns,
            float(self._worst[i]),
            float(self.limit[i]),
            int(stamp_ns - self._since_ns[i]),
        )
