# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceleration of a link, and how well its Jacobian is conditioned."""

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import Array, as_rows
from robodyn_ros.dynamics.kinematics import frame_jacobian, frame_offset
from robodyn_ros.errors import ShapeError
from robodyn_ros.model.robot_model import RobotModel


def frame_jacobian_rate(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, link: str, offset: ArrayLike | None = None
) -> Array:
    """
    Time derivative J_dot(q, qd) (..., 6, n) of ``frame_jacobian`` in root axes, per s.

    J_dot qd is the acceleration of the link's origin, or of its point ``offset`` (3,), at zero
    qdd. Raises UnknownNameError and ShapeError.

    Every column [z x (p - o); z] by the product rule, z_dot = w x z (columns as in Siciliano et
    al., Robotics, 2009, equation 3.30).
    """
    lead, rows = as_rows(model, q=q, qd=qd)
    bodies, topology, *_ = model.arrays
    rates = np.empty((len(rows[0]), 6, model.n))
    _kernels.jacobian_rates(
        bodies, topology, model.body_path(link), frame_offset(model, link, offset), *rows, rates
    )
    return rates.reshape(*lead, 6, model.n)


def frame_acceleration(
    model: RobotModel,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    link: str,
    offset: ArrayLike | None = None,
    spatial: bool = False,
) -> Array:
    """
    Acceleration (..., 6) [linear; angular] of a link in root axes, without gravity.

    Classical, as an accelerometer sees it but for gravity: the linear part is the second time
    derivative of the position of the link's origin, or of its point ``offset`` (3,).
    ``spatial``: the linear part is less w x v, which makes it the time derivative of the link's
    twist taken at the point where the frame is now (Featherstone 2008, section 2.11). The angular
    part is the same. q, qd, qdd (..., n). Raises UnknownNameError and ShapeError.
    """
    lead, (q, qd, qdd) = as_rows(model, q=q, qd=qd, qdd=qdd)
    jacobian = frame_jacobian(model, q, link, offset)
    acceleration = np.einsum("bij,bj->bi", jacobian, qdd)
    acceleration += np.einsum("bij,bj->bi", frame_jacobian_rate(model, q, qd, link, offset), qd)
    if spatial:
        twist = np.einsum("bij,bj->bi", jacobian, qd)
        acceleration[:, :3] -= np.cross(twist[:, 3:], twist[:, :3])
    return acceleration.reshape(*lead, 6)


def manipulability(jacobian: ArrayLike) -> Array:
    """
    Yoshikawa's measure (...) of Jacobians (..., m, n): the product of their singular values.

    sqrt(det(J J^T)), or sqrt(det(J^T J)) when there are fewer joints than rows; zero at a
    singularity, NaN where the Jacobian is not finite. It mixes metres and radians: take
    ``jacobian[..., :3, :]`` for translation alone. Raises ShapeError.
    (Yoshikawa, Int. J. Robotics Research 4(2), 1985.)
    """
    return np.prod(_singular_values(jacobian), axis=-1)


def jacobian_condition(jacobian: ArrayLike) -> Array:
    """
    Condition (...) of Jacobians (..., m, n): largest over smallest singular value.

    One where the frame moves equally well in all directions, infinite at a singularity; units,
    NaN and ShapeError as for ``manipulability``.
    """
    values = _singular_values(jacobian)
    largest, smallest = values[..., 0], values[..., -1]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(smallest == 0.0, np.inf, largest / smallest)


def _singular_values(jacobian: ArrayLike) -> Array:
    matrix = np.asarray(jacobian, dtype=float)
    if matrix.ndim < 2:
        raise ShapeError(f"jacobian has shape {matrix.shape}: it is a matrix (..., m, n)")
    # LAPACK gives up on the whole batch when one matrix is not finite.
    known = np.isfinite(matrix).all(axis=(-2, -1))
    values = np.linalg.svd(np.where(known[..., None, None], matrix, 0.0), compute_uv=False)
    return np.where(known[..., None], values, np.nan)
