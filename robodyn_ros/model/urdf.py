# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
URDF text to link and joint records, with every fault named.

Legal content loads, impossible content ends in one ModelError that lists all faults, doubtful
content is reported as text. Visuals, collisions and foreign elements are skipped.
"""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.assembly import build_skeleton
from robodyn_ros.model.attributes import AttributeReader, quoted
from robodyn_ros.model.description_checks import (
    body_rows,
    joints_moving_nothing,
    links_of_impossible_bodies,
    mimic_faults,
    tree_faults,
)
from robodyn_ros.model.inertia import inertia_faults, rotate_inertia
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.rotations import matrix_from_quaternion, matrix_from_rpy
from robodyn_ros.model.specs import (
    JOINT_TYPES,
    MOVING_TYPES,
    Array,
    JointSpec,
    LimitSpec,
    LinkSpec,
    MimicSpec,
)
from robodyn_ros.model.xml_tree import parse_xml

# An axis that differs from length 1 by more than this is worth a word.
_UNIT = 1e-3
# Simulators write this, or the largest number there is, where they mean "no limit".
_ENDLESS = 1e16
_X = (1.0, 0.0, 0.0)  # the axis of a joint that names none
_ORIGIN = (0.0, 0.0, 0.0)

# Kinds of doubt; the names follow.
_NAMELESS = "without a name, which other programs refuse"
_ODD_INERTIA = "links whose inertia no rigid body has, computed with as written"
_ODD_AXIS = "joints whose <axis> is not of length 1, taken as a direction"
_UNRATED = "joints whose effort or velocity limit of 0 or below counts as unknown, not checked"
_STUCK = "joints whose lower and upper limit are equal (left out means 0): they cannot move"
_FIXED_MIMIC = "joints that do not move, whose <mimic> is ignored"
_BARE = (
    "joints that move links without mass: it takes no torque, and forward dynamics refuses the "
    "model unless the links are given an <inertial>"
)


def load_urdf(
    path: str | Path, xacro_arguments: Mapping[str, str] | None = None, **options: Any
) -> RobotModel:
    """
    Model of a URDF file, or of a .xacro file where the xacro package is installed.

    ``xacro_arguments`` are what ``name:=value`` is on xacro's command line; ``options`` as for
    RobotModel.from_urdf. Raises ModelError naming the file and listing every fault.
    """
    path = Path(path)
    try:
        if path.suffix == ".xacro":
            text: str | bytes = _expand_xacro(path, xacro_arguments or {})
        else:
            text = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        return RobotModel.from_urdf(text, **options)
    except ModelError as error:
        raise ModelError(f"{path}: {error.what}", error.faults) from None


def _expand_xacro(path: Path, arguments: Mapping[str, str]) -> str:
    try:
        import xacro
    except ImportError:
        raise ModelError(
            f"{path} needs xacro: install ros-$ROS_DISTRO-xacro (or pip install xacro), or expand "
            f"it yourself: xacro {path} > robot.urdf"
        ) from None
    path.open().close()  # a missing file is an OSError here, and much worse inside xacro
    try:
        return str(xacro.process_file(str(path), mappings=dict(arguments)).toxml())
    except Exception as error:  # xacro raises whatever the macros run into
        raise ModelError(f"xacro could not expand {path}: {error}") from error


def parse_urdf(
    text: str | bytes, *, strict: bool = False, limited_elsewhere: Collection[str] = ()
) -> tuple[str, list[LinkSpec], list[JointSpec], list[str]]:
    """
    Robot name, links, joints and doubts of a URDF text.

    ``strict`` makes every doubt a fault. Joints in ``limited_elsewhere`` may come without
    <limit>. Raises ModelError listing all faults with link, joint, element and value.
    """
    root = parse_xml(text)
    if root.tag != "robot":
        raise ModelError(f"the root element is <{root.tag}>, not <robot>: this is no URDF")
    reader = _Reader(limited_elsewhere)
    reader.read(root)
    name = root.get("name", "").strip()
    if not name:
        name = "robot"
        reader.doubt(_NAMELESS, "<robot>")
    faults = reader.faults + (reader.doubts(most=None) if strict else [])
    if faults:
        raise ModelError(f"robot '{name}' cannot be used", faults)
    return name, reader.links, reader.joints, reader.doubts()


class _Reader(AttributeReader):
    """One pass over a <robot>, collecting records, faults and doubts."""

    def __init__(self, limited_elsewhere: Collection[str]):
        super().__init__()
        self.limited_elsewhere = limited_elsewhere
        self.links: list[LinkSpec] = []
        self.joints: list[JointSpec] = []
        self.known: set[str] = set()
        self.complete = True  # every name could be read: what is missing is really missing
        self.impossible: list[tuple[str, str]] = []  # link, what is wrong with its inertia

    def read(self, root: Element) -> None:
        macro = _macro_in(root)
        if macro:
            self.faults.append(
                f"{macro} is not expanded: run xacro on the file first, or load it with the "
                "ending .xacro"
            )
            return
        self.links = [self.link(e, name) for e, name in self.named(root, "link")]
        self.known = {link.name for link in self.links}
        self.joints = [self.joint(e, name) for e, name in self.named(root, "joint")]
        if not self.links:
            self.faults.append("there is no <link>")
        ended = [joint for joint in self.joints if joint.parent and joint.child]
        self.faults += tree_faults([link.name for link in self.links], ended, self.complete)
        self.faults += mimic_faults(self.joints)
        if self.faults:
            for link, error in self.impossible:
                self.faults.append(f"link '{link}' <inertial>: {error}")
        else:
            self.check_bodies()

    def named(self, root: Element, tag: str) -> list[tuple[Element, str]]:
        found, seen = [], set()
        for number, element in enumerate(root.findall(tag), start=1):
            name = element.get("name", "").strip()
            if not name:
                self.faults.append(f"<{tag}> number {number} has no name")
                name = f"number {number}"
                self.complete = False
            elif name in seen:
                self.faults.append(f"{tag} '{name}' is there twice")
            seen.add(name)
            found.append((element, name))
        return found

    # Links.

    def link(self, element: Element, name: str) -> LinkSpec:
        where = f"link '{name}' <inertial>"
        inertial = self.child(element, "inertial", f"link '{name}'")
        if inertial is None:
            return LinkSpec(name)
        before = len(self.faults)
        rotation, com = self.origin(inertial, where)
        mass = self.mass(self.child(inertial, "mass", where), where)
        tensor = self.tensor(self.child(inertial, "inertia", where), where)
        if len(self.faults) == before:
            errors, warnings = inertia_faults(mass, tensor)
            self.impossible += [(name, error) for error in errors]
            for warning in warnings:
                self.doubt(_ODD_INERTIA, f"'{name}' ({warning})")
        return LinkSpec(name, mass, com, rotate_inertia(tensor, rotation))

    def mass(self, element: Element | None, where: str) -> float:
        if element is None:
            self.faults.append(f"{where} has no <mass>")
            return 0.0
        return self.number(element, "value", f"{where} <mass>")

    def tensor(self, element: Element | None, where: str) -> Array:
        if element is None:
            self.faults.append(f"{where} has no <inertia>")
            return np.zeros((3, 3))
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        xx, xy, xz, yy, yz, zz = (self.number(element, k, f"{where} <inertia>") for k in keys)
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def origin(self, element: Element, where: str) -> tuple[Array, Array]:
        origin = self.child(element, "origin", where)
        if origin is None:
            return np.eye(3), np.zeros(3)
        where = f"{where} <origin>"
        position = self.vector(origin, "xyz", _ORIGIN, where)
        if origin.get("quat_xyzw") is None:
            return matrix_from_rpy(self.vector(origin, "rpy", _ORIGIN, where)), position
        if origin.get("rpy") is not None:
            self.faults.append(f"{where} has both rpy and quat_xyzw: give one of them")
        quaternion = self.vector(origin, "quat_xyzw", (0.0, 0.0, 0.0, 1.0), where)
        if np.linalg.norm(quaternion) < 1e-6:
            self.faults.append(f"{where} quat_xyzw is zero: that is no rotation")
            return np.eye(3), position
        return matrix_from_quaternion(quaternion), position

    # Joints.

    def joint(self, element: Element, name: str) -> JointSpec:
        where = f"joint '{name}'"
        kind = element.get("type", "").strip()
        if kind not in JOINT_TYPES:
            state = f"type '{kind}'" if kind else "no type"
            self.faults.append(f"{where} has {state}: use one of {', '.join(JOINT_TYPES)}")
        parent, child = (self.end(element, tag, where) for tag in ("parent", "child"))
        rotation, position = self.origin(element, where)
        moving = kind in MOVING_TYPES
        mimic = self.mimic(element, name, moving)
        damping, friction = self.losses(element, where)
        return JointSpec(
            name,
            kind,
            parent,
            child,
            rotation,
            position,
            self.axis(element, name) if moving else np.array(_X),
            self.limit(element, kind, name, mimic is not None) if moving else LimitSpec(),
            mimic,
            damping,
            friction,
        )

    def end(self, element: Element, tag: str, where: str) -> str:
        end = self.child(element, tag, where)
        name = "" if end is None else end.get("link", "").strip()
        if name in self.known:
            return name
        self.faults.append(
            f"{where} <{tag}>: no link named '{name}'"
            if name
            else f"{where} has no <{tag} link=...>"
        )
        self.complete = False
        return ""

    def axis(self, element: Element, name: str) -> Array:
        where = f"joint '{name}'"
        axis = self.child(element, "axis", where)
        if axis is None:
            return np.array(_X)
        vector = self.vector(axis, "xyz", _X, f"{where} <axis>")
        length = float(np.linalg.norm(vector))
        if length < 1e-12:
            self.faults.append(f"{where} <axis> is zero: it needs a direction")
            return np.array(_X)
        if abs(length - 1.0) > _UNIT:
            self.doubt(_ODD_AXIS, f"'{name}' (length {length:.4g})")
        # Dividing an axis that is already unit would only add rounding.
        return vector if length == 1.0 else vector / length

    def limit(self, element: Element, kind: str, name: str, follows: bool) -> LimitSpec:
        where = f"joint '{name}' <limit>"
        limit = self.child(element, "limit", f"joint '{name}'")
        free = follows or name in self.limited_elsewhere
        if limit is None:
            if kind != "continuous" and not free:
                self.faults.append(
                    f"joint '{name}' is {kind} and has no <limit>: give lower, upper, effort and "
                    "velocity, or make it continuous"
                )
            return LimitSpec()
        lower, upper, velocity, effort = (
            # Exporters write the largest float there is for "no limit".
            self.number(limit, key, where, default=default, largest=np.inf)
            for key, default in (
                ("lower", 0.0),
                ("upper", 0.0),
                ("velocity", np.nan),
                ("effort", np.nan),
            )
        )
        if kind == "continuous":
            lower, upper = -np.inf, np.inf
        elif lower > upper:
            silent = [key for key in ("lower", "upper") if limit.get(key) is None]
            hint = f" ({silent[0]} is left out, which means 0)" if silent else ""
            self.faults.append(f"{where}: lower {lower:g} is above upper {upper:g}{hint}")
        elif lower == upper and not free:
            self.doubt(_STUCK, f"'{name}'")
        if (velocity <= 0.0 or effort <= 0.0) and not follows:
            self.doubt(_UNRATED, f"'{name}'")
        return LimitSpec(
            lower if lower > -_ENDLESS else -np.inf,
            upper if upper < _ENDLESS else np.inf,
            velocity if 0.0 < velocity < _ENDLESS else np.nan,
            effort if 0.0 < effort < _ENDLESS else np.nan,
        )

    def mimic(self, element: Element, name: str, moving: bool) -> MimicSpec | None:
        where = f"joint '{name}'"
        mimic = self.child(element, "mimic", where)
        if mimic is None:
            return None
        if not moving:
            self.doubt(_FIXED_MIMIC, f"'{name}'")
            return None
        driver = mimic.get("joint", "").strip()
        multiplier = self.number(mimic, "multiplier", f"{where} <mimic>", default=1.0)
        offset = self.number(mimic, "offset", f"{where} <mimic>", default=0.0)
        if not driver:
            self.faults.append(f"{where} <mimic> has no joint=...")
            return None
        return MimicSpec(driver, multiplier, offset)

    def losses(self, element: Element, where: str) -> tuple[float, float]:
        dynamics = self.child(element, "dynamics", where)
        if dynamics is None:
            return 0.0, 0.0
        where = f"{where} <dynamics>"
        damping, friction = (
            self.number(dynamics, key, where, default=0.0) for key in ("damping", "friction")
        )
        if damping < 0.0 or friction < 0.0:
            self.faults.append(f"{where}: damping {damping:g} and friction {friction:g} must be "
                               "at least 0")  # fmt: skip
        return damping, friction

    # The whole.

    def check_bodies(self) -> None:
        """
        Look at links fixed to each other as the one body they are.

        A small part fixed to a larger one only counts together with it. Where the whole is a
        possible body the slip in the part cannot be felt, and real robots ship with it.
        """
        skeleton = build_skeleton(self.links, self.joints)
        rows = body_rows(skeleton, self.links)
        if self.impossible:
            mass = {link.name: link.mass for link in self.links}
            fixed = {joint.child for joint in self.joints if joint.type == "fixed"}
            felt = links_of_impossible_bodies(skeleton, rows)
            for link, error in self.impossible:
                if link in fixed and mass[link] >= 0.0 and link not in felt:
                    self.doubt(_ODD_INERTIA, f"'{link}' ({error})")
                else:
                    self.faults.append(f"link '{link}' <inertial>: {error}")
        for joint in quoted(joints_moving_nothing(skeleton, rows)):
            self.doubt(_BARE, joint)


def _macro_in(root: Element) -> str | None:
    """First sign of xacro: an element, or an expression in a link or joint."""
    for element in root.iter():
        if element.tag.startswith("xacro:"):
            return f"<{element.tag}>"
    for part in root:
        if part.tag in ("link", "joint"):
            for element in part.iter():
                for value in element.attrib.values():
                    if "${" in value:
                        return value
    return None
