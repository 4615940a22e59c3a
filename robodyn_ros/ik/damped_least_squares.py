# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Damped least squares as the textbooks have it: to read, to teach, to compare with."""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics.kinematics import frame_jacobian, link_pose
from robodyn_ros.errors import ParameterError
from robodyn_ros.ik.pose_error import Target, checked_target, pose_error
from robodyn_ros.ik.result import DampedLeastSquaresResult
from robodyn_ros.ik.seeds import checked_seed
from robodyn_ros.model.robot_model import RobotModel


def damped_least_squares(
    model: RobotModel,
    link: str,
    target: Target,
    seed: ArrayLike,
    damping: float = 0.1,
    tolerance: float = 1e-4,
    max_iterations: int = 100,
) -> DampedLeastSquaresResult:
    """
    Repeat dq = J' (J J' + damping^2 I)^-1 e from the seed (n,) until |e| is below the tolerance.

    ``target`` is (R, p) for a pose (e of 6, in m and rad) or (None, p) for a position (e of 3).
    Constant damping, no limits, no restarts: ``solve_ik`` is the one to use on a robot. Raises
    UnknownNameError, ShapeError and ParameterError. (Wampler 1986; Nakamura and Hanafusa 1986.)
    """
    for name, value in (("damping", damping), ("tolerance", tolerance)):
        if not 0.0 < value < np.inf:
            raise ParameterError(name, value, "a number above 0")
    rotation, position = checked_target(target)
    q = checked_seed(model, seed)
    errors: list[float] = []
    while True:
        error = pose_error(*link_pose(model, q, link), rotation, position)
        errors.append(float(np.linalg.norm(error)))
        iterations = len(errors) - 1
        if errors[-1] < tolerance or iterations >= max_iterations:
            success = errors[-1] < tolerance
            return DampedLeastSquaresResult(q, success, iterations, np.array(errors))
        jacobian = frame_jacobian(model, q, link)[: len(error)]
        damped = jacobian @ jacobian.T + damping**2 * np.eye(len(error))
        q = q + jacobian.T @ np.linalg.solve(damped, error)
