# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Can these motors execute this trajectory? Torque against ratings, before anything moves."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics.effort_load import thermal_series
from robodyn_ros.dynamics.inverse_dynamics import (
    Wrenches,
    coriolis_torques,
    gravity_torques,
    inverse_dynamics,
    wrench_torques,
)
from robodyn_ros.dynamics.joint_effects import JointFriction, friction_torques
from robodyn_ros.errors import ParameterError, ShapeError, TrajectoryError
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.trajectory.joint_trajectory import JointTrajectory
from robodyn_ros.trajectory.splines import PositionsOnly, StartState, TrajectorySpline
from robodyn_ros.trajectory.torque_peaks import (
    Peaks,
    TorqueSampler,
    TorqueSamples,
    find_peaks,
)
from robodyn_ros.trajectory.validation import validate_trajectory

Array = NDArray[np.float64]

TOLERANCE = 1e-4  # of the peak rating: what may stay uncertain between samples
Payload = Sequence[object]


@dataclass(frozen=True)
class JointTorque:
    """
    One joint of a motion, N m (N) and s; NaN where a rating is unknown.

    No torque exceeds peak + rest. margin: peak rating minus that. rms: over the motion, or over
    the cycle if one was given. heat: highest thermal state on the way, end_heat: the last (1 is
    where the continuous rating leads to). terms: what the peak consists of; dominating: the
    largest of them. first_point: the trajectory point that the first torque above the rating
    leads to, and first_time; None and NaN without one.
    """

    joint: str
    peak: float
    peak_time: float
    rest: float
    peak_rating: float
    continuous_rating: float
    rms: float
    heat: float
    end_heat: float
    terms: dict[str, float]
    first_point: int | None
    first_time: float

    @property
    def checked(self) -> bool:
        """Tell whether a peak rating is known."""
        return bool(np.isfinite(self.peak_rating))

    @property
    def margin(self) -> float:
        """Peak rating minus the largest torque there can be."""
        return self.peak_rating - self.peak - self.rest

    @property
    def utilisation(self) -> float:
        """Largest torque there can be over the peak rating."""
        return (self.peak + self.rest) / self.peak_rating

    @property
    def dominating(self) -> str:
        """Name the term that contributes most to the peak."""
        sign = np.sign(sum(self.terms.values()))
        return max(self.terms, key=lambda name: sign * self.terms[name])


