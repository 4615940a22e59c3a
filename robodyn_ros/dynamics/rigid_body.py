# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler equations of one free rigid body, in its own frame."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ModelError
from robodyn_ros.model.inertia import inertia_faults

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RigidBody:
    """
    Mass (kg) and inertia (3, 3) about the centre of mass (kg m^2), in body axes.

    Raises ModelError when no real body has them.
    """

    mass: float
    inertia: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "inertia", np.array(self.inertia, dtype=float))
        if self.inertia.shape != (3, 3):
            raise ModelError(f"inertia has shape {self.inertia.shape}: it is (3, 3)")
        faults, _ = inertia_faults(self.mass, self.inertia)
        if faults or self.mass == 0.0 or np.linalg.det(self.inertia) == 0.0:
            raise ModelError("no rigid body can have this inertia", faults or ["it is singular"])

    def inverse_dynamics(
        self, v: ArrayLike, omega: ArrayLike, dv: ArrayLike, domega: ArrayLike
    ) -> tuple[Array, Array]:
        """
        Force and torque (3,) at the centre of mass that cause dv (m/s^2) and domega (rad/s^2).

        F = m (dv + omega x v), tau = I domega + omega x I omega; v, dv and omega in body axes
        (Murray, Li, Sastry 1994, equation 4.16).
        """
        v, omega = np.asarray(v, dtype=float), np.asarray(omega, dtype=float)
        domega = np.asarray(domega, dtype=float)
        force = self.mass * (np.asarray(dv, dtype=float) + np.cross(omega, v))
        torque = self.inertia @ domega + np.cross(omega, self.inertia @ omega)
        return force, torque

    def forward_dynamics(
        self, v: ArrayLike, omega: ArrayLike, force: ArrayLike, torque: ArrayLike
    ) -> tuple[Array, Array]:
        """Accelerations dv, domega (3,) in body axes under a force and torque at the centre."""
        v, omega = np.asarray(v, dtype=float), np.asarray(omega, dtype=float)
        dv = np.asarray(force, dtype=float) / self.mass - np.cross(omega, v)
        gyroscopic = np.cross(omega, self.inertia @ omega)
        domega = np.linalg.solve(self.inertia, np.asarray(torque, dtype=float) - gyroscopic)
        return dv, domega
