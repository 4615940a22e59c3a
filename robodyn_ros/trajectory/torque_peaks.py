# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The largest torque of a motion, between the samples too.

Between two samples at distance h a torque stays below the larger of both plus h^2 / 8 times the
bound of its second derivative. Intervals that could hold a larger torque than the largest sample
are divided until they cannot, so the result is certain up to a stated rest.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.dynamics.inverse_dynamics import Wrenches, inverse_dynamics
from robodyn_ros.dynamics.joint_effects import JointFriction, friction_torques
from robodyn_ros.model.arrays import (
    INERTIA,
    MASS,
    MOMENT,
    POSITION,
)
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.trajectory import _kernels
from robodyn_ros.trajectory.extrema import bernstein_matrix
from robodyn_ros.trajectory.splines import TrajectorySpline

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_SPLIT = 4
_FIRST_REST = 0.02  # of the scale: what the first sampling may leave open
_DECISIVE = 1e-7  # of the scale, when a verdict hangs on it
_MOST_AT_FIRST = 64  # samples of a segment
_MOST = 2_000_000
_SHORTEST_S = 1e-7
_TO_BERNSTEIN = np.zeros((6, 6, 6))
for _degree in range(6):
    _TO_BERNSTEIN[_degree, : _degree + 1, : _degree + 1] = bernstein_matrix(_degree)
_GEOMETRY_COLUMNS = 7  # see _kernels/torque_curvature.py


@dataclass(frozen=True, eq=False)
class TorqueSamples:
    """Motion and torque, each (T, n), at increasing times_s (T,) of segments (T,)."""

    times_s: Array
    segment: Index
    q: Array
    qd: Array
    qdd: Array
    tau: Array


@dataclass(frozen=True, eq=False)
class Peaks:
    """
    Largest |torque| per joint: value (n,), sampled at time_s (n,) in segment (n,).

    rest (n,): no torque exceeds value + rest. state: (q, qd, qdd), row i at the peak of joint i.
    over_s (n,): first sampled time above the limit that was given, NaN without. samples: their
    count.
    """

    value: Array
    time_s: Array
    segment: Index
    rest: Array
    state: tuple[Array, Array, Array]
    over_s: Array
    over_segment: Index
    samples: int


