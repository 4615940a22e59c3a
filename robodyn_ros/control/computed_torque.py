# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Computed-torque control: the torques a motion takes by the model, plus feedback.

A pure class stepped with a given time: a live node, a test and the replay of a recording use the
same object. It holds the arm whenever no motion runs and falls back to gravity torque, then to
nothing, when it does not know where the joints are.
"""

from collections import Counter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.control.measurement import Measurement
from robodyn_ros.control.output import ControlOutput, Mode
from robodyn_ros.control.planning import plan_motion
from robodyn_ros.control.references import Coast, Motion, Reference, State, Timeline, stop_from
from robodyn_ros.control.settings import ControllerSettings
from robodyn_ros.control.shaping import EffortShaper
from robodyn_ros.dynamics.inverse_dynamics import gravity_torques, inverse_dynamics
from robodyn_ros.errors import ParameterError, TrajectoryError
from robodyn_ros.message_log import Line, MessageLog
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.trajectory.joint_trajectory import JointTrajectory

Array = NDArray[np.float64]

TURN = 2.0 * np.pi


class ComputedTorqueController:
    """
    Follows trajectories with model torques; two laws, e = q_d - q.

    "feedforward": tau = RNEA(q_d, qd_d, qdd_d) + kp e + kd ed.
    "computed_torque": tau = RNEA(q, qd, qdd_d + kp e + kd ed).
    Source: Siciliano et al., Robotics: Modelling, Planning and Control (2009), chapter 8,
    computed torque feedforward control and inverse dynamics control.

    ``counters`` counts what was refused or lost: state_not_finite, state_out_of_order,
    state_lost, time_jumps, effort_not_finite.
    """

    def __init__(self, model: RobotModel, settings: ControllerSettings):
        """Raise ParameterError when the settings are for another number of joints."""
        if len(settings.kp) != model.n:
            raise ParameterError("kp", settings.kp.tolist(), f"{model.n} numbers, one per joint")
        self.model = model
        self.settings = settings
        self.counters: Counter[str] = Counter()
        self._log = MessageLog()
        self._shaper = EffortShaper(
            settings.effort_limit, settings.max_effort_rate, settings.ramp_ns
        )
        continuous = np.array([kind == "continuous" for kind in model.joint_types])
        self._turn = np.where(continuous, TURN, 0.0) if continuous.any() else None
        self._unknown = np.full(model.n, np.nan)
        self._now: int | None = None
        # None: the joints are not under control (no state yet, or lost)
        self._timeline: Timeline | None = None
        self._state: Measurement | None = None
        # after a jump in time the stamp of the last state means nothing any more
        self._state_outdated = False
        # since when the state is lost, why, and the torque that holds its pose
        self._lost_ns = 0
        self._reason = ""
        self._holding = np.zeros(model.n)

    # What comes in.

    def update_state(self, q: ArrayLike, qd: ArrayLike, stamp_ns: int) -> bool:
        """
        Take a measured state: q, qd (n,), at stamp_ns. Say whether it was used.

        NaN in qd means not measured: that joint goes without damping. A state with values that
        are infinite or absurd (1e9 and more) is refused and counted; one older than the last is
        ignored.
        Raises ShapeError.
        """
        state = Measurement.of(q, qd, stamp_ns, self.model.n)
        if state is None:
            self.counters["state_not_finite"] += 1
            text = "joint state refused: it has values that are not finite, or absurd"
            self._log.throttled("warn", "not finite", text, stamp_ns)
            return False
        last = self._state
        if self._timeline is not None and last is not None and stamp_ns < last.stamp_ns:
            self.counters["state_out_of_order"] += 1
            return False
        self._state, self._state_outdated = state, False
        return True

    def set_trajectory(
        self, trajectory: JointTrajectory, now_ns: int, stamp_ns: int = 0
    ) -> Motion | None:
        """
        Start a motion, replacing the running one; stamp_ns is the start its sender asked for.

        Stamp 0 is now, a past one skips the past points, a future one lets the present motion go
        on until then. Without points: stop. Returns the motion (None for a stop).
        Raises TrajectoryError naming point, joint, value and limit; the running motion stays.
        """
        if len(trajectory) == 0:
            self.stop(now_ns)
            return None
        self._observe(now_ns)
        timeline, state = self._timeline, self._state
        if timeline is None or state is None:
            raise TrajectoryError(f"no motion can start: {self._reason or 'no joint state yet'}")
        present: Reference = timeline.at(now_ns).reference
        displaced = False
        if timeline.mode(now_ns) == "hold" and stamp_ns <= now_ns:
            error, _ = self._errors(timeline, state)
            displaced = bool((np.abs(error) > self.settings.max_start_error).any())
            if displaced:
                present = Coast(present.sample(now_ns)[0] - error)
        motion = plan_motion(
            self.model, self.settings, trajectory, present, now_ns, stamp_ns, self._log
        )
        if displaced:
            self._log.say("warn", "the arm was displaced: the motion starts at the measured pose")
            self._start_ramp(state, now_ns)
        timeline.append(motion, now_ns)
        self._reason = ""
        return motion

    def rejoin(self, now_ns: int) -> None:
        """
        Go on after a jump of the measured joints, which no motion made.

        Where they are now further than max_start_error from the reference, that is over: they
        are held as they are, and the effort is led over.
        """
        self._observe(now_ns)
        timeline, state = self._timeline, self._state
        if timeline is None or state is None:
            return
        error, _ = self._errors(timeline, state)
        if (np.abs(error) > self.settings.max_start_error).any():
            self.counters["state_lost"] += 1
            self._lose(now_ns, "the joints are suddenly elsewhere")
            self._take_over(state, now_ns)

    def stop(self, now_ns: int) -> None:
        """Come to rest on the present path within max_deceleration, then hold."""
        self._observe(now_ns)
        timeline = self._timeline
        if timeline is None:
            return
        timeline.cancel_pending(now_ns)
        if timeline.mode(now_ns) == "moving":
            reference = timeline.at(now_ns).reference
            stop = stop_from(reference, now_ns, self.settings.max_deceleration)
            timeline.append(Motion(now_ns, stop, "stopping"), now_ns)

    # What goes out.

    def step(self, now_ns: int) -> ControlOutput:
        """Compute the effort for now_ns; time that goes backwards aborts the motion."""
        self._observe(now_ns)
        self._now = now_ns
        timeline, state = self._timeline, self._state
        if timeline is None or state is None:
            return self._without_state(now_ns)
        q_d, qd_d, qdd_d = timeline.sample(now_ns)
        error, velocity_error = self._errors(timeline, state)
        required = self._law(state, (q_d, qd_d, qdd_d), error, velocity_error)
        if not np.isfinite(required).all():
            self.counters["effort_not_finite"] += 1
            self._lose(now_ns, "the control law gave an effort that is not finite")
            return self._without_state(now_ns)
        wanted = self._shaper.ramped(required, now_ns)
        saturated = np.abs(wanted) > self._shaper.limit
        reason = self._reason
        if saturated.any():
            names = np.array(self.model.joint_names)[saturated]
            reason = f"effort limit reached: {', '.join(names)}"
        return ControlOutput(
            stamp_ns=now_ns,
            mode=timeline.mode(now_ns),
            effort=self._shaper.send(wanted, now_ns),
            required=required,
            q_d=q_d,
            qd_d=qd_d,
            qdd_d=qdd_d,
            error=error,
            velocity_error=velocity_error,
            saturated=saturated,
            reason=reason,
        )

    def safe_effort(self) -> Array:
        """Return what to send last: gravity torque at the last pose, zero when it is not known."""
        if self._state is None or (self._timeline is None and self._is_off(self._now)):
            return np.zeros(self.model.n)
        return self._shaper.clamped(self._gravity(self._state))

    def take_messages(self) -> list[Line]:
        """Return the (level, text) lines since the last call."""
        return self._log.take()

    @property
    def end_ns(self) -> int | None:
        """When the last accepted motion comes to rest; None without a joint state."""
        return None if self._timeline is None else self._timeline.end_ns

    # Inside.

    def _observe(self, now_ns: int) -> None:
        """Notice what the time says: it went back, the state got lost, or it is there again."""
        if self._now is not None and now_ns < self._now:
            self.counters["time_jumps"] += 1
            self._state_outdated = True
            self._lose(now_ns, f"time went back by {(self._now - now_ns) * 1e-9:.3f} s")
            self._now = now_ns
        if self._state is None or self._state_outdated:
            return
        stamp = self._state.stamp_ns
        age = now_ns - stamp
        fresh = abs(age) <= self.settings.max_state_age_ns
        if fresh and self._timeline is None:
            self._take_over(self._state, now_ns)
        elif not fresh and self._timeline is not None:
            self.counters["state_lost"] += 1
            limit = self.settings.max_state_age_ns * 1e-9
            text = f"the joint state is {age * 1e-9:.3f} s old (allowed: {limit:g} s)"
            self._lose(min(stamp, now_ns), text)

    def _take_over(self, state: Measurement, now_ns: int) -> None:
        """Hold the joints as measured, after slowing down where they move."""
        # a velocity that the joint cannot have must not become one that it is led at
        fastest = np.nan_to_num(self.model.limits.velocity, nan=np.inf)
        velocity = np.clip(np.where(state.known, state.qd, 0.0), -fastest, fastest)
        pose = Coast(state.q, velocity, state.stamp_ns)
        motion = Motion(state.stamp_ns, pose, "hold")
        if velocity.any():
            stop = stop_from(pose, state.stamp_ns, self.settings.max_deceleration)
            motion = Motion(state.stamp_ns, stop, "stopping")
        self._timeline = Timeline(motion, 2 * self.settings.max_state_age_ns)
        if self._reason:
            self._log.say("info", "the joint state is there again: holding the measured pose")
        self._start_ramp(state, now_ns)

    def _start_ramp(self, state: Measurement, now_ns: int) -> None:
        last = self._shaper.last
        self._shaper.start_ramp(self._gravity(state) if last is None else last, now_ns)

    def _lose(self, lost_ns: int, reason: str) -> None:
        """Drop the motion; the torque that holds the last pose is what remains."""
        timeline, self._timeline = self._timeline, None
        self._lost_ns = lost_ns
        if timeline is None or self._state is None:
            return
        self._holding = self._gravity(self._state)
        aborted = timeline.mode(max(lost_ns, self._now or lost_ns)) != "hold"
        self._reason = f"motion aborted: {reason}" if aborted else reason
        self._log.say("error" if aborted else "warn", self._reason)

    def _errors(self, timeline: Timeline, state: Measurement) -> tuple[Array, Array]:
        """Compare the reference at the stamp of the measurement with the measurement."""
        q_d, qd_d, _ = timeline.sample(state.stamp_ns)
        error = q_d - state.q
        if self._turn is not None:
            error -= self._turn * np.rint(error / TURN)
        return error, qd_d - state.qd

    def _law(self, state: Measurement, reference: State, e: Array, ed: Array) -> Array:
        """Evaluate the control law (class docstring)."""
        q_d, qd_d, qdd_d = reference
        qd = state.qd
        if not state.complete:
            ed = np.where(state.known, ed, 0.0)
            qd = np.where(state.known, qd, qd_d)
        feedback = self.settings.kp * e + self.settings.kd * ed
        if self.settings.law == "feedforward":
            return inverse_dynamics(self.model, q_d, qd_d, qdd_d) + feedback
        return inverse_dynamics(self.model, state.q, qd, qdd_d + feedback)

    def _gravity(self, state: Measurement) -> Array:
        """Gravity torque at a measured pose; nothing when even that cannot be computed."""
        torque = gravity_torques(self.model, state.q)
        if np.isfinite(torque).all():
            return torque
        self.counters["effort_not_finite"] += 1
        self._log.once("error", "gravity", "the gravity torque is not finite: sending zero effort")
        return np.zeros(self.model.n)

    def _is_off(self, now_ns: int | None) -> bool:
        after = self.settings.zero_effort_after_ns
        return after is not None and now_ns is not None and now_ns - self._lost_ns > after

    def _without_state(self, now_ns: int) -> ControlOutput:
        """Send nothing before the first state; then gravity torque at the last pose, then zero."""
        unknown, rest = self._unknown, np.zeros(self.model.n)
        mode: Mode = "waiting"
        effort, required, q_d, rates = None, unknown, unknown, unknown
        reason = "waiting for the first joint state"
        state = self._state
        if state is not None and self._shaper.last is not None:
            mode = "off" if self._is_off(now_ns) else "stale"
            required = rest if mode == "off" else self._holding
            effort, q_d, rates = self._shaper.send(required, now_ns), state.q, rest
            reason = self._reason
        elif state is not None:
            age = (now_ns - state.stamp_ns) * 1e-9
            reason = f"waiting for a joint state of now: the last is {age:.3f} s old"
        return ControlOutput(
            stamp_ns=now_ns,
            mode=mode,
            effort=effort,
            required=required,
            q_d=q_d,
            qd_d=rates,
            qdd_d=rates,
            error=unknown,
            velocity_error=unknown,
            saturated=np.abs(required) > self._shaper.limit,
            reason=reason,
        )
