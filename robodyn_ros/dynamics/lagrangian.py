# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Any mechanical system given by M(q), C(q, qd) and g(q): the manipulator equation."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics.coriolis import coriolis_matrix
from robodyn_ros.dynamics.energy import potential_energy
from robodyn_ros.dynamics.forward_dynamics import mass_matrix
from robodyn_ros.dynamics.inverse_dynamics import gravity_torques
from robodyn_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LagrangianSystem:
    """
    M(q) qdd + C(q, qd) qd + g(q) = tau, each term a function of (n,) arrays.

    (Siciliano et al., Robotics, 2009, equation 7.42.) ``potential`` is only needed for energy.
    """

    mass: Callable[[Array], ArrayLike]
    coriolis: Callable[[Array, Array], ArrayLike]
    gravity: Callable[[Array], ArrayLike]
    potential: Callable[[Array], float] | None = None

    @classmethod
    def from_model(cls, model: RobotModel) -> "LagrangianSystem":
        """Take the terms of a robot model."""
        return cls(
            lambda q: mass_matrix(model, q),
            lambda q, qd: coriolis_matrix(model, q, qd),
            lambda q: gravity_torques(model, q),
            lambda q: float(potential_energy(model, q)),
        )

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Torques (n,) of a motion."""
        q, qd, qdd = (np.asarray(x, dtype=float) for x in (q, qd, qdd))
        return self._mass(q) @ qdd + self._bias(q, qd)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
        """Accelerations (n,) under torques, by solving with M(q)."""
        q, qd, tau = (np.asarray(x, dtype=float) for x in (q, qd, tau))
        qdd = np.asarray(np.linalg.solve(self._mass(q), tau - self._bias(q, qd)), np.float64)
        return qdd

    def energy(self, q: ArrayLike, qd: ArrayLike) -> float:
        """Kinetic plus potential energy in J; ValueError when no potential was given."""
        if self.potential is None:
            raise ValueError("this system was given no potential energy function")
        q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
        return float(0.5 * qd @ self._mass(q) @ qd) + self.potential(q)

    def _mass(self, q: Array) -> Array:
        return np.atleast_2d(np.asarray(self.mass(q), dtype=float))

    def _bias(self, q: Array, qd: Array) -> Array:
        coriolis = np.atleast_2d(np.asarray(self.coriolis(q, qd), dtype=float))
        return coriolis @ qd + np.atleast_1d(np.asarray(self.gravity(q), dtype=float))
