# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
ik_server: the services compute_ik, solve_ik (GetPositionIK) and compute_fk (GetPositionFK).

Fields and codes mean what they mean to MoveIt's own services; error_code.message says more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.msg import PositionIKRequest, RobotState
from moveit_msgs.srv import GetPositionFK, GetPositionIK
from rclpy.node import Node
from sensor_msgs.msg import JointState

from robodyn_ros.dynamics.kinematics import forward_kinematics
from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.ik import solve_ik
from robodyn_ros.message_log import MessageLog
from robodyn_ros.model.rotations import matrix_from_quaternion, quaternion_from_matrix
from robodyn_ros.nodes.conversions import Array, pose_arrays, set_pose, to_ns, to_seconds
from robodyn_ros.nodes.frames import FrameError, Frames, Pose, compose, inverse
from robodyn_ros.nodes.model_source import load_robot
from robodyn_ros.nodes.parameters import declare, flag, number, per_key, text, texts
from robodyn_ros.nodes.runner import run
from robodyn_ros.nodes.watch import StateInput, Watch

_SHORTEST_QUATERNION = 1e-3  # shorter ones are forgotten fields, not roundings


@dataclass(frozen=True)
class IkServerParameters:
    """Parameters of ik_server."""

    group_names: tuple[str, ...] = texts(
        (), "names of the groups; empty: one group 'arm' of base_link and tip_link"
    )
    base_link: str = text("", "frame of poses without one; empty: the root link")
    tip_link: str = text("", "tip of groups without one; empty: the only leaf")
    frame_prefix: str = text("", "prefix of the frames that fk_publisher publishes")
    kinematics_solver_timeout: float = number(
        0.05, "time for requests that give none", unit="s", above=0.0, read_only=False
    )
    position_tolerance: float = number(
        1e-6, "distance at which a position is reached", unit="m", above=0.0, read_only=False
    )
    orientation_tolerance: float = number(
        1e-6, "angle at which an orientation is reached", unit="rad", above=0.0, read_only=False
    )


@dataclass(frozen=True)
class GroupParameters:
    """One group: the joints between two links."""

    base_link: str = text("", "joints up to this link stay where they are; empty: base_link")
    tip_link: str = text("", "link that is brought to the pose; empty: tip_link")
    position_only_ik: bool = flag(False, "reach the position and leave the orientation open")


@dataclass(frozen=True)
class GroupsParameters:
    """The groups by name."""

    groups: Mapping[str, GroupParameters] = per_key(GroupParameters)


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


