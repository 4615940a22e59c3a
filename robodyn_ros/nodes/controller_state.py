# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The state topic of the controller, in the form that a joint_trajectory_controller gives it."""

from collections.abc import Sequence
from typing import Any

from control_msgs.msg import JointTrajectoryControllerState
from rclpy.node import Node

from robodyn_ros.control import ControlOutput
from robodyn_ros.nodes.conversions import set_ns, shared_values
from robodyn_ros.nodes.qos import STATE


class ControllerState:
    """``~/controller_state`` as a joint_trajectory_controller publishes it."""

    def __init__(self, node: Node, joints: Sequence[str]):
        self.publisher = node.create_publisher(
            JointTrajectoryControllerState, "~/controller_state", STATE
        )
        self.message = JointTrajectoryControllerState(joint_names=list(joints))
        self.message.speed_scaling_factor = 1.0
        self.values = {}
        for part, fields in {
            "reference": ("positions", "velocities", "accelerations", "effort"),
            "feedback": ("positions", "velocities"),
            "error": ("positions", "velocities"),
            "output": ("effort",),
        }.items():
            for field in fields:
                point = getattr(self.message, part)
                self.values[part, field] = shared_values(point, field, len(joints))

    def publish(self, output: ControlOutput, mine: Any) -> None:
        """
        Send one control step; ``mine`` are the indices of the joints to tell.

        The error is that of the moment of the measurement; reference minus feedback equals it.
        """
        fill = {
            ("reference", "positions"): output.q_d,
            ("reference", "velocities"): output.qd_d,
            ("reference", "accelerations"): output.qdd_d,
            ("reference", "effort"): output.required,
            ("feedback", "positions"): output.q_d - output.error,
            ("feedback", "velocities"): output.qd_d - output.velocity_error,
            ("error", "positions"): output.error,
            ("error", "velocities"): output.velocity_error,
            ("output", "effort"): output.required if output.effort is None else output.effort,
        }
        for place, values in fill.items():
            self.values[place][:] = values[mine]
        set_ns(self.message.header.stamp, output.stamp_ns)
        self.publisher.publish(self.message)
