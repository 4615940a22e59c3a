# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Newton-Euler equations of one free rigid body, in its own frame."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ModelError
from robodyn_ros.model.inertia import inertia_faults
from robodyn_ros.model.rotations import matrix_from_quaternion, quaternion_rate

Array = NDArray[np.float64]


class BodyState(NamedTuple):
    """
    Motion of a free body.

    ``position`` (3,) of the centre of mass and attitude ``quaternion`` x y z w in the world, its
    velocity ``v`` (3,) and angular velocity ``omega`` (3,) in body axes.
    """

    position: Array
    quaternion: Array
    v: Array
    omega: Array


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

    def step(
        self,
        state: BodyState,
        wrench: Callable[[BodyState], tuple[ArrayLike, ArrayLike]],
        h: float,
    ) -> BodyState:
        """
        State h seconds later, by the classical Runge-Kutta method of order 4.

        ``wrench(state)`` gives force and torque (3,) at the centre of mass in body axes; weight is
        m R^T g with R of the state's quaternion, which is kept at unit length.
        """

        def rate(x: Array) -> Array:
            now = _state(x)
            velocity = matrix_from_quaternion(now.quaternion) @ now.v
            spin = quaternion_rate(now.quaternion, now.omega)
            return np.concatenate(
                [velocity, spin, *self.forward_dynamics(now.v, now.omega, *wrench(now))]
            )

        x = np.concatenate(state)
        k1 = rate(x)
        k2 = rate(x + 0.5 * h * k1)
        k3 = rate(x + 0.5 * h * k2)
        k4 = rate(x + h * k3)
        after = _state(x + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4))
        return after._replace(quaternion=after.quaternion / np.linalg.norm(after.quaternion))


def _state(x: Array) -> BodyState:
    return BodyState(*np.split(x, (3, 7, 10)))
