# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
ik_server: the services compute_ik, solve_ik (GetPositionIK) and compute_fk (GetPositionFK).

Fields and codes mean what they mean to MoveIt's own services; error_code.message says more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.msg import PositionIKRequest, RobotState
from moveit_msgs.srv import GetPositionFK, GetPositionIK
from rclpy.node import Node

from robodyn_ros.dynamics.kinematics import forward_kinematics
from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.ik import solve_ik
from robodyn_ros.message_log import MessageLog
from robodyn_ros.model.rotations import quaternion_from_matrix
from robodyn_ros.nodes.conversions import Array, set_pose, to_ns, to_seconds
from robodyn_ros.nodes.frames import FrameError, Frames, Pose, compose, inverse
from robodyn_ros.nodes.ik_requests import (
    Group,
    Refusal,
    all_joints,
    bounded,
    joint_values,
    require_known,
    require_links,
    wanted_link,
    wanted_pose,
)
from robodyn_ros.nodes.model_source import load_robot
from robodyn_ros.nodes.parameters import declare, flag, number, per_key, text, texts
from robodyn_ros.nodes.runner import run
from robodyn_ros.nodes.watch import StateInput, Watch


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

    groups: Mapping[str, GroupParameters] = per_key(GroupParameters, key="group")


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
            joints = response.solution.joint_state
            joints.header.frame_id = self.parameters.frame_prefix + self.model.root_link
            joints.header.stamp = self.get_clock().now().to_msg()
            values = all_joints(self.model, q)
            joints.name, joints.position = list(values), list(values.values())
            self._conclude(response.error_code, Codes.SUCCESS, notes)
        except RobodynError as error:
            response.solution = RobotState()
            self._refuse(response.error_code, error, notes)
        return response

    def _compute_fk(
        self, request: GetPositionFK.Request, response: GetPositionFK.Response
    ) -> GetPositionFK.Response:
        try:
            response.pose_stamped = self._link_poses(request)
            response.fk_link_names = list(request.fk_link_names)
            self._conclude(response.error_code, Codes.SUCCESS, [])
        except RobodynError as error:
            self._refuse(response.error_code, error, [])
        return response

    def _refuse(self, error_code: Codes, error: RobodynError, notes: Sequence[str]) -> None:
        """Answer with an error: no request may end the service."""
        code = error.code if isinstance(error, Refusal) else Codes.FAILURE
        self._conclude(error_code, code, [str(error), *notes])

    def _conclude(self, error_code: Codes, value: int, texts: Sequence[str]) -> None:
        error_code.val = value
        error_code.message = "; ".join(texts)
        error_code.source = self.get_name()

    # Inverse kinematics.

    def _solve(self, request: PositionIKRequest, notes: list[str]) -> Array:
        """Joint values (n,), NaN where nobody knows them; notes what a client should know."""
        group, model = self._group(request.group_name), self.model
        link, pose = wanted_link(model, group, request)
        known = joint_values(model, self.state.intake.position, request.robot_state)
        require_known(model, known, [j for j in model.joints_of(link) if j in group.locked])
        target = self._target(pose, group, known, notes)
        if request.avoid_collisions:
            notes.append("collisions were not checked")
            text = "requests with avoid_collisions are solved without a collision check"
            self.log.once("warn", "collisions", text)
        if np.isnan(known).any():
            self.log.once("info", "seed", "not all joints are known: those begin mid-range")
        model = bounded(model, request.constraints)
        seconds = to_seconds(to_ns(request.timeout))
        result = solve_ik(
            model,
            link,
            target,
            np.where(np.isnan(known), model.limits.mid, known),
            timeout=seconds if seconds > 0.0 else self.parameters.kinematics_solver_timeout,
            position_tolerance=self.parameters.position_tolerance,
            orientation_tolerance=self.parameters.orientation_tolerance,
            locked=group.locked,
        )
        if not result.success:
            raise Refusal(Codes.NO_IK_SOLUTION, result.explanation)
        moving = set(model.joints_of(link)) - set(group.locked)
        moved = [model.joint_index(name) for name in moving]
        known[moved] = result.q[moved]
        return known

    def _target(
        self, pose: PoseStamped, group: Group, known: Array, notes: list[str]
    ) -> tuple[Array | None, Array]:
        """Pose in the root frame; rotation None when only the position counts."""
        rotation, position, note = wanted_pose(pose, group.position_only)
        if note:
            notes.append(note)
            self.log.once("warn", "quaternion", note)
        if not pose.header.frame_id:
            text = f"poses without a frame are taken in '{group.base_link}'"
            self.log.once("warn", "frame", text)
        frame = self._frame(pose.header.frame_id or group.base_link, known)
        turned, moved = compose(frame, (np.eye(3) if rotation is None else rotation, position))
        return (None if rotation is None else turned), moved

    def _group(self, name: str) -> Group:
        if not name and len(self.groups) == 1:
            return next(iter(self.groups.values()))
        if name not in self.groups:
            known = ", ".join(self.groups)
            raise Refusal(Codes.INVALID_GROUP_NAME, f"no group '{name}'; known: {known}")
        return self.groups[name]

    # Forward kinematics.

    def _link_poses(self, request: GetPositionFK.Request) -> list[PoseStamped]:
        model, links = self.model, request.fk_link_names
        require_links(model, links)
        q = joint_values(model, self.state.intake.position, request.robot_state)
        require_known(model, q, [name for link in links for name in model.joints_of(link)])
        frame_id = self.frames.plain(request.header.frame_id)
        frame_id = frame_id or self.parameters.frame_prefix + self.base_link
        to_frame = inverse(self._frame(frame_id, q))
        poses = forward_kinematics(model, np.where(np.isnan(q), 0.0, q))
        answer = []
        for link in links:
            i = model.link_index(link)
            rotation, position = compose(to_frame, (poses.rotation[i], poses.position[i]))
            message = PoseStamped()
            message.header.frame_id = frame_id
            message.header.stamp = self.get_clock().now().to_msg()
            quaternion = quaternion_from_matrix(rotation)
            set_pose(message.pose, position.tolist(), quaternion.tolist())
            answer.append(message)
        return answer

    def _frame(self, frame_id: str, q: Array) -> Pose:
        try:
            return self.frames.pose(self.frames.plain(frame_id), q)
        except FrameError as error:
            raise Refusal(Codes.FRAME_TRANSFORM_FAILURE, str(error)) from None


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(IkServer, args)


if __name__ == "__main__":
    raise SystemExit(main())
