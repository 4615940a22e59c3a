# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Between planner and controller: let a trajectory pass, slow it down, or refuse it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.control.planning import nearest_turn
from robodyn_ros.dynamics.effort_load import thermal_series
from robodyn_ros.dynamics.inverse_dynamics import gravity_torques, inverse_dynamics
from robodyn_ros.errors import TrajectoryError
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.trajectory.extrema import (
    acceleration_peaks,
    check_between_points,
    velocity_peaks,
)
from robodyn_ros.trajectory.joint_trajectory import JointTrajectory
from robodyn_ros.trajectory.retiming import Method, retime
from robodyn_ros.trajectory.splines import StartState
from robodyn_ros.trajectory.timing import MAX_FUTURE_NS, resolve_start
from robodyn_ros.trajectory.torque_check import (
    JointTorque,
    Payload,
    TorqueReport,
    check_torques,
    motion_of,
    report_on,
)
from robodyn_ros.trajectory.validation import LIMIT_MARGIN, validate_trajectory

Array = NDArray[np.float64]
Policy = Literal["reject", "retime", "retime_up_to", "warn_only"]
Code = Literal[
    "ok", "stop", "retimed", "warned",
    "invalid_trajectory", "state_unknown", "start_jump", "position_limit", "rate_limit",
    "torque_limit", "continuous_limit", "infeasible_at_any_speed", "too_slow", "not_found",
    "in_motion", "unrated", "internal_error", "no_controller",
]  # fmt: skip

_BISECTIONS = 20
_LONGEST_REST = 20.0  # in time constants: after that nothing changes any more


@dataclass(frozen=True)
class GuardSettings:
    """
    What the guard does about a trajectory that exceeds a limit, and what it knows of its target.

    policy: refuse it; slow it down as much as it takes, or at most max_factor times; or let it
    pass with a warning. max_start_error (rad or m): of a first point at time zero from the arm.
    rest_velocity (rad/s or m/s): slower joints count as resting. refuse_unrated: refuse what
    cannot be checked completely. fill_effort: the controller takes effort, so give it the
    model's.
    """

    policy: Policy = "reject"
    max_factor: float = 2.0
    method: Method = "path"
    max_start_error: float = 0.05
    rest_velocity: float = 0.05
    allow_end_velocity: bool = False
    refuse_unrated: bool = False
    fill_effort: bool = False
    max_future_ns: int = MAX_FUTURE_NS

    @property
    def retimes(self) -> bool:
        """Tell whether slowing down is allowed."""
        return self.policy in ("retime", "retime_up_to")


