# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
What the joints should do at any time: coasting, slowing down, and the timeline that holds all.

A reference answers sample(t_ns) and sample_many(times_ns) with (q, qd, qdd) for every time, so
measurements can be compared with the reference of the moment they were taken at, also when
another motion has begun since.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Times = NDArray[np.int64]
State = tuple[Array, Array, Array]
MotionMode = Literal["hold", "moving", "stopping"]

_STOP_SAMPLES = np.linspace(0.0, 1.0, 33)
_STOP_FACTORS = 1.25 ** np.arange(5)
_STOP_TOLERANCE = 1.1
_LONGEST_STOP_S = 1e6  # beyond it nanoseconds would leave 64 bits; nothing real takes so long


class Reference(Protocol):
    """Anything that can say where the joints should be; ``end_ns``: at rest from then on."""

    end_ns: int

    def sample(self, t_ns: int) -> State:
        """Position, velocity, acceleration, each (n,)."""
        ...

    def sample_many(self, times_ns: ArrayLike) -> State:
        """Position, velocity, acceleration, each (T, n)."""
        ...


class Coast:
    """Constant velocity (n,) through position (n,) at start_ns; without velocity: hold."""

    def __init__(self, position: ArrayLike, velocity: ArrayLike | None = None, start_ns: int = 0):
        self._q = np.array(position, dtype=float)
        self._qd = np.zeros_like(self._q) if velocity is None else np.array(velocity, dtype=float)
        self._zero = np.zeros_like(self._q)
        for values in (self._q, self._qd, self._zero):
            values.setflags(write=False)
        self._moves = bool(self._qd.any())
        self.start_ns = self.end_ns = start_ns

    def sample(self, t_ns: int) -> State:
        """Position, velocity, acceleration, each (n,), at t_ns, before start_ns too."""
        if not self._moves:
            return self._q, self._qd, self._zero
        return self._q + self._qd * ((t_ns - self.start_ns) * 1e-9), self._qd, self._zero

    def sample_many(self, times_ns: ArrayLike) -> State:
        """Position, velocity, acceleration, each (T, n)."""
        seconds = (np.asarray(times_ns, dtype=np.int64) - self.start_ns)[:, None] * 1e-9
        q = self._q + self._qd * seconds
        return q, np.broadcast_to(self._qd, q.shape), np.broadcast_to(self._zero, q.shape)


