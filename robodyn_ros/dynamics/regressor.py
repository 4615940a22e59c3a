# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The torque as a linear function of the inertial parameters: tau = Y(q, qd, qdd) theta.

theta has ten parameters for each of the P moving bodies: m, m c (x, y, z), and the tensor about
the origin xx, xy, yy, xz, yz, zz, in the frame of the link that the body's joint moves. Links
fixed to it and payloads count into it. Bodies are in the order of the moving joints, depth first,
mimic joints included: without those, body i is moved by joint i. ``parameter_names`` lists them.
"""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import NOT_ONE_SAMPLE, Array, as_rows, one_sample
from robodyn_ros.model.arrays import INERTIA, LINK_AXES, MASS
from robodyn_ros.model.assembly import ROOT, move_parameters
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
    if one_sample(q):
        try:
            vector = np.empty((model.n, len(PARAMETERS) * len(bodies)))
            _kernels.regressor_vector(model.arrays.packed, q, qd, qdd, vector)
            return vector
        except NOT_ONE_SAMPLE:
            pass
    lead, rows = as_rows(model, q=q, qd=qd, qdd=qdd)
    matrix = _kernels.regressors(bodies, topology, gravity, *rows)
    return matrix.reshape(*lead, *matrix.shape[1:])


def inertial_parameters(model: RobotModel) -> Array:
    """
    Inertial parameters theta (10 P,) of the moving bodies, payloads included.

    Per body m (kg), m c (kg m), tensor about the origin (kg m^2) in the moving link's frame:
    order in the head of this file.
    """
    bodies = model.arrays.bodies
    parameters = np.empty((len(bodies), len(PARAMETERS)))
    for row, body in zip(parameters, bodies, strict=True):
        axes = body[LINK_AXES : LINK_AXES + 9].reshape(3, 3)
        turn = np.concatenate([axes.T.ravel(), np.zeros(3)])
        row[:] = move_parameters(body[MASS : INERTIA + 6], turn)
    return parameters.ravel()


def parameter_names(model: RobotModel) -> tuple[str, ...]:
    """Names "link m", "link mcx", ... (10 P) of the entries of theta; the moving links' names."""
    # Depth first, the link that a joint moves comes before those fixed to it.
    bodies, first = np.unique(model.skeleton.frame_body, return_index=True)
    links = [model.link_names[i] for i in first[bodies != ROOT]]
    return tuple(f"{link} {parameter}" for link in links for parameter in PARAMETERS)
