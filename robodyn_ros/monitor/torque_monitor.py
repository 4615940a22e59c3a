# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Live torque watch: efforts against peak and continuous ratings, heat, and the model's torque."""

from collections import Counter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics.effort_load import SlidingMeanSquare, ThermalState
from robodyn_ros.dynamics.inverse_dynamics import inverse_dynamics
from robodyn_ros.errors import ShapeError
from robodyn_ros.model.limits import ABSURD
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.monitor.motion_filter import Motion, MotionFilter
from robodyn_ros.monitor.report import STATUSES, MonitorReport
from robodyn_ros.monitor.settings import MonitorSettings
from robodyn_ros.monitor.thresholds import Event, ThresholdWatch

Array = NDArray[np.float64]

_RESTART_NS = 1_000_000_000  # stamps this much older than the last: time restarted
_MOST_EVENTS = 1000


class TorqueMonitor:
    """
    Judges every effort sample against the ratings; nothing between two reports is lost.

    A sample counts from its stamp to the next one, at most ``effort_timeout_s``; after that the
    effort is unknown: mean square and heat stay where they are. Latest values, each (n,):
    ``effort``, ``utilisation`` (of peak), ``rms``, ``thermal``; ``model_torque``, valid for
    ``model_torque_stamp_ns`` (late by about half the acceleration window when accelerations had
    to be estimated), NaN and a ``model_reason`` while it cannot be known.
    Stamps that go back by more than 1 s restart everything but the heat: motors do not cool
    because a clock was set.
    """

    def __init__(self, model: RobotModel, settings: MonitorSettings):
        n = model.n
        if settings.peak.shape != (n,):
            raise ShapeError(f"ratings for {settings.peak.size} joints, {model.name} has {n}")
        self.model = model
        self.settings = settings
        self.counters: Counter[str] = Counter()
        names = model.joint_names
        self._peak = ThresholdWatch("peak", names, settings.peak, settings.hysteresis)
        self._continuous = ThresholdWatch(
            "continuous", names, settings.continuous, settings.hysteresis
        )
        self._thermal = ThresholdWatch("thermal", names, np.ones(n), settings.hysteresis)
        self._heat = ThermalState(
            settings.continuous, settings.thermal_time_constant, settings.initial_thermal
        )
        self._timeout_ns = round(settings.effort_timeout_s * 1e9)
        self._filter = MotionFilter(n, round(settings.acceleration_window_s * 1e9))
        self._unrated = np.isnan(settings.peak) | np.isnan(settings.continuous)
        self._events: list[Event] = []
        self._clear_load()
        self._no_model_torque("no state yet")
        self._clear_report()

    def _clear_load(self) -> None:
        n = self.model.n
        self._load = SlidingMeanSquare(n, round(self.settings.rms_window_s * 1e9))
        self._known = np.zeros(n, dtype=bool)  # joints whose effort was ever known
        self.effort: Array = np.full(n, np.nan)
        self.rms = np.full(n, np.nan)
        self.stamp_ns = 0

    def _no_model_torque(self, reason: str) -> None:
        self.model_torque = np.full(self.model.n, np.nan)
        self.model_torque_stamp_ns = 0
        self.model_reason = reason

    def _clear_report(self) -> None:
        n = self.model.n
        self._worst_effort, self._worst_rms, self._worst_thermal, self._worst_model = (
            np.full(n, np.nan) for _ in range(4)
        )
        self._worst_stamp = np.zeros(n, dtype=np.int64)
        self._was = {w.kind: w.above.copy() for w in self._watches}
        self._was_unknown = np.zeros(n, dtype=bool)

    @property
    def _watches(self) -> tuple[ThresholdWatch, ...]:
        return self._peak, self._continuous, self._thermal

    @property
    def utilisation(self) -> Array:
        """Latest |effort| as a fraction of the peak rating (n,)."""
        return np.abs(self.effort) / self.settings.peak

    @property
    def thermal(self) -> Array:
        """Latest thermal state (n,): 1 = where the continuous rating leads."""
        return self._heat.temperature

    def update_command(self, effort: ArrayLike, stamp_ns: int) -> None:
        """Take a commanded effort (n,), NaN where there is none. Raises ShapeError."""
        values = self._vector("effort", effort)
        if self.settings.source == "commanded":
            self._judge(values, stamp_ns)

    def update_state(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike | None,
        stamp_ns: int,
        effort: ArrayLike | None = None,
    ) -> None:
        """
        Take a measured state, each (n,), NaN where not measured. Raises ShapeError.

        Without ``qdd`` the acceleration comes from the velocities of the last samples, and the
        model's torque is that of a moment ago. ``effort`` is the measured one, if any.
        """
        position, velocity = self._vector("q", q), self._vector("qd", qd)
        if stamp_ns < self.model_torque_stamp_ns - _RESTART_NS:
            self._filter.reset()
            self._no_model_torque("time restarted")
        motion = self._motion(position, velocity, qdd, stamp_ns)
        if motion is not None:
            self.model_torque = inverse_dynamics(self.model, motion.q, motion.qd, motion.qdd)
            self.model_torque_stamp_ns = motion.stamp_ns
            self.model_reason = ""
            self._worst_model = np.fmax(self._worst_model, np.abs(self.model_torque))
        if self.settings.source == "model":
            if motion is not None:
                self._judge(self.model_torque, motion.stamp_ns)
            elif self.model_reason:
                self._judge(self.model_torque, stamp_ns)
        elif self.settings.source == "measured":
            none = np.full(self.model.n, np.nan)
            self._judge(none if effort is None else self._vector("effort", effort), stamp_ns)

    def take_events(self) -> list[Event]:
        """Return the events since the last call, oldest first."""
        events, self._events = self._events, []
        return events

    def take_report(self, now_ns: int) -> MonitorReport:
        """Return the worst since the last call and begin anew."""
        settings = self.settings
        silent = not self.stamp_ns or abs(now_ns - self.stamp_ns) > self._timeout_ns
        code = np.where(self._unrated, STATUSES.index("not_checked"), STATUSES.index("ok"))
        unknown = self._was_unknown | np.isnan(self.effort) | silent
        code[unknown] = STATUSES.index("no_effort")
        for watch, name in (
            (self._continuous, "above_continuous"),
            (self._thermal, "overheated"),
            (self._peak, "above_peak"),
        ):
            code[self._was[watch.kind] | watch.above] = STATUSES.index(name)
        report = MonitorReport(
            self.model.joint_names,
            tuple(STATUSES[i] for i in code),
            self._worst_effort,
            self._worst_stamp,
            self._worst_effort / settings.peak,
            self._worst_rms,
            self._worst_rms / settings.continuous,
            self._worst_thermal,
            self._worst_model,
            self.model_reason,
        )
        self._clear_report()
        return report

    def _vector(self, name: str, values: ArrayLike) -> Array:
        vector = np.array(values, dtype=float)
        if vector.shape != (self.model.n,):
            joints = f"{self.model.name} has {self.model.n} joints"
            raise ShapeError(f"{name} has shape {vector.shape}, but {joints}")
        return vector

    def _motion(self, q: Array, qd: Array, qdd: ArrayLike | None, stamp_ns: int) -> Motion | None:
        """Complete the measured motion by its acceleration; None and a reason if impossible."""
        missing = next(
            (k for k, v in (("position", q), ("velocity", qd)) if np.isnan(v).any()), ""
        )
        if missing:
            self._filter.reset()
            self._no_model_torque(f"no {missing} measured")
            return None
        if qdd is not None:
            return Motion(q, qd, self._vector("qdd", qdd), stamp_ns)
        motion = self._filter.update(q, qd, stamp_ns)
        if not self._filter.ready:
            self._no_model_torque("waiting for more samples")
        return motion

    def _judge(self, effort: Array, stamp_ns: int) -> None:
        """Account for the effort that ends at the stamp, then compare the one that begins."""
        elapsed = stamp_ns - self.stamp_ns
        if self.stamp_ns and elapsed < 0:
            if elapsed > -_RESTART_NS:
                self.counters["out_of_order"] += 1
                return
            self.counters["restarts"] += 1
            for watch in self._watches:
                self._record(watch.close(self.stamp_ns))
            self._clear_load()
        elif self.stamp_ns:
            self._accumulate(elapsed)
        self.stamp_ns = stamp_ns
        self.effort = effort
        size = np.abs(effort)
        self._known |= np.isfinite(effort)
        self.rms = np.where(self._known, np.sqrt(self._load.mean_square), np.nan)
        self._record(self._peak.update(size, stamp_ns))
        self._record(self._continuous.update(self.rms, stamp_ns))
        self._record(self._thermal.update(self.thermal, stamp_ns))
        self._keep_worst(size, stamp_ns)

    def _accumulate(self, elapsed_ns: int) -> None:
        """Load and heat by the effort that held until now; where unknown both stay."""
        known_ns = min(elapsed_ns, self._timeout_ns)
        # one absurd number must not count as heat that never leaves
        counts = np.abs(self.effort) < ABSURD
        square = np.where(counts, self.effort, np.nan) ** 2
        self._heat.add(square, known_ns * 1e-9)
        mean = self._load.mean_square
        self._load.add(np.where(np.isnan(square), mean, square), known_ns)
        if elapsed_ns > known_ns:
            self._load.add(self._load.mean_square, elapsed_ns - known_ns)

    def _keep_worst(self, size: Array, stamp_ns: int) -> None:
        worse = (size > self._worst_effort) | (np.isnan(self._worst_effort) & ~np.isnan(size))
        self._worst_effort = np.where(worse, size, self._worst_effort)
        self._worst_stamp = np.where(worse, stamp_ns, self._worst_stamp)
        self._worst_rms = np.fmax(self._worst_rms, self.rms)
        self._worst_thermal = np.fmax(self._worst_thermal, self.thermal)
        self._was_unknown |= np.isnan(size)
        for watch in self._watches:
            self._was[watch.kind] |= watch.above

    def _record(self, events: list[Event]) -> None:
        room = _MOST_EVENTS - len(self._events)
        self._events += events[:room]
        if len(events) > room:
            self.counters["events_not_kept"] += len(events) - room
