# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Whether links and joints make a robot: one tree, mimics that lead somewhere, real bodies."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from robodyn_ros.model.arrays import INDEX, INERTIA, MASS, PARENT
from robodyn_ros.model.assembly import ROOT, Skeleton, lump
from robodyn_ros.model.attributes import listed, quoted
from robodyn_ros.model.inertia import inertia_about_com, inertia_faults, inertial_parameters_of
from robodyn_ros.model.specs import Array, JointSpec, LinkSpec


def tree_faults(
    links: Collection[str], joints: Sequence[JointSpec], complete: bool = True
) -> list[str]:
    """
    Say why the joints do not make one tree of the links.

    Where the description is not ``complete``, because some names could not be read, links without
    a parent are no surprise and not reported.
    """
    faults = []
    carrier: dict[str, JointSpec] = {}
    for joint in joints:
        first = carrier.setdefault(joint.child, joint)
        if first is not joint:
            faults.append(
                f"link '{joint.child}' is the child of two joints, '{first.name}' and "
                f"'{joint.name}'"
            )
    roots = [link for link in links if link not in carrier]
    if len(roots) > 1 and complete:
        shown = listed(quoted(roots))
        faults.append(f"{len(roots)} links have no parent, one must be the root: {shown}")
    for loop in circles({joint.child: joint.parent for joint in carrier.values()}):
        faults.append(f"the joints form a loop through links {listed(quoted(loop[::-1]))}")
    return faults


def mimic_faults(joints: Sequence[JointSpec]) -> list[str]:
    """Say which mimic joints follow nothing that moves."""
    by_name = {joint.name: joint for joint in joints}
    faults, drivers = [], {}
    for joint in joints:
        if joint.mimic is None:
            continue
        drivers[joint.name] = joint.mimic.joint
        driver = by_name.get(joint.mimic.joint)
        if driver is None or driver.type == "fixed":
            state = "does not exist" if driver is None else "is fixed"
            faults.append(f"joint '{joint.name}' mimics '{joint.mimic.joint}', which {state}")
    for circle in circles(drivers):
        faults.append(f"mimic joints form a circle: {' -> '.join([*circle, circle[0]])}")
    return faults


def circles(following: Mapping[str, str]) -> list[list[str]]:
    """Circles in a relation in which everything follows at most one other, each once."""
    found: list[list[str]] = []
    done: set[str] = set()
    for start in following:
        trail: dict[str, None] = {}
        at = start
        while at in following and at not in done and at not in trail:
            trail[at] = None
            at = following[at]
        if at in trail:
            names = list(trail)
            found.append(names[names.index(at) :])
        done.update(trail)
    return found


def body_rows(skeleton: Skeleton, links: Sequence[LinkSpec]) -> Array:
    """One row per moving body: its link and all links fixed to it together."""
    by_name = {link.name: link for link in links}
    ordered = [by_name[name] for name in skeleton.link_names]
    return lump(
        skeleton,
        enumerate(inertial_parameters_of(x.mass, x.com, x.inertia) for x in ordered),
    )


def links_of_impossible_bodies(skeleton: Skeleton, rows: Array) -> set[str]:
    """Name the links that move with a body of impossible inertia."""
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


def joints_moving_nothing(skeleton: Skeleton, rows: Array) -> list[str]:
    """Name the independent joints beyond which neither mass nor inertia lies, followers' too."""
    weight = rows[:, MASS] + rows[:, [INERTIA, INERTIA + 2, INERTIA + 5]].sum(axis=1)
    for body in range(len(rows) - 1, -1, -1):
        parent = skeleton.topology[body, PARENT]
        if parent != ROOT:
            weight[parent] += weight[body]
    moved = np.zeros(len(skeleton.joint_names))
    np.add.at(moved, skeleton.topology[:, INDEX], weight)
    return [name for name, w in zip(skeleton.joint_names, moved, strict=True) if w == 0.0]