class Slowdown:
    """
    Another reference whose time slows down from full speed to standstill.

    The joints stay on the path they were on (which was checked, and may be the only free one)
    and stop together. The speed factor is s = 1 - 3 u^2 + 2 u^3, so that velocity s qd and
    acceleration s^2 qdd + s' qd are continuous at both ends.
    """

    def __init__(self, inner: Reference, start_ns: int, duration_ns: int):
        self.inner = inner
        self.start_ns, self.end_ns = start_ns, start_ns + duration_ns
        self._seconds = duration_ns * 1e-9
        # the area below s is one half: only half of the duration passes on the path
        q, _, _ = inner.sample(start_ns + duration_ns // 2)
        self._end = Coast(q)

    @property
    def end_position(self) -> Array:
        """Where the joints come to rest (n,)."""
        return self._end.sample(self.end_ns)[0]

    def sample(self, t_ns: int) -> State:
        """Position, velocity, acceleration, each (n,), at t_ns."""
        if t_ns <= self.start_ns:
            return self.inner.sample(t_ns)
        if t_ns >= self.end_ns:
            return self._end.sample(t_ns)
        passed, s, slope = self._factors((t_ns - self.start_ns) * 1e-9 / self._seconds)
        q, qd, qdd = self.inner.sample(self.start_ns + round(passed * 1e9))
        return q, s * qd, s * s * qdd + slope * qd

    def sample_many(self, times_ns: ArrayLike) -> State:
        """Position, velocity, acceleration, each (T, n)."""
        t = np.asarray(times_ns, dtype=np.int64)
        u = np.minimum((t - self.start_ns) * 1e-9 / self._seconds, 1.0)[:, None]
        before = u <= 0.0
        passed, s, slope = self._factors(np.maximum(u, 0.0))
        path = self.start_ns + np.rint(passed[:, 0] * 1e9).astype(np.int64)
        q, qd, qdd = self.inner.sample_many(np.where(before[:, 0], t, path))
        return q, s * qd, s * s * qdd + slope * qd

    def _factors(self, u: Any) -> tuple[Any, Any, Any]:
        """Seconds passed on the path, speed factor and its slope (1/s) at u in [0, 1]."""
        passed = self._seconds * u * (1.0 - u * u * (1.0 - 0.5 * u))
        return passed, 1.0 - u * u * (3.0 - 2.0 * u), 6.0 * u * (u - 1.0) / self._seconds


def stop_from(inner: Reference, start_ns: int, max_deceleration: Array) -> Slowdown:
    """
    Slow ``inner`` down from start_ns to rest, as fast as max_deceleration (n,) allows.

    Where the motion itself needs a higher acceleration than that, its own is the bound; the two
    together may exceed it by a tenth, rather than let the stop take much longer. If no duration
    up to 2.4 times the plain one keeps to that, the one that comes nearest is taken.
    """
    _, qd, _ = inner.sample(start_ns)

    def seconds(bound: Array) -> float:
        # the steepest slope of the speed factor is 1.5 / duration
        plain = 1.5 * float(np.max(np.abs(qd) / bound, initial=0.0))
        return min(max(plain, 1e-3), _LONGEST_STOP_S)

    def times(duration: float) -> Times:
        return start_ns + np.rint(_STOP_SAMPLES * duration * 1e9).astype(np.int64)

    own = np.abs(inner.sample_many(times(0.5 * seconds(max_deceleration)))[2]).max(axis=0)
    bound = np.maximum(max_deceleration, own)
    stops = []
    for factor in _STOP_FACTORS:
        duration = factor * seconds(bound)
        stop = Slowdown(inner, start_ns, round(duration * 1e9))
        needed = np.abs(stop.sample_many(times(duration))[2]).max(axis=0)
        excess = float(np.max(needed / bound))
        stops.append((excess, factor, stop))
        if excess <= _STOP_TOLERANCE:
            break
    return min(stops, key=lambda trial: trial[:2])[2]


class Followed:
    """One reference until switch_ns, another one from then on."""

    def __init__(self, first: Reference, second: Reference, switch_ns: int):
        self.first, self.second, self.switch_ns = first, second, switch_ns
        self.end_ns = second.end_ns

    def sample(self, t_ns: int) -> State:
        """Position, velocity, acceleration, each (n,)."""
        return (self.first if t_ns < self.switch_ns else self.second).sample(t_ns)

    def sample_many(self, times_ns: ArrayLike) -> State:
        """Position, velocity, acceleration, each (T, n)."""
        t = np.asarray(times_ns, dtype=np.int64)
        first = (t < self.switch_ns)[:, None]
        both = zip(self.first.sample_many(t), self.second.sample_many(t), strict=True)
        q, qd, qdd = (np.where(first, a, b) for a, b in both)
        return q, qd, qdd


@dataclass(frozen=True)
class Motion:
    """A reference that is in force from start_ns on."""

    start_ns: int
    reference: Reference
    mode: MotionMode


class Timeline:
    """The motion in force now, those before (for late measurements) and one that is due later."""

    def __init__(self, first: Motion, history_ns: int):
        self._motions = [first]
        self._history_ns = history_ns

    def at(self, t_ns: int) -> Motion:
        """Return the motion in force at t_ns; the oldest known one for times before it."""
        for motion in reversed(self._motions):
            if motion.start_ns <= t_ns:
                return motion
        return self._motions[0]

    def sample(self, t_ns: int) -> State:
        """Position, velocity, acceleration, each (n,), at t_ns."""
        return self.at(t_ns).reference.sample(t_ns)

    def mode(self, t_ns: int) -> MotionMode:
        """Say what the joints do at t_ns."""
        motion = self.at(t_ns)
        return motion.mode if t_ns < motion.reference.end_ns else "hold"

    def cancel_pending(self, now_ns: int) -> bool:
        """Forget motions that have not begun yet."""
        kept = [m for m in self._motions if m.start_ns <= now_ns] or self._motions[:1]
        cancelled = len(kept) < len(self._motions)
        self._motions = kept
        return cancelled

    @property
    def end_ns(self) -> int:
        """When the last motion comes to rest."""
        return self._motions[-1].reference.end_ns

    def append(self, motion: Motion, now_ns: int) -> None:
        """Let ``motion`` take over at its start; it replaces one that has not begun yet."""
        self.cancel_pending(now_ns)
        oldest = now_ns - self._history_ns
        ended = [i for i, m in enumerate(self._motions) if m.start_ns <= oldest]
        self._motions = [*self._motions[ended[-1] if ended else 0 :], motion]
