# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Splines through trajectory points, segment by segment what joint_trajectory_controller follows.

The order of a segment comes from the fields of both its ends: positions only linear,
with velocities cubic, with accelerations too quintic. When no point at all gives a velocity,
the default is smoother than that: the cubic spline with continuous acceleration.
"""

from bisect import bisect_right
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ShapeError, TrajectoryError
from robodyn_ros.trajectory.continuity import cubic_spline_velocities
from robodyn_ros.trajectory.joint_trajectory import JointTrajectory

Array = NDArray[np.float64]
State = tuple[Array, Array, Array]
StartState = tuple[ArrayLike, ArrayLike | None, ArrayLike | None]
PositionsOnly = Literal["spline", "linear"]
Join = Literal["fields", "quintic"]

# Row k: coefficient of u^k, u in [0, 1].
# Columns: p0, v0 h, p1 - p0, v1 h.
_CUBIC = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, -2, 3, -1], [0, 1, -2, 1]], dtype=float)
# Columns: p0, v0 h, a0 h^2, p1 - p0, v1 h, a1 h^2.
_QUINTIC = np.array(
    [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
        [0, 0, 0.5, 0, 0, 0],
        [0, -6, -1.5, 10, -4, 0.5],
        [0, 8, 1.5, -15, 7, -1],
        [0, -3, -0.5, 6, -3, 0.5],
    ]
)


def hermite_coefficients(
    h: Array, positions: Array, velocities: Array, accelerations: Array
) -> Array:
    """
    Find the polynomial coefficients (S, 6, n) of the segments between K = S + 1 knots.

    h (S,) in s; the others (K, n), a row with NaN where the knot lacks the field. Coefficient k
    belongs to u^k, u = (t - t_i) / h_i in [0, 1]: a tiny h never stands in a denominator.
    """
    scale = h[:, None]
    step = np.diff(positions, axis=0)
    coefficients = np.zeros((len(h), 6, positions.shape[1]))
    coefficients[:, 0], coefficients[:, 1] = positions[:-1], step
    has_v = _given_at_both_ends(velocities)
    has_a = has_v & _given_at_both_ends(accelerations)
    v0, v1 = velocities[:-1] * scale, velocities[1:] * scale
    a0, a1 = accelerations[:-1] * scale**2, accelerations[1:] * scale**2
    cubic = np.stack([positions[:-1], v0, step, v1], axis=1)[has_v & ~has_a]
    coefficients[has_v & ~has_a, :4] = _CUBIC @ cubic
    quintic = np.stack([positions[:-1], v0, a0, step, v1, a1], axis=1)[has_a]
    coefficients[has_a] = _QUINTIC @ quintic
    return coefficients


def _given_at_both_ends(values: Array) -> NDArray[np.bool_]:
    given = np.atleast_1d(np.isfinite(values).all(axis=1))
    return given[:-1] & given[1:]


def derivative_weights(u: float, h: float) -> Array:
    """Weights (3, 6) of the coefficients in position, velocity and acceleration at u."""
    u2, u3, u4 = u * u, u**3, u**4
    d, dd = 1.0 / h, 1.0 / (h * h)
    return np.array(
        [
            [1.0, u, u2, u3, u4, u4 * u],
            [0.0, d, 2.0 * u * d, 3.0 * u2 * d, 4.0 * u3 * d, 5.0 * u4 * d],
            [0.0, 0.0, 2.0 * dd, 6.0 * u * dd, 12.0 * u2 * dd, 20.0 * u3 * dd],
        ]
    )


class TrajectorySpline:
    """
    A trajectory that can be asked for any time: exact integer nanoseconds, hold after the end.

    Attributes: ``times_ns`` (K,) the knots, ``durations`` (K - 1,) in s, ``coefficients``
    (K - 1, 6, n) see hermite_coefficients; ``first_point`` index of the trajectory point at the
    end of segment 0; ``start_ns``, ``end_ns`` first and last knot; ``end_state`` (q, qd, qdd)
    arrived at in the last knot, before the hold makes the velocity zero.
    """

    def __init__(
        self,
        trajectory: JointTrajectory,
        start_ns: int = 0,
        start_state: StartState | None = None,
        *,
        join_ns: int | None = None,
        positions_only: PositionsOnly = "spline",
        join: Join = "fields",
    ):
        """
        Lay the segments from ``start_state`` through all points later than ``join_ns``.

        start_ns: when time_from_start is zero. start_state: (q, qd, qdd), each (n,), the state at
        join_ns (default start_ns); qd or qdd None = not known, which lowers the order of the
        first segment as a missing field does. Without it the motion begins at the first point.
        A point exactly at join_ns gives way to the start state; its fields still choose the order
        of the first segment. join "quintic": the first segment takes over position, velocity and
        acceleration of the start state and hands them on to the next segment without a step,
        whatever fields its end point has.
        Raises TrajectoryError without points or when their times do not increase, ShapeError for
        a start state of wrong size.
        """
        if len(trajectory) == 0:
            raise TrajectoryError("the trajectory has no points: nothing to interpolate")
        n = len(trajectory.joint_names)
        times = trajectory.times_ns + np.int64(start_ns)
        rows = [
            np.full((len(times), n), np.nan) if values is None else values
            for values in (trajectory.positions, trajectory.velocities, trajectory.accelerations)
        ]
        self.first_point = 1
        if start_state is not None:
            begin = start_ns if join_ns is None else join_ns
            skipped = int(np.searchsorted(times, begin, side="right"))
            state = _state_rows(start_state, n)
            if skipped and times[skipped - 1] == begin and join == "fields":
                # a velocity must not step, but the sender's own acceleration is part of the motion
                state[1][np.isnan(rows[1][skipped - 1])] = np.nan
                state[2] = rows[2][skipped - 1]
            times = np.concatenate([[np.int64(begin)], times[skipped:]])
            rows = [np.vstack([s, r[skipped:]]) for s, r in zip(state, rows, strict=True)]
            self.first_point = skipped
        positions, velocities, accelerations = rows
        self.times_ns = times
        self.durations = np.diff(times) * 1e-9
        if not (self.durations > 0.0).all():
            p = int(np.argmin(self.durations)) + self.first_point
            raise TrajectoryError(f"point {p} is not later than the point before it", point=p)
        if positions_only == "spline" and not trajectory.given("velocities").any():
            first = np.zeros(n)
            if start_state is not None and start_state[1] is not None:
                first = np.asarray(start_state[1], dtype=float)
            seconds = (times - times[0]) * 1e-9
            velocities = cubic_spline_velocities(seconds, positions, first, np.zeros(n))
            accelerations = np.full_like(positions, np.nan)
        with np.errstate(over="ignore", invalid="ignore"):  # judged below
            self.coefficients = hermite_coefficients(
                self.durations, positions, velocities, accelerations
            )
        if join == "quintic" and start_state is not None and len(times) > 1:
            self._join(start_state, positions, velocities, accelerations)
        if not np.isfinite(self.coefficients).all():
            raise TrajectoryError("the numbers of the trajectory are too large to interpolate")
        self.start_ns, self.end_ns = int(times[0]), int(times[-1])
        self._knots = times.tolist()
        self._first, self._last, self._rest = (
            positions[0].copy(),
            positions[-1].copy(),
            np.zeros(n),
        )
        for shared in (self._first, self._last, self._rest):
            shared.setflags(write=False)
        self.end_state: State = (self._last, self._rest, self._rest)
        if len(self.durations):
            weights = derivative_weights(1.0, self.durations[-1])
            _, qd, qdd = weights @ self.coefficients[-1]
            self.end_state = (self._last, qd, qdd)

    def _join(self, start: StartState, q: Array, qd: Array, qdd: Array) -> None:
        """Replace segment 0 by the quintic from the start state to where segment 1 begins."""
        if len(self.durations) > 1:
            _, v1, a1 = derivative_weights(0.0, self.durations[1]) @ self.coefficients[1]
        else:
            v1, a1 = (np.where(np.isnan(row[1]), 0.0, row[1]) for row in (qd, qdd))
        v0, a0 = (np.zeros_like(v1) if s is None else np.asarray(s) for s in start[1:])
        self.coefficients[:1] = hermite_coefficients(
            self.durations[:1], q[:2], np.stack([v0, v1]), np.stack([a0, a1])
        )

    def sample(self, t_ns: int) -> State:
        """Position, velocity, acceleration, each (n,), at t_ns; at rest before and after."""
        if t_ns >= self.end_ns or t_ns < self.start_ns:
            held = self._last if t_ns >= self.end_ns else self._first
            return held, self._rest, self._rest
        i = bisect_right(self._knots, t_ns) - 1
        h = self.durations.item(i)
        u = (t_ns - self._knots[i]) * 1e-9 / h
        q, qd, qdd = derivative_weights(u, h) @ self.coefficients[i]
        return q, qd, qdd

    def sample_many(self, times_ns: ArrayLike) -> State:
        """Position, velocity, acceleration, each (T, n), at times_ns (T,) in any order."""
        t = np.asarray(times_ns, dtype=np.int64)
        q = np.where((t >= self.end_ns)[:, None], self._last, self._first)
        qd, qdd = np.zeros_like(q), np.zeros_like(q)
        inside = (t >= self.start_ns) & (t < self.end_ns)
        if inside.any():
            t = t[inside]
            i = np.searchsorted(self.times_ns, t, side="right") - 1
            h = self.durations[i][:, None]
            u = (t - self.times_ns[i])[:, None] * 1e-9 / h
            c = [self.coefficients[i, k] for k in range(6)]
            q[inside] = c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5]))))
            first = c[1] + u * (2 * c[2] + u * (3 * c[3] + u * (4 * c[4] + u * 5 * c[5])))
            second = 2 * c[2] + u * (6 * c[3] + u * (12 * c[4] + u * 20 * c[5]))
            qd[inside], qdd[inside] = first / h, second / h**2
        return q, qd, qdd


def _state_rows(state: StartState, n: int) -> list[Array]:
    """Return the start state as three float rows (n,), NaN for what is not known."""
    rows = [np.full(n, np.nan) if part is None else np.array(part, dtype=float) for part in state]
    if len(rows) != 3 or any(row.shape != (n,) for row in rows):
        shapes = [row.shape for row in rows]
        raise ShapeError(f"start state has shapes {shapes}: expected three of ({n},)")
    return rows
