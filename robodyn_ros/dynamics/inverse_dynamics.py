# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics: the torque a motion takes, and its parts."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import NOT_ONE_SAMPLE, Array, as_rows, one_sample
from robodyn_ros.dynamics.joint_effects import JointFriction, friction_torques
from robodyn_ros.dynamics.kinematics import frame_jacobian
from robodyn_ros.errors import ShapeError
from robodyn_ros.model.robot_model import RobotModel

Wrenches = Mapping[str, ArrayLike]

_WEIGHTLESS = np.zeros(3)
_WEIGHTLESS.setflags(write=False)


def inverse_dynamics(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    wrenches: Wrenches | None = None,
    *,
    friction: JointFriction | None = None,
) -> Array:
    """
    Joint torques of a motion: tau = M(q) qdd + C(q, qd) qd + g(q) - sum J^T f.

    q, qd, qdd (..., n) in rad (m), per s, per s^2; leading axes are a batch and broadcast.
    ``wrenches`` maps links to (..., 6) [force; moment] that the environment exerts ON the robot,
    at the link's origin in root axes (N, N m). ``friction`` adds ``friction_torques``; rotor
    inertia counts as far as ``model.armature`` states it. Returns (..., n) in N m (N for sliding
    joints). Raises ShapeError, and UnknownNameError for a link of ``wrenches``.

    Recursive Newton-Euler (Featherstone 2008, section 5.3), O(n).
    """
    tau = None
    if one_sample(q):
        try:
            vector = np.empty(model.n)
            _kernels.rnea_vector(model.arrays.packed, q, qd, qdd, vector)
            tau = vector
        except NOT_ONE_SAMPLE:
            pass  # they go the long way, which says what is wrong if something is
    if tau is None:
        lead, rows = as_rows(model, q=q, qd=qd, qdd=qdd)
        bodies, topology, gravity, *_ = model.arrays
        tau = _kernels.rnea(bodies, topology, gravity, *rows).reshape(*lead, model.n)
    if wrenches:
        tau = tau - wrench_torques(model, q, wrenches)
    return tau if friction is None else tau + friction_torques(friction, qd)


def gravity_torques(model: RobotModel, q: ArrayLike) -> Array:
    """Torques that hold the robot still: g(q), the gradient of the potential energy; (..., n)."""
    if one_sample(q):
        try:
            tau = np.empty(model.n)
            _kernels.gravity_vector(model.arrays.packed, q, tau)
            return tau
        except NOT_ONE_SAMPLE:
            pass
    return inverse_dynamics(model, q, np.zeros(model.n), np.zeros(model.n))


def bias_torques(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """Torques at zero acceleration: C(q, qd) qd + g(q); (..., n)."""
    return inverse_dynamics(model, q, qd, np.zeros(model.n))


def coriolis_torques(model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """Coriolis and centrifugal torques: C(q, qd) qd, without gravity; (..., n)."""
    lead, rows = as_rows(model, q=q, qd=qd)
    constants = model.arrays
    still = np.zeros_like(rows[0])
    tau = _kernels.rnea(constants.bodies, constants.topology, _WEIGHTLESS, *rows, still)
    return tau.reshape(*lead, model.n)


def wrench_torques(model: RobotModel, q: ArrayLike, wrenches: Wrenches) -> Array:
    """
    Torques with which external wrenches load the joints: sum of J^T f; (..., n).

    Wrenches as for ``inverse_dynamics``: on the robot, at the link's origin, in root axes.
    """
    total = np.zeros(np.asarray(q, dtype=float).shape)
    for link, wrench in wrenches.items():
        f = np.asarray(wrench, dtype=float)
        if f.shape[-1:] != (6,):
            raise ShapeError(f"wrench on link '{link}' has shape {f.shape}: last axis must be 6")
        total = total + np.einsum("...ij,...i->...j", frame_jacobian(model, q, link), f)
    return total
