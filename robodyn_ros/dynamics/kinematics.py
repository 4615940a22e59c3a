# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Kinematics: where every link is and how it moves with the joints."""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import NOT_ONE_SAMPLE, Array, as_rows, one_sample
from robodyn_ros.errors import ModelError, ParameterError, ShapeError
from robodyn_ros.model.robot_model import RobotModel


class Kinematics(NamedTuple):
    """Poses of all links in the root frame: rotation (..., L, 3, 3), position (..., L, 3) in m."""

    rotation: Array
    position: Array


def forward_kinematics(model: RobotModel, q: ArrayLike) -> Kinematics:
    """
    Poses of all L links, in the order of model.link_names, for q (..., n).

    Product of joint transforms along the tree (Featherstone 2008, section 4.1). Raises ShapeError.
    """
    count = len(model.link_names)
    if one_sample(q):
        try:
            rotation, position = np.empty((count, 3, 3)), np.empty((count, 3))
            packed, frames = model.arrays.packed, model.arrays.frames
            _kernels.link_poses_vector(packed, frames, q, rotation, position)
            return Kinematics(rotation, position)
        except NOT_ONE_SAMPLE:
            pass
    lead, (rows,) = as_rows(model, q=q)
    bodies, topology, _, frame_body, frame_offsets, *_ = model.arrays
    rotation = np.empty((len(rows), count, 3, 3))
    position = np.empty((len(rows), count, 3))
    _kernels.link_poses(bodies, topology, frame_body, frame_offsets, rows, rotation, position)
    return Kinematics(rotation.reshape(*lead, count, 3, 3), position.reshape(*lead, count, 3))


def link_pose(model: RobotModel, q: ArrayLike, link: str) -> tuple[Array, Array]:
    """
    Rotation (..., 3, 3) and position (..., 3) of one link in the root frame.

    Raises UnknownNameError and ShapeError.
    """
    if one_sample(q):
        try:
            rotation, position = np.empty((3, 3)), np.empty(3)
            frame = model.frame_path(link)
            _kernels.pose_vector(model.arrays.packed, frame, q, rotation, position)
            return rotation, position
        except NOT_ONE_SAMPLE:
            pass
    rotation, position, _ = _pose_and_jacobian(model, q, link, None)
    return rotation, position


def frame_jacobian(
    model: RobotModel,
    q: ArrayLike,
    link: str,
    offset: ArrayLike | None = None,
    axes: Literal["world", "local"] = "world",
) -> Array:
    """
    Geometric Jacobian (..., 6, n): [v; w] = J qd, linear rows first.

    v is the velocity of the link's origin, or of the point ``offset`` (3,) given in the link's
    frame; v and w are in the axes of the root, or of the link itself with ``axes="local"``.
    Joints that do not move the link have zero columns; a mimic joint adds to its driver's.
    Raises UnknownNameError, ShapeError and ParameterError (axes). (Siciliano et al., Robotics,
    2009, equation 3.30.)
    """
    if axes not in ("world", "local"):
        raise ParameterError("axes", axes, "'world' or 'local'")
    if axes == "world" and one_sample(q):
        try:
            vector = np.empty((6, model.n))
            frame = frame_path(model, link, offset)
            _kernels.jacobian_vector(model.arrays.packed, frame, q, vector)
            return vector
        except NOT_ONE_SAMPLE:
            pass
    rotation, _, jacobian = _pose_and_jacobian(model, q, link, offset)
    if axes == "world":
        return jacobian
    halves = jacobian.reshape(*jacobian.shape[:-2], 2, 3, model.n)
    turned = np.swapaxes(rotation, -1, -2)[..., None, :, :] @ halves
    return turned.reshape(jacobian.shape)


def frame_velocity(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, link: str, offset: ArrayLike | None = None
) -> Array:
    """Velocity (..., 6) [linear; angular] of a link's origin (or a point of it), root axes."""
    lead, (q, qd) = as_rows(model, q=q, qd=qd)
    twist = np.einsum("bij,bj->bi", frame_jacobian(model, q, link, offset), qd)
    return twist.reshape(*lead, 6)


def joint_positions(model: RobotModel, q: ArrayLike, tool: ArrayLike | None = None) -> Array:
    """
    Origins of all joints of a serial chain, then its tool point: (..., n + 1, 3) in m.

    ``tool`` (3,) is a point in the frame of the last moving link; without it the origin of the
    chain's last link is taken. Raises ModelError when the model is not a serial chain.
    """
    if not model.is_serial:
        raise ModelError(
            f"joint_positions needs a serial chain; {model.name} branches or mimics: "
            "use forward_kinematics, or load the branch with root=..."
        )
    kinematics = forward_kinematics(model, q)
    bodies = model.skeleton.frame_body
    moved = [int(np.argmax(bodies == b)) for b in range(model.n)]
    origins = kinematics.position[..., moved, :]
    if tool is None:
        point = kinematics.position[..., -1, :]
    else:
        offset = np.asarray(tool, dtype=float)
        if offset.shape != (3,):
            raise ShapeError(f"tool has shape {offset.shape}: it is a point (3,)")
        last = moved[-1]
        point = kinematics.position[..., last, :] + kinematics.rotation[..., last, :, :] @ offset
    return np.concatenate([origins, point[..., None, :]], axis=-2)


def frame_offset(model: RobotModel, link: str, offset: ArrayLike | None) -> Array:
    """Pose (12,) of a link, or of a point (3,) of it, in the frame of the body that carries it."""
    row = model.arrays.frame_offset[model.link_index(link)]
    if offset is None:
        return row
    point = np.asarray(offset, dtype=float)
    if point.shape != (3,):
        raise ShapeError(f"offset has shape {point.shape}: it is a point (3,) of the link")
    moved = row.copy()
    moved[9:] += row[:9].reshape(3, 3) @ point
    moved.setflags(write=False)
    return moved


def frame_path(model: RobotModel, link: str, offset: ArrayLike | None) -> Array:
    """Row (1, 12 + depth) for a link, or a point (3,) of it: ``frame_offset`` and its bodies."""
    row = model.frame_path(link)
    if offset is None:
        return row
    moved = row.copy()
    moved[0, :12] = frame_offset(model, link, offset)
    return moved


def _pose_and_jacobian(
    model: RobotModel, q: ArrayLike, link: str, offset: ArrayLike | None
) -> tuple[Array, Array, Array]:
    lead, (rows,) = as_rows(model, q=q)
    count = len(rows)
    rotation = np.empty((count, 3, 3))
    position = np.empty((count, 3))
    jacobian = np.empty((count, 6, model.n))
    constants = model.arrays
    _kernels.poses_and_jacobians(
        constants.bodies,
        constants.topology,
        model.body_path(link),
        frame_offset(model, link, offset),
        rows,
        rotation,
        position,
        jacobian,
    )
    return (
        rotation.reshape(*lead, 3, 3),
        position.reshape(*lead, 3),
        jacobian.reshape(*lead, 6, model.n),
    )