@dataclass(frozen=True, eq=False)
class Verdict:
    """
    What is to happen to a trajectory: ``trajectory`` goes to the controller; None: refused.

    code: stable name of the reason; text: the same for people, with the cure. changed: the
    trajectory is not the one that was sent; its times count from now then, unless it is stamped
    in the future. warnings: what else is to be known. joint, point, time (s), value, limit: where
    it is worst, as far as that applies. factor: new over old duration. report: torques of the
    motion that was asked for; after: of the slower one, if it was slowed down. end_position (n,):
    where the arm comes to rest.
    """

    code: Code
    text: str
    trajectory: JointTrajectory | None = None
    changed: bool = False
    warnings: tuple[str, ...] = ()
    joint: str | None = None
    point: int | None = None
    time: float | None = None
    value: float | None = None
    limit: float | None = None
    factor: float = 1.0
    report: TorqueReport | None = None
    after: TorqueReport | None = None
    end_position: Array | None = None

    @property
    def accepted(self) -> bool:
        """Tell whether the controller gets a trajectory."""
        return self.trajectory is not None

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON; what is unknown or does not apply is None."""
        report = self.after or self.report
        return {
            "code": self.code,
            "accepted": self.accepted,
            "changed": self.changed,
            "text": self.text,
            "warnings": list(self.warnings),
            "joint": self.joint,
            "point": self.point,
            "time": _number(self.time),
            "value": _number(self.value),
            "limit": _number(self.limit),
            "factor": _number(self.factor),
            "duration": None if report is None else report.duration,
            "unchecked": [] if report is None else list(report.unchecked),
            "joints": [] if report is None else [_joint_dict(j) for j in report.joints],
        }


def refusal(code: Code, text: str, **where: Any) -> Verdict:
    """Verdict that lets nothing pass."""
    return Verdict(code, text, **where)


class TrajectoryGuard:
    """
    Judges trajectories for one arm and carries the heat of its motors from motion to motion.

    ``payload`` (link, mass, com), or None, may be set at any time. Nothing in here knows ROS.
    """

    def __init__(self, model: RobotModel, settings: GuardSettings | None = None):
        self.model = model
        self.settings = settings or GuardSettings()
        self.payload: Payload | None = None
        self._heat = np.zeros(model.n)
        self._known_at_ns = 0  # when _heat is, or will be, what it says
        self._rests_at: Array | None = None  # from then on

    def judge(
        self,
        trajectory: JointTrajectory,
        position: Array,
        velocity: Array,
        now_ns: int,
        stamp_ns: int = 0,
        stale: Sequence[str] = (),
    ) -> Verdict:
        """
        Decide about a trajectory, given the measured state: position, velocity (n,), NaN unknown.

        stale: joints whose state is too old to be relied on.
        """
        if len(trajectory) == 0:
            return Verdict("stop", "no points: the command to stop", trajectory)
        unknown = [
            name
            for i, name in enumerate(self.model.joint_names)
            if name in stale or not np.isfinite(position[i])
        ]
        if unknown:
            text = (
                f"where the arm is cannot be told: no recent joint state of {', '.join(unknown)}"
            )
            return refusal("state_unknown", text, joint=unknown[0])
        try:
            return self._judge(trajectory, position, np.nan_to_num(velocity), now_ns, stamp_ns)
        except TrajectoryError as error:
            return _invalid(error)

    def passed(self, verdict: Verdict, now_ns: int) -> None:
        """Take note that a controller executes a trajectory; its heat is there afterwards."""
        report = verdict.after or verdict.report
        if not verdict.accepted or report is None:
            return
        self._heat = np.array([joint.end_heat for joint in report.joints])
        self._known_at_ns = now_ns + round(report.duration * 1e9)
        self._rests_at = verdict.end_position

    def heat(self, now_ns: int) -> Array:
        """
        Thermal state (n,) of the motors now, after the motions that passed; NaN where unknown.

        A motion counts as done completely; afterwards the arm rests where it ended.
        """
        if self._rests_at is None:
            return self._heat
        rested = max(0.0, (now_ns - self._known_at_ns) * 1e-9)
        return self._rested(self._heat, self._rests_at, rested)

    def _rested(self, heat: Array, position: Array, seconds: float) -> Array:
        holding = gravity_torques(self._loaded(), position)
        limits = self.model.limits
        return thermal_series(
            holding[None] ** 2, np.array([seconds]), limits.effort_continuous,
            limits.thermal_time_constant, heat,
        )[-1]  # fmt: skip

    def _loaded(self) -> RobotModel:
        return self.model if self.payload is None else self.model.with_payload(*self.payload)  # type: ignore[arg-type]

    def _judge(
        self, sent: JointTrajectory, position: Array, velocity: Array, now_ns: int, stamp_ns: int
    ) -> Verdict:
        settings, limits, names = self.settings, self.model.limits, self.model.joint_names
        asked = validate_trajectory(
            sent, names, allow_partial=True, hold=position,
            allow_end_velocity=settings.allow_end_velocity,
        )  # fmt: skip
        start = resolve_start(
            stamp_ns, asked.times_ns, now_ns, max_future_ns=settings.max_future_ns
        )
        if start.skipped:
            asked = _rest_of(asked, start.skipped, now_ns - stamp_ns)
        turned = nearest_turn(asked, 0, position, self.model.joint_types)
        resting = np.abs(velocity) <= settings.rest_velocity
        begin: StartState | None = (position, np.where(resting, 0.0, velocity), 0.0 * position)
        if turned.times_ns[0] == 0:
            jump = _start_jump(turned, position, settings.max_start_error)
            if jump is not None:
                return jump
            begin = None
        if settings.retimes and turned.velocities is None:
            turned = _with_velocities(self.model, turned, begin)
        motion = motion_of(self.model, turned, begin, positions_only="linear")[1]
        wherever = replace(limits, velocity=np.full(self.model.n, np.nan))
        try:
            check_between_points(motion, wherever, names)
        except TrajectoryError as error:
            verdict = _invalid(error, "position_limit")
            return self._warned(verdict, sent) if settings.policy == "warn_only" else verdict
        heat = np.nan_to_num(self.heat(now_ns))
        if settings.retimes and begin is not None and not resting.all():
            checked = self._as_it_is(turned, begin, heat)
            if checked.code != "ok":
                text = f"{checked.text}; slowing it down has to wait until the arm rests"
                return replace(checked, code="in_motion", text=text)
        elif settings.retimes:
            checked = self._slowed(turned, begin, heat)
        else:
            checked = self._as_it_is(turned, begin, heat)
        checked = replace(checked, end_position=turned.positions[-1])
        if start.skipped:
            text = f"the first {start.skipped} points are past: points are counted after them"
            checked = replace(checked, warnings=(*checked.warnings, text))
        unrated = checked.report.unchecked if checked.report is not None else ()
        if unrated:
            text = f"torque not checked, no rating known: {', '.join(unrated)}"
            if settings.refuse_unrated:
                return replace(checked, code="unrated", text=text, trajectory=None)
            checked = replace(checked, warnings=(*checked.warnings, text))
        if not checked.accepted:
            return self._warned(checked, sent) if settings.policy == "warn_only" else checked
        return self._forwarded(checked, sent, asked, turned)

    def _as_it_is(
        self, trajectory: JointTrajectory, begin: StartState | None, heat: Array
    ) -> Verdict:
        """Check the motion without changing it."""
        report = check_torques(
            self.model, trajectory, None, begin, self.payload, positions_only="linear",
            initial_heat=heat,
        )  # fmt: skip
        if not report.peak_ok:
            return _torque_refusal(report)
        rate = self._rate_excess(trajectory, begin)
        if rate is not None:
            return replace(rate, report=report)
        if not report.continuous_ok:
            return self._too_hot(trajectory, begin, report, heat)
        return Verdict("ok", "within all limits", trajectory, report=report)

    def _slowed(
        self, trajectory: JointTrajectory, begin: StartState | None, heat: Array
    ) -> Verdict:
        """Let pass what fits, slow down what does not."""
        settings = self.settings
        most = settings.max_factor if settings.policy == "retime_up_to" else np.inf
        result = retime(
            self.model, trajectory, None, begin, self.payload, method=settings.method,
            positions_only="linear", max_factor=most, initial_heat=heat,
        )  # fmt: skip
        before, after = result.before, result.after
        if after is None:
            cause = _torque_refusal(before) if not before.peak_ok else None
            where: dict[str, Any] = {} if cause is None else {
                name: getattr(cause, name) for name in ("joint", "point", "time", "value", "limit")
            }  # fmt: skip
            if result.overload is not None:
                o = result.overload
                where = {"joint": o.joint, "point": None, "time": o.time, "value": o.torque,
                         "limit": o.rating}  # fmt: skip
            asked = "" if result.overload is not None or cause is None else f"{cause.text}; "
            text = f"{asked}{result.text}"
            code: Code = result.reason  # type: ignore[assignment]
            return refusal(code, text, factor=result.factor, report=before, **where)
        if not after.continuous_ok:
            return self._too_hot(result.trajectory, begin, after, heat)
        if result.reason == "unchanged":
            return Verdict("ok", "within all limits", trajectory, report=before)
        why = "; ".join(before.violations) or "faster than the joints may be"
        warnings = _duration_warning(before.duration, after.duration)
        return Verdict(
            "retimed", f"{result.text}: {why}", result.trajectory, changed=True,
            warnings=warnings, factor=result.factor, report=before, after=after,
        )  # fmt: skip

    def _rate_excess(
        self, trajectory: JointTrajectory, begin: StartState | None
    ) -> Verdict | None:
        """Refuse what is faster than the joints may be."""
        limits = self.model.limits
        spline = motion_of(self.model, trajectory, begin, positions_only="linear")[1]
        for what, peaks, most in (
            ("velocity", velocity_peaks(spline), limits.velocity),
            ("acceleration", acceleration_peaks(spline), limits.acceleration),
        ):
            over = np.flatnonzero(peaks > most * (1.0 + LIMIT_MARGIN))
            if over.size:
                j = int(over[np.argmax(peaks[over] / most[over])])
                joint, value, limit = self.model.joint_names[j], float(peaks[j]), float(most[j])
                return refusal(
                    "rate_limit",
                    f"joint '{joint}' reaches {what} {value:.4g}: the limit is {limit:g}; plan it "
                    "slower, or let the policy be retime",
                    joint=joint, value=value, limit=limit,
                )  # fmt: skip
        return None

    def _too_hot(
        self,
        trajectory: JointTrajectory,
        begin: StartState | None,
        report: TorqueReport,
        heat: Array,
    ) -> Verdict:
        """Refuse a motion that the motors are too warm for; say how long they have to rest."""
        worst = max(report.joints, key=lambda joint: np.nan_to_num(joint.heat))
        loaded, motion = motion_of(
            self.model, trajectory, begin, self.payload, positions_only="linear"
        )
        at = motion.sample(motion.start_ns)[0]

        def fits(rest: float) -> bool:
            cooler = np.nan_to_num(self._rested(heat, at, rest))
            return report_on(loaded, motion, self.model.limits, initial_heat=cooler).continuous_ok

        low, high = 0.0, _LONGEST_REST * float(np.nanmax(self.model.limits.thermal_time_constant))
        if fits(high):
            for _ in range(_BISECTIONS):
                middle = 0.5 * (low + high)
                low, high = (low, middle) if fits(middle) else (middle, high)
            cure = f"let the arm rest {high:.3g} s first"
        else:
            cure = "no rest helps where the arm is now: carry less, or move less"
        text = (
            f"joint '{worst.joint}' would get too hot: thermal state {worst.heat:.3g}, limit 1; "
            f"{cure}"
        )
        return refusal(
            "continuous_limit", text, joint=worst.joint, value=worst.heat, limit=1.0,
            report=report,
        )  # fmt: skip

    def _warned(self, verdict: Verdict, sent: JointTrajectory) -> Verdict:
        return replace(verdict, code="warned", trajectory=sent)

    def _forwarded(
        self,
        checked: Verdict,
        sent: JointTrajectory,
        asked: JointTrajectory,
        turned: JointTrajectory,
    ) -> Verdict:
        """Give the controller what was sent, or what came of it, in its joints and turns."""
        passed = checked.trajectory
        assert passed is not None
        filled = passed is turned and asked.velocities is None and turned.velocities is not None
        settings = self.settings
        if not (checked.changed or filled or settings.fill_effort):
            return replace(checked, trajectory=sent)
        columns = [self.model.joint_names.index(name) for name in sent.joint_names]
        effort = None
        if settings.fill_effort:
            effort = self._effort(passed)
        turns = np.rint((turned.positions[0] - asked.positions[0]) / (2.0 * np.pi))
        given = {"velocities": passed.velocities, "accelerations": passed.accelerations}
        fields = {
            name: None if value is None else value[:, columns]
            for name, value in {**given, "effort": effort}.items()
        }
        back = passed.positions - 2.0 * np.pi * turns
        result = JointTrajectory(sent.joint_names, passed.times_ns, back[:, columns], **fields)
        warnings = checked.warnings
        if filled:
            warnings = (*warnings, "the points give positions only: velocities were filled in")
        return replace(checked, trajectory=result, changed=True, warnings=warnings)

    def _effort(self, trajectory: JointTrajectory) -> Array:
        """Model torque (P, n) at the points."""
        motion = motion_of(self.model, trajectory, positions_only="linear")[1]
        q, qd, qdd = motion.sample_many(motion.start_ns + trajectory.times_ns)
        return inverse_dynamics(self._loaded(), q, qd, qdd)


def _rest_of(trajectory: JointTrajectory, skipped: int, late_ns: int) -> JointTrajectory:
    """Points that are not past yet, their times counted from now."""
    fields = {
        name: None if getattr(trajectory, name) is None else getattr(trajectory, name)[skipped:]
        for name in ("velocities", "accelerations", "effort")
    }
    times, positions = trajectory.times_ns[skipped:] - late_ns, trajectory.positions[skipped:]
    return JointTrajectory(trajectory.joint_names, times, positions, **fields)


def _with_velocities(
    model: RobotModel, trajectory: JointTrajectory, begin: StartState | None
) -> JointTrajectory:
    """Write the velocities of the smooth spline through the points into them."""
    motion = motion_of(model, trajectory, begin)[1]
    _, qd, _ = motion.sample_many(motion.start_ns + trajectory.times_ns)
    qd[-1] = motion.end_state[1]
    return replace(trajectory, velocities=qd, accelerations=None)


def _start_jump(trajectory: JointTrajectory, position: Array, allowed: float) -> Verdict | None:
    away = np.abs(trajectory.positions[0] - position)
    j = int(away.argmax())
    if away[j] <= allowed:
        return None
    joint, value = trajectory.joint_names[j], float(away[j])
    text = (
        f"point 0 is at time zero, but joint '{joint}' is {value:.4g} away from it (allowed: "
        f"{allowed:g}): plan from where the arm is"
    )
    return refusal("start_jump", text, joint=joint, point=0, value=value, limit=allowed)


def _torque_refusal(report: TorqueReport) -> Verdict:
    if report.velocity_steps:
        joint = report.velocity_steps[0]
        text = (
            f"joint '{joint}' changes its velocity at a point in no time, so its torque has no "
            "bound: give velocities with the points, or let the policy be retime"
        )
        return refusal("torque_limit", text, joint=joint, report=report)
    over = [joint for joint in report.joints if joint.checked and joint.margin < 0.0]
    worst = max(over, key=lambda joint: joint.utilisation)
    texts = [text for text in report.violations if f"'{worst.joint}'" in text]
    text = f"{texts[0]}; carry less, plan it slower, or let the policy be retime"
    return refusal(
        "torque_limit", text, joint=worst.joint, point=worst.first_point, time=worst.peak_time,
        value=worst.peak, limit=worst.peak_rating, report=report,
    )  # fmt: skip


def _duration_warning(before: float, after: float) -> tuple[str, ...]:
    """Say when MoveIt's duration monitor would cancel the slower motion."""
    allowed = 1.1 * before + 0.5
    if after <= allowed:
        return ()
    return (
        f"takes {after:.3g} s now: with its standard settings MoveIt cancels after {allowed:.3g} "
        "s; set trajectory_execution.execution_duration_monitoring to false, or raise "
        "allowed_execution_duration_scaling",
    )


def _invalid(error: TrajectoryError, code: Code = "invalid_trajectory") -> Verdict:
    where = {name: getattr(error, name) for name in ("joint", "point", "value", "limit")}
    return refusal(code, str(error), **where)


def _joint_dict(joint: JointTorque) -> dict[str, Any]:
    numbers = {
        name: _number(getattr(joint, name))
        for name in (
            "peak", "peak_time", "rest", "peak_rating", "continuous_rating", "utilisation",
            "rms", "heat",
        )
    }  # fmt: skip
    return {"joint": joint.joint, **numbers, "mostly": joint.dominating}


def _number(value: float | None) -> float | None:
    """JSON knows no NaN: what is not finite is not known."""
    return value if value is not None and np.isfinite(value) else None
