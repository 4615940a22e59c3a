# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinetic and potential energy."""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics.borders import Array
from robodyn_ros.dynamics.forward_dynamics import mass_matrix
from robodyn_ros.dynamics.kinematics import forward_kinematics
from robodyn_ros.model.robot_model import RobotModel


def kinetic_energy(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """T = qd^T M(q) qd / 2 in J, shape (...), for q, qd (..., n)."""
    rate = np.asarray(qd, dtype=float)
    return 0.5 * np.einsum("...i,...ij,...j->...", rate, mass_matrix(model, q), rate)


def potential_energy(model: RobotModel, q: ArrayLike) -> Array:
    """V = - sum m g . r of all links and payloads in J, shape (...); zero at the root's origin."""
    rotation, position = forward_kinematics(model, q)
    parameters = model.link_parameters.copy()
    for payload in model.payloads:
        parameters[model.link_index(payload.link)] += payload.parameters
    moment = parameters[:, :1] * position + np.einsum(
        "...lij,lj->...li", rotation, parameters[:, 1:4]
    )
    return -np.einsum("...li,i->...", moment, model.gravity)
