# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinetic and potential energy."""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics.borders import Array
from robodyn_ros.dynamics.center_of_mass import mass_moment
from robodyn_ros.dynamics.forward_dynamics import mass_matrix
from robodyn_ros.model.robot_model import RobotModel


def kinetic_energy(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """T = qd^T M(q) qd / 2 in J, shape (...), for q, qd (..., n)."""
    rate = np.asarray(qd, dtype=float)
    return 0.5 * np.einsum("...i,...ij,...j->...", rate, mass_matrix(model, q), rate)


def potential_energy(model: RobotModel, q: ArrayLike) -> Array:
    """V = - sum m g . r of all links and payloads in J, shape (...); zero at the root's origin."""
    return -np.einsum("...i,i->...", mass_moment(model, q), model.gravity)
