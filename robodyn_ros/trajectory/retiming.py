# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Slow a trajectory down until the motors can execute it: the same path at another speed."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics.inverse_dynamics import Wrenches, gravity_torques, inverse_dynamics
from robodyn_ros.dynamics.joint_effects import JointFriction
from robodyn_ros.errors import ParameterError, TrajectoryError
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.trajectory.extrema import acceleration_peaks, velocity_peaks
from robodyn_ros.trajectory.joint_trajectory import JointTrajectory
from robodyn_ros.trajectory.path_timing import fastest_on_path
from robodyn_ros.trajectory.splines import PositionsOnly, StartState, TrajectorySpline
from robodyn_ros.trajectory.torque_check import (
    TOLERANCE,
    Payload,
    TorqueReport,
    motion_of,
    report_on,
)
from robodyn_ros.trajectory.uniform_stretch import smallest_stretch
from robodyn_ros.trajectory.validation import LIMIT_MARGIN

Array = NDArray[np.float64]
Method = Literal["path", "uniform"]
Reason = Literal[
    "unchanged", "retimed", "infeasible_at_any_speed", "too_slow", "not_found", "continuous"
]

_ROUNDS = 12
_PATH_POINTS = 1000
_HEADROOM = 1e-7
_INSIDE = 1e-6  # by how much a limit is lowered below what was found to be needed


@dataclass(frozen=True)
class StaticOverload:
    """
    Holding the arm still exceeds a rating somewhere on the path, so no speed helps.

    torque and rating in N m, position (n,) where it is worst. largest_payload: the mass in kg, at
    the place of the payload that was given, with which all of the path can be held; None when
    there was no payload or the bare arm is too heavy already.
    """

    joint: str
    torque: float
    rating: float
    time: float
    position: Array
    largest_payload: float | None


@dataclass(frozen=True, eq=False)
class RetimeResult:
    """
    Outcome of ``retime``. success: ``trajectory`` is within all limits; else it is the one given.

    factor: new over old duration. before, after: torque reports (after is None without success).
    text: what was done, or why it cannot be done.
    """

    trajectory: JointTrajectory
    success: bool
    reason: Reason
    factor: float
    text: str
    before: TorqueReport
    after: TorqueReport | None
    overload: StaticOverload | None = None


def retime(
    model: RobotModel,
    trajectory: JointTrajectory,
    limits: JointLimits | None = None,
    start_state: StartState | None = None,
    payload: Payload | None = None,
    wrench: Wrenches | None = None,
    *,
    method: Method = "path",
    friction: JointFriction | None = None,
    positions_only: PositionsOnly = "spline",
    max_factor: float = np.inf,
    faster: bool = False,
    initial_heat: ArrayLike = 0.0,
    tolerance: float = TOLERANCE,
) -> RetimeResult:
    """
    Keep a trajectory that is within all limits; slow any other down, no more than needed.

    Limits are torque, velocity and acceleration, as far as they are known. "uniform" stretches
    time by one factor; "path" slows only where it must and gives positions and velocities of a
    motion from rest to rest. ``faster``: with "path", also speed up what is within the limits.
    max_factor: longest new duration, in old ones. Other arguments as for ``check_torques``. The
    result is always checked again, between its points too; slower can take more torque than
    faster, so nothing is assumed. Raises what ``check_torques`` raises.
    """
    if method not in ("path", "uniform"):
        raise ParameterError("method", method, "'path' or 'uniform'")
    if not max_factor >= 1.0:
        raise ParameterError("max_factor", max_factor, "a number from 1")
    task = _Task.of(
        model, trajectory, limits, start_state, payload, wrench, friction, positions_only,
        initial_heat, tolerance,
    )  # fmt: skip
    before = task.check(task.spline)
    rates = max(use.max(initial=0.0) for use in task.rate_use(task.spline))
    if before.peak_ok and rates <= 1.0 + LIMIT_MARGIN and not faster:
        return RetimeResult(
            trajectory, True, "unchanged", 1.0, "within all limits as it is", before, before
        )
    overload = task.overload()
    if overload is not None:
        text = (
            f"infeasible at any speed: holding still at {overload.time:.3f} s takes "
            f"{overload.torque:.4g} N m of joint '{overload.joint}', its rating is "
            f"{overload.rating:g} N m ({overload.torque - overload.rating:.3g} N m over)"
        )
        if overload.largest_payload is not None:
            text += f"; the largest payload that works is {overload.largest_payload:.3g} kg"
        reason: Reason = "infeasible_at_any_speed"
        return RetimeResult(trajectory, False, reason, 1.0, text, before, None, overload)
    slower = task.uniform() if method == "uniform" else task.along_path(faster)
    if slower is None:
        text = "no slower motion was found that is within all limits"
        return RetimeResult(trajectory, False, "not_found", 1.0, text, before, None)
    changed, after = slower
    factor = changed.end_ns / max(trajectory.end_ns, 1)
    if factor > max_factor:
        text = f"it would take {factor:.4g} times as long: allowed are {max_factor:g}"
        return RetimeResult(trajectory, False, "too_slow", factor, text, before, None)
    text = f"takes {factor:.4g} times as long now, {changed.end_ns * 1e-9:.3f} s"
    return RetimeResult(changed, True, "retimed", factor, text, before, after)


