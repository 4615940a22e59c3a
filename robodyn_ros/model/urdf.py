# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
URDF text to link and joint records, with every fault named.

Legal content loads, impossible content ends in one ModelError that lists all faults, doubtful
content is reported as text. Visuals, collisions and foreign elements are skipped.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.arrays import INERTIA, MASS
from robodyn_ros.model.assembly import build_skeleton, lump
from robodyn_ros.model.inertia import (
    inertia_about_com,
    inertia_faults,
    inertial_parameters_of,
    rotate_inertia,
)
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

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
# An axis that differs from length 1 by more than this is worth a word.
_UNIT = 1e-3


def load_urdf(path: str | Path) -> RobotModel:
    """
    Model of a URDF file, or of a .xacro file where the xacro package is installed.

    Raises ModelError naming the file and listing every fault; OSError when it cannot be read.
    """
    path = Path(path)
    text: str | bytes = _expand_xacro(path) if path.suffix == ".xacro" else path.read_bytes()
    try:
        return RobotModel.from_urdf(text)
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
    path.stat()  # a missing file is an OSError here, and much worse inside xacro
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
    faults = reader.faults + (reader.doubts if strict else [])
    name = root.get("name") or "robot"
    if faults:
        raise ModelError(f"robot '{name}' cannot be used", faults)
    return name, reader.links, reader.joints, reader.doubts


