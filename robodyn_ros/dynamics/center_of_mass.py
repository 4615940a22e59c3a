# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass of the whole robot, root link and payloads included."""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import Array, as_rows
from robodyn_ros.dynamics.kinematics import forward_kinematics
from robodyn_ros.errors import ModelError
from robodyn_ros.model.robot_model import RobotModel

_AGAINST_AXES = -np.eye(3)
_AGAINST_AXES.setflags(write=False)


def center_of_mass(model: RobotModel, q: ArrayLike) -> Array:
    """
    Centre of mass (..., 3) in m, in the root frame: sum m r / sum m over all links and payloads.

    q (..., n). Raises ShapeError, and ModelError when nothing has mass.
    """
    return mass_moment(model, q) / _total_mass(model)


def center_of_mass_jacobian(model: RobotModel, q: ArrayLike) -> Array:
    """
    Jacobian (..., 3, n) of the centre of mass: c_dot = J_c qd, root axes.

    Row k is what gravity of 1 m/s^2 against axis k asks of the joints, divided by the mass, for
    g(q) = -m J_c^T g0. q (..., n). Raises ShapeError, and ModelError when nothing has mass.
    """
    lead, (rows,) = as_rows(model, q=q)
    bodies, topology, *_ = model.arrays
    still = np.zeros_like(rows)
    torques = [_kernels.rnea(bodies, topology, g, rows, still, still) for g in _AGAINST_AXES]
    return (np.stack(torques, axis=1) / _total_mass(model)).reshape(*lead, 3, model.n)


def mass_moment(model: RobotModel, q: ArrayLike) -> Array:
    """First moment of mass about the root's origin (..., 3) in kg m: sum of m r over all links."""
    rotation, position = forward_kinematics(model, q)
    parameters = model.link_parameters.copy()
    for payload in model.payloads:
        parameters[model.link_index(payload.link)] += payload.parameters
    moments = np.einsum("...lij,lj->...i", rotation, parameters[:, 1:4])
    return moments + np.einsum("l,...li->...i", parameters[:, 0], position)


def _total_mass(model: RobotModel) -> float:
    if not model.total_mass > 0.0:
        raise ModelError(f"{model.name} has no mass, so it has no centre of mass")
    return model.total_mass
