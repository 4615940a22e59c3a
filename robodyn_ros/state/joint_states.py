# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint states by name: from permuted, partial, stale or broken messages to arrays with ages."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.message_log import Line, MessageLog
from robodyn_ros.model.limits import ABSURD

Array = NDArray[np.float64]
Stamps = NDArray[np.int64]

_SECOND = 1_000_000_000
_NEVER = np.iinfo(np.int64).max
_OLD_STAMP_NS = 30 * _SECOND  # a stamp this far behind the clock is a clock or a bag, not a delay
_SHORTEST_STEP_NS = _SECOND // 200  # steps between closer stamps are judged as if this far apart
_JUMP_FACTOR = 2.0  # times the rated velocity; encoders and stamps jitter
_MOST_LAYOUTS = 64  # distinct name lists kept; a sender that invents more costs time, not memory


class _Layout(NamedTuple):
    """Where the values of one list of names go: message entry ``source`` to ``slots``."""

    source: NDArray[np.intp]
    slots: NDArray[np.intp]


def _view(array: np.ndarray, part: slice) -> np.ndarray:
    """Return a read-only window on an array that its owner goes on changing."""
    view = array[part]
    view.flags.writeable = False
    return view


class JointStateIntake:
    """
    Newest measured position, velocity and effort of each joint, and how old they are.

    Arrays are live read-only views in the order of ``joint_names`` (copy what must not change):
    ``position``, ``velocity``, ``effort`` (n,) in rad or m, per s, N m or N, NaN where never or
    not measured; ``stamp_ns``, ``received_ns`` (n,), 0 where never; ``invalid`` (n,): the latest
    message had a position that is no number, or 1e9 and more; ``jumped`` (n,): the latest step was
    faster than the joint can move (two publishers?), so feedback on it is not to be trusted.
    ``followers`` are mimic joints that may be measured too: ``follower_position``,
    ``follower_stamp_ns``. They never make the state complete or stale.
    ``updated`` holds the indices the last accepted message set (n + k: follower k).
    ``counters`` counts messages (and joints, where named so) by fate.
    ``restarts`` counts jumps of time backwards: reset what has memory when it changes.

    Rules: values are taken by name; a message whose sizes differ is dropped; one without
    positions is skipped; velocity or effort of another length count as not measured; of a name
    given twice the first counts. A zero stamp means now. A stamp older than the joint's last is
    ignored, unless it is older by more than ``jump_ns``: then time restarted for that joint. A
    clock that goes back by more than ``future_tolerance_ns`` forgets everything; a stamp further
    ahead of the clock than that drops the message. Nothing is taken while the clock stands at 0.
    """

    def __init__(
        self,
        joint_names: Sequence[str],
        *,
        followers: Sequence[str] = (),
        velocity_limit: ArrayLike | None = None,
        continuous: ArrayLike | None = None,
        future_tolerance_ns: int = _SECOND // 10,
        jump_ns: int = _SECOND,
    ):
        """
        Prepare for n joints.

        ``velocity_limit`` (n,) rad/s or m/s, NaN = unknown, and ``continuous`` (n,) bool (values
        wrap at a full turn) serve the check for jumps; None: no check, no joint wraps.
        Raises ParameterError when a name occurs twice, ShapeError for sizes.
        """
        names = (*joint_names, *followers)
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ParameterError("joint_names", names, f"each name once, not {twice}")
        self.joint_names = tuple(joint_names)
        self.follower_names = tuple(followers)
        self.future_tolerance_ns = future_tolerance_ns
        self.jump_ns = jump_ns
        self.counters: Counter[str] = Counter()
        self.restarts = 0
        self.updated: NDArray[np.intp] = np.zeros(0, dtype=np.intp)

        n, size = len(self.joint_names), len(names)
        self._slot = {name: i for i, name in enumerate(names)}
        self._layouts: dict[tuple[str, ...], _Layout] = {}
        self._log = MessageLog()
        self._now_ns = 0
        limit = self._per_joint(velocity_limit, n, size, np.nan)
        self._watch_jumps = not np.isnan(limit).all()
        step = _JUMP_FACTOR * _SHORTEST_STEP_NS / _SECOND * limit
        self._small_step = np.where(np.isnan(limit), np.inf, step)  # allowed in _SHORTEST_STEP_NS
        self._turn = np.where(self._per_joint(continuous, n, size, 0.0) != 0.0, 2 * np.pi, np.inf)

        self._position, self._velocity, self._effort = (np.full(size, np.nan) for _ in range(3))
        self._stamp, self._received = (np.zeros(size, dtype=np.int64) for _ in range(2))
        self._invalid, self._jumped = (np.zeros(size, dtype=bool) for _ in range(2))
        joints, rest = slice(0, n), slice(n, None)
        self.position = _view(self._position, joints)
        self.velocity = _view(self._velocity, joints)
        self.effort = _view(self._effort, joints)
        self.stamp_ns: Stamps = _view(self._stamp, joints)
        self.received_ns: Stamps = _view(self._received, joints)
        self.invalid = _view(self._invalid, joints)
        self.jumped = _view(self._jumped, joints)
        self.follower_position = _view(self._position, rest)
        self.follower_stamp_ns: Stamps = _view(self._stamp, rest)

    @staticmethod
    def _per_joint(values: ArrayLike | None, n: int, size: int, unknown: float) -> Array:
        padded = np.full(size, unknown)
        if values is not None:
            given = np.asarray(values, dtype=float)
            if given.shape != (n,):
                raise ShapeError(f"one value per joint needed: ({n},), not {given.shape}")
            padded[:n] = given
        return padded

    def update(
        self,
        names: Sequence[str],
        position: ArrayLike,
        velocity: ArrayLike,
        effort: ArrayLike,
        stamp_ns: int,
        now_ns: int,
    ) -> bool:
        """
        Take one message; True when it set any joint or follower.

        Sequences as in sensor_msgs/JointState (velocity and effort may be empty); times in ns.
        """
        if not self._timely(stamp_ns, now_ns):
            return False
        stamp_ns = stamp_ns if stamp_ns > 0 else now_ns
        values = np.asarray(position, dtype=float)
        size = len(names)
        if len(values) != size or size == 0:
            self._wrong_size(size, len(values))
            return False
        key = tuple(names)
        source, slots = self._layouts.get(key) or self._lay_out(key)
        if not slots.size:
            self.counters["no_known_joint"] += 1
            return False

        last = self._stamp[slots]
        if last.max() > stamp_ns:
            keep = self._in_order(slots, last - stamp_ns)
            source, slots, last = source[keep], slots[keep], last[keep]
        values = values[source]
        good = np.abs(values) < ABSURD
        self._invalid[slots] = ~good
        if not good.all():
            self._not_a_number(slots[~good], values[~good])
            source, slots, values, last = source[good], slots[good], values[good], last[good]
        if not slots.size:
            return False
        if self._watch_jumps:
            self._flag_jumps(slots, values, stamp_ns - last)
        self._position[slots] = values
        self._velocity[slots] = self._optional("velocity", velocity, size, source)
        self._effort[slots] = self._optional("effort", effort, size, source)
        self._stamp[slots] = stamp_ns
        self._received[slots] = now_ns
        self.updated = slots
        self.counters["accepted"] += 1
        return True

    def age_ns(self, now_ns: int) -> Stamps:
        """Age of each joint (n,) by the older of stamp and time of arrival; never: the maximum."""
        age = now_ns - np.minimum(self.stamp_ns, self.received_ns)
        return np.where(self.received_ns > 0, age, _NEVER)

    def complete(self, now_ns: int, max_age_ns: int) -> bool:
        """Whether every joint was measured within the last ``max_age_ns``."""
        return bool((self.age_ns(now_ns) <= max_age_ns).all())

    def stale(self, now_ns: int, max_age_ns: int) -> tuple[str, ...]:
        """Names of the joints never measured or older than ``max_age_ns``."""
        late = self.age_ns(now_ns) > max_age_ns
        return tuple(self.joint_names[i] for i in np.flatnonzero(late))

    def take_messages(self) -> list[Line]:
        """Return what is to be logged since the last call: (level, text), throttled."""
        return self._log.take()

    def reset(self) -> None:
        """Forget every measurement (not the counters)."""
        for values in (self._position, self._velocity, self._effort):
            values.fill(np.nan)
        for stamps in (self._stamp, self._received):
            stamps.fill(0)
        for flags in (self._invalid, self._jumped):
            flags.fill(False)
        self.updated = np.zeros(0, dtype=np.intp)

    def _timely(self, stamp_ns: int, now_ns: int) -> bool:
        """Judge the clock, then the stamp against it."""
        if now_ns <= 0:
            self.counters["no_clock"] += 1
            return False
        if now_ns < self._now_ns - self.future_tolerance_ns:
            back = (self._now_ns - now_ns) / _SECOND
            self._log.say("warn", f"the clock went back by {back:.3f} s: joint states forgotten")
            self.counters["clock_jumps"] += 1
            self.restarts += 1
            self.reset()
        self._now_ns = now_ns
        ahead = stamp_ns - now_ns
        if ahead > self.future_tolerance_ns:
            self.counters["future"] += 1
            self._log.throttled(
                "warn",
                "future",
                f"joint states dropped: stamped {ahead / _SECOND:.3f} s ahead of this node's clock"
                " (cure: synchronise the clocks, or set use_sim_time as the publisher does)",
                now_ns,
            )
            return False
        if stamp_ns > 0 and -ahead > _OLD_STAMP_NS:
            self._log.throttled(
                "warn",
                "old",
                f"joint states are stamped {-ahead / _SECOND:.1f} s behind this node's clock"
                " (cure: synchronise the clocks, or set use_sim_time as the publisher does)",
                now_ns,
            )
        return True

    def _wrong_size(self, names: int, positions: int) -> None:
        if positions == 0:
            self.counters["no_position"] += 1  # legal: a publisher of velocities or efforts only
            return
        self.counters["wrong_size"] += 1
        text = f"joint states dropped: {names} names but {positions} positions"
        self._log.throttled("warn", "wrong_size", text, self._now_ns)

    def _lay_out(self, names: tuple[str, ...]) -> _Layout:
        """Work out (and keep) where the values of this list of names go."""
        place: dict[str, int] = {}
        for i, name in enumerate(names):
            if place.setdefault(name, i) != i:
                text = f"joint '{name}' is named twice in a message: the first value counts"
                self._log.once("warn", ("twice", name), text)
        known = [name for name in place if name in self._slot]
        if known:
            for name in place.keys() - self._slot.keys():
                text = f"joint '{name}' of the joint states is not in the model: ignored"
                self._log.once("info", ("unknown", name), text)
        else:
            text = (
                f"joint states name none of the model's joints: got {', '.join(place)}; "
                f"the model has {', '.join(self._slot)} (joint names take no prefix)"
            )
            self._log.once("warn", ("none", names), text)
        layout = _Layout(
            np.array([place[name] for name in known], dtype=np.intp),
            np.array([self._slot[name] for name in known], dtype=np.intp),
        )
        if len(self._layouts) >= _MOST_LAYOUTS:
            self._layouts.clear()
        self._layouts[names] = layout
        return layout

    def _in_order(self, slots: NDArray[np.intp], behind: Stamps) -> NDArray[np.bool_]:
        """Which joints may be set although some were measured later than this message."""
        restarted = behind > self.jump_ns
        if restarted.any():
            self.restarts += 1
            self.counters["stamp_jumps"] += 1
            back, name = behind.max() / _SECOND, self._names(slots[restarted])
            text = f"stamps of {name} went back by {back:.3f} s: time restarted"
            self._log.throttled("warn", "stamp_jump", text, self._now_ns)
        keep: NDArray[np.bool_] = restarted | (behind <= 0)
        if not keep.all():
            self.counters["out_of_order"] += 1
        return keep

    def _not_a_number(self, slots: NDArray[np.intp], values: Array) -> None:
        self.counters["invalid_position"] += 1
        for slot, value in zip(slots, values, strict=True):
            text = f"position of {self._names([slot])} is {value:g}: joint not updated"
            self._log.throttled("warn", ("invalid", slot), text, self._now_ns)

    def _flag_jumps(self, slots: NDArray[np.intp], values: Array, elapsed_ns: Stamps) -> None:
        """Flag joints whose step no motor could have made; time restarted: nothing to compare."""
        step = np.abs(values - self._position[slots])
        if (step <= self._small_step[slots]).all():  # nearly always, and cheap
            self._jumped[slots] = False
            return
        turn = self._turn[slots]
        step = np.minimum(step % turn, turn - step % turn)
        elapsed = np.maximum(elapsed_ns, _SHORTEST_STEP_NS) / _SHORTEST_STEP_NS
        jumped = (step > self._small_step[slots] * elapsed) & (elapsed_ns >= 0)
        self._jumped[slots] = jumped
        if jumped.any():
            self.counters["position_jumps"] += 1
            for k in np.flatnonzero(jumped):
                text = (
                    f"{self._names(slots[k : k + 1])} jumped by {step[k]:.3g} within "
                    f"{elapsed_ns[k] / 1e6:.3g} ms: does a second node publish joint states?"
                )
                self._log.throttled("warn", ("jump", slots[k]), text, self._now_ns)

    def _optional(
        self, what: str, given: ArrayLike, size: int, source: NDArray[np.intp]
    ) -> Array | float:
        """Values of a field that may be absent; not measured (NaN) unless it fits."""
        values = np.asarray(given, dtype=float)
        if len(values) == size:
            values = values[source]
            possible = np.abs(values) < ABSURD
            return values if possible.all() else np.where(possible, values, np.nan)
        if len(values):
            self.counters[f"wrong_{what}_size"] += 1
            text = f"{what} of the joint states ignored: {size} names but {len(values)} values"
            self._log.throttled("warn", f"wrong_{what}_size", text, self._now_ns)
        return np.nan

    def _names(self, slots: Sequence[int] | NDArray[np.intp]) -> str:
        names = (*self.joint_names, *self.follower_names)
        return ("joint " if len(slots) == 1 else "joints ") + ", ".join(names[i] for i in slots)
