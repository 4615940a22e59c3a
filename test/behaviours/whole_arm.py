# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What the nodes of one arm do together, whoever started them."""

from collections.abc import Sequence

import numpy as np
from behaviours.arm import Arm
from behaviours.probe import Probe
from control_msgs.msg import JointTrajectoryControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from moveit_msgs.srv import GetPositionIK
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_ros import link_pose
from robodyn_ros.model.rotations import quaternion_from_matrix

SUCCESS = 1


def move(probe: Probe, arm: Arm, goal: np.ndarray, seconds: float, namespace: str = "") -> None:
    """Send one smooth motion to a goal and wait until the arm stands there."""
    states = probe.listen(JointState, f"{namespace}joint_states")
    publisher = probe.publisher(JointTrajectory, f"{namespace}computed_torque/joint_trajectory")
    message = JointTrajectory(joint_names=list(arm.joints))
    still = [0.0] * len(arm.joints)
    mine = [arm.model.joint_index(joint) for joint in arm.joints]
    point = JointTrajectoryPoint(
        positions=goal[mine].tolist(), velocities=still, accelerations=still
    )
    point.time_from_start.sec, point.time_from_start.nanosec = divmod(round(seconds * 1e9), 10**9)
    message.points = [point]

    def arrived() -> bool:
        if not states:
            return False
        return bool(
            np.allclose(np.array(states[-1].position)[mine], goal[mine], atol=2e-3)
            and np.allclose(np.array(states[-1].velocity)[mine], 0.0, atol=1e-2)
        )

    what = f"the arm at {goal[mine]}"
    probe.insist(lambda: publisher.publish(message), arrived, what, 10 * seconds, 3 * seconds)


def follows_a_trajectory(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """Move there and back; the error stays small, transforms and diagnoses flow."""
    reports = probe.listen(
        JointTrajectoryControllerState, f"{namespace}computed_torque/controller_state"
    )
    tf = probe.listen(TFMessage, "/tf", 100)
    diagnostics = probe.listen(DiagnosticArray, "/diagnostics", 100)
    move(probe, arm, arm.start + 0.2, 2.0, namespace)
    errors = np.array([report.error.positions for report in reports])
    errors = errors[np.isfinite(errors).all(axis=1)]  # before the first state there is none
    assert len(errors) > 10
    assert np.sqrt(np.mean(errors**2)) < 2e-3
    assert np.abs(errors).max() < 2e-2
    move(probe, arm, arm.start, 2.0, namespace)
    moving = {t.child_frame_id for message in tf for t in message.transforms}
    assert arm.model.link_names[-1] in moving or len(moving) >= len(arm.joints)
    probe.wait(
        lambda: (
            {f"torque_monitor: {joint}" for joint in arm.joints}
            <= {status.name for message in diagnostics for status in message.status}
        ),
        "a diagnosis of every joint",
    )


def ik_request(arm: Arm, wanted: np.ndarray) -> GetPositionIK.Request:
    """Ask for the pose that these joint values give the tip, from the arm as it stands."""
    rotation, position = link_pose(arm.model, wanted, arm.tip_link)
    request = GetPositionIK.Request()
    ik = request.ik_request
    groups = arm.of_node("ik_server")["groups"]
    ik.group_name = next(n for n, g in groups.items() if g["tip_link"] == arm.tip_link)
    ik.pose_stamped.header.frame_id = arm.base_link
    p, o = ik.pose_stamped.pose.position, ik.pose_stamped.pose.orientation
    p.x, p.y, p.z = position.tolist()
    o.x, o.y, o.z, o.w = quaternion_from_matrix(rotation).tolist()
    ik.robot_state.is_diff = True
    return request


def goes_where_the_tip_is_wanted(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """compute_ik answers for the arm as it stands; the arm moves to the answer."""
    request = ik_request(arm, arm.start + 0.1)
    answer = probe.call(GetPositionIK, f"{namespace}compute_ik", request)
    assert answer.error_code.val == SUCCESS, answer.error_code
    state = answer.solution.joint_state
    found = dict(zip(state.name, state.position, strict=True))
    goal = np.array([found[name] for name in arm.model.joint_names])
    move(probe, arm, goal, 1.5, namespace)
    move(probe, arm, arm.start, 1.5, namespace)


def answers_many_at_once(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """Ten requests in one go: all are answered, and the efforts go on meanwhile."""
    efforts = probe.listen(JointState, f"{namespace}computed_torque/effort")
    client = probe.node.create_client(GetPositionIK, f"{namespace}compute_ik")
    probe.wait(client.service_is_ready, "compute_ik")
    probe.wait(lambda: efforts, "efforts")
    efforts.clear()
    futures = [client.call_async(ik_request(arm, arm.start + 0.02 * i)) for i in range(10)]
    probe.wait(lambda: all(future.done() for future in futures), "ten answers")
    codes = [future.result().error_code.val for future in futures]
    assert codes == [SUCCESS] * 10
    probe.wait(lambda: len(efforts) > 5, "efforts all along")
    probe.node.destroy_client(client)


def notices_an_overload(probe: Probe, arm: Arm, namespace: str = "") -> None:
    """Ask for a motion that takes more effort than one joint has: an event names the joint."""
    events = probe.listen(DiagnosticStatus, f"{namespace}torque_monitor/events", 100)
    commands = probe.publisher(JointState, f"{namespace}computed_torque/required_effort")
    joint = arm.joints[-1]
    peak = arm.parameters["/**"]["ros__parameters"]["limits"][joint]["effort_peak"]
    message = JointState(name=list(arm.joints), effort=[0.0] * len(arm.joints))
    message.effort[-1] = 1.5 * peak  # without a stamp: now, by the clock of the monitor

    def told() -> bool:
        return any(joint in event.name and "peak" in event.message for event in events)

    probe.insist(lambda: commands.publish(message), told, f"an event of {joint}", every=0.2)


TOGETHER: Sequence = (
    follows_a_trajectory,
    goes_where_the_tip_is_wanted,
    answers_many_at_once,
    notices_an_overload,
)
