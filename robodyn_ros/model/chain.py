# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A serial chain described by a plain list of links, for textbook arms and quick studies."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.errors import ModelError
from robodyn_ros.model.inertia import inertia_faults
from robodyn_ros.model.specs import MOVING_TYPES, Array, JointSpec, LimitSpec, LinkSpec


@dataclass(frozen=True, eq=False)
class ChainLink:
    """
    One link and the joint that moves it.

    ``axis`` (3,), any length but zero, in the link's frame; ``offset`` (3,) of the joint from the
    one before it, in that link's frame, and ``rotation`` (3, 3) of the link's frame there at joint
    value zero; mass (kg), ``com`` (3,) and ``inertia`` about it, (3, 3) or its diagonal (3,), in
    the link's frame.
    """

    axis: ArrayLike
    offset: ArrayLike = (0.0, 0.0, 0.0)
    mass: float = 0.0
    com: ArrayLike = (0.0, 0.0, 0.0)
    inertia: ArrayLike = (0.0, 0.0, 0.0)
    rotation: ArrayLike = field(default_factory=lambda: np.eye(3))
    type: str = "revolute"
    name: str | None = None
    limit: LimitSpec = LimitSpec()


def chain_specs(
    links: Sequence[ChainLink], tool: ArrayLike | None = None
) -> tuple[list[LinkSpec], list[JointSpec]]:
    """
    Link and joint records of a chain: links "base", "link1", ...; joints "joint1", ...

    ``tool`` (3,) is a constant point in the last link's frame and becomes the link "tool". Raises
    ModelError listing what is wrong with which link.
    """
    faults: list[str] = []
    link_specs, joint_specs, parent = [LinkSpec("base")], [], "base"
    for number, link in enumerate(links, start=1):
        name = link.name or f"link{number}"
        where = f"link '{name}'"
        axis = _vector(link.axis, f"{where} axis", faults)
        length = float(np.linalg.norm(axis))
        if length == 0.0:
            faults.append(f"{where} axis is zero: it needs a direction")
        if link.type not in MOVING_TYPES:
            faults.append(f"{where} type '{link.type}' is none of {', '.join(MOVING_TYPES)}")
        tensor = np.asarray(link.inertia, dtype=float)
        if tensor.shape == (3,):
            tensor = np.diag(tensor)
        rotation = np.asarray(link.rotation, dtype=float)
        if tensor.shape != (3, 3):
            faults.append(f"{where} inertia has shape {tensor.shape}: it is (3, 3) or (3,)")
            tensor = np.zeros((3, 3))
        if not _is_rotation(rotation):
            faults.append(f"{where} rotation is not a (3, 3) rotation matrix")
        faults += [f"{where}: {fault}" for fault in inertia_faults(link.mass, tensor)[0]]
        com = _vector(link.com, f"{where} com", faults)
        offset = _vector(link.offset, f"{where} offset", faults)
        link_specs.append(LinkSpec(name, link.mass, com, tensor))
        joint_specs.append(
            JointSpec(
                f"joint{number}",
                link.type,
                parent,
                name,
                rotation,
                offset,
                axis / length if length > 0.0 else axis,
                link.limit,
            )
        )
        parent = name
    if tool is not None:
        point = _vector(tool, "tool", faults)
        link_specs.append(LinkSpec("tool"))
        joint_specs.append(JointSpec("tool_joint", "fixed", parent, "tool", np.eye(3), point))
    if faults:
        raise ModelError("this list of links is not a chain", faults)
    return link_specs, joint_specs


def _vector(value: ArrayLike, what: str, faults: list[str]) -> Array:
    vector = np.asarray(value, dtype=float)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        faults.append(f"{what} needs 3 finite numbers, got {value!r}")
        return np.zeros(3)
    return vector


def _is_rotation(matrix: Array) -> bool:
    return matrix.shape == (3, 3) and bool(
        np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-9) and np.linalg.det(matrix) > 0.0
    )
