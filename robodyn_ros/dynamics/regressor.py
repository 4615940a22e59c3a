# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The torque as a linear function of the inertial parameters: tau = Y(q, qd, qdd) theta.

theta has ten parameters for each of the P moving bodies: m, m c (x, y, z), and the tensor about
the origin xx, xy, yy, xz, yz, zz, in the frame of the link that the body's joint moves. Links
fixed to it and payloads count into it. Bodies are in the order of the moving joints, depth first,
mimic joints included: without those, body i is moved by joint i. ``parameter_names`` lists them.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import Array, are_vectors, as_rows
from robodyn_ros.model.arrays import INERTIA, MASS
from robodyn_ros.model.assembly import move_parameters
from robodyn_ros.model.robot_model import RobotModel

PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")


def torque_regressor(model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
    """
    Regressor Y (..., n, 10 P): inverse_dynamics(...) = Y @ inertial_parameters(model).

    q, qd, qdd (..., n) as for ``inverse_dynamics``; leading axes are a batch and broadcast. P
    moving bodies, ten columns each: order and frame in the head of this file. Rigid bodies only:
    ``model.armature`` adds armature * qdd to the torque. Raises ShapeError.

    Atkeson, An, Hollerbach 1986, by virtual power instead of their recursion; O(n depth).
    """
    bodies, topology, gravity, *_ = model.arrays
    axes = _link_axes(model)
    if are_vectors(model, q, qd, qdd):
        return _kernels.regressor_vector(bodies, topology, gravity, axes, q, qd, qdd)
    lead, rows = as_rows(model, q=q, qd=qd, qdd=qdd)
    matrix = _kernels.regressors(bodies, topology, gravity, axes, *rows)
    return matrix.reshape(*lead, *matrix.shape[1:])


def inertial_parameters(model: RobotModel) -> Array:
    """
    Inertial parameters theta (10 P,) of the moving bodies, payloads included.

    Per body m (kg), m c (kg m), tensor about the origin (kg m^2) in the moving link's frame:
    order in the head of this file.
    """
    rows = model.arrays.bodies[:, MASS : INERTIA + 6]
    parameters = np.empty(rows.shape)
    for body, axes in enumerate(_link_axes(model)):
        from_body = np.concatenate([axes.reshape(3, 3).T.ravel(), np.zeros(3)])
        parameters[body] = move_parameters(rows[body], from_body)
    return parameters.ravel()


def parameter_names(model: RobotModel) -> tuple[str, ...]:
    """Names "link m", "link mcx", ... (10 P) of the entries of theta; the moving links' names."""
    return tuple(
        f"{model.link_names[link]} {parameter}"
        for link in _moving_links(model)
        for parameter in PARAMETERS
    )


def _moving_links(model: RobotModel) -> NDArray[np.intp]:
    """Position in link_names of the link that each body's joint moves: the body's first."""
    bodies, first = np.unique(model.skeleton.frame_body, return_index=True)
    return first[bodies >= 0]


@lru_cache(maxsize=64)
def _link_axes(model: RobotModel) -> Array:
    """Axes (P, 9) of the moving links in their bodies' frames, whose z is the joint's axis."""
    axes = np.ascontiguousarray(model.skeleton.frame_offset[_moving_links(model), :9])
    axes.setflags(write=False)
    return axes
