# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""When a trajectory begins: the meaning of its header stamp, in the past or in the future."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import TrajectoryError
from robodyn_ros.trajectory.joint_trajectory import Times

MAX_FUTURE_NS = 60_000_000_000


@dataclass(frozen=True)
class Start:
    """Time zero of time_from_start, the time the motion is joined, and the points left out."""

    start_ns: int
    join_ns: int
    skipped: int


def resolve_start(
    stamp_ns: int,
    times_ns: Times,
    now_ns: int,
    *,
    late_ns: int = 0,
    max_future_ns: int = MAX_FUTURE_NS,
) -> Start:
    """
    Decide when a trajectory with points at times_ns (P,) after its stamp begins.

    Stamp 0, or a stamp at most late_ns (one control period) ago: now. Longer ago: the points in
    the past are skipped and the rest is joined now. In the future: joined then.
    Raises TrajectoryError, with the seconds, when every point is past or the stamp is more than
    max_future_ns ahead (clocks that disagree).
    """
    late = now_ns - stamp_ns
    if stamp_ns == 0 or 0 <= late <= late_ns:
        return Start(now_ns, now_ns, 0)
    if late < 0:
        if -late > max_future_ns:
            raise TrajectoryError(
                f"the trajectory starts in {-late * 1e-9:.3f} s, later than the"
                f" {max_future_ns * 1e-9:g} s allowed: do sender and controller share a clock?",
                value=-late * 1e-9,
                limit=max_future_ns * 1e-9,
            )
        return Start(stamp_ns, stamp_ns, 0)
    skipped = int(np.searchsorted(times_ns, late, side="right"))
    if skipped == len(times_ns):
        ended = (late - int(times_ns[-1])) * 1e-9
        raise TrajectoryError(
            f"the trajectory lies in the past: it ended {ended:.3f} s ago",
            point=skipped - 1,
            value=ended,
            limit=0.0,
        )
    return Start(stamp_ns, now_ns, skipped)
