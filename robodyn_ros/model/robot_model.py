# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The constant description of a robot: names, limits and read-only arrays."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ModelError, ModelWarning, ShapeError, UnknownNameError
from robodyn_ros.model.arrays import (
    ARMATURE,
    BODY_COLUMNS,
    ENTRIES,
    INDEX,
    PARENT,
    TOPOLOGY_COLUMNS,
    ModelArrays,
)
from robodyn_ros.model.assembly import (
    ROOT,
    Mimic,
    Skeleton,
    build_skeleton,
    limits_of,
    losses_of,
    lump,
)
from robodyn_ros.model.inertia import inertia_faults, inertial_parameters_of
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.specs import JointSpec, LinkSpec

if TYPE_CHECKING:
    from robodyn_ros.model.chain import ChainLink

Array = NDArray[np.float64]

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Payload:
    """A mass attached to a link: centre of mass (m) and inertia about it, in link axes."""

    name: str
    link: str
    parameters: tuple[float, ...]


def _frozen(values: NDArray) -> NDArray:
    values = np.ascontiguousarray(values)
    values.setflags(write=False)
    return values


@dataclass(frozen=True, eq=False)
class RobotModel:
    """
    A robot as the algorithms see it. Never changes; the ``with_...`` methods return copies.

    ``joint_names`` are the n independent joints in the order of q (depth first from the root,
    children as the description lists them), ``link_names`` all L links, root first, those behind
    fixed joints included. Mimic joints are not in q: ``mimics`` says how they follow.
    ``gravity`` (m/s^2) is in the root frame. ``damping`` (N m s/rad or N s/m) and ``friction``
    (N m or N), each (n,), are what a URDF's <dynamics> states: no algorithm adds them by itself.
    ``armature`` (n,), kg m^2 or kg, is the reflected rotor inertia (gear ratio squared times the
    rotor's own), zero until ``with_armature`` states it: from then on every algorithm counts it.
    """

    name: str
    skeleton: Skeleton
    link_parameters: Array
    limits: JointLimits
    gravity: Array
    damping: Array
    friction: Array
    armature: Array
    payloads: tuple[Payload, ...] = ()

    @classmethod
    def from_urdf(
        cls,
        text: str | bytes,
        gravity: ArrayLike = STANDARD_GRAVITY,
        root: str | None = None,
        strict: bool = False,
        limits: Mapping[str, Mapping[str, float]] | None = None,
    ) -> "RobotModel":
        """
        Model of a URDF text; ``root`` keeps only the branch below a link.

        ``limits`` {joint: {field of JointLimits: value}} replace single limits of the text, which
        may leave out the <limit> of a joint whose lower and upper are given here. Raises
        ModelError listing every fault, UnknownNameError (root), and what JointLimits.replace
        raises. Doubtful content is a ModelWarning (``strict``: a fault too).
        """
        from robodyn_ros.model.urdf import parse_urdf

        overrides = limits or {}
        limited = [joint for joint, given in overrides.items() if {"lower", "upper"} <= set(given)]
        name, links, joints, doubts = parse_urdf(text, strict=strict, limited_elsewhere=limited)
        model = cls.from_specs(name, links, joints, gravity, root)
        model = model.with_limits(model.limits.replace(model.joint_names, overrides))
        for doubt in doubts:
            warnings.warn(doubt, ModelWarning, stacklevel=2)
        return model

    @classmethod
    def from_links(
        cls,
        links: "Sequence[ChainLink]",
        tool: ArrayLike | None = None,
        gravity: ArrayLike = STANDARD_GRAVITY,
        name: str = "chain",
    ) -> "RobotModel":
        """
        Model of a serial chain given as a plain list of ``ChainLink``.

        ``tool`` (3,) is a constant point in the last link's frame; it becomes the link "tool".
        """
        from robodyn_ros.model.chain import chain_specs

        return cls.from_specs(name, *chain_specs(links, tool=tool), gravity=gravity)

    @classmethod
    def from_specs(
        cls,
        name: str,
        links: Sequence[LinkSpec],
        joints: Sequence[JointSpec],
        gravity: ArrayLike = STANDARD_GRAVITY,
        root: str | None = None,
    ) -> "RobotModel":
        """Model of checked link and joint records."""
        skeleton = build_skeleton(links, joints, root)
        by_name = {link.name: link for link in links}
        rows = [by_name[link] for link in skeleton.link_names]
        parameters = [inertial_parameters_of(row.mass, row.com, row.inertia) for row in rows]
        damping, friction = losses_of(skeleton, joints)
        return cls(
            name,
            skeleton,
            _frozen(np.array(parameters)),
            limits_of(skeleton.joint_names, joints),
            _gravity(gravity),
            _frozen(damping),
            _frozen(friction),
            _frozen(np.zeros(len(skeleton.joint_names))),
        )

    # Names.

    @cached_property
    def n(self) -> int:
        """Count the independent joints: the length of q."""
        return len(self.skeleton.joint_names)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Independent joints in the order of q."""
        return self.skeleton.joint_names

    @property
    def joint_types(self) -> tuple[str, ...]:
        """'revolute', 'continuous' or 'prismatic' per independent joint."""
        return self.skeleton.joint_types

    @property
    def mimics(self) -> tuple[Mimic, ...]:
        """Joints that follow an independent one."""
        return self.skeleton.mimics

    @property
    def link_names(self) -> tuple[str, ...]:
        """All links, root first."""
        return self.skeleton.link_names

    @property
    def root_link(self) -> str:
        """Name the link everything else is expressed in."""
        return self.skeleton.link_names[0]

    @cached_property
    def leaf_links(self) -> tuple[str, ...]:
        """Links without children."""
        inner = set(self.skeleton.link_parents)
        return tuple(name for i, name in enumerate(self.link_names) if i not in inner)

    def parent_link(self, link: str) -> str | None:
        """Name the link this one hangs on; None for the root."""
        parent = self.skeleton.link_parents[self.link_index(link)]
        return None if parent < 0 else self.link_names[parent]

    @cached_property
    def _link_numbers(self) -> Mapping[str, int]:
        return {name: i for i, name in enumerate(self.link_names)}

    @cached_property
    def _joint_numbers(self) -> Mapping[str, int]:
        return {name: i for i, name in enumerate(self.joint_names)}

    def link_index(self, link: str) -> int:
        """Position in link_names; UnknownNameError lists the links there are."""
        try:
            return self._link_numbers[link]
        except KeyError:
            raise UnknownNameError("link", link, self.link_names) from None

    def joint_index(self, joint: str) -> int:
        """Position in joint_names; UnknownNameError lists the joints there are."""
        try:
            return self._joint_numbers[joint]
        except KeyError:
            raise UnknownNameError("joint", joint, self.joint_names) from None

    # Arrays.

    @cached_property
    def arrays(self) -> ModelArrays:
        """Give the constants the kernels read."""
        inertials = list(enumerate(self.link_parameters))
        inertials += [(self.link_index(p.link), np.array(p.parameters)) for p in self.payloads]
        skeleton = self.skeleton
        bodies = lump(skeleton, inertials)
        bodies[[skeleton.body_names.index(joint) for joint in self.joint_names], ARMATURE] = (
            self.armature
        )
        packed = np.zeros((len(bodies) + 1, BODY_COLUMNS + TOPOLOGY_COLUMNS))
        packed[:-1] = np.hstack([bodies, skeleton.topology])
        packed[-1, :3] = self.gravity
        packed[-1, ENTRIES] = self.n
        return ModelArrays(
            _frozen(bodies),
            _frozen(skeleton.topology),
            self.gravity,
            _frozen(skeleton.frame_body),
            _frozen(skeleton.frame_offset),
            _frozen(packed),
            _frozen(np.column_stack([skeleton.frame_offset, skeleton.frame_body])),
        )

    @cached_property
    def _paths(self) -> dict[str, NDArray[np.int64]]:
        return {}

    def body_path(self, link: str) -> NDArray[np.int64]:
        """Row numbers in ``arrays.bodies`` of the bodies from the root to a link."""
        if link not in self._paths:
            body = self.skeleton.frame_body[self.link_index(link)]
            path = []
            while body != ROOT:
                path.append(body)
                body = self.skeleton.topology[body, PARENT]
            self._paths[link] = _frozen(np.array(path[::-1], dtype=np.int64))
        return self._paths[link]

    @cached_property
    def _frame_paths(self) -> dict[str, NDArray[np.float64]]:
        return {}

    def frame_path(self, link: str) -> NDArray[np.float64]:
        """Row (1, 12 + depth) of a link: its ``frame_offset``, then its ``body_path``."""
        try:
            return self._frame_paths[link]
        except KeyError:
            offset = self.skeleton.frame_offset[self.link_index(link)]
            row = np.concatenate([offset, self.body_path(link)])[None]
            return self._frame_paths.setdefault(link, _frozen(row))

    def joints_of(self, link: str) -> tuple[str, ...]:
        """Independent joints that move a link, from the root outwards, each once."""
        entries = self.skeleton.topology[self.body_path(link), INDEX]
        return tuple(dict.fromkeys(self.joint_names[i] for i in entries))

    @cached_property
    def is_serial(self) -> bool:
        """Tell whether every body hangs on the one before it and none mimics."""
        parents = self.skeleton.topology[:, PARENT]
        return not self.mimics and bool(np.all(parents == np.arange(-1, len(parents) - 1)))

    @cached_property
    def continuous(self) -> NDArray[np.bool_]:
        """Which joints turn without end (n,)."""
        return _frozen(np.array([t == "continuous" for t in self.joint_types], dtype=bool))

    @cached_property
    def revolute(self) -> NDArray[np.bool_]:
        """Which joints turn, with or without limits (n,); the others slide."""
        return _frozen(np.array([t != "prismatic" for t in self.joint_types], dtype=bool))

    @cached_property
    def total_mass(self) -> float:
        """Mass of all links and payloads, the root included (kg)."""
        return float(self.link_parameters[:, 0].sum()) + sum(
            p.parameters[0] for p in self.payloads
        )

    # Copies with something changed.

    def with_payload(
        self,
        link: str,
        mass: float,
        com: ArrayLike,
        inertia: ArrayLike | None = None,
        name: str = "payload",
    ) -> "RobotModel":
        """
        Model carrying a payload; one of the same name is replaced, mass 0 attaches nothing.

        com (3,) in the link's frame, inertia (3, 3) about it (point mass when not given). Raises
        UnknownNameError (link) and ModelError (negative or impossible inertia).
        """
        self.link_index(link)
        try:
            mass, c = float(mass), np.array(com, dtype=float)
            tensor = np.zeros((3, 3)) if inertia is None else np.array(inertia, dtype=float)
        except (TypeError, ValueError) as error:
            raise ModelError(f"payload '{name}' is not made of numbers: {error}") from None
        if c.shape != (3,) or tensor.shape != (3, 3) or not np.all(np.isfinite(c)):
            raise ModelError(f"payload '{name}': com needs 3 finite numbers, inertia 3 x 3")
        faults, _ = inertia_faults(mass, tensor)
        if faults:
            raise ModelError(f"payload '{name}' on link '{link}' is impossible", faults)
        kept = tuple(p for p in self.payloads if p.name != name)
        if mass == 0.0:
            return replace(self, payloads=kept)
        parameters = tuple(inertial_parameters_of(mass, c, tensor).tolist())
        return replace(self, payloads=(*kept, Payload(name, link, parameters)))

    def without_payload(self, name: str = "payload") -> "RobotModel":
        """Model without a payload, equal bit for bit to the one before it was attached."""
        if name not in [p.name for p in self.payloads]:
            raise UnknownNameError("payload", name, [p.name for p in self.payloads])
        return replace(self, payloads=tuple(p for p in self.payloads if p.name != name))

    def with_armature(self, armature: ArrayLike) -> "RobotModel":
        """
        Model with reflected rotor inertia (n,) in kg m^2 (kg for sliding joints), 0 for none.

        It adds diag(armature) to the mass matrix and armature * qdd to the torques: the effect of
        rotors that spin fast about their joint's axis. Raises ShapeError and ModelError.
        """
        values = np.array(armature, dtype=float)
        if values.shape != (self.n,):
            raise ShapeError(f"armature has shape {values.shape}, the model has {self.n} joints")
        faults = [
            f"joint '{joint}': {value:g}"
            for joint, value in zip(self.joint_names, values, strict=True)
            if not 0.0 <= value < np.inf
        ]
        if faults:
            raise ModelError("armature needs finite numbers of 0 or above (kg m^2)", faults)
        return replace(self, armature=_frozen(values))

    def with_gravity(self, gravity: ArrayLike) -> "RobotModel":
        """Model under another gravity vector (m/s^2, root frame)."""
        return replace(self, gravity=_gravity(gravity))

    def with_limits(self, limits: JointLimits) -> "RobotModel":
        """Model with other limits for its n joints."""
        if limits.lower.shape != (self.n,):
            raise ShapeError(f"limits are for {limits.lower.size} joints, the model has {self.n}")
        return replace(self, limits=limits)

    def __repr__(self) -> str:
        """Name and size in one line."""
        return f"RobotModel('{self.name}', {self.n} joints, {len(self.link_names)} links)"


def _gravity(gravity: ArrayLike) -> Array:
    try:
        vector = np.array(gravity, dtype=float)
    except (TypeError, ValueError):
        vector = np.empty(0)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise ShapeError(f"gravity needs 3 finite numbers (m/s^2, root frame), got {gravity!r}")
    return _frozen(vector)