class _Reader:
    """One pass over a <robot>, collecting records, faults and doubts."""

    def __init__(self, limited_elsewhere: Collection[str]):
        self.limited_elsewhere = limited_elsewhere
        self.links: list[LinkSpec] = []
        self.joints: list[JointSpec] = []
        self.faults: list[str] = []
        self.doubts: list[str] = []
        self.unrated: list[str] = []
        self.impossible: dict[str, list[str]] = {}

    def read(self, root: Element) -> None:
        unexpanded = sorted({e.tag for e in root.iter() if e.tag.startswith("xacro:")})
        if unexpanded:
            self.faults.append(
                f"<{unexpanded[0]}> is not expanded: run xacro on the file first, or load it with "
                "the ending .xacro"
            )
            return
        self.links = [self.link(e, name) for e, name in self.named(root, "link")]
        elements = self.named(root, "joint")
        self.joints = [joint for e, name in elements if (joint := self.joint(e, name)) is not None]
        if not self.links:
            self.faults.append("there is no <link>")
        if self.unrated:
            self.doubts.append(
                "effort or velocity limit of 0 or below counts as unknown and is not checked: "
                f"joints {_listed(self.unrated)}"
            )
        if not self.faults:
            self.check_tree()
            self.check_mimics()
        if not self.faults:
            self.check_inertias()
            self.find_massless()
        else:
            self.faults += [fault for faults in self.impossible.values() for fault in faults]

    def named(self, root: Element, tag: str) -> list[tuple[Element, str]]:
        found: dict[str, Element] = {}
        for number, element in enumerate(root.findall(tag), start=1):
            name = element.get("name", "").strip()
            if not name:
                self.faults.append(f"<{tag}> number {number} has no name")
            elif name in found:
                self.faults.append(f"{tag} '{name}' is there twice")
            else:
                found[name] = element
        return [(element, name) for name, element in found.items()]

    # Links.

    def link(self, element: Element, name: str) -> LinkSpec:
        where = f"link '{name}' <inertial>"
        inertial = element.find("inertial")
        if inertial is None:
            return LinkSpec(name)
        rotation, com = self.origin(inertial, where)
        mass = self.child_number(inertial, "mass", "value", where)
        tensor = self.tensor(inertial.find("inertia"), where)
        errors, warnings = inertia_faults(mass, tensor)
        if errors:
            self.impossible[name] = [f"{where}: {error}" for error in errors]
        self.doubts += [f"{where}: {warning}" for warning in warnings]
        return LinkSpec(name, mass, com, rotate_inertia(tensor, rotation))

    def tensor(self, element: Element | None, where: str) -> Array:
        if element is None:
            self.faults.append(f"{where} has no <inertia>")
            return np.zeros((3, 3))
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        xx, xy, xz, yy, yz, zz = (self.number(element, k, f"{where} <inertia>") for k in keys)
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def origin(self, element: Element, where: str) -> tuple[Array, Array]:
        origin = element.find("origin")
        if origin is None:
            return np.eye(3), np.zeros(3)
        rpy = self.vector(origin, "rpy", (0.0, 0.0, 0.0), f"{where} <origin>")
        return matrix_from_rpy(rpy), self.vector(
            origin, "xyz", (0.0, 0.0, 0.0), f"{where} <origin>"
        )

    # Joints.

    def joint(self, element: Element, name: str) -> JointSpec | None:
        where = f"joint '{name}'"
        kind = element.get("type", "").strip()
        if kind not in JOINT_TYPES:
            known = ", ".join(JOINT_TYPES)
            hint = ": planar and floating joints are not supported" if kind in (
                "planar", "floating") else ""  # fmt: skip
            self.faults.append(f"{where} has type '{kind}', not one of {known}{hint}")
        ends = [self.end(element, tag, where) for tag in ("parent", "child")]
        rotation, position = self.origin(element, where)
        moving = kind in MOVING_TYPES
        axis = self.axis(element, where) if moving else np.array([1.0, 0.0, 0.0])
        mimic = self.mimic(element, where) if moving else None
        limit = self.limit(element, kind, name, mimic is not None) if moving else LimitSpec()
        dynamics = element.find("dynamics")
        damping, friction = (
            self.number(dynamics, key, f"{where} <dynamics>", default=0.0)
            if dynamics is not None
            else 0.0
            for key in ("damping", "friction")
        )
        if kind not in JOINT_TYPES or None in ends:
            return None
        parent, child = str(ends[0]), str(ends[1])
        return JointSpec(
            name, kind, parent, child, rotation, position, axis, limit, mimic, damping, friction
        )

    def end(self, element: Element, tag: str, where: str) -> str | None:
        end = element.find(tag)
        name = "" if end is None else end.get("link", "").strip()
        if not name:
            self.faults.append(f"{where} has no <{tag} link=...>")
        elif name not in [link.name for link in self.links]:
            self.faults.append(f"{where} <{tag}>: no link named '{name}'")
        else:
            return name
        return None

    def axis(self, element: Element, where: str) -> Array:
        axis = element.find("axis")
        if axis is None:
            return np.array([1.0, 0.0, 0.0])
        vector = self.vector(axis, "xyz", (1.0, 0.0, 0.0), f"{where} <axis>")
        length = float(np.linalg.norm(vector))
        if length < 1e-12:
            self.faults.append(f"{where} <axis> is zero: it needs a direction")
            return np.array([1.0, 0.0, 0.0])
        if abs(length - 1.0) > _UNIT:
            self.doubts.append(f"{where} <axis> has length {length:.4g}: taken as a direction")
        # Dividing an axis that is already unit would only add rounding.
        return vector if length == 1.0 else vector / length

    def limit(self, element: Element, kind: str, name: str, follows: bool) -> LimitSpec:
        where = f"joint '{name}' <limit>"
        limit = element.find("limit")
        bounded = kind != "continuous"
        if limit is None:
            if bounded and not follows and name not in self.limited_elsewhere:
                self.faults.append(
                    f"joint '{name}' is {kind} and has no <limit>: give lower, upper, effort and "
                    "velocity, or make it continuous"
                )
            return LimitSpec()
        lower, upper = -np.inf, np.inf
        if bounded:
            lower = self.number(limit, "lower", where, default=0.0)
            upper = self.number(limit, "upper", where, default=0.0)
            if lower > upper:
                self.faults.append(f"{where}: lower {lower:g} is above upper {upper:g}")
            elif lower == upper and not follows and name not in self.limited_elsewhere:
                self.doubts.append(f"{where}: lower and upper are both {lower:g}: it cannot move")
        velocity, effort = (
            self.number(limit, key, where, default=np.nan) for key in ("velocity", "effort")
        )
        if (velocity <= 0.0 or effort <= 0.0) and not follows:
            self.unrated.append(name)
        return LimitSpec(
            lower,
            upper,
            velocity if velocity > 0.0 else np.nan,
            effort if effort > 0.0 else np.nan,
        )

    def mimic(self, element: Element, where: str) -> MimicSpec | None:
        mimic = element.find("mimic")
        if mimic is None:
            return None
        driver = mimic.get("joint", "").strip()
        if not driver:
            self.faults.append(f"{where} <mimic> has no joint=...")
        return MimicSpec(
            driver,
            self.number(mimic, "multiplier", f"{where} <mimic>", default=1.0),
            self.number(mimic, "offset", f"{where} <mimic>", default=0.0),
        )

    # The whole.

    def check_tree(self) -> None:
        carrier: dict[str, str] = {}
        for joint in self.joints:
            if joint.child in carrier:
                self.faults.append(
                    f"link '{joint.child}' is the child of two joints, '{carrier[joint.child]}' "
                    f"and '{joint.name}'"
                )
            carrier[joint.child] = joint.name
        parent = {joint.child: joint.parent for joint in self.joints}
        roots = [link.name for link in self.links if link.name not in parent]
        if len(roots) > 1:
            self.faults.append(
                f"{len(roots)} links have no parent, one must be the root: {_listed(roots)}"
            )
        lost = _unreachable(parent, roots)
        if lost:
            self.faults.append(f"the joints form a loop through links {_listed(lost)}")

    def check_mimics(self) -> None:
        by_name = {joint.name: joint for joint in self.joints}
        for joint in self.joints:
            chain = [joint.name]
            mimic = joint.mimic
            while mimic is not None:
                driver = by_name.get(mimic.joint)
                if driver is None or driver.type == "fixed":
                    state = "does not exist" if driver is None else "is fixed"
                    if len(chain) == 1:
                        self.faults.append(
                            f"joint '{joint.name}' mimics '{mimic.joint}', which {state}"
                        )
                    break
                if driver.name in chain:
                    if driver.name == joint.name and joint.name == min(chain):
                        shown = " -> ".join([*chain, driver.name])
                        self.faults.append(f"mimic joints form a circle: {shown}")
                    break
                chain.append(driver.name)
                mimic = driver.mimic

    def check_inertias(self) -> None:
        """
        Sort links that no body can be into faults and doubts.

        A small part fixed to a larger one only counts together with it. Where the whole is a
        possible body the slip in the part cannot be felt, and real robots ship with it.
        """
        if not self.impossible:
            return
        mass = {link.name: link.mass for link in self.links}
        fixed = {joint.child for joint in self.joints if joint.type == "fixed"}
        wholes = self.lumped_faults()
        for link, faults in self.impossible.items():
            harmless = link in fixed and mass[link] >= 0.0 and link not in wholes
            (self.doubts if harmless else self.faults).extend(faults)

    def lumped_faults(self) -> set[str]:
        skeleton = build_skeleton(self.links, self.joints)
        by_name = {link.name: link for link in self.links}
        ordered = [by_name[name] for name in skeleton.link_names]
        rows = lump(
            skeleton,
            enumerate(inertial_parameters_of(x.mass, x.com, x.inertia) for x in ordered),
        )
        bad = {
            body
            for body, row in enumerate(rows)
            if inertia_faults(*inertia_about_com(row[MASS : INERTIA + 6]))[0]
        }
        return {
            name
            for name, body in zip(skeleton.link_names, skeleton.frame_body, strict=True)
            if body in bad
        }

    def find_massless(self) -> None:
        mass = {link.name: link.mass for link in self.links}
        children = defaultdict(list)
        for joint in self.joints:
            children[joint.parent].append(joint.child)
        beyond: dict[str, float] = {}
        for link in reversed(_breadth_first(self.links[0].name, children, self.joints)):
            beyond[link] = mass[link] + sum(beyond[child] for child in children[link])
        bare = [j.name for j in self.joints if j.type != "fixed" and beyond[j.child] == 0.0]
        if bare:
            self.doubts.append(
                f"joints {_listed(bare)} move links without mass: torques come out as zero and "
                "forward dynamics refuses the model; give the links an <inertial>"
            )

    # Numbers.

    def vector(self, element: Element, key: str, default: Sequence[float], where: str) -> Array:
        text = element.get(key)
        if text is None:
            return np.array(default)
        parts = text.split()
        values = [_parse(part) for part in parts]
        if len(values) != 3 or None in values:
            self.faults.append(f'{where} {key}="{text}" is not three numbers')
            return np.array(default)
        return np.array(values, dtype=float)

    def number(
        self, element: Element, key: str, where: str, default: float | None = None
    ) -> float:
        text = element.get(key)
        if text is None and default is not None:
            return default
        value = None if text is None else _parse(text.strip())
        if value is None:
            missing = f"{where} has no {key}" if text is None else f'{where} {key}="{text}" is not'
            self.faults.append(missing if text is None else f"{missing} a finite number")
            return 0.0 if default is None else default
        return value

    def child_number(self, element: Element, tag: str, key: str, where: str) -> float:
        child = element.find(tag)
        if child is None:
            self.faults.append(f"{where} has no <{tag}>")
            return 0.0
        return self.number(child, key, f"{where} <{tag}>")


def _parse(text: str) -> float | None:
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if np.isfinite(value) else None


def _unreachable(parent: dict[str, str], roots: Iterable[str]) -> list[str]:
    safe = set(roots)
    for link in parent:
        trail = []
        while link not in safe and link in parent and link not in trail:
            trail.append(link)
            link = parent[link]
        if link in safe:
            safe.update(trail)
    return [link for link in parent if link not in safe]


def _breadth_first(
    start: str, children: dict[str, list[str]], joints: Sequence[JointSpec]
) -> list[str]:
    parent = {joint.child: joint.parent for joint in joints}
    while start in parent:
        start = parent[start]
    order = [start]
    for link in order:
        order += children[link]
    return order


def _listed(names: Sequence[str], most: int = 8) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