class TorqueSampler:
    """Torques of a spline at any place of its segments, and how fast they can bend."""

    def __init__(
        self,
        model: RobotModel,
        spline: TrajectorySpline,
        wrenches: Wrenches | None = None,
        friction: JointFriction | None = None,
    ):
        self.model, self.spline = model, spline
        self._wrenches, self._friction = wrenches, friction
        self._begin = (spline.times_ns[:-1] - spline.start_ns) * 1e-9

    def at(self, segment: Index, u: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Time (T,), motion and torque without friction (T, n) at u (T,) of segments (T,)."""
        spline = self.spline
        q, qd, qdd = _kernels.sample_segments(spline.coefficients, spline.durations, segment, u)
        tau = inverse_dynamics(self.model, q, qd, qdd, self._wrenches)
        return self._begin[segment] + u * spline.durations[segment], q, qd, qdd, tau

    def holding(self, q: Array) -> Array:
        """Torque (T, n) that holds poses q (T, n)."""
        still = np.zeros(self.model.n)
        return inverse_dynamics(self.model, q, still, still, self._wrenches)

    def with_friction(self, tau: Array, qd: Array, spread: Array) -> tuple[Array, Array]:
        """Return lowest and highest torque (T, n) while the velocity is within qd +- spread."""
        if self._friction is None:
            return tau, tau
        low, high = (friction_torques(self._friction, qd + side * spread) for side in (-1, 1))
        return tau + low, tau + high

    def curvature(self) -> tuple[Array, Array]:
        """Bounds (S, n) of |d^2 tau / dt^2| and of |qdd| on each segment."""
        spline = self.spline
        motion = _kernels.derivative_bounds(spline.coefficients, spline.durations, _TO_BERNSTEIN)
        bodies, topology, gravity, *_ = self.model.arrays
        geometry = body_geometry(self.model, self._wrenches)
        size = float(np.linalg.norm(gravity))
        bounds = _kernels.torque_curvature(bodies, topology, geometry, size, motion)
        return bounds, motion[:, 2]


def find_peaks(
    sampler: TorqueSampler, scale: Array, limit: Array, tolerance: float
) -> tuple[Peaks, TorqueSamples]:
    """
    Find the largest torques of a motion of at least one segment, certain up to tolerance * scale.

    Whether the limit holds is decided to 1e-7 of the scale. scale (n,) N m; limit (n,), inf where
    there is none. Also returns the samples of the first, even division, which are fit for means
    over time.
    """
    durations = sampler.spline.durations
    curvature, fastest = sampler.curvature()
    wanted = np.sqrt(8.0 * _FIRST_REST * scale / np.maximum(curvature, 1e-300)).min(
        axis=1, initial=np.inf
    )
    parts = np.clip(np.ceil(durations / wanted), 1, _MOST_AT_FIRST).astype(np.intp)
    parts = np.maximum(parts, 2 ** np.ceil(np.log2(parts)).astype(np.intp))
    segment = np.repeat(np.arange(len(parts)), parts)
    place = np.arange(len(segment)) - np.repeat(np.cumsum(parts) - parts, parts)
    width = 1.0 / parts[segment]
    left = place * width
    first = _evaluate(sampler, segment, left, fastest, width)
    last = _evaluate(sampler, segment, left + width, fastest, width)
    evenly = _in_order(first, last, segment)
    search = _Search(scale.size, limit)
    search.take(first, segment)
    search.take(last, segment)
    count = 2 * len(segment)
    while True:
        seconds = width * durations[segment]
        most = np.maximum(first.size, last.size) + seconds[:, None] ** 2 / 8 * curvature[segment]
        open_ = (most > search.settled(tolerance, scale)).any(axis=1) & (seconds > _SHORTEST_S)
        search.settle(most[~open_])
        if not open_.any() or count > _MOST:
            search.settle(most[open_])
            return search.result(count), evenly
        segment = np.repeat(segment[open_], _SPLIT)
        width = np.repeat(width[open_] / _SPLIT, _SPLIT)
        left = np.repeat(left[open_], _SPLIT) + width * np.tile(np.arange(_SPLIT), open_.sum())
        first = _evaluate(sampler, segment, left, fastest, width)
        last = _evaluate(sampler, segment, left + width, fastest, width)
        search.take(first, segment)
        search.take(last, segment)
        count += 2 * len(segment)


@dataclass(eq=False)
class _Ends:
    """Samples at one end of intervals; ``size`` (T, n) is |torque|, friction at its worst."""

    times_s: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    size: Array


def _evaluate(
    sampler: TorqueSampler, segment: Index, u: Array, fastest: Array, width: Array
) -> _Ends:
    times, q, qd, qdd, tau = sampler.at(segment, u)
    spread = fastest[segment] * (width * sampler.spline.durations[segment])[:, None]
    low, high = sampler.with_friction(tau, qd, spread)
    worst = np.where(np.abs(low) > np.abs(high), low, high)
    return _Ends(times, q, qd, qdd, worst, np.abs(worst))


def _in_order(first: _Ends, last: _Ends, segment: Index) -> TorqueSamples:
    """Both ends of all intervals one after the other; times at segment borders come twice."""

    def woven(a: Array, b: Array) -> Array:
        return np.stack([a, b], axis=1).reshape(2 * len(a), *a.shape[1:])

    return TorqueSamples(
        woven(first.times_s, last.times_s),
        np.repeat(segment, 2),
        *(woven(getattr(first, name), getattr(last, name)) for name in ("q", "qd", "qdd", "tau")),
    )


class _Search:
    """The largest samples so far, and what is left open."""

    def __init__(self, n: int, limit: Array):
        self._limit = limit
        self.value = np.full(n, -1.0)
        self._most = np.full(n, -1.0)
        self._time, self._segment = np.zeros(n), np.zeros(n, dtype=np.intp)
        self._state = tuple(np.zeros((n, n)) for _ in range(3))
        self._over, self._over_segment = np.full(n, np.inf), np.full(n, -1, dtype=np.intp)

    def take(self, ends: _Ends, segment: Index) -> None:
        best = ends.size.argmax(axis=0)
        for joint, row in enumerate(best.tolist()):
            if ends.size[row, joint] > self.value[joint]:
                self.value[joint] = ends.size[row, joint]
                self._time[joint], self._segment[joint] = ends.times_s[row], segment[row]
                for kept, now in zip(self._state, (ends.q, ends.qd, ends.qdd), strict=True):
                    kept[joint] = now[row]
        over = ends.size > self._limit
        for joint in np.flatnonzero(over.any(axis=0)).tolist():
            rows = np.flatnonzero(over[:, joint])
            row = rows[ends.times_s[rows].argmin()]
            if ends.times_s[row] < self._over[joint]:
                self._over[joint], self._over_segment[joint] = ends.times_s[row], segment[row]

    def settled(self, tolerance: float, scale: Array) -> Array:
        """Below what (n,) an interval need not be divided: finer where the limit is at stake."""
        enough = self.value + tolerance * scale
        at_stake = (self.value <= self._limit) & (enough > self._limit)
        decisive = np.maximum(self._limit, self.value + min(tolerance, _DECISIVE) * scale)
        return np.where(at_stake, decisive, enough)

    def settle(self, most: Array) -> None:
        if len(most):
            self._most = np.maximum(self._most, most.max(axis=0))

    def result(self, count: int) -> Peaks:
        return Peaks(
            self.value,
            self._time,
            self._segment,
            np.maximum(self._most - self.value, 0.0),
            (self._state[0], self._state[1], self._state[2]),
            np.where(np.isinf(self._over), np.nan, self._over),
            self._over_segment,
            count,
        )


def body_geometry(model: RobotModel, wrenches: Wrenches | None = None) -> Array:
    """Lengths, masses and wrenches (N, 7) of the bodies, as ``torque_curvature`` takes them."""
    bodies = model.arrays.bodies
    mass = bodies[:, MASS]
    com = bodies[:, MOMENT : MOMENT + 3] / np.where(mass == 0.0, 1.0, mass)[:, None]
    xx, xy, yy, xz, yz, zz = bodies[:, INERTIA : INERTIA + 6].T
    about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1)
    square = np.einsum("bi,bi->b", com, com)
    about_com = about_origin - mass[:, None, None] * (
        square[:, None, None] * np.eye(3) - com[:, :, None] * com[:, None, :]
    )
    rows = np.zeros((len(bodies), _GEOMETRY_COLUMNS))
    rows[:, 0] = np.linalg.norm(bodies[:, POSITION : POSITION + 3], axis=1)
    rows[:, 1] = mass
    rows[:, 2] = np.sqrt(square)
    rows[:, 3] = np.abs(np.linalg.eigvalsh(about_com)).max(axis=1) if len(bodies) else 0.0
    for link, wrench in (wrenches or {}).items():
        index = model.link_index(link)
        body = model.arrays.frame_body[index]
        if body >= 0:
            f = np.abs(np.asarray(wrench, dtype=float)).reshape(-1, 6)
            force, moment = (np.linalg.norm(part, axis=1).max() for part in (f[:, :3], f[:, 3:]))
            rows[body, 4] += force
            rows[body, 5] += moment
            reach = float(np.linalg.norm(model.arrays.frame_offset[index, 9:]))
            rows[body, 6] = max(rows[body, 6], reach)
    return rows
