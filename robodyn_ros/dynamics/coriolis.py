# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The Coriolis matrix, for passivity-based control and analysis."""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import NOT_ONE_SAMPLE, Array, as_rows, one_sample
from robodyn_ros.model.robot_model import RobotModel


def coriolis_matrix(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """
    Christoffel matrix C(q, qd) (..., n, n): C qd is the Coriolis torque, M_dot - 2 C is skew.

    C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k / 2, computed without derivatives
    (Echeandia, Wensing 2021, algorithm 1). q, qd (..., n). Raises ShapeError.
    """
    if one_sample(q):
        try:
            vector = np.empty((model.n, model.n))
            _kernels.coriolis_vector(model.arrays.packed, q, qd, vector)
            return vector
        except NOT_ONE_SAMPLE:
            pass
    lead, rows = as_rows(model, q=q, qd=qd)
    constants = model.arrays
    matrix = _kernels.coriolis(constants.bodies, constants.topology, *rows)
    return matrix.reshape(*lead, model.n, model.n)
