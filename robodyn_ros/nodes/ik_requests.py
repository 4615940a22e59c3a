# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What the fields of MoveIt's kinematics requests mean for a robot model, and what is refused."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import Constraints, PositionIKRequest, RobotState
from moveit_msgs.msg import MoveItErrorCodes as Codes

from robodyn_ros.errors import RobodynError
from robodyn_ros.model.limits import ABSURD
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.rotations import matrix_from_quaternion
from robodyn_ros.nodes.conversions import Array, pose_arrays

_SHORTEST_QUATERNION = 1e-3  # shorter ones are forgotten fields, not roundings
_ROUNDED = 1e-2


@dataclass(frozen=True)
class Group:
    """A group that can be solved: ``locked`` are the joints that it leaves alone."""

    base_link: str
    tip_link: str
    position_only: bool
    locked: tuple[str, ...]


class Refusal(RobodynError):
    """A request that is answered with an error code."""

    def __init__(self, code: int, reason: str):
        self.code = code
        super().__init__(reason)


def wanted_link(
    model: RobotModel, group: Group, request: PositionIKRequest
) -> tuple[str, PoseStamped]:
    """
    Link and pose of a request; the vector fields win when they are used.

    Raises Refusal for unknown links, links the group does not move, and more than one tip.
    """
    link, pose = request.ik_link_name, request.pose_stamped
    poses, links = request.pose_stamped_vector, request.ik_link_names
    if poses:
        if links and len(links) != len(poses):
            text = f"{len(links)} ik_link_names for {len(poses)} poses"
            raise Refusal(Codes.INVALID_LINK_NAME, text)
        if len(poses) > 1:
            raise Refusal(Codes.NO_IK_SOLUTION, "several tips in one request are not supported")
        link, pose = (links[0] if links else ""), poses[0]
    link = link or group.tip_link
    require_links(model, [link])
    if not set(model.joints_of(link)) - set(group.locked):
        text = f"link '{link}' is not moved by the joints beyond '{group.base_link}'"
        raise Refusal(Codes.INVALID_LINK_NAME, text)
    return link, pose


def require_links(model: RobotModel, links: Sequence[str]) -> None:
    """Refuse names that are no links, and no names at all."""
    unknown = [link for link in links if link not in model.link_names]
    if unknown or not links:
        what = f"no link '{', '.join(unknown)}'" if links else "no link names given"
        known = ", ".join(model.link_names)
        raise Refusal(Codes.INVALID_LINK_NAME, f"{what}; known: {known}")


def wanted_pose(pose: PoseStamped, position_only: bool) -> tuple[Array | None, Array, str]:
    """
    Rotation (None when only the position counts), position, and a note if one is due.

    Raises Refusal for values that are not finite and for quaternions that say nothing.
    """
    position, quaternion = pose_arrays(pose.pose)
    length = math.hypot(*quaternion.tolist())
    if not (np.abs(position) < ABSURD).all() or not (position_only or length < ABSURD):
        text = "the pose has values that are not finite, or absurd"
        raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, text)
    if position_only:
        return None, position, ""
    if length < _SHORTEST_QUATERNION:
        text = f"the quaternion has length {length:.3g}: no orientation (forgotten?)"
        raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, text)
    rounded = abs(length - 1.0) <= _ROUNDED
    note = "" if rounded else f"the quaternion of length {length:.3g} was normalised"
    return matrix_from_quaternion(quaternion), position, note


def bounded(model: RobotModel, constraints: Constraints) -> RobotModel:
    """Model whose limits hold the joint constraints too; raises Refusal for all others."""
    others = (
        constraints.position_constraints
        or constraints.orientation_constraints
        or constraints.visibility_constraints
    )
    if others:
        text = "of the constraints only joint_constraints are supported"
        raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, text)
    if not constraints.joint_constraints:
        return model
    lower, upper = model.limits.lower.copy(), model.limits.upper.copy()
    for constraint in constraints.joint_constraints:
        name = constraint.joint_name
        if name not in model.joint_names:
            known = ", ".join(model.joint_names)
            text = f"joint constraint on '{name}'; known joints: {known}"
            raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, text)
        i = model.joint_index(name)
        # unlike max and min, these let NaN through to the refusal
        lower[i] = np.maximum(lower[i], constraint.position - constraint.tolerance_below)
        upper[i] = np.minimum(upper[i], constraint.position + constraint.tolerance_above)
        if not lower[i] <= upper[i]:
            text = f"the joint constraint leaves '{name}' no room inside its limits"
            raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, text)
    return model.with_limits(replace(model.limits, lower=lower, upper=upper))


def joint_values(model: RobotModel, latest: Array, state: RobotState) -> Array:
    """Joint values (n,): those of the request over the latest ones, NaN where nobody knows."""
    names, positions = state.joint_state.name, state.joint_state.position
    if len(names) != len(positions):
        text = f"the robot state has {len(names)} names and {len(positions)} positions"
        raise Refusal(Codes.INVALID_ROBOT_STATE, text)
    q = latest.copy()
    for name, position in zip(names, positions, strict=True):
        if not abs(position) < ABSURD:
            text = f"the robot state has joint '{name}' at {position:g}"
            raise Refusal(Codes.INVALID_ROBOT_STATE, text)
        if name in model.joint_names:
            q[model.joint_index(name)] = position
    return q


def require_known(model: RobotModel, q: Array, joints: Sequence[str]) -> None:
    """Refuse to guess the position of a joint."""
    missing = [j for j in dict.fromkeys(joints) if np.isnan(q[model.joint_index(j)])]
    if missing:
        text = f"no position of joints {', '.join(missing)}, here or in joint_states"
        raise Refusal(Codes.INVALID_ROBOT_STATE, text)


def all_joints(model: RobotModel, q: Array) -> dict[str, float]:
    """Positions by name of the joints that are known, followers included."""
    values = dict(zip(model.joint_names, q.tolist(), strict=True))
    for mimic in model.mimics:
        values[mimic.joint] = mimic.multiplier * values[mimic.driver] + mimic.offset
    return {name: value for name, value in values.items() if np.isfinite(value)}
