# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Momentum of a whole robot with a free root, about its centre of mass."""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics.borders import Array
from robodyn_ros.dynamics.floating_base import FloatingBase
from robodyn_ros.errors import ModelError
from robodyn_ros.model.rotations import matrix_from_quaternion, skew


def centroidal_momentum_matrix(robot: FloatingBase, q: ArrayLike) -> Array:
    """
    Matrix A(q) (..., 6, nv): momentum A v is [linear; angular about the centre of mass].

    World axes, kg m/s and kg m^2/s; reflected rotor inertia does not count. The rows of M that
    belong to the root are the momentum about its origin; they are moved to the centre of mass and
    turned into the world. Raises ShapeError, and ModelError when nothing has mass.
    (Orin, Goswami, Lee, Centroidal dynamics of a humanoid robot, 2013, section 3.)
    """
    if not robot.model.total_mass > 0.0:
        raise ModelError(f"{robot.model.name} has no mass, so it has no centre of mass")
    q = np.asarray(q, dtype=float)
    rows = robot.mass_matrix(q)[..., :6, :]
    # The lower left block of the root's inertia is [m c]x.
    center = rows[..., [5, 3, 4], [1, 2, 0]] / robot.model.total_mass
    linear = rows[..., :3, :]
    angular = rows[..., 3:, :] - skew(center) @ linear
    turn = matrix_from_quaternion(q[..., 3:7])
    return np.concatenate([turn @ linear, turn @ angular], axis=-2)


def centroidal_momentum(robot: FloatingBase, q: ArrayLike, v: ArrayLike) -> Array:
    """
    Momentum (..., 6) [linear; angular about the centre of mass], world axes.

    Its rate of change is [m g; 0] and what external wrenches add: a constant angular momentum in
    free flight. Raises ShapeError and ModelError as ``centroidal_momentum_matrix``.
    """
    matrix = centroidal_momentum_matrix(robot, q)
    return np.einsum("...ij,...j->...i", matrix, np.asarray(v, dtype=float))


def centroidal_inertia(robot: FloatingBase, q: ArrayLike) -> Array:
    """
    Inertia (..., 6, 6) of the robot as if its joints were locked, about the centre of mass.

    World axes: diag(m 1, I). The mean twist of a motion is its inverse times the momentum.
    """
    q = np.asarray(q, dtype=float)
    locked = centroidal_momentum_matrix(robot, q)[..., :6]
    # A is for the twist of the root; the twist of the centre of mass is the same rotation, moved.
    turn = np.swapaxes(matrix_from_quaternion(q[..., 3:7]), -1, -2)
    arm = robot.center_of_mass(q) - q[..., :3]
    linear = locked[..., :3] @ turn
    angular = locked[..., 3:] @ turn + linear @ skew(arm)
    return np.concatenate([linear, angular], axis=-1)
