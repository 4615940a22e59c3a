# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""When the recorded samples were taken: which clock to trust, and where time is broken."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Stamps = NDArray[np.int64]
Clock = Literal["header", "receive"]

_HOLE = 5  # periods without a sample that cut a recording in two
_MOSTLY = 0.9  # share of the header stamps that must be set, and go on


@dataclass(frozen=True, eq=False)
class TimeBase:
    """
    Order and time of samples.

    order (K,): which of the samples, in the order of time. stamp_ns (K,) their times. starts:
    index in ``order`` where each uninterrupted segment begins. period_ns: the usual step.
    """

    clock: Clock
    order: NDArray[np.intp]
    stamp_ns: Stamps
    starts: NDArray[np.intp]
    period_ns: int
    duplicates: int
    out_of_order: int
    restarts: int
    holes: list[tuple[int, int]]

    @property
    def segments(self) -> list[slice]:
        """Return the uninterrupted stretches."""
        ends = [*self.starts[1:].tolist(), len(self.order)]
        return [slice(a, b) for a, b in zip(self.starts.tolist(), ends, strict=True)]

    @property
    def duration_s(self) -> float:
        """Time covered by the segments."""
        return float(sum(self.stamp_ns[s][-1] - self.stamp_ns[s][0] for s in self.segments)) * 1e-9


def time_base(header_ns: Stamps, receive_ns: Stamps) -> TimeBase:
    """
    Order at least one sample by its header stamp, or by when it was received.

    The header is taken when nearly all stamps are set and mostly go on. Equal stamps are
    duplicates: the first is kept. A step back by more than a hole is a restart (a recording
    played in a loop), a smaller one is put in order. A hole is more than 5 usual periods.
    """
    usable = np.mean(header_ns != 0) >= _MOSTLY
    if usable and len(header_ns) > 1:
        usable = np.mean(np.diff(header_ns) >= 0) >= _MOSTLY
    clock: Clock = "header" if usable else "receive"
    stamps = header_ns if usable else receive_ns
    kept = np.flatnonzero(stamps != 0) if usable else np.arange(len(stamps))
    steps = np.diff(stamps[kept])
    forward = steps[steps > 0]
    period = int(np.median(forward)) if len(forward) else 0
    cuts = np.flatnonzero(steps < -_HOLE * max(period, 1)) + 1
    passes = []
    for run in np.split(kept, cuts):
        sorted_run = run[np.argsort(stamps[run], kind="stable")]
        fresh = np.diff(stamps[sorted_run], prepend=stamps[sorted_run[0]] - 1) > 0
        passes.append(sorted_run[fresh])
    order = np.concatenate(passes)
    steps_kept = np.diff(stamps[order])
    hole = steps_kept > _HOLE * max(period, 1)
    starts = np.concatenate([[0], np.flatnonzero(hole | (steps_kept <= 0)) + 1]).astype(np.intp)
    ordered = stamps[order]
    holes = [(int(ordered[i]), int(ordered[i + 1])) for i in np.flatnonzero(hole)]
    return TimeBase(
        clock=clock,
        order=order,
        stamp_ns=ordered,
        starts=starts,
        period_ns=period,
        duplicates=len(kept) - len(order),
        out_of_order=int((steps < 0).sum()) - len(cuts),
        restarts=len(cuts),
        holes=holes,
    )
