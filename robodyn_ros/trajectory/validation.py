# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What a trajectory must fulfil before anything moves; every refusal says which, where and why."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import TrajectoryError
from robodyn_ros.model.limits import ABSURD, JointLimits
from robodyn_ros.trajectory.joint_trajectory import DERIVED_FIELDS, JointTrajectory

Array = NDArray[np.float64]

END_VELOCITY_TOLERANCE = 1e-3
# a limit written with six digits must not refuse its own value
LIMIT_MARGIN = 1e-6


def validate_trajectory(
    trajectory: JointTrajectory,
    joint_names: Sequence[str],
    limits: JointLimits | None = None,
    *,
    allow_partial: bool = False,
    hold: ArrayLike | None = None,
    end_velocity_tolerance: float = END_VELOCITY_TOLERANCE,
    allow_end_velocity: bool = False,
) -> JointTrajectory:
    """
    Check everything and return the trajectory with all joints in the order of ``joint_names``.

    With allow_partial a joint that is not listed stays at ``hold`` (n,), at rest. An end
    velocity below end_velocity_tolerance (rad/s or m/s) becomes exactly zero; a larger one is
    refused unless allow_end_velocity. limits are tested at the points; see check_between_points
    for what happens between them. A trajectory without points is a stop command and passes.
    Raises TrajectoryError naming point, joint, value and limit.
    """
    names = trajectory.joint_names
    order = {name: i for i, name in enumerate(joint_names)}
    for i, name in enumerate(names):
        if name not in order:
            known = ", ".join(joint_names)
            raise TrajectoryError(f"joint '{name}' is not one of: {known}", joint=name)
        if name in names[:i]:
            raise TrajectoryError(f"joint '{name}' is listed twice", joint=name)
    if len(trajectory) == 0:
        return _in_model_order(trajectory, order, np.zeros(len(order)))
    missing = [name for name in joint_names if name not in names]
    if missing and not names:
        raise TrajectoryError("the trajectory has points but no joint names", point=0)
    if missing and not (allow_partial and hold is not None):
        cure = "their present position is not known" if allow_partial else "list all joints"
        text = f"the trajectory leaves out joints {', '.join(missing)}: {cure}"
        raise TrajectoryError(text, joint=missing[0])
    _check_times(trajectory)
    for field in ("positions", *DERIVED_FIELDS):
        _check_finite(trajectory, field)
    ordered = _in_model_order(trajectory, order, np.zeros(len(order)) if hold is None else hold)
    if not allow_end_velocity:
        ordered = _end_at_rest(ordered, end_velocity_tolerance)
    if limits is not None:
        check_points(ordered, limits)
    return ordered


def _in_model_order(
    trajectory: JointTrajectory, order: dict[str, int], hold: ArrayLike
) -> JointTrajectory:
    columns = [order[name] for name in trajectory.joint_names]
    shape = (len(trajectory), len(order))
    positions = np.broadcast_to(np.asarray(hold, dtype=float), shape).copy()
    positions[:, columns] = trajectory.positions
    fields: dict[str, Array | None] = {}
    for field in DERIVED_FIELDS:
        values = getattr(trajectory, field)
        if values is None:
            fields[field] = None
            continue
        # joints that are not listed are at rest, in those points that speak of the field at all
        full = np.where(trajectory.given(field)[:, None], np.zeros(shape), np.nan)
        full[:, columns] = values
        fields[field] = full
    return JointTrajectory(tuple(order), trajectory.times_ns, positions, **fields)


def _check_times(trajectory: JointTrajectory) -> None:
    times = trajectory.times_ns
    if times[0] < 0:
        seconds = times[0] * 1e-9
        raise TrajectoryError(
            f"point 0 has time_from_start {seconds:g} s: it must not be negative",
            point=0,
            value=seconds,
            limit=0.0,
        )
    late = np.flatnonzero(np.diff(times) <= 0)
    if len(late):
        p = int(late[0]) + 1
        value, previous = times[p] * 1e-9, times[p - 1] * 1e-9
        raise TrajectoryError(
            f"point {p} at {value:.9g} s is not later than point {p - 1} at {previous:.9g} s:"
            " times must increase strictly",
            point=p,
            value=value,
            limit=previous,
        )


def _check_finite(trajectory: JointTrajectory, field: str) -> None:
    values = getattr(trajectory, field)
    if values is None:
        return
    required = np.ones(len(trajectory), bool) if field == "positions" else trajectory.given(field)
    bad = np.argwhere(~(np.abs(values) < ABSURD) & required[:, None])
    if len(bad):
        _refuse(trajectory, field, bad[0], f"a number below {ABSURD:g} in size")


def _end_at_rest(trajectory: JointTrajectory, tolerance: float) -> JointTrajectory:
    if trajectory.velocities is None or not trajectory.given("velocities")[-1]:
        return trajectory
    last = len(trajectory) - 1
    # a tolerance of NaN must refuse, not pass
    moving = np.flatnonzero(~(np.abs(trajectory.velocities[-1]) <= tolerance))
    if len(moving):
        at = (last, int(moving[0]))
        _refuse(trajectory, "velocities", at, f"at most {tolerance:g} at the end", tolerance)
    velocities = trajectory.velocities.copy()
    velocities[-1] = 0.0
    return replace(trajectory, velocities=velocities)


def check_points(trajectory: JointTrajectory, limits: JointLimits) -> None:
    """
    Test the points (in model order) against known limits.

    Positions, velocities, and the mean velocity from point to point that no interpolation can
    stay below. Raises TrajectoryError naming point, joint, value and limit.
    """
    q, qd = trajectory.positions, trajectory.velocities
    for bound, side, above in (
        (limits.upper, "at most", True),
        (limits.lower, "at least", False),
    ):
        margin = LIMIT_MARGIN * (1.0 + np.abs(bound)) * (1.0 if above else -1.0)
        over = q > bound + margin if above else q < bound + margin
        bad = np.argwhere(over)
        if len(bad):
            limit = float(bound[bad[0][1]])
            _refuse(trajectory, "positions", bad[0], f"{side} {limit:g}", limit)
    if qd is not None:
        bad = np.argwhere(np.abs(qd) > limits.velocity * (1.0 + LIMIT_MARGIN))
        if len(bad):
            limit = float(limits.velocity[bad[0][1]])
            _refuse(trajectory, "velocities", bad[0], f"at most {limit:g} in size", limit)
    mean = np.abs(np.diff(q, axis=0)) / (np.diff(trajectory.times_ns) * 1e-9)[:, None]
    bad = np.argwhere(mean > limits.velocity * (1.0 + LIMIT_MARGIN))
    if len(bad):
        p, j = (int(i) for i in bad[0])
        joint, value, limit = trajectory.joint_names[j], float(mean[p, j]), limits.velocity[j]
        raise TrajectoryError(
            f"from point {p} to point {p + 1} joint '{joint}' needs a velocity of {value:.5g}:"
            f" the limit is {limit:g}",
            point=p + 1,
            joint=joint,
            value=value,
            limit=float(limit),
        )


def _refuse(
    trajectory: JointTrajectory,
    field: str,
    at: Sequence[int],
    expected: str,
    limit: float | None = None,
) -> None:
    p, j = int(at[0]), int(at[1])
    joint, value = trajectory.joint_names[j], float(getattr(trajectory, field)[p, j])
    raise TrajectoryError(
        f"point {p}, joint '{joint}': {field} is {value:g}, must be {expected}",
        point=p,
        joint=joint,
        value=value,
        limit=limit,
    )
