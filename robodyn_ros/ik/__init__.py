# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: which joint values put a link where it should be."""

from robodyn_ros.ik.damped_least_squares import damped_least_squares
from robodyn_ros.ik.result import DampedLeastSquaresResult, IKResult, Reason
from robodyn_ros.ik.solver import solve_ik

__all__ = [
    "DampedLeastSquaresResult",
    "IKResult",
    "Reason",
    "damped_least_squares",
    "solve_ik",
]
