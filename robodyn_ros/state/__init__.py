# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What the robot's joints are doing, gathered from messages that may be partial or wrong."""

from robodyn_ros.state.joint_states import JointStateIntake

__all__ = ["JointStateIntake"]