@dataclass(frozen=True)
class TorqueReport:
    """
    What a motion asks of the motors. ``ok``: no known rating is exceeded.

    samples: how many torques were computed. duration in s. velocity_steps: joints whose velocity
    jumps at points (straight lines between positions): there the torque has no bound.
    """

    joints: tuple[JointTorque, ...]
    duration: float
    samples: int
    cycle: float | None = None
    velocity_steps: tuple[str, ...] = field(default=())

    @property
    def peak_ok(self) -> bool:
        """Tell whether all known peak ratings hold, at every moment."""
        over = any(joint.checked and joint.margin < 0.0 for joint in self.joints)
        return not over and not self.velocity_steps

    @property
    def continuous_ok(self) -> bool:
        """Tell whether windings stay cool enough, and the cycle within the continuous ratings."""
        hot = any(joint.heat > 1.0 for joint in self.joints)
        long = self.cycle is not None and any(j.rms > j.continuous_rating for j in self.joints)
        return not hot and not long

    @property
    def ok(self) -> bool:
        """Tell whether every known rating holds."""
        return self.peak_ok and self.continuous_ok

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Joints without a known peak rating: not checked, which is not the same as fine."""
        return tuple(joint.joint for joint in self.joints if not joint.checked)

    @property
    def violations(self) -> tuple[str, ...]:
        """One sentence per exceeded rating."""
        found = [
            f"joint '{name}' changes its velocity at a point in no time: its torque has no bound"
            for name in self.velocity_steps
        ]
        for j in self.joints:
            if j.checked and j.margin < 0.0:
                where = "" if j.first_point is None else f" on the way to point {j.first_point}"
                found.append(
                    f"joint '{j.joint}' needs {j.peak:.4g} N m at {j.peak_time:.3f} s{where}: its "
                    f"peak rating is {j.peak_rating:g} N m (mostly {j.dominating})"
                )
            if j.heat > 1.0:
                found.append(
                    f"joint '{j.joint}' gets too hot: thermal state {j.heat:.3g}, limit 1"
                )
            if self.cycle is not None and j.rms > j.continuous_rating:
                found.append(
                    f"joint '{j.joint}' has an RMS torque of {j.rms:.4g} N m over the cycle of "
                    f"{self.cycle:g} s: its continuous rating is {j.continuous_rating:g} N m"
                )
        return tuple(found)


def check_torques(
    model: RobotModel,
    trajectory: JointTrajectory,
    limits: JointLimits | None = None,
    start_state: StartState | None = None,
    payload: Payload | None = None,
    wrench: Wrenches | None = None,
    *,
    friction: JointFriction | None = None,
    positions_only: PositionsOnly = "spline",
    initial_heat: ArrayLike = 0.0,
    cycle: float | None = None,
    tolerance: float = TOLERANCE,
) -> TorqueReport:
    """
    Compute the torque a trajectory takes and compare it with the ratings.

    The motion is what joint_trajectory_controller interpolates between the points; with
    ``start_state`` (q, qd, qdd), each (n,) or None, it begins there. limits: default those of the
    model; peak ratings ``effort``, continuous ones ``effort_continuous``. payload: (link, mass,
    com[, inertia]) as for ``model.with_payload``. wrench: {link: (6,)} as for
    ``inverse_dynamics``. friction: counted at its worst around standstill. initial_heat: thermal
    state at the start, one number or (n,). cycle: the motion repeats every so many seconds, held
    at its last pose in between; its RMS is then compared with the continuous ratings.

    Peaks are those of the continuous motion, not of samples: ``torque_peaks``; what stays
    uncertain is at most tolerance times the peak rating and is counted in. Raises TrajectoryError
    for a trajectory that nobody could follow, ParameterError, and what with_payload raises.
    """
    model, spline = motion_of(model, trajectory, start_state, payload, positions_only)
    known = model.limits if limits is None else limits
    return report_on(
        model, spline, known, wrench, friction=friction, initial_heat=initial_heat, cycle=cycle,
        tolerance=tolerance,
    )  # fmt: skip


def report_on(
    model: RobotModel,
    spline: TrajectorySpline,
    known: JointLimits,
    wrench: Wrenches | None = None,
    *,
    friction: JointFriction | None = None,
    initial_heat: ArrayLike = 0.0,
    cycle: float | None = None,
    tolerance: float = TOLERANCE,
) -> TorqueReport:
    """Do the work of ``check_torques`` on a motion that is laid out already."""
    if known.effort.shape != (model.n,):
        raise ShapeError(f"limits are for {known.effort.size} joints, the model has {model.n}")
    if not 0.0 < tolerance < 1.0:
        raise ParameterError("tolerance", tolerance, "a fraction between 0 and 1")
    duration = (spline.end_ns - spline.start_ns) * 1e-9
    if cycle is not None and not duration <= cycle < np.inf:
        raise ParameterError("cycle", cycle, f"at least the {duration:g} s the motion takes")
    sampler = TorqueSampler(model, spline, wrench, friction)
    if len(spline.durations):
        rated = np.where(np.isnan(known.effort), np.inf, known.effort)
        scale = np.where(np.isinf(rated), _usual_torque(sampler), rated)
        peaks, samples = find_peaks(sampler, scale, rated, tolerance)
    else:
        peaks, samples = _standing(sampler)
    terms = torque_terms(model, *peaks.state, wrench, friction)
    rms, heat, end_heat = _load(model, spline, samples, known, initial_heat, cycle, wrench)
    joints = tuple(
        JointTorque(
            joint=name,
            peak=float(peaks.value[i]),
            peak_time=float(peaks.time_s[i]),
            rest=float(peaks.rest[i]),
            peak_rating=float(known.effort[i]),
            continuous_rating=float(known.effort_continuous[i]),
            rms=float(rms[i]),
            heat=float(heat[i]),
            end_heat=float(end_heat[i]),
            terms={term: float(values[i, i]) for term, values in terms.items()},
            first_point=_point(spline, peaks, i),
            first_time=float(peaks.over_s[i]),
        )
        for i, name in enumerate(model.joint_names)
    )
    steps = _velocity_steps(model, spline)
    return TorqueReport(joints, duration, peaks.samples, cycle, steps)


def motion_of(
    model: RobotModel,
    trajectory: JointTrajectory,
    start_state: StartState | None = None,
    payload: Payload | None = None,
    positions_only: PositionsOnly = "spline",
) -> tuple[RobotModel, TrajectorySpline]:
    """
    Return the model with its payload and the motion, in the order of the model's joints.

    Joints that the trajectory leaves out stay where start_state has them. Raises TrajectoryError.
    """
    if payload is not None:
        model = model.with_payload(*payload)  # type: ignore[arg-type]
    if len(trajectory) == 0:
        raise TrajectoryError("the trajectory has no points: there is nothing to check")
    ordered = validate_trajectory(
        trajectory,
        model.joint_names,
        allow_partial=start_state is not None,
        hold=None if start_state is None else start_state[0],
        allow_end_velocity=True,
    )
    if start_state is None:
        return model, TrajectorySpline(ordered, positions_only=positions_only)
    begun = ordered.times_ns[0] == 0
    spline = TrajectorySpline(
        ordered, start_state=start_state, positions_only=positions_only,
        join="fields" if begun else "quintic",
    )  # fmt: skip
    return model, spline


def torque_terms(
    model: RobotModel,
    q: Array,
    qd: Array,
    qdd: Array,
    wrenches: Wrenches | None = None,
    friction: JointFriction | None = None,
) -> dict[str, Array]:
    """Parts (T, n) of the torque of a motion (T, n): they add up to it; payload by itself."""
    bare = model
    for payload in model.payloads:
        bare = bare.without_payload(payload.name)
    gravity, coriolis = gravity_torques(bare, q), coriolis_torques(bare, q, qd)
    whole = inverse_dynamics(bare, q, qd, qdd)
    terms = {"gravity": gravity, "inertia": whole - gravity - coriolis, "Coriolis": coriolis}
    if model.payloads:
        terms["payload"] = inverse_dynamics(model, q, qd, qdd) - whole
    if wrenches:
        terms["wrench"] = -wrench_torques(model, q, wrenches)
    if friction is not None:
        terms["friction"] = friction_torques(friction, qd)
    return terms


def _standing(sampler: TorqueSampler) -> tuple[Peaks, TorqueSamples]:
    """Torques of a trajectory of a single point: holding it."""
    q, qd, qdd = (np.atleast_2d(part) for part in sampler.spline.end_state)
    tau = sampler.holding(q)
    n = q.shape[1]
    none = np.full(n, -1, dtype=np.intp)
    state = (np.repeat(q, n, 0), np.zeros((n, n)), np.zeros((n, n)))
    zeros = np.zeros(n)
    peaks = Peaks(np.abs(tau[0]), zeros, none, zeros, state, np.full(n, np.nan), none, 1)
    return peaks, TorqueSamples(np.zeros(1), none[:1], q, 0.0 * qd, 0.0 * qdd, tau)


def _usual_torque(sampler: TorqueSampler) -> Array:
    """Scale of the torques of joints without a rating, from one sample a segment."""
    count = len(sampler.spline.durations)
    tau = sampler.at(np.arange(count), np.full(count, 0.5))[-1]
    largest = np.abs(tau).max(axis=0)
    return np.asarray(np.maximum(largest, 1e-3 * max(largest.max(initial=0.0), 1e-3)))


def _load(
    model: RobotModel,
    spline: TrajectorySpline,
    samples: TorqueSamples,
    limits: JointLimits,
    initial_heat: ArrayLike,
    cycle: float | None,
    wrench: Wrenches | None,
) -> tuple[Array, Array, Array]:
    """RMS torque, highest and last thermal state, each (n,)."""
    square, steps = samples.tau**2, np.diff(samples.times_s)
    # Simpson would not bear the steps at points; the trapezoid does, and is dense enough
    mean = 0.5 * (square[1:] + square[:-1])
    work, time = steps @ mean, float(steps.sum())
    holding = inverse_dynamics(
        model, spline.end_state[0], np.zeros(model.n), np.zeros(model.n), wrench
    )
    if time == 0.0 or (cycle is not None and cycle > time):
        extra = 1.0 if cycle is None else cycle - time
        work, time = work + holding**2 * extra, time + extra
    heat0 = np.broadcast_to(np.asarray(initial_heat, dtype=float), (model.n,))
    if not np.all(np.isfinite(heat0) & (heat0 >= 0.0)):
        raise ParameterError("initial_heat", initial_heat, "numbers from 0, one or one per joint")
    constant, continuous = limits.thermal_time_constant, limits.effort_continuous
    heat = thermal_series(mean, steps, continuous, constant, heat0)
    return np.sqrt(work / time), heat.max(axis=0), heat[-1]


def _point(spline: TrajectorySpline, peaks: Peaks, joint: int) -> int | None:
    segment = int(peaks.over_segment[joint])
    return None if segment < 0 else segment + spline.first_point


def _velocity_steps(model: RobotModel, spline: TrajectorySpline) -> tuple[str, ...]:
    """Joints whose velocity is not continuous from segment to segment."""
    if len(spline.durations) < 1:
        return ()
    degrees = np.arange(6)[:, None]
    h = spline.durations[:, None]
    begin = spline.coefficients[:, 1] / h
    end = (spline.coefficients * degrees).sum(axis=1) / h
    size = 1e-6 * (1.0 + np.abs(begin).max(axis=0))
    steps = np.abs(begin[1:] - end[:-1]).max(axis=0, initial=0.0)
    return tuple(name for i, name in enumerate(model.joint_names) if steps[i] > size[i])
