# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
What each node does on its own, with nothing beside it but the test.

Every behaviour takes a probe and an arm and needs the node of that arm to run somewhere: in a
process that the test started, or in a launch file. ``namespace`` ends with a slash, or is empty.
"""

from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from behaviours.arm import Arm
from behaviours.probe import Probe
from control_msgs.action import FollowJointTrajectory
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from moveit_msgs.srv import GetPositionFK, GetPositionIK
from rclpy.action import ActionServer
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_ros import gravity_torques, link_pose
from robodyn_ros.model.rotations import matrix_from_quaternion, quaternion_from_matrix
from robodyn_ros.nodes.conversions import set_ns

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
EVENTS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SUCCESS = 1


def stand(probe: Probe, arm: Arm, namespace: str = "") -> Any:
    """Publish the arm at its start pose all the time from now on; returns the timer."""
    publisher = probe.publisher(JointState, f"{namespace}joint_states")
    message = JointState(name=list(arm.model.joint_names))
    message.position = arm.start.tolist()
    message.velocity = [0.0] * arm.model.n

    def publish() -> None:
        message.header.stamp = probe.node.get_clock().now().to_msg()
        publisher.publish(message)

    return probe.repeat(0.01, publish)


def fk_publisher_places_every_link(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """Joint states in; a full tree of transforms, the tool's pose and the description out."""
    tf = probe.listen(TFMessage, "/tf", 100)
    static = probe.listen(TFMessage, "/tf_static", LATCHED)
    poses = probe.listen(PoseStamped, f"{namespace}fk_publisher/pose")
    descriptions = probe.listen(String, f"{namespace}robot_description", LATCHED)
    timer = stand(probe, arm, namespace)
    probe.wait(lambda: tf and static and poses and descriptions, "all outputs of fk_publisher")
    probe.node.destroy_timer(timer)

    frames = {t.child_frame_id: t for m in (*static, *tf) for t in m.transforms}
    assert set(frames) == set(arm.model.link_names) - {arm.model.root_link}
    for link in arm.model.link_names:
        rotation, position, frame = np.eye(3), np.zeros(3), link
        while frame != arm.model.root_link:
            t = frames[frame].transform
            o, p = t.rotation, t.translation
            step = matrix_from_quaternion([o.x, o.y, o.z, o.w])
            rotation, position = step @ rotation, step @ position + [p.x, p.y, p.z]
            frame = frames[frame].header.frame_id
        expected = link_pose(arm.model, arm.start, link)
        np.testing.assert_allclose(rotation, expected[0], atol=1e-9)
        np.testing.assert_allclose(position, expected[1], atol=1e-9)
    assert poses[0].header.frame_id == arm.base_link
    assert "<robot" in descriptions[0].data


