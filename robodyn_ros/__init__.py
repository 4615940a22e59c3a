# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rigid-body dynamics for ROS 2: what torque a motion takes, and whether the motors have it.

    from robodyn_ros import load_urdf, inverse_dynamics
    model = load_urdf("robot.urdf")
    tau = inverse_dynamics(model, q, qd, qdd)      # (..., n) in, (..., n) out

A constant RobotModel, arrays whose last axis is the joints and whose leading axes are a batch,
and free functions between them. Importable without ROS; SI units; conventions in
docs/conventions.md.
"""

from robodyn_ros.dynamics.base_parameters import BaseParameters, base_parameters
from robodyn_ros.dynamics.center_of_mass import center_of_mass, center_of_mass_jacobian
from robodyn_ros.dynamics.coriolis import coriolis_matrix
from robodyn_ros.dynamics.derivatives import inverse_dynamics_derivatives
from robodyn_ros.dynamics.energy import kinetic_energy, potential_energy
from robodyn_ros.dynamics.floating_base import FloatingBase
from robodyn_ros.dynamics.forward_dynamics import forward_dynamics, mass_matrix
from robodyn_ros.dynamics.frames import (
    frame_acceleration,
    frame_jacobian_rate,
    jacobian_condition,
    manipulability,
)
from robodyn_ros.dynamics.inverse_dynamics import (
    bias_torques,
    coriolis_torques,
    gravity_torques,
    inverse_dynamics,
)
from robodyn_ros.dynamics.joint_effects import JointFriction, friction_torques
from robodyn_ros.dynamics.kinematics import (
    Kinematics,
    forward_kinematics,
    frame_jacobian,
    frame_velocity,
    joint_positions,
    link_pose,
)
from robodyn_ros.dynamics.regressor import inertial_parameters, torque_regressor
from robodyn_ros.errors import RobodynError
from robodyn_ros.ik import IKResult, solve_ik
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.urdf import load_urdf
from robodyn_ros.trajectory.joint_trajectory import JointTrajectory
from robodyn_ros.trajectory.retiming import RetimeResult, retime
from robodyn_ros.trajectory.torque_check import TorqueReport, check_torques

__all__ = [
    "retime",
    "check_torques",
    "TorqueReport",
    "RetimeResult",
    "JointTrajectory",
    "BaseParameters",
    "ChainLink",
    "FloatingBase",
    "IKResult",
    "JointFriction",
    "JointLimits",
    "Kinematics",
    "RobodynError",
    "RobotModel",
    "base_parameters",
    "bias_torques",
    "center_of_mass",
    "center_of_mass_jacobian",
    "coriolis_matrix",
    "coriolis_torques",
    "forward_dynamics",
    "forward_kinematics",
    "frame_acceleration",
    "frame_jacobian",
    "frame_jacobian_rate",
    "frame_velocity",
    "friction_torques",
    "gravity_torques",
    "inertial_parameters",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian_condition",
    "joint_positions",
    "kinetic_energy",
    "link_pose",
    "load_urdf",
    "manipulability",
    "mass_matrix",
    "potential_energy",
    "solve_ik",
    "torque_regressor",
]
