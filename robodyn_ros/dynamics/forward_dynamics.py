# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics: the acceleration that torques cause, and the mass matrix behind it."""

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import NOT_ONE_SAMPLE, Array, as_rows, one_sample
from robodyn_ros.dynamics.inverse_dynamics import Wrenches, bias_torques, wrench_torques
from robodyn_ros.dynamics.joint_effects import JointFriction, friction_torques
from robodyn_ros.errors import SingularModelError
from robodyn_ros.model.robot_model import RobotModel


def mass_matrix(model: RobotModel, q: ArrayLike) -> Array:
    """
    Joint-space inertia M(q) (..., n, n), symmetric, for q (..., n). Raises ShapeError.

    Composite Rigid Body Algorithm (Featherstone 2008, section 6.2), O(n depth).
    """
    if one_sample(q):
        try:
            matrix = np.empty((model.n, model.n))
            _kernels.crba_vector(model.arrays.packed, q, matrix)
            return matrix
        except NOT_ONE_SAMPLE:
            pass
    lead, (rows,) = as_rows(model, q=q)
    bodies, topology, *_ = model.arrays
    mass = _kernels.crba(bodies, topology, rows)
    return mass.reshape(*lead, model.n, model.n)


def forward_dynamics(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    wrenches: Wrenches | None = None,
    *,
    friction: JointFriction | None = None,
) -> Array:
    """
    Accelerations qdd (..., n) from q, qd and torques tau (..., n): inverse of inverse_dynamics.

    ``wrenches`` as there: on the robot, at link origins, root axes; ``friction`` as there: it
    comes off the torques. Raises ShapeError, and
    SingularModelError naming the joints that move no inertia.

    Articulated Body Algorithm (Featherstone 2008, section 7.3), O(n); models with mimic joints
    solve M(q) qdd = tau - bias instead.
    """
    require_inertia(model)
    if wrenches:
        tau = np.asarray(tau, dtype=float) + wrench_torques(model, q, wrenches)
    if friction is not None:
        tau = np.asarray(tau, dtype=float) - friction_torques(friction, qd)
    if model.mimics:
        lead, (q, qd, tau) = as_rows(model, q=q, qd=qd, tau=tau)
        force = tau - bias_torques(model, q, qd)
        qdd = np.asarray(
            np.linalg.solve(mass_matrix(model, q), force[..., None])[..., 0], np.float64
        )
    else:
        if one_sample(q):
            try:
                qdd = np.empty(model.n)
                _kernels.aba_vector(model.arrays.packed, q, qd, tau, qdd)
                return qdd
            except NOT_ONE_SAMPLE:
                pass
        lead, rows = as_rows(model, q=q, qd=qd, tau=tau)
        bodies, topology, gravity, *_ = model.arrays
        qdd = _kernels.aba(bodies, topology, gravity, *rows)
    return qdd.reshape(*lead, model.n)


@lru_cache(maxsize=64)
def singular_joints(model: RobotModel) -> tuple[str, ...]:
    """
    Name the joints that move no inertia, so that a torque on them means infinite acceleration.

    The pivots D_i of the articulated body algorithm at one generic pose, each against the inertia
    its joint would move if the joints beyond it were locked.
    """
    low = np.where(np.isfinite(model.limits.lower), model.limits.lower, -1.0)
    high = np.where(np.isfinite(model.limits.upper), model.limits.upper, 1.0)
    generic = 0.5 + 0.3 * np.sin(0.7 + 1.3 * np.arange(model.n))
    mass = mass_matrix(model, low + (high - low) * generic)
    locked = np.diag(mass).copy()
    found = []
    for i in range(model.n - 1, -1, -1):
        pivot = mass[i, i]
        if not pivot > 1e-13 * locked[i]:
            found.append(model.joint_names[i])
            continue
        column = mass[:, i].copy()
        mass = mass - np.outer(column, column) / pivot
    return tuple(reversed(found))


def require_inertia(model: RobotModel) -> None:
    """Raise SingularModelError when some joint moves no inertia (massless links)."""
    singular = singular_joints(model)
    if singular:
        names = ", ".join(f"'{name}'" for name in singular)
        raise SingularModelError(
            f"{model.name}: forward dynamics needs inertia on joint {names}; the links they move "
            "have no mass or lie on the joint axis: give them an <inertial>, or fix the joint"
        )
