# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
URDF text to link and joint records, with every fault named.

Legal content loads, impossible content ends in one ModelError that lists all faults, doubtful
content is reported as text. Visuals, collisions and foreign elements are skipped.
"""

from collections.abc import Collection
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.assembly import build_skeleton
from robodyn_ros.model.attributes import AttributeReader
from robodyn_ros.model.description_checks import (
    body_rows,
    joints_moving_nothing,
    links_of_impossible_bodies,
    listed,
    mimic_faults,
    tree_faults,
)
from robodyn_ros.model.inertia import inertia_faults, rotate_inertia
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.rotations import matrix_from_rpy
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
_X = (1.0, 0.0, 0.0)  # the axis of a joint that names none
_ORIGIN = (0.0, 0.0, 0.0)


def load_urdf(path: str | Path, **options: Any) -> RobotModel:
    """
    Model of a URDF file, or of a .xacro file where the xacro package is installed.

    ``options`` as for RobotModel.from_urdf. Raises ModelError naming the file and listing every
    fault.
    """
    path = Path(path)
    try:
        text = _expand_xacro(path) if path.suffix == ".xacro" else path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}") from error
    try:
        return RobotModel.from_urdf(text, **options)
    except ModelError as error:
        raise ModelError(f"{path}: {error.what}", error.faults) from None


def _expand_xacro(path: Path) -> str:
    try:
        import xacro
    except ImportError:
        raise ModelError(
            f"{path} needs xacro: install ros-$ROS_DISTRO-xacro (or pip install xacro), or expand "
            f"it yourself: xacro {path} > robot.urdf"
        ) from None
    path.open().close()  # a missing file is an OSError here, and much worse inside xacro
    try:
        return str(xacro.process_file(str(path)).toxml())
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
        reader.doubts.append("the <robot> has no name: most other programs refuse it")
    faults = reader.faults + (reader.doubts if strict else [])
    if faults:
        raise ModelError(f"robot '{name}' cannot be used", faults)
    return name, reader.links, reader.joints, reader.doubts


class _Reader(AttributeReader):
    """One pass over a <robot>, collecting records, faults and doubts."""

    def __init__(self, limited_elsewhere: Collection[str]):
        super().__init__()
        self.limited_elsewhere = limited_elsewhere
        self.links: list[LinkSpec] = []
        self.joints: list[JointSpec] = []
        self.known: set[str] = set()
        self.complete = True  # every name could be read: what is missing is really missing
        self.unrated: list[str] = []
        self.impossible: list[tuple[str, str]] = []  # link, fault

    def read(self, root: Element) -> None:
        unexpanded = sorted({e.tag for e in root.iter() if e.tag.startswith("xacro:")})
        if unexpanded:
            self.faults.append(
                f"<{unexpanded[0]}> is not expanded: run xacro on the file first, or load it with "
                "the ending .xacro"
            )
            return
        self.links = [self.link(e, name) for e, name in self.named(root, "link")]
        self.known = {link.name for link in self.links}
        self.joints = [self.joint(e, name) for e, name in self.named(root, "joint")]
        if not self.links:
            self.faults.append("there is no <link>")
        if self.unrated:
            self.doubts.append(
                "effort or velocity limit of 0 or below counts as unknown and is not checked: "
                f"joints {listed(self.unrated)}"
            )
        ended = [joint for joint in self.joints if joint.parent and joint.child]
        self.faults += tree_faults([link.name for link in self.links], ended, self.complete)
        self.faults += mimic_faults(self.joints)
        if self.faults:
            self.faults += [fault for _, fault in self.impossible]
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
            self.impossible += [(name, f"{where}: {error}") for error in errors]
            self.doubts += [f"{where}: {warning}" for warning in warnings]
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
        rpy = self.vector(origin, "rpy", _ORIGIN, f"{where} <origin>")
        return matrix_from_rpy(rpy), self.vector(origin, "xyz", _ORIGIN, f"{where} <origin>")

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
        mimic = self.mimic(element, where, moving)
        damping, friction = self.losses(element, where)
        return JointSpec(
            name,
            kind,
            parent,
            child,
            rotation,
            position,
            self.axis(element, where) if moving else np.array(_X),
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

    def axis(self, element: Element, where: str) -> Array:
        axis = self.child(element, "axis", where)
        if axis is None:
            return np.array(_X)
        vector = self.vector(axis, "xyz", _X, f"{where} <axis>")
        length = float(np.linalg.norm(vector))
        if length < 1e-12:
            self.faults.append(f"{where} <axis> is zero: it needs a direction")
            return np.array(_X)
        if abs(length - 1.0) > _UNIT:
            self.doubts.append(f"{where} <axis> has length {length:.4g}: taken as a direction")
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
            self.faults.append(f"{where}: lower {lower:g} is above upper {upper:g}")
        elif lower == upper and not free:
            self.doubts.append(f"{where}: lower and upper are both {lower:g}: it cannot move")
        if (velocity <= 0.0 or effort <= 0.0) and not follows:
            self.unrated.append(name)
        return LimitSpec(
            lower,
            upper,
            velocity if velocity > 0.0 else np.nan,
            effort if effort > 0.0 else np.nan,
        )

    def mimic(self, element: Element, where: str, moving: bool) -> MimicSpec | None:
        mimic = self.child(element, "mimic", where)
        if mimic is None:
            return None
        if not moving:
            self.doubts.append(f"{where} <mimic> is ignored: the joint does not move")
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
            for link, fault in self.impossible:
                harmless = link in fixed and mass[link] >= 0.0 and link not in felt
                (self.doubts if harmless else self.faults).append(fault)
        bare = joints_moving_nothing(skeleton, rows)
        if bare:
            self.doubts.append(
                f"joints {listed(bare)} move links without mass: torques come out as zero and "
                "forward dynamics refuses the model; give the links an <inertial>"
            )
