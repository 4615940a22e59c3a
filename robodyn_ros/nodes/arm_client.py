# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The other end of an arm's topics: sends trajectories, asks for IK, records what happens."""

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import rclpy
from control_msgs.msg import JointTrajectoryControllerState
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from moveit_msgs.srv import GetPositionIK
from numpy.typing import NDArray
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_ros.analysis.motion import MotionRecording
from robodyn_ros.errors import RobodynError
from robodyn_ros.nodes.conversions import seconds_to_ns, set_ns, to_ns
from robodyn_ros.nodes.qos import EVENTS, REQUEST, SENSOR, STATE, TF

Array = NDArray[np.float64]

SUCCESS = 1


class ArmClient:
    """
    Talks to the nodes of one arm over ROS 2, from an ordinary program.

    ``check`` is called while waiting, to raise when a node has died. Use as a context manager.
    """

    def __init__(self, joint_names: Sequence[str], check: Callable[[], None] = lambda: None):
        self.joint_names = list(joint_names)
        self.check = check
        self.context = Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node("robodyn_arm_client", context=self.context)
        # Not the executor of events: that one wants a stderr with a file behind it, which
        # notebooks and test runners do not have.
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.samples: list[tuple[int, Any]] = []
        self.events: list[dict[str, str]] = []
        self.diagnosed: dict[str, DiagnosticStatus] = {}
        self.frames: set[str] = set()
        self.joint_state: JointState | None = None

        node = self.node
        state, events = JointTrajectoryControllerState, DiagnosticStatus
        node.create_subscription(
            state, "computed_torque/controller_state", self._take_state, STATE
        )
        node.create_subscription(events, "torque_monitor/events", self._take_event, EVENTS)
        node.create_subscription(DiagnosticArray, "/diagnostics", self._take_diagnostics, 100)
        self.streams = [
            node.create_subscription(TFMessage, "/tf", self._take_tf, TF),
            node.create_subscription(JointState, "joint_states", self._take_joints, SENSOR),
        ]
        self.trajectory = node.create_publisher(
            JointTrajectory, "computed_torque/joint_trajectory", REQUEST
        )
        self.ik = node.create_client(GetPositionIK, "compute_ik")

    def __enter__(self) -> "ArmClient":
        """Return the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave ROS."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)

    # What arrives.

    def _take_state(self, message: JointTrajectoryControllerState) -> None:
        row = (
            message.reference.positions,
            message.error.positions,
            message.reference.effort,
            message.output.effort,
        )
        self.samples.append((to_ns(message.header.stamp), row))

    def _take_event(self, message: DiagnosticStatus) -> None:
        self.events.append({"text": message.message} | {v.key: v.value for v in message.values})

    def _take_diagnostics(self, message: DiagnosticArray) -> None:
        self.diagnosed |= {status.name: status for status in message.status}

    def _take_tf(self, message: TFMessage) -> None:
        self.frames |= {transform.child_frame_id for transform in message.transforms}

    def _take_joints(self, message: JointState) -> None:
        self.joint_state = message

    # What is asked.

    def wait(self, what: str, condition: Callable[[], bool], timeout: float) -> None:
        """Spin until the condition holds; RobodynError saying what did not happen in time."""
        deadline = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > deadline:
                raise RobodynError(f"{what}: nothing after {timeout:g} s")
            self.check()
            self.executor.spin_once(timeout_sec=0.05)

    def wait_for_arm(self, timeout: float) -> None:
        """Wait until every node of the arm has shown itself."""
        self.wait("joint_states", lambda: self.joint_state is not None, timeout)
        self.wait("computed_torque/controller_state", lambda: bool(self.samples), timeout)
        self.wait("/tf", lambda: bool(self.frames), timeout)
        for stream in self.streams:  # they were to show that they flow; it is work to hear them
            self.node.destroy_subscription(stream)
        self.streams.clear()
        self.wait("service compute_ik", self.ik.service_is_ready, timeout)
        self.wait(
            "diagnostics of torque_monitor",
            lambda: any(name.startswith("torque_monitor") for name in self.diagnosed),
            timeout,
        )
        self.wait(
            "computed_torque listening to trajectories",
            lambda: self.trajectory.get_subscription_count() > 0,
            timeout,
        )

    def move(self, stops: Sequence[tuple[float, Array]], settle: float = 0.5) -> tuple[int, int]:
        """
        Go through stops (time in s, positions (n,)) and wait until the last is reached.

        Between stops the motion is a quintic from rest to rest. Returns first and last stamp (ns)
        of the motion and of ``settle`` seconds after it.
        """
        message = JointTrajectory(joint_names=self.joint_names)
        still = [0.0] * len(self.joint_names)
        for seconds, positions in stops:
            point = JointTrajectoryPoint(positions=[float(x) for x in positions])
            point.velocities, point.accelerations = still, still
            set_ns(point.time_from_start, seconds_to_ns(seconds))
            message.points.append(point)
        start = self.samples[-1][0]
        self.trajectory.publish(message)
        goal = np.asarray(stops[-1][1], dtype=float)

        def arrived() -> bool:
            return bool(np.allclose(self.samples[-1][1][0], goal, rtol=0.0, atol=1e-9))

        # Simulated time may be slow: ten times the duration is no reason to give up.
        self.wait("the end of the trajectory", arrived, 10.0 * stops[-1][0] + 10.0)
        end = self.samples[-1][0] + seconds_to_ns(settle)
        self.wait("the arm at rest", lambda: self.samples[-1][0] >= end, 10.0 * settle + 10.0)
        return start, end

    def ask_ik(
        self, frame: str, group: str, link: str, position: Array, quaternion: Array
    ) -> Array:
        """Joint positions (n,) from compute_ik; RobodynError with the server's reason."""
        self.wait("service compute_ik", self.ik.service_is_ready, 10.0)
        pose = PoseStamped()
        pose.header.frame_id = frame
        p, o = pose.pose.position, pose.pose.orientation
        p.x, p.y, p.z = (float(x) for x in position)
        o.x, o.y, o.z, o.w = (float(x) for x in quaternion)
        request = GetPositionIK.Request()
        request.ik_request.group_name = group
        request.ik_request.ik_link_name = link
        request.ik_request.pose_stamped = pose
        request.ik_request.robot_state.is_diff = True  # start from the arm as it is
        future = self.ik.call_async(request)
        self.wait("answer of compute_ik", future.done, 10.0)
        answer = future.result()
        if answer.error_code.val != SUCCESS:
            raise RobodynError(
                f"compute_ik: error {answer.error_code.val}: {answer.error_code.message}"
            )
        state = answer.solution.joint_state
        found = dict(zip(state.name, state.position, strict=True))
        return np.array([found[name] for name in self.joint_names])

    def recording(self, start_ns: int, end_ns: int) -> MotionRecording:
        """Give what was recorded between two stamps; time in s since the first."""
        rows = [(stamp, row) for stamp, row in self.samples if start_ns <= stamp <= end_ns]
        stamps = np.array([stamp for stamp, _ in rows], dtype=np.int64)
        values = np.array([row for _, row in rows], dtype=float).reshape(
            len(rows), 4, len(self.joint_names)
        )
        reference, error, required, applied = np.moveaxis(values, 1, 0)
        seconds: Array = np.asarray((stamps - start_ns) * 1e-9, dtype=np.float64)
        return MotionRecording(
            tuple(self.joint_names), seconds, reference, error, required, applied
        )
