# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""From links and joints to the arrays of a model: order the tree, merge what is fixed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.model import arrays as columns
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.specs import Array, JointSpec, LinkSpec

ROOT = -1
_LOWER = np.tril_indices(3)  # xx, xy, yy, xz, yz, zz


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: value = multiplier * q[driver] + offset."""

    joint: str
    driver: str
    multiplier: float
    offset: float


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The kinematics of a model; masses are added by ``lump``."""

    joint_names: tuple[str, ...]
    joint_types: tuple[str, ...]
    mimics: tuple[Mimic, ...]
    link_names: tuple[str, ...]
    link_parents: tuple[int, ...]
    body_names: tuple[str, ...]
    bodies: Array
    topology: np.ndarray
    frame_body: np.ndarray
    frame_offset: Array


def root_of(links: Sequence[LinkSpec], joints: Sequence[JointSpec]) -> str:
    """Name of the link that is nobody's child; ModelError unless there is exactly one."""
    children = {joint.child for joint in joints}
    roots = [link.name for link in links if link.name not in children]
    if len(roots) != 1:
        found = ", ".join(roots) or "none (the joints form a loop)"
        raise ModelError(f"a robot needs exactly one root link; found {found}")
    return roots[0]


def axis_to_z(axis: Array) -> Array:
    """Rotation whose third column is a unit axis: a permutation for x, y and z themselves."""
    k = int(np.argmax(np.abs(axis)))
    if abs(axis[k]) == 1.0:
        first = np.eye(3)[(k + 1) % 3]
    else:
        helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
        first = np.cross(helper, axis)
        first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])


def resolve_mimic(joint: JointSpec, by_name: Mapping[str, JointSpec]) -> tuple[str, float, float]:
    """Independent joint at the end of a mimic chain, with the chain's multiplier and offset."""
    follower = joint.name
    multiplier, offset = 1.0, 0.0
    seen = {follower: None}
    while joint.mimic is not None:
        offset += multiplier * joint.mimic.offset
        multiplier *= joint.mimic.multiplier
        if joint.mimic.joint not in by_name or by_name[joint.mimic.joint].type == "fixed":
            raise ModelError(
                f"joint '{joint.name}' mimics '{joint.mimic.joint}', which cannot move"
            )
        joint = by_name[joint.mimic.joint]
        if joint.name in seen:
            raise ModelError(f"mimic joints form a circle: {' -> '.join([*seen, joint.name])}")
        seen[joint.name] = None
    if not np.isfinite([multiplier, offset]).all():
        raise ModelError(f"joint '{follower}' mimics with a multiplier that is not finite")
    return joint.name, multiplier, offset


def build_skeleton(
    links: Sequence[LinkSpec], joints: Sequence[JointSpec], root: str | None = None
) -> Skeleton:
    """
    Depth-first order from the root, children in the order given; fixed links stay as frames.

    A ``root`` below the description's own keeps that branch only. Raises UnknownNameError (root),
    and ModelError when the links and joints are not one tree.
    """
    named = {link.name for link in links}
    children = defaultdict(list)
    for joint in joints:
        children[joint.parent].append(joint)
        for end in (joint.parent, joint.child):
            if end not in named:
                raise ModelError(f"joint '{joint.name}' names link '{end}', which does not exist")
    root = root_of(links, joints) if root is None else root
    if root not in named:
        raise UnknownNameError("link", root, [link.name for link in links])
    by_name = {joint.name: joint for joint in joints}

    link_names, link_parents, frame_body, frame_offset = [root], [-1], [ROOT], [np.eye(3, 4)]
    bodies: list[Array] = []
    moving: list[JointSpec] = []
    parents: list[int] = []
    stack = [(joint, 0) for joint in reversed(children[root])]
    while stack:
        joint, parent_link = stack.pop()
        placement = compose(
            frame_offset[parent_link], np.column_stack([joint.rotation, joint.position])
        )
        if joint.type == "fixed":
            body, offset = frame_body[parent_link], placement
        else:
            turn = axis_to_z(joint.axis)
            row = np.zeros(columns.BODY_COLUMNS)
            row[columns.ROTATION : columns.ROTATION + 9] = (placement[:, :3] @ turn).ravel()
            row[columns.POSITION : columns.POSITION + 3] = placement[:, 3]
            row[columns.LINK_AXES : columns.LINK_AXES + 9] = turn.T.ravel()
            bodies.append(row)
            moving.append(joint)
            parents.append(frame_body[parent_link])
            body, offset = len(bodies) - 1, np.column_stack([turn.T, np.zeros(3)])
        link_names.append(joint.child)
        link_parents.append(parent_link)
        frame_body.append(body)
        frame_offset.append(offset)
        stack += [(child, len(link_names) - 1) for child in reversed(children[joint.child])]
        if len(link_names) > len(links):
            raise ModelError(f"link '{joint.child}' is reached twice: the joints form a loop")

    independent = [joint for joint in moving if joint.mimic is None]
    index = {joint.name: i for i, joint in enumerate(independent)}
    topology = np.zeros((len(bodies), columns.TOPOLOGY_COLUMNS), dtype=np.int64)
    mimics = []
    for b, joint in enumerate(moving):
        driver, multiplier, shift = resolve_mimic(joint, by_name)
        if driver not in index:
            raise ModelError(f"joint '{joint.name}' mimics '{driver}', outside root '{root}'")
        kind = columns.PRISMATIC if joint.type == "prismatic" else columns.REVOLUTE
        topology[b] = parents[b], index[driver], kind
        bodies[b][columns.MULTIPLIER], bodies[b][columns.OFFSET] = multiplier, shift
        if joint.mimic is not None:
            mimics.append(Mimic(joint.name, driver, multiplier, shift))
    flat = [np.concatenate([f[:, :3].ravel(), f[:, 3]]) for f in frame_offset]
    return Skeleton(
        tuple(joint.name for joint in independent),
        tuple(joint.type for joint in independent),
        tuple(mimics),
        tuple(link_names),
        tuple(link_parents),
        tuple(joint.name for joint in moving),
        np.array(bodies).reshape(-1, columns.BODY_COLUMNS),
        topology,
        np.array(frame_body, dtype=np.int64),
        np.array(flat),
    )


