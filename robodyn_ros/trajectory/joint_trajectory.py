# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A joint trajectory as arrays: what a sender wrote, point by point, before anything judges it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.errors import ShapeError, TrajectoryError

Array = NDArray[np.float64]
Times = NDArray[np.int64]

DERIVED_FIELDS = ("velocities", "accelerations", "effort")


@dataclass(frozen=True)
class TrajectoryPoint:
    """One point: time from start in ns; an empty field was not given."""

    time_ns: int
    positions: Sequence[float] = ()
    velocities: Sequence[float] = ()
    accelerations: Sequence[float] = ()
    effort: Sequence[float] = ()


@dataclass(frozen=True, eq=False)
class JointTrajectory:
    """
    Points of a motion: times_ns (P,), positions (P, n), the other fields (P, n) or None.

    A row of NaN in velocities, accelerations or effort is a point that did not give the field;
    None means that no point gave it. rad or m, and per s, per s^2; effort N m or N.
    No points at all is the command to stop. Raises ShapeError when the sizes do not match.
    """

    joint_names: tuple[str, ...]
    times_ns: Times
    positions: Array
    velocities: Array | None = None
    accelerations: Array | None = None
    effort: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "joint_names", tuple(self.joint_names))
        times = np.array(self.times_ns, dtype=np.int64)
        times.setflags(write=False)
        object.__setattr__(self, "times_ns", times)
        shape = (len(times), len(self.joint_names))
        for name in ("positions", *DERIVED_FIELDS):
            given = getattr(self, name)
            if given is None:
                continue
            values = np.array(given, dtype=np.float64)
            if values.shape != shape:
                raise ShapeError(f"{name} of the trajectory is {values.shape}: expected {shape}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)

    @classmethod
    def from_points(
        cls, joint_names: Sequence[str], points: Iterable[TrajectoryPoint]
    ) -> "JointTrajectory":
        """
        Build the arrays from points whose fields may be empty.

        Raises TrajectoryError naming the point (and joint) when positions are missing, a field
        has another length than joint_names, or a value is not finite.
        """
        points = list(points)
        names = tuple(joint_names)
        fields = {}
        for name in ("positions", *DERIVED_FIELDS):
            rows = [getattr(p, name) for p in points]
            values = _stack(name, rows, names)
            if name == "positions" or any(len(row) for row in rows):
                fields[name] = values
        return cls(names, np.array([p.time_ns for p in points], dtype=np.int64), **fields)

    def __len__(self) -> int:
        return len(self.times_ns)

    @property
    def end_ns(self) -> int:
        """Time from start of the last point; 0 without points."""
        return int(self.times_ns[-1]) if len(self) else 0

    def given(self, name: str) -> NDArray[np.bool_]:
        """Which points (P,) gave the field ``name``."""
        values = getattr(self, name)
        return np.zeros(len(self), bool) if values is None else ~np.isnan(values).all(axis=1)


def _stack(name: str, rows: list[Sequence[float]], joints: tuple[str, ...]) -> Array:
    """Stack rows into (P, n), NaN for empty rows of a field that may be left out."""
    n = len(joints)
    for p, row in enumerate(rows):
        if len(row) == n or (len(row) == 0 and name != "positions"):
            continue
        if len(row) == 0:
            raise TrajectoryError(
                f"point {p} has no positions: positions are required in every point", point=p
            )
        raise TrajectoryError(
            f"point {p} has {len(row)} {name} for {n} joints", point=p, value=len(row), limit=n
        )
    empty = np.full(n, np.nan)
    values = np.array([row if len(row) else empty for row in rows], dtype=np.float64)
    values = values.reshape(len(rows), n)
    absent = np.array([len(row) == 0 for row in rows], dtype=bool).reshape(-1, 1)
    bad = np.argwhere(~(np.isfinite(values) | absent))
    if len(bad):
        p, j = bad[0]
        raise TrajectoryError(
            f"point {p}, joint '{joints[j]}': {name} is {values[p, j]}, not a finite number",
            point=int(p),
            joint=joints[j],
            value=float(values[p, j]),
        )
    return values
