# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Base parameters: the combinations of inertial parameters that torques can tell apart.

Gautier, "Numerical calculation of the base inertial parameters of robots", 1991: columns of the
regressor, stacked over many states, that depend on columns before them go; what they stood for is
added to the parameters of those. Only beta = combination @ theta can be identified.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics.borders import Array
from robodyn_ros.dynamics.regressor import torque_regressor
from robodyn_ros.model.robot_model import RobotModel


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """
    Result of ``base_parameters``: tau = Y[..., columns] @ (combination @ theta).

    ``columns`` (rank,) of the regressor that are independent, from the root outwards;
    ``combination`` (rank, 10 P), with the identity in those columns.
    """

    columns: NDArray[np.intp]
    combination: Array

    @property
    def rank(self) -> int:
        """Count the base parameters."""
        return len(self.columns)

    def values(self, theta: ArrayLike) -> Array:
        """Compute beta (rank,) of inertial parameters theta (10 P,)."""
        return self.combination @ np.asarray(theta, dtype=float)


def base_parameters(
    model: RobotModel,
    states: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
    tolerance: float = 1e-8,
) -> BaseParameters:
    """
    Reduce the 10 P inertial parameters of a model to those that its torques depend on.

    ``states`` (q, qd, qdd), each (..., n): what they excite; not given, random states over a full
    turn (sliding joints: 1 m either way), the same at each call, excite all that can be. A column
    is dependent when less than ``tolerance`` of its length is new. Raises ShapeError.
    """
    if states is None:
        rng = np.random.default_rng(0)
        parameters = 10 * len(model.arrays.bodies)
        count = 4 * parameters // max(model.n, 1) + 1
        reach = np.where(model.revolute, np.pi, 1.0)
        q, qd, qdd = rng.uniform(-1.0, 1.0, (3, count, model.n))
        states = reach * q, 2.0 * qd, 2.0 * qdd
    matrix = torque_regressor(model, *states)
    stacked = matrix.reshape(prod(matrix.shape[:-1]), matrix.shape[-1])
    columns = _independent_columns(stacked, tolerance)
    combination = np.empty((len(columns), stacked.shape[1]))
    combination[:] = np.linalg.lstsq(stacked[:, columns], stacked, rcond=None)[0]
    # Exact by definition; and a kept column has no part in those before it.
    combination[:, columns] = np.eye(len(columns))
    combination[np.arange(stacked.shape[1]) < columns[:, None]] = 0.0
    return BaseParameters(columns, combination)


def _independent_columns(matrix: Array, tolerance: float) -> NDArray[np.intp]:
    """Columns that are no combination of those before them, by Gram-Schmidt done twice."""
    lengths = np.linalg.norm(matrix, axis=0)
    basis = np.empty((matrix.shape[0], 0))
    kept = []
    for column in np.flatnonzero(lengths > tolerance * lengths.max(initial=0.0)):
        rest = matrix[:, column] / lengths[column]
        rest = rest - basis @ (basis.T @ rest)
        rest = rest - basis @ (basis.T @ rest)
        new = np.linalg.norm(rest)
        if new > tolerance:
            basis = np.column_stack([basis, rest / new])
            kept.append(column)
    return np.array(kept, dtype=np.intp)
