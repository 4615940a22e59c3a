# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""How inverse dynamics changes with the state, for planners and linearised control."""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import NOT_ONE_SAMPLE, Array, as_rows, one_sample
from robodyn_ros.model.robot_model import RobotModel


def inverse_dynamics_derivatives(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike
) -> tuple[Array, Array]:
    """
    Slopes (dtau/dq, dtau/dqd) of inverse_dynamics, each (..., n, n): row i is of torque i.

    q, qd, qdd (..., n); leading axes are a batch and broadcast. Without external wrenches and
    friction; the third derivative, dtau/dqdd, is ``mass_matrix``. Raises ShapeError.

    Singh, Russell, Wensing 2022, algorithm 1 (analytic), O(n depth).
    """
    bodies, topology, gravity, *_ = model.arrays
    if one_sample(q):
        try:
            by_q, by_qd = np.empty((model.n, model.n)), np.empty((model.n, model.n))
            _kernels.rnea_derivatives_vector(model.arrays.packed, q, qd, qdd, by_q, by_qd)
            return by_q, by_qd
        except NOT_ONE_SAMPLE:
            pass
    lead, rows = as_rows(model, q=q, qd=qd, qdd=qdd)
    slopes = _kernels.rnea_derivatives(bodies, topology, gravity, *rows)
    slopes = slopes.reshape(2, *lead, model.n, model.n)
    return slopes[0], slopes[1]
