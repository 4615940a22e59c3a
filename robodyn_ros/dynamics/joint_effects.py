# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
What joints add to rigid-body dynamics: friction. Nothing adds it unless it is asked for.

The other effect, reflected rotor inertia, belongs to the mass matrix and hence to the model:
``model.with_armature``.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics.borders import Array
from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.model.robot_model import RobotModel


@dataclass(frozen=True, eq=False)
class JointFriction:
    """
    Friction of n joints; each field is one number for all joints or (n,).

    ``viscous`` (N m s/rad or N s/m) and ``coulomb`` (N m or N), 0 or above. ``coulomb_velocity``
    (rad/s or m/s): the velocity over which Coulomb friction sets in, as tanh(qd / velocity); 0 is
    the sharp sign function, which is 0 at standstill, where true friction is whatever holds the
    joint. ``coulomb_shift`` (rad/s or m/s), with a velocity above 0 only: makes the two directions
    unequal, as tanh((qd + shift) / velocity) - tanh(shift / velocity).
    Raises ParameterError.
    """

    viscous: ArrayLike = 0.0
    coulomb: ArrayLike = 0.0
    coulomb_velocity: ArrayLike = 0.0
    coulomb_shift: ArrayLike = 0.0

    def __post_init__(self) -> None:
        """Check and store read-only arrays."""
        for name in ("viscous", "coulomb", "coulomb_velocity", "coulomb_shift"):
            values = np.array(getattr(self, name), dtype=float)
            lowest = -np.inf if name == "coulomb_shift" else 0.0
            if values.ndim > 1 or not np.all(np.isfinite(values) & (values >= lowest)):
                expected = "finite numbers" + (" of 0 or above" if lowest == 0.0 else "")
                raise ParameterError(name, getattr(self, name), f"one or (n,) {expected}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        if np.any((np.asarray(self.coulomb_velocity) == 0.0) & (self.coulomb_shift != 0.0)):
            raise ParameterError("coulomb_shift", self.coulomb_shift, "0 where the velocity is 0")

    @classmethod
    def from_model(cls, model: RobotModel, coulomb_velocity: ArrayLike = 0.0) -> "JointFriction":
        """Friction that the robot description states: <dynamics damping friction>."""
        return cls(model.damping, model.friction, coulomb_velocity)


def viscous_torques(friction: JointFriction, qd: ArrayLike) -> Array:
    """Torques that overcome viscous friction: viscous * qd; (..., n) for qd (..., n)."""
    return friction.viscous * _rates(friction, qd)


def coulomb_torques(friction: JointFriction, qd: ArrayLike) -> Array:
    """Torques that overcome Coulomb friction, smoothed as the fields say; (..., n)."""
    rate, width = _rates(friction, qd), np.asarray(friction.coulomb_velocity)
    sharp = width == 0.0
    scale = np.where(sharp, 1.0, width)
    smooth = np.tanh((rate + friction.coulomb_shift) / scale)
    smooth = smooth - np.tanh(friction.coulomb_shift / scale)
    return friction.coulomb * np.where(sharp, np.sign(rate), smooth)


def friction_torques(friction: JointFriction, qd: ArrayLike) -> Array:
    """
    Torques (..., n) that overcome friction at velocities qd (..., n), of the sign of qd.

    They add to what a motion takes: ``inverse_dynamics(..., friction=...)``, and come off what the
    motors give: ``forward_dynamics(..., friction=...)``. Raises ShapeError.
    """
    return viscous_torques(friction, qd) + coulomb_torques(friction, qd)


def _rates(friction: JointFriction, qd: ArrayLike) -> Array:
    rates = np.asarray(qd, dtype=np.float64)
    for name in ("viscous", "coulomb", "coulomb_velocity", "coulomb_shift"):
        shape = getattr(friction, name).shape
        if shape and rates.shape[-1:] != shape:
            raise ShapeError(f"{name} friction is for {shape[0]} joints, qd has {rates.shape}")
    return rates
