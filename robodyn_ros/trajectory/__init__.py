# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories: reading, judging, timing and interpolating them."""

from robodyn_ros.trajectory.extrema import check_between_points
from robodyn_ros.trajectory.joint_trajectory import JointTrajectory, TrajectoryPoint
from robodyn_ros.trajectory.splines import TrajectorySpline
from robodyn_ros.trajectory.timing import Start, resolve_start
from robodyn_ros.trajectory.validation import check_points, validate_trajectory

__all__ = [
    "JointTrajectory",
    "Start",
    "TrajectoryPoint",
    "TrajectorySpline",
    "check_between_points",
    "check_points",
    "resolve_start",
    "validate_trajectory",
]