class IkServer(Node):
    """Answers one request after the other, each within its time."""

    apart = True  # a request may take long: never in the thread of a control loop

    def __init__(self, **node_options: Any):
        super().__init__("ik_server", **node_options)
        self.robot = robot = load_robot(self)
        self.model = robot.model
        self.parameters = declare(self, IkServerParameters, on_change=self._configure)
        self.groups = self._make_groups()
        self.log = MessageLog()
        self.frames = Frames(self, self.model, self.parameters.frame_prefix, self.log)
        self.state = StateInput(self, self.model, lambda stamp_ns, now_ns: None)
        self.watch = Watch(self, self.state.take_messages, self.log.take)
        for group in self.groups.values():
            self._warm_up(group)
        self.create_service(GetPositionIK, "compute_ik", self._compute_ik)
        self.create_service(GetPositionIK, "solve_ik", self._compute_ik)
        self.create_service(GetPositionFK, "compute_fk", self._compute_fk)

    def _configure(self, parameters: IkServerParameters) -> None:
        self.parameters = parameters

    def _make_groups(self) -> dict[str, Group]:
        model, leaves = self.model, self.model.leaf_links
        names = self.parameters.group_names or ("arm",)
        given = declare(self, GroupsParameters, keys=names).groups
        self.base_link = self.parameters.base_link or model.root_link
        groups = {}
        for name in names:
            base = given[name].base_link or self.base_link
            tip = given[name].tip_link or self.parameters.tip_link
            if not tip and len(leaves) == 1:
                tip = leaves[0]
            for field, link in (("base_link", base), ("tip_link", tip)):
                if link not in model.link_names:
                    known = leaves if field == "tip_link" else model.link_names
                    expected = f"a link such as {', '.join(known)}"
                    raise ParameterError(f"groups.{name}.{field}", link, expected)
            locked = model.joints_of(base)
            if not set(model.joints_of(tip)) - set(locked):
                expected = f"a link that moves against '{base}'"
                raise ParameterError(f"groups.{name}.tip_link", tip, expected)
            groups[name] = Group(base, tip, given[name].position_only_ik, locked)
        return groups

    def _warm_up(self, group: Group) -> None:
        """Compile the solver before the first request."""
        middle = self.model.limits.mid
        target = self.frames.link_pose(group.tip_link, middle)
        solve_ik(self.model, group.tip_link, target, middle, locked=group.locked)

    # Services.

    def _compute_ik(
        self, request: GetPositionIK.Request, response: GetPositionIK.Response
    ) -> GetPositionIK.Response:
        notes: list[str] = []
        try:
            q = self._solve(request.ik_request, notes)
            self._fill_state(response.solution, q)
            self._conclude(response.error_code, Codes.SUCCESS, notes)
        except Refusal as refusal:
            response.solution = RobotState()
            self._conclude(response.error_code, refusal.code, [str(refusal), *notes])
        return response

    def _compute_fk(
        self, request: GetPositionFK.Request, response: GetPositionFK.Response
    ) -> GetPositionFK.Response:
        try:
            response.pose_stamped = self._link_poses(request)
            response.fk_link_names = list(request.fk_link_names)
            self._conclude(response.error_code, Codes.SUCCESS, [])
        except Refusal as refusal:
            self._conclude(response.error_code, refusal.code, [str(refusal)])
        return response

    def _conclude(self, error_code: Codes, value: int, texts: Sequence[str]) -> None:
        error_code.val = value
        error_code.message = "; ".join(texts)
        error_code.source = self.get_name()

    # Inverse kinematics.

    def _solve(self, request: PositionIKRequest, notes: list[str]) -> Array:
        """Joint values (n,), NaN where nobody knows them; notes what the answer leaves out."""
        group = self._group(request.group_name)
        link, pose = self._wanted(request, group)
        known = self._joint_values(request.robot_state)
        self._require(known, [j for j in self.model.joints_of(link) if j in group.locked])
        target = self._target(pose, group, known, notes)
        model = self._bounded(request)
        seconds = to_seconds(to_ns(request.timeout))
        seed = np.where(np.isnan(known), model.limits.mid, known)
        if np.isnan(known).any():
            self.log.once("info", "seed", "not all joints are known: those begin mid-range")
        try:
            result = solve_ik(
                model,
                link,
                target,
                seed,
                timeout=seconds if seconds > 0.0 else self.parameters.kinematics_solver_timeout,
                position_tolerance=self.parameters.position_tolerance,
                orientation_tolerance=self.parameters.orientation_tolerance,
                locked=group.locked,
            )
        except RobodynError as error:
            raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, str(error)) from None
        if request.avoid_collisions:
            notes.append("collisions were not checked")
            text = "requests with avoid_collisions are solved without a collision check"
            self.log.once("warn", "collisions", text)
        if not result.success:
            raise Refusal(Codes.NO_IK_SOLUTION, result.explanation)
        moving = set(model.joints_of(link)) - set(group.locked)
        moved = [model.joint_index(name) for name in moving]
        known[moved] = result.q[moved]
        return known

    def _group(self, name: str) -> Group:
        if not name and len(self.groups) == 1:
            return next(iter(self.groups.values()))
        if name not in self.groups:
            known = ", ".join(self.groups)
            raise Refusal(Codes.INVALID_GROUP_NAME, f"no group '{name}'; known: {known}")
        return self.groups[name]

    def _wanted(self, request: PositionIKRequest, group: Group) -> tuple[str, PoseStamped]:
        """Link and pose of the request; the vector fields win when they are used."""
        link, pose = request.ik_link_name, request.pose_stamped
        poses, links = request.pose_stamped_vector, request.ik_link_names
        if poses:
            if links and len(links) != len(poses):
                text = f"{len(links)} ik_link_names for {len(poses)} poses"
                raise Refusal(Codes.INVALID_LINK_NAME, text)
            if len(poses) > 1:
                text = "several tips in one request are not supported"
                raise Refusal(Codes.NO_IK_SOLUTION, text)
            link, pose = (links[0] if links else ""), poses[0]
        link = link or group.tip_link
        if link not in self.model.link_names:
            known = ", ".join(self.model.link_names)
            raise Refusal(Codes.INVALID_LINK_NAME, f"no link '{link}'; known: {known}")
        if not set(self.model.joints_of(link)) - set(group.locked):
            text = f"link '{link}' is not moved by the joints beyond '{group.base_link}'"
            raise Refusal(Codes.INVALID_LINK_NAME, text)
        return link, pose

    def _target(
        self, pose: PoseStamped, group: Group, known: Array, notes: list[str]
    ) -> tuple[Array | None, Array]:
        """Pose in the root frame; rotation None when only the position counts."""
        position, quaternion = pose_arrays(pose.pose)
        length = float(np.linalg.norm(quaternion))
        free = group.position_only
        if not np.isfinite(position).all() or not (free or np.isfinite(length)):
            raise Refusal(
                Codes.INVALID_GOAL_CONSTRAINTS, "the pose has values that are no numbers"
            )
        if not free and length < _SHORTEST_QUATERNION:
            text = f"the quaternion has length {length:.3g}: no orientation (forgotten?)"
            raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, text)
        if not free and abs(length - 1.0) > 1e-2:
            notes.append(f"the quaternion of length {length:.3g} was normalised")
            self.log.once("warn", "quaternion", "quaternions of a length far from 1 come in")
        frame = self._frame(pose.header.frame_id or group.base_link, known)
        if not pose.header.frame_id:
            self.log.once(
                "warn", "frame", f"poses without a frame are taken in '{group.base_link}'"
            )
        rotation = np.eye(3) if free else matrix_from_quaternion(quaternion)
        rotation, position = compose(frame, (rotation, position))
        return (None if free else rotation), position

    def _bounded(self, request: PositionIKRequest) -> Any:
        """Model whose limits hold the request's joint constraints too."""
        wanted, model = request.constraints, self.model
        others = (
            wanted.position_constraints
            or wanted.orientation_constraints
            or wanted.visibility_constraints
        )
        if others:
            text = "of the constraints only joint_constraints are supported"
            raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, text)
        if not wanted.joint_constraints:
            return model
        lower, upper = model.limits.lower.copy(), model.limits.upper.copy()
        for constraint in wanted.joint_constraints:
            name = constraint.joint_name
            if name not in model.joint_names:
                known = ", ".join(model.joint_names)
                text = f"joint constraint on '{name}'; known joints: {known}"
                raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, text)
            i = model.joint_index(name)
            lower[i] = max(lower[i], constraint.position - constraint.tolerance_below)
            upper[i] = min(upper[i], constraint.position + constraint.tolerance_above)
            if not lower[i] <= upper[i]:
                text = f"the joint constraint leaves '{name}' no room inside its limits"
                raise Refusal(Codes.INVALID_GOAL_CONSTRAINTS, text)
        return model.with_limits(replace(model.limits, lower=lower, upper=upper))

    # Forward kinematics.

    def _link_poses(self, request: GetPositionFK.Request) -> list[PoseStamped]:
        links = request.fk_link_names
        unknown = [link for link in links if link not in self.model.link_names]
        if unknown or not links:
            what = f"no link {', '.join(unknown)}" if links else "no link names given"
            known = ", ".join(self.model.link_names)
            raise Refusal(Codes.INVALID_LINK_NAME, f"{what}; known: {known}")
        q = self._joint_values(request.robot_state)
        self._require(q, [name for link in links for name in self.model.joints_of(link)])
        frame_id = self.frames.plain(request.header.frame_id)
        frame_id = frame_id or self.parameters.frame_prefix + self.base_link
        to_frame = inverse(self._frame(frame_id, q))
        poses = forward_kinematics(self.model, np.where(np.isnan(q), 0.0, q))
        answer = []
        for link in links:
            i = self.model.link_index(link)
            rotation, position = compose(to_frame, (poses.rotation[i], poses.position[i]))
            message = PoseStamped()
            message.header.frame_id = frame_id
            message.header.stamp = self.get_clock().now().to_msg()
            quaternion = quaternion_from_matrix(rotation)
            set_pose(message.pose, position.tolist(), quaternion.tolist())
            answer.append(message)
        return answer

    # Both.

    def _frame(self, frame_id: str, q: Array) -> Pose:
        try:
            return self.frames.pose(self.frames.plain(frame_id), q)
        except FrameError as error:
            raise Refusal(Codes.FRAME_TRANSFORM_FAILURE, str(error)) from None

    def _joint_values(self, state: RobotState) -> Array:
        """Joint values (n,): those of the request over the latest joint_states, else NaN."""
        given: JointState = state.joint_state
        if len(given.name) != len(given.position):
            text = f"the robot state has {len(given.name)} names, {len(given.position)} positions"
            raise Refusal(Codes.INVALID_ROBOT_STATE, text)
        q = self.state.intake.position.copy()
        for name, position in zip(given.name, given.position, strict=True):
            if not np.isfinite(position):
                text = f"the robot state has no number for joint '{name}'"
                raise Refusal(Codes.INVALID_ROBOT_STATE, text)
            if name in self.model.joint_names:
                q[self.model.joint_index(name)] = position
        return q

    def _require(self, q: Array, joints: Sequence[str]) -> None:
        """Refuse to guess the position of a joint."""
        missing = [j for j in dict.fromkeys(joints) if np.isnan(q[self.model.joint_index(j)])]
        if missing:
            text = f"no position of joints {', '.join(missing)}, here or in joint_states"
            raise Refusal(Codes.INVALID_ROBOT_STATE, text)

    def _fill_state(self, state: RobotState, q: Array) -> None:
        """Write all joints that are known, followers included."""
        values = dict(zip(self.model.joint_names, q.tolist(), strict=True))
        for mimic in self.model.mimics:
            values[mimic.joint] = mimic.multiplier * values[mimic.driver] + mimic.offset
        known = {name: value for name, value in values.items() if np.isfinite(value)}
        joints = state.joint_state
        joints.header.frame_id = self.parameters.frame_prefix + self.model.root_link
        joints.header.stamp = self.get_clock().now().to_msg()
        joints.name, joints.position = list(known), list(known.values())


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(IkServer, args)


if __name__ == "__main__":
    raise SystemExit(main())