def ik_server_brings_the_tip_to_a_pose(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """compute_fk of a pose, compute_ik back to it from a little beside: the same pose."""
    goal = dict(zip(arm.model.joint_names, (arm.start + 0.1).tolist(), strict=True))
    fk = GetPositionFK.Request(fk_link_names=[arm.tip_link])
    fk.header.frame_id = arm.base_link
    fk.robot_state.joint_state.name = list(goal)
    fk.robot_state.joint_state.position = list(goal.values())
    answer = probe.call(GetPositionFK, f"{namespace}compute_fk", fk, timeout=60.0)
    assert answer.error_code.val == SUCCESS, answer.error_code
    pose = answer.pose_stamped[0]
    expected = link_pose(arm.model, arm.start + 0.1, arm.tip_link)
    p, o = pose.pose.position, pose.pose.orientation
    np.testing.assert_allclose([p.x, p.y, p.z], expected[1], atol=1e-9)
    quaternion = quaternion_from_matrix(expected[0])
    assert abs(abs(quaternion @ [o.x, o.y, o.z, o.w]) - 1.0) < 1e-12

    ik = GetPositionIK.Request()
    ik.ik_request.group_name = next(
        name
        for name, group in arm.of_node("ik_server")["groups"].items()
        if group["tip_link"] == arm.tip_link
    )
    ik.ik_request.pose_stamped = pose
    ik.ik_request.robot_state.joint_state.name = list(arm.model.joint_names)
    ik.ik_request.robot_state.joint_state.position = arm.start.tolist()
    answer = probe.call(GetPositionIK, f"{namespace}compute_ik", ik)
    assert answer.error_code.val == SUCCESS, answer.error_code
    state = answer.solution.joint_state
    found = dict(zip(state.name, state.position, strict=True))
    q = np.array([found[name] for name in arm.model.joint_names])
    rotation, position = link_pose(arm.model, q, arm.tip_link)
    np.testing.assert_allclose(position, expected[1], atol=1e-5)
    np.testing.assert_allclose(rotation, expected[0], atol=1e-5)
    assert np.all((q >= arm.model.limits.lower) & (q <= arm.model.limits.upper))


def computed_torque_holds_and_moves(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """Joint states in, gravity torque out; a trajectory changes it; both outputs agree."""
    efforts = probe.listen(JointState, f"{namespace}computed_torque/effort")
    commands = probe.listen(Float64MultiArray, f"{namespace}computed_torque/commands")
    trajectories = probe.publisher(JointTrajectory, f"{namespace}computed_torque/joint_trajectory")
    timer = stand(probe, arm, namespace)
    mine = [arm.model.joint_index(joint) for joint in arm.joints]
    gravity = gravity_torques(arm.model, arm.start)[mine]

    def holds() -> bool:
        return bool(
            efforts
            and commands
            and np.allclose(efforts[-1].effort, gravity, atol=1e-6)
            and np.allclose(commands[-1].data, gravity, atol=1e-6)
        )

    probe.wait(holds, "gravity torque")
    assert efforts[-1].name == list(arm.joints)
    message = JointTrajectory(joint_names=list(arm.joints))
    point = JointTrajectoryPoint(positions=(arm.start[mine] + 0.05).tolist())
    point.time_from_start.nanosec = 300_000_000
    message.points = [point]
    # the arm does not obey: the feedback pulls
    probe.insist(
        lambda: trajectories.publish(message),
        lambda: not np.allclose(efforts[-1].effort, gravity, atol=0.1),
        "other efforts",
    )
    probe.node.destroy_timer(timer)
    probe.wait(holds, "gravity torque again, after the joint states ceased")


def torque_monitor_reports_an_overload(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """Command one sample above the peak rating among others: event and diagnosis name it."""
    events = probe.listen(DiagnosticStatus, f"{namespace}torque_monitor/events", EVENTS)
    diagnostics = probe.listen(DiagnosticArray, "/diagnostics", 100)
    utilisation = probe.listen(JointState, f"{namespace}torque_monitor/utilisation")
    commands = probe.publisher(JointState, f"{namespace}commanded_effort")
    joint = arm.joints[-1]
    peak = arm.parameters["/**"]["ros__parameters"]["limits"][joint]["effort_peak"]
    message = JointState(name=list(arm.joints))
    message.effort = [0.0] * len(arm.joints)

    count = 0

    def publish() -> None:
        nonlocal count
        count += 1
        message.effort[-1] = (1.2 if count % 20 == 0 else 0.5) * peak
        message.header.stamp = probe.node.get_clock().now().to_msg()
        commands.publish(message)

    timer = probe.repeat(0.02, publish)

    def diagnosed() -> bool:
        return any(
            status.level == DiagnosticStatus.ERROR and joint in status.name
            for message in diagnostics
            for status in message.status
        )

    probe.wait(lambda: len(events) >= 2 and diagnosed() and utilisation, "event and diagnosis")
    probe.node.destroy_timer(timer)
    told = {value.key: value.value for value in events[0].values}
    assert (told["joint"], told["kind"], told["phase"]) == (joint, "peak", "enter")
    assert float(told["worst"]) > float(told["limit"]) == peak


def arm_simulator_obeys(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """Find it at its start; gravity torque holds it there, more of it lifts or lowers it."""
    states = probe.listen(JointState, f"{namespace}joint_states")
    probe.wait(lambda: states, "joint_states")
    assert list(states[0].name) == list(arm.model.joint_names)
    np.testing.assert_allclose(states[0].position, arm.start, atol=1e-9)
    commands = probe.publisher(JointState, f"{namespace}effort_command")
    message = JointState(name=list(arm.model.joint_names))
    gravity = gravity_torques(arm.model, arm.start)
    message.effort = gravity.tolist()
    timer = probe.repeat(0.01, lambda: commands.publish(message))
    probe.wait(lambda: np.allclose(states[-1].effort, gravity, atol=1e-6), "the effort to act")
    np.testing.assert_allclose(states[-1].position, arm.start, atol=1e-4)
    moved = arm.model.joint_index(arm.joints[1])
    message.effort[moved] += 5.0
    probe.wait(lambda: states[-1].position[moved] > arm.start[moved] + 1e-3, "the joint to move")
    probe.node.destroy_timer(timer)


def guard_lets_pass_only_what_the_motors_can_do(
    probe: Probe, arm: Arm, namespace: str = ""
) -> None:
    """Refuse the same move in 30 ms, let it pass in 30 s; needs something that stands still."""
    controller = f"{namespace}joint_trajectory_controller/follow_joint_trajectory"
    passed = []

    def execute(handle: Any) -> Any:
        passed.append(handle.request.trajectory)
        handle.succeed()
        return FollowJointTrajectory.Result()

    server = ActionServer(probe.node, FollowJointTrajectory, controller, execute)
    mine = [arm.model.joint_index(joint) for joint in arm.joints]
    target = np.where(arm.start < arm.model.limits.mid, arm.start + 0.3, arm.start - 0.3)[mine]

    def move(seconds: float) -> Any:
        trajectory = JointTrajectory(joint_names=list(arm.joints))
        point = JointTrajectoryPoint(positions=target.tolist(), velocities=[0.0] * len(mine))
        set_ns(point.time_from_start, round(seconds * 1e9))
        trajectory.points = [point]
        goal = FollowJointTrajectory.Goal(trajectory=trajectory)
        name = f"{namespace}trajectory_guard/follow_joint_trajectory"
        return trajectory, *probe.execute(FollowJointTrajectory, name, goal, timeout=60.0)

    def settled() -> bool:
        """Tell whether the guard knows the state and the controller: there is one way to know."""
        seen = len(passed)
        move(30.0)
        return len(passed) > seen

    probe.insist(lambda: None, settled, "a slow move to pass", 60.0)
    seen = len(passed)
    _, status, result = move(0.03)
    assert (status, len(passed)) == (GoalStatus.STATUS_ABORTED, seen)
    assert result.error_code == FollowJointTrajectory.Result.INVALID_GOAL
    assert "torque_limit: " in result.error_string and " rating" in result.error_string
    sent, status, _ = move(30.0)
    assert status == GoalStatus.STATUS_SUCCEEDED and passed[-1] == sent
    server.destroy()


def trajectory_guard_guards(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """Guard an arm that stands still."""
    timer = stand(probe, arm, namespace)
    guard_lets_pass_only_what_the_motors_can_do(probe, arm, namespace)
    probe.node.destroy_timer(timer)


BEHAVIOURS = {
    "fk_publisher": fk_publisher_places_every_link,
    "ik_server": ik_server_brings_the_tip_to_a_pose,
    "computed_torque": computed_torque_holds_and_moves,
    "trajectory_guard": trajectory_guard_guards,
    "torque_monitor": torque_monitor_reports_an_overload,
    "arm_simulator": arm_simulator_obeys,
}
