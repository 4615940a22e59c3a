# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint states of a recording as arrays in the order of the model."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.analysis.bags.time_base import TimeBase, time_base
from robodyn_ros.errors import BagError

Array = NDArray[np.float64]
FIELDS = ("position", "velocity", "effort")


@dataclass(frozen=True, eq=False)
class JointRecording:
    """
    What the joints did: q, qd, effort (K, n) at ``time.stamp_ns``; NaN where not recorded.

    notes: what was odd about the messages, one sentence each.
    """

    joint_names: tuple[str, ...]
    time: TimeBase
    q: Array
    qd: Array
    effort: Array
    messages: int
    notes: tuple[str, ...]


class _Columns:
    """Rows (n,) of doubles that come one by one, in memory that doubles."""

    def __init__(self, n: int):
        self._rows = np.full((1024, 3, n), np.nan)
        self._stamps = np.zeros((1024, 2), dtype=np.int64)
        self.count = 0

    def next(self, header_ns: int, receive_ns: int) -> Array:
        """Return the next row (3, n) to write into."""
        if self.count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.full_like(self._rows, np.nan)])
            self._stamps = np.concatenate([self._stamps, np.zeros_like(self._stamps)])
        self._stamps[self.count] = header_ns, receive_ns
        row: Array = self._rows[self.count]
        self.count += 1
        return row

    @property
    def rows(self) -> Array:
        return self._rows[: self.count]

    @property
    def stamps(self) -> NDArray[np.int64]:
        return self._stamps[: self.count]


def collect_joints(
    messages: Iterable[tuple[str, int, Any]], joint_names: tuple[str, ...], prefix: str = ""
) -> JointRecording:
    """
    Gather JointState messages by joint name.

    messages: (topic, receive time in ns, JointState). ``prefix`` stands before the model's names
    in the messages. Raises BagError when no joint of the model is in them.
    """
    index = {prefix + name: i for i, name in enumerate(joint_names)}
    columns = _Columns(len(joint_names))
    layouts: dict[tuple[str, ...], tuple[list[int], list[int]]] = {}
    seen: set[str] = set()
    malformed = 0
    for _, received_ns, message in messages:
        names = tuple(message.name)
        layout = layouts.get(names)
        if layout is None:
            seen.update(names)
            known = [k for k, name in enumerate(names) if name in index]
            layout = layouts[names] = (known, [index[names[k]] for k in known])
        source, target = layout
        if not source:
            continue
        sizes = [len(getattr(message, name)) for name in FIELDS]
        if any(size not in (0, len(names)) for size in sizes) or not sizes[0]:
            malformed += 1
            continue
        stamp = message.header.stamp
        row = columns.next(stamp.sec * 1_000_000_000 + stamp.nanosec, received_ns)
        for k, name in enumerate(FIELDS):
            if sizes[k]:
                row[k, target] = getattr(message, name)[source]
    if not columns.count:
        raise BagError(_nothing_found(seen, joint_names, malformed))
    notes = (
        [f"{malformed} joint states with lists of unequal length left out"] if malformed else []
    )
    if len(layouts) > 1:
        notes.append(f"{len(layouts)} different lists of joint names")
    return _ordered(joint_names, columns, notes)


def _ordered(joint_names: tuple[str, ...], columns: _Columns, notes: list[str]) -> JointRecording:
    """Bring the rows in the order of time and complete those of partial messages."""
    rows, stamps = columns.rows, columns.stamps
    rows[~np.isfinite(rows)] = np.nan
    known = ~np.isnan(rows[:, 0])
    never = [joint_names[i] for i in np.flatnonzero(~known.any(axis=0))]
    if never:
        raise BagError(
            f"the recording has no position of {', '.join(never)}: torques need all joints"
        )
    if not known.all():
        rows, stamps = _completed(rows, stamps, known)
        notes.append("joints came in separate messages: interpolated to the times of all of them")
    time = time_base(stamps[:, 0], stamps[:, 1])
    rows = rows[time.order]
    return JointRecording(
        joint_names, time, rows[:, 0], rows[:, 1], rows[:, 2], columns.count, tuple(notes)
    )


def _completed(
    rows: Array, stamps: NDArray[np.int64], known: NDArray[np.bool_]
) -> tuple[Array, NDArray[np.int64]]:
    """Interpolate each joint between its own samples, where all joints have begun."""
    base = time_base(stamps[:, 0], stamps[:, 1])
    clock = 0 if base.clock == "header" else 1
    times = stamps[:, clock].astype(float)
    filled = np.array(rows)
    for joint in range(rows.shape[2]):
        own = np.flatnonzero(known[:, joint])
        own = own[np.argsort(times[own], kind="stable")]
        for field in range(rows.shape[1]):
            filled[:, field, joint] = np.interp(
                times, times[own], rows[own, field, joint], left=np.nan, right=np.nan
            )
    inside = np.isfinite(filled[:, 0]).all(axis=1)
    return filled[inside], stamps[inside]


def _nothing_found(seen: set[str], joint_names: tuple[str, ...], malformed: int) -> str:
    if malformed:
        return f"all {malformed} joint states have lists of unequal length"
    if not seen:
        return "no joint state in the recording"
    text = f"no joint of the model in the recording: it has {', '.join(sorted(seen)[:8])}"
    for name in joint_names:
        for other in sorted(seen):
            if other.endswith(name) and other != name:
                return f"{text}; is --prefix {other.removesuffix(name)} meant?"
    return f"{text}, the model has {', '.join(joint_names[:8])}"
