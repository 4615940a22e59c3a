# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A serial chain described by a plain list of links, for textbook arms and quick studies."""

from collections import Counter
from collections.abc import Callable, Sequence
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
    faults: list[str] = [] if links else ["it needs at least one link"]
    link_specs, joint_specs, parent = [LinkSpec("base")], [], "base"
    for number, link in enumerate(links, start=1):
        name = link.name or f"link{number}"
        body, joint = _specs(link, name, f"joint{number}", parent, faults)
        link_specs.append(body)
        joint_specs.append(joint)
        parent = name
    if tool is not None:
        point = _array(tool, (3,), "tool", faults)
        link_specs.append(LinkSpec("tool"))
        joint_specs.append(JointSpec("tool_joint", "fixed", parent, "tool", np.eye(3), point))
    count = Counter(spec.name for spec in link_specs)
    faults += [f"link name '{name}' is there twice" for name in count if count[name] > 1]
    if faults:
        raise ModelError("this list of links is not a chain", faults)
    return link_specs, joint_specs


def _specs(
    link: ChainLink, name: str, joint: str, parent: str, faults: list[str]
) -> tuple[LinkSpec, JointSpec]:
    where = f"link '{name}'"
    axis = _array(link.axis, (3,), f"{where} axis", faults, np.any, "is zero: no direction")
    offset = _array(link.offset, (3,), f"{where} offset", faults)
    rotation = _array(
        link.rotation, (3, 3), f"{where} rotation", faults, _is_rotation, "is not a rotation"
    )
    com = _array(link.com, (3,), f"{where} com", faults)
    if link.type not in MOVING_TYPES:
        faults.append(f"{where} type '{link.type}' is none of {', '.join(MOVING_TYPES)}")
    if not link.limit.lower <= link.limit.upper:
        faults.append(f"{where} limit: lower {link.limit.lower} is above upper {link.limit.upper}")
    found = len(faults)
    mass = float(_array(link.mass, (), f"{where} mass", faults))
    diagonal = np.ndim(_loose(link.inertia)) == 1
    inertia = _array(link.inertia, (3,) if diagonal else (3, 3), f"{where} inertia", faults)
    tensor = np.diag(inertia) if diagonal else inertia
    if len(faults) == found:
        faults += [f"{where}: {fault}" for fault in inertia_faults(mass, tensor)[0]]
    unit = axis / (np.linalg.norm(axis) or 1.0)
    return (
        LinkSpec(name, mass, com, tensor),
        JointSpec(joint, link.type, parent, name, rotation, offset, unit, link.limit),
    )


def _array(
    value: ArrayLike,
    shape: tuple[int, ...],
    what: str,
    faults: list[str],
    allowed: Callable[[Array], object] = lambda _: True,
    otherwise: str = "",
) -> Array:
    """Finite array of one shape that is allowed; zeros after a fault."""
    array = _loose(value)
    if array.shape != shape or not np.all(np.isfinite(array)):
        size = {(): "a finite number", (3,): "3 finite numbers"}.get(
            shape, f"{shape} finite numbers"
        )
        faults.append(f"{what} needs {size}, got {value!r}")
    elif not allowed(array):
        faults.append(f"{what} {otherwise}")
    else:
        return array
    return np.zeros(shape)


def _loose(value: ArrayLike) -> Array:
    """Whatever was given as numbers; NaN for words and ragged lists."""
    try:
        return np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return np.asarray(np.nan)


def _is_rotation(matrix: Array) -> bool:
    return bool(
        np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-9) and np.linalg.det(matrix) > 0.0
    )
