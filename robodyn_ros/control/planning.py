# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""From a trajectory as received to a motion that may be executed, or a reason why not."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.control.references import Coast, Followed, Motion, Reference, State, stop_from
from robodyn_ros.control.settings import ControllerSettings
from robodyn_ros.errors import TrajectoryError
from robodyn_ros.message_log import MessageLog
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.trajectory.extrema import check_between_points
from robodyn_ros.trajectory.joint_trajectory import JointTrajectory
from robodyn_ros.trajectory.splines import TrajectorySpline
from robodyn_ros.trajectory.timing import resolve_start
from robodyn_ros.trajectory.validation import validate_trajectory

Array = NDArray[np.float64]


def plan_motion(
    model: RobotModel,
    settings: ControllerSettings,
    trajectory: JointTrajectory,
    present: Reference,
    now_ns: int,
    stamp_ns: int,
    log: MessageLog,
) -> Motion:
    """
    Turn a trajectory with at least one point into the motion that follows ``present``.

    The motion begins at now_ns, or at stamp_ns when that lies ahead, with the position, velocity
    and acceleration that ``present`` has then. Raises TrajectoryError; nothing is changed then.
    """
    trajectory = validate_trajectory(
        trajectory,
        model.joint_names,
        model.limits if settings.check_limits else None,
        allow_partial=settings.allow_partial,
        hold=_rest_after(present, max(now_ns, stamp_ns), settings),
        end_velocity_tolerance=settings.end_velocity_tolerance,
        allow_end_velocity=settings.allow_end_velocity,
    )
    start = resolve_start(
        stamp_ns,
        trajectory.times_ns,
        now_ns,
        late_ns=settings.period_ns,
        max_future_ns=settings.max_future_ns,
    )
    state = present.sample(start.join_ns)
    trajectory = nearest_turn(trajectory, start.skipped, state[0], model.joint_types)
    if start.skipped == 0 and trajectory.times_ns[0] == 0:
        _check_first_point(trajectory, state, settings, log)
    if start.skipped:
        late = (now_ns - stamp_ns) * 1e-9
        log.say(
            "warn",
            f"the trajectory came {late:.3f} s after its start: {start.skipped} of"
            f" {len(trajectory)} points are past and left out",
        )
    if trajectory.effort is not None:
        text = "the effort in trajectory points is ignored: it comes from the model"
        log.once("info", "point effort", text)
    if start.start_ns + trajectory.end_ns <= start.join_ns:
        stop = stop_from(present, start.join_ns, settings.max_deceleration)
        return Motion(start.join_ns, stop, "stopping")
    at_rest = not (state[1].any() or state[2].any())
    spline = TrajectorySpline(
        trajectory,
        start.start_ns,
        state,
        join_ns=start.join_ns,
        positions_only=settings.positions_only,
        join="fields" if at_rest else "quintic",
    )
    if settings.check_limits:
        check_between_points(spline, model.limits, model.joint_names)
    if trajectory.velocities is None or not np.nan_to_num(trajectory.velocities[-1]).any():
        return Motion(start.join_ns, spline, "moving")
    # an end velocity was allowed: never coast on, come to rest behind the last point
    end, (q, qd, _) = spline.end_ns, spline.end_state
    stop = stop_from(Coast(q, qd, end), end, settings.max_deceleration)
    return Motion(start.join_ns, Followed(spline, stop, end), "moving")


def _rest_after(present: Reference, t_ns: int, settings: ControllerSettings) -> Array | None:
    """Where joints come to rest that the trajectory does not mention."""
    if not settings.allow_partial:
        return None
    q, qd, _ = present.sample(t_ns)
    if not qd.any():
        return q
    return stop_from(present, t_ns, settings.max_deceleration).end_position


def nearest_turn(
    trajectory: JointTrajectory, first: int, position: Array, joint_types: tuple[str, ...]
) -> JointTrajectory:
    """
    Shift continuous joints by whole turns so that point ``first`` is nearest to ``position``.

    All points of a joint are shifted alike, as joint_trajectory_controller does.
    """
    continuous = np.array([kind == "continuous" for kind in joint_types])
    if not continuous.any():
        return trajectory
    turns = np.rint((position - trajectory.positions[first]) / (2.0 * np.pi)) * continuous
    if not turns.any():
        return trajectory
    return replace(trajectory, positions=trajectory.positions + 2.0 * np.pi * turns)


def _check_first_point(
    trajectory: JointTrajectory, state: State, settings: ControllerSettings, log: MessageLog
) -> None:
    """Refuse (or note) a point at time zero that is not where the joints are."""
    away = np.abs(trajectory.positions[0] - state[0])
    far = np.flatnonzero(away > settings.max_start_error)
    if len(far) == 0:
        return
    j = int(far[0])
    joint, value, limit = trajectory.joint_names[j], float(away[j]), settings.max_start_error[j]
    text = (
        f"point 0 is at time zero, but joint '{joint}' is {value:.4g} away from it"
        f" (allowed: {limit:g})"
    )
    if settings.start_jump == "refuse":
        raise TrajectoryError(
            f"{text}: it would take infinite speed", point=0, joint=joint, value=value, limit=limit
        )
    log.say("warn", f"{text}: the point is left out")
