# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Compile every kernel once, so that no node has to do it while an arm waits."""

import time

import numpy as np

from robodyn_ros.cli.shipped import robot_folder
from robodyn_ros.dynamics.coriolis import coriolis_matrix
from robodyn_ros.dynamics.forward_dynamics import forward_dynamics, mass_matrix
from robodyn_ros.dynamics.inverse_dynamics import inverse_dynamics
from robodyn_ros.dynamics.kinematics import forward_kinematics, link_pose
from robodyn_ros.ik import solve_ik
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.urdf import load_urdf
from robodyn_ros.simulation import ArmSimulator


def warm_up(model: RobotModel) -> None:
    """Call each kernel with the array types that nodes use; cached on disk afterwards."""
    q, still = model.limits.mid, np.zeros(model.n)
    inverse_dynamics(model, q, still, still)
    inverse_dynamics(model, q[None], still, still)
    forward_kinematics(model, q)
    tip = model.leaf_links[-1]
    target = link_pose(model, q, tip)
    mass_matrix(model, q)
    coriolis_matrix(model, q, still)
    solve_ik(model, tip, target, q)
    forward_dynamics(model, q, still, still)
    simulation = ArmSimulator(model)
    simulation.command(still, 0)
    simulation.advance(0)
    simulation.advance(2_000_000)


def main() -> None:
    """Compile for a shipped robot: what is compiled serves every model."""
    start = time.monotonic()
    warm_up(load_urdf(robot_folder("two_link") / "two_link.urdf"))
    print(f"kernels ready after {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
