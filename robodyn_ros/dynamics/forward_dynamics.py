# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics: the acceleration that torques cause, and the mass matrix behind it."""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import Array, as_rows
from robodyn_ros.dynamics.inverse_dynamics import Wrenches, bias_torques, wrench_torques
from robodyn_ros.errors import SingularModelError
from robodyn_ros.model.robot_model import RobotModel


def mass_matrix(model: RobotModel, q: ArrayLike) -> Array:
    """
    Joint-space inertia M(q) (..., n, n), symmetric, for q (..., n). Raises ShapeError.

    Composite Rigid Body Algorithm (Featherstone 2008, section 6.2), O(n depth).
    """
    lead, (rows,) = as_rows(model, q=q)
    constants = model.arrays
    mass = _kernels.crba(constants.bodies, constants.topology, rows)
    return mass.reshape(*lead, model.n, model.n)


def forward_dynamics(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    wrenches: Wrenches | None = None,
) -> Array:
    """
    Accelerations qdd (..., n) from q, qd and torques tau (..., n): inverse of inverse_dynamics.

    ``wrenches`` as there: on the robot, at link origins, root axes. Raises ShapeError, and
    SingularModelError naming the joints that move no inertia.

    Articulated Body Algorithm (Featherstone 2008, section 7.3), O(n); models with mimic joints
    solve M(q) qdd = tau - bias instead.
    """
    require_inertia(model)
    if wrenches:
        tau = np.asarray(tau, dtype=float) + wrench_torques(model, q, wrenches)
    if model.mimics:
        lead, (q, qd, tau) = as_rows(model, q=q, qd=qd, tau=tau)
        force = tau - bias_torques(model, q, qd)
        qdd = np.linalg.solve(mass_matrix(model, q), force[..., None])[..., 0]
    else:
        lead, rows = as_rows(model, q=q, qd=qd, tau=tau)
        bodies, topology, gravity, *_ = model.arrays
        qdd = _kernels.aba(bodies, topology, gravity, *rows)
    return qdd.reshape(*lead, model.n)


def require_inertia(model: RobotModel) -> None:
    """Raise SingularModelError when some joint moves no inertia (massless links)."""
    if model.singular_joints:
        names = ", ".join(f"'{name}'" for name in model.singular_joints)
        raise SingularModelError(
            f"{model.name}: forward dynamics needs inertia on joint {names}; the links they move "
            "have no mass or lie on the joint axis: give them an <inertial>, or fix the joint"
        )