def compose(a: Array, b: Array) -> Array:
    """Product of two poses given as (3, 4) matrices [R p]."""
    return np.column_stack([a[:, :3] @ b[:, :3], a[:, :3] @ b[:, 3] + a[:, 3]])


def lump(skeleton: Skeleton, inertials: Iterable[tuple[int, Array]]) -> Array:
    """
    Body rows with the inertia of all links that move together.

    ``inertials`` are (link index, [m, m c, I about the link origin: xx, xy, yy, xz, yz, zz]).
    """
    rows = skeleton.bodies.copy()
    for link, parameters in inertials:
        body = skeleton.frame_body[link]
        if body != ROOT:
            rows[body, columns.MASS : columns.INERTIA + 6] += move_parameters(
                parameters, skeleton.frame_offset[link]
            )
    return rows


def move_parameters(parameters: Array, offset: Array) -> Array:
    """Inertial parameters (10,) of a link seen from the frame it is offset (12,) in."""
    rotation, position = offset[:9].reshape(3, 3), offset[9:]
    mass, moment = parameters[0], rotation @ parameters[1:4]
    xx, xy, yy, xz, yz, zz = parameters[4:]
    tensor = rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ rotation.T
    cross_term = np.outer(position, moment) + np.outer(moment, position)
    tensor = (
        tensor
        + (2.0 * position @ moment + mass * position @ position) * np.eye(3)
        - cross_term
        - mass * np.outer(position, position)
    )
    return np.concatenate([[mass], moment + mass * position, tensor[_LOWER]])


def losses_of(skeleton: Skeleton, joints: Iterable[JointSpec]) -> tuple[Array, Array]:
    """
    Viscous damping and Coulomb friction (n,) felt at the independent joints.

    A follower's damping d counts as multiplier^2 d at its driver, its friction f as
    |multiplier| f: the same power is lost.
    """
    by_name = {joint.name: joint for joint in joints}
    damping, friction = np.zeros((2, len(skeleton.joint_names)))
    for name, row, (_, i, _) in zip(
        skeleton.body_names, skeleton.bodies, skeleton.topology, strict=True
    ):
        damping[i] += row[columns.MULTIPLIER] ** 2 * by_name[name].damping
        friction[i] += abs(row[columns.MULTIPLIER]) * by_name[name].friction
    return damping, friction


def limits_of(joint_names: Sequence[str], joints: Iterable[JointSpec]) -> JointLimits:
    """Limits of the named joints; a continuous joint has no position limits."""
    by_name = {joint.name: joint for joint in joints}
    n = len(joint_names)
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    velocity, effort = np.full(n, np.nan), np.full(n, np.nan)
    for i, name in enumerate(joint_names):
        joint = by_name[name]
        if joint.type != "continuous":
            lower[i], upper[i] = joint.limit.lower, joint.limit.upper
        velocity[i], effort[i] = joint.limit.velocity, joint.limit.effort
    unknown = np.full(n, np.nan)
    return JointLimits(lower, upper, velocity, unknown, effort, unknown, unknown)
