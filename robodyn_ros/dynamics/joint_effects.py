# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
What joints add to rigid-body dynamics: friction. Nothing adds it unless it is asked for.

The other effect, reflected rotor inertia, belongs to the mass matrix and hence to the model:
``model.with_armature``.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics.borders import Array
from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.model.robot_model import RobotModel


@dataclass(frozen=True, eq=False, init=False)
class JointFriction:
    """
    Friction of n joints; each field is one number for all joints or (n,).

    ``viscous`` (N m s/rad or N s/m) and ``coulomb`` (N m or N), 0 or above. ``coulomb_velocity``
    (rad/s or m/s): the velocity over which Coulomb friction sets in, as tanh(qd / velocity); 0 is
    the sharp sign function, which is 0 at standstill, where true friction is whatever holds the
    joint. ``coulomb_shift`` (rad/s or m/s), with a velocity above 0 only: makes the two directions
    unequal, as tanh((qd + shift) / velocity) - tanh(shift / velocity).
    """

    viscous: Array
    coulomb: Array
    coulomb_velocity: Array
    coulomb_shift: Array

    def __init__(
        self,
        viscous: ArrayLike = 0.0,
        coulomb: ArrayLike = 0.0,
        coulomb_velocity: ArrayLike = 0.0,
        coulomb_shift: ArrayLike = 0.0,
    ):
        """Raise ParameterError for numbers that are not finite, or negative (but the shift)."""
        given = (viscous, coulomb, coulomb_velocity, coulomb_shift)
        for field, value in zip(fields(self), given, strict=True):
            values = np.array(value, dtype=float)
            allowed = np.isfinite(values) & ((values >= 0.0) | (field.name == "coulomb_shift"))
            if values.ndim > 1 or not np.all(allowed):
                sign = "" if field.name == "coulomb_shift" else ", none negative"
                raise ParameterError(field.name, value, f"a finite number or (n,) of them{sign}")
            values.setflags(write=False)
            object.__setattr__(self, field.name, values)
        if np.any((self.coulomb_velocity == 0.0) & (self.coulomb_shift != 0.0)):
            raise ParameterError("coulomb_shift", coulomb_shift, "0 where coulomb_velocity is 0")

    @classmethod
    def from_model(cls, model: RobotModel, coulomb_velocity: ArrayLike = 0.0) -> "JointFriction":
        """Friction that the robot description states: <dynamics damping friction>."""
        return cls(model.damping, model.friction, coulomb_velocity)


def viscous_torques(friction: JointFriction, qd: ArrayLike) -> Array:
    """Torques that overcome viscous friction: viscous * qd; (..., n) for qd (..., n)."""
    return friction.viscous * _rates(friction, qd)


def coulomb_torques(friction: JointFriction, qd: ArrayLike) -> Array:
    """Torques that overcome Coulomb friction, smoothed as the fields say; (..., n)."""
    rate, shift, width = _rates(friction, qd), friction.coulomb_shift, friction.coulomb_velocity
    sharp = width == 0.0
    scale = np.where(sharp, 1.0, width)
    smooth = np.tanh((rate + shift) / scale) - np.tanh(shift / scale)
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
    for field in fields(friction):
        shape = getattr(friction, field.name).shape
        if shape and rates.shape[-1:] != shape:
            raise ShapeError(f"{field.name} is for {shape[0]} joints, qd has shape {rates.shape}")
    return rates