def stretched(trajectory: JointTrajectory, factor: float) -> JointTrajectory:
    """Return the trajectory with all times multiplied by factor, rates to match, no effort."""
    times = np.round(trajectory.times_ns * factor).astype(np.int64)
    v, a = trajectory.velocities, trajectory.accelerations
    return replace(
        trajectory,
        times_ns=times,
        velocities=None if v is None else v / factor,
        accelerations=None if a is None else a / factor**2,
        effort=None,
    )


@dataclass(frozen=True, eq=False)
class _Task:
    """What stays the same while candidates are tried; ``model`` carries the payload."""

    model: RobotModel
    bare: RobotModel
    trajectory: JointTrajectory
    spline: TrajectorySpline
    limits: JointLimits
    start_state: StartState | None
    payload: Payload | None
    wrench: Wrenches | None
    friction: JointFriction | None
    positions_only: PositionsOnly
    initial_heat: ArrayLike
    tolerance: float

    @classmethod
    def of(
        cls,
        bare: RobotModel,
        trajectory: JointTrajectory,
        limits: JointLimits | None,
        start_state: StartState | None,
        payload: Payload | None,
        wrench: Wrenches | None,
        friction: JointFriction | None,
        positions_only: PositionsOnly,
        initial_heat: ArrayLike,
        tolerance: float,
    ) -> "_Task":
        model, spline = motion_of(bare, trajectory, start_state, payload, positions_only)
        return cls(
            model, bare, trajectory, spline, bare.limits if limits is None else limits,
            start_state, payload, wrench, friction, positions_only, initial_heat, tolerance,
        )  # fmt: skip

    def check(self, spline: TrajectorySpline, tolerance: float | None = None) -> TorqueReport:
        return report_on(
            self.model, spline, self.limits, self.wrench, friction=self.friction,
            initial_heat=self.initial_heat,
            tolerance=self.tolerance if tolerance is None else tolerance,
        )  # fmt: skip

    def rate_use(self, spline: TrajectorySpline) -> tuple[Array, Array]:
        """Largest velocity and acceleration over their limits, each (n,); 0 where unknown."""
        fast = velocity_peaks(spline) / self.limits.velocity
        hard = acceleration_peaks(spline) / self.limits.acceleration
        return np.nan_to_num(fast), np.nan_to_num(hard)

    def overload(self) -> StaticOverload | None:
        """Find where holding the arm alone leaves nothing of a rating, if anywhere."""
        model, spline = self.model, self.spline
        segments = max(len(spline.durations), 1)
        count = segments * max(2, 2000 // segments) + 1
        times = np.linspace(spline.start_ns, spline.end_ns, count).astype(np.int64)
        times = np.unique(np.concatenate([times, spline.times_ns]))
        q, _, _ = spline.sample_many(times)
        rest = np.zeros(model.n)
        holding = inverse_dynamics(model, q, rest, rest, self.wrench)
        if self.friction is not None:
            # slow motion has to overcome it, whichever way it goes
            holding = holding + np.sign(holding) * self.friction.coulomb
        over = np.abs(holding) - self.limits.effort
        over = np.where(np.isnan(over), -np.inf, over)
        if not over.max(initial=-np.inf) >= 0.0:
            return None
        row, joint = np.unravel_index(int(over.argmax()), over.shape)
        return StaticOverload(
            model.joint_names[joint],
            float(abs(holding[row, joint])),
            float(self.limits.effort[joint]),
            float(times[row] - spline.start_ns) * 1e-9,
            q[row],
            self._largest_payload(q, holding),
        )

    def _largest_payload(self, q: Array, holding: Array) -> float | None:
        if self.payload is None:
            return None
        link, mass, com = self.payload[0], float(self.payload[1]), self.payload[2]  # type: ignore[arg-type]
        unit = self.bare.with_payload(link, 1.0, com, name="unit")  # type: ignore[arg-type]
        per_kg = gravity_torques(unit, q) - gravity_torques(self.bare, q)
        bare = holding - mass * per_kg
        with np.errstate(divide="ignore", invalid="ignore"):
            room = (np.copysign(self.limits.effort, per_kg) - bare) / per_kg
        if np.any(np.abs(bare) > self.limits.effort):
            return None
        return float(np.nanmin(np.where(per_kg == 0.0, np.inf, room), initial=np.inf))

    def uniform(self) -> tuple[JointTrajectory, TorqueReport] | None:
        """Find the smallest factor, from samples; where the check finds more, sample there."""
        if np.any(self.spline.sample(self.spline.start_ns)[1]):
            raise TrajectoryError(
                "a motion that begins at speed cannot be stretched: it would have to jump"
            )
        extra = np.zeros(0, dtype=np.int64)
        for _ in range(_ROUNDS):
            factor = smallest_stretch(
                self.model, self.spline, self.limits, self.wrench, self.friction, extra
            )
            if factor is None:
                return None
            # whole nanoseconds make a candidate faster by as little as this
            candidate = stretched(self.trajectory, factor * (1.0 + _HEADROOM))
            report = self.check(self._laid_out(candidate), tolerance=1e-7)
            if report.peak_ok:
                return candidate, report
            worst = [j.peak_time / factor for j in report.joints if j.checked and j.margin < 0.0]
            found = self.spline.start_ns + np.array(
                [round(t * 1e9) for t in worst], dtype=np.int64
            )
            extra = np.concatenate([extra, found])
        return None

    def along_path(self, faster: bool) -> tuple[JointTrajectory, TorqueReport] | None:
        """Optimise along the path; lower the limits by what is found between the points."""
        shares = dict.fromkeys(("effort", "velocity", "acceleration"), np.ones(self.model.n))
        for _ in range(_ROUNDS):
            lowered = {name: getattr(self.limits, name) * share for name, share in shares.items()}
            candidate = fastest_on_path(
                self.model, self.spline, replace(self.limits, **lowered), self.wrench,
                self.friction, _PATH_POINTS, faster,
            )  # fmt: skip
            if candidate is None:
                return None
            motion = TrajectorySpline(candidate)
            report = self.check(motion)
            effort = np.nan_to_num([joint.utilisation for joint in report.joints])
            used = dict(zip(shares, (effort, *self.rate_use(motion)), strict=True))
            if report.peak_ok and max(used["velocity"].max(), used["acceleration"].max()) <= 1.0:
                return candidate, report
            for name, use in used.items():
                lower = shares[name] / np.maximum(use, 1.0) * (1.0 - _INSIDE)
                shares[name] = np.where(use > 1.0, lower, shares[name])
        return None

    def _laid_out(self, trajectory: JointTrajectory) -> TrajectorySpline:
        return motion_of(self.bare, trajectory, self.start_state, None, self.positions_only)[1]
