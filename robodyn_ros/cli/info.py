# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""``robodyn info``: what a robot description says, and what is doubtful about it."""

import argparse
import json
import warnings
from typing import Any

import numpy as np

from robodyn_ros.errors import ModelWarning
from robodyn_ros.ik.chain import chain_to
from robodyn_ros.model.arrays import MASS
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.urdf import load_urdf

_LIMITS = ("lower", "upper", "velocity", "effort")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the sub-command."""
    parser.add_argument("urdf", help="URDF file (or .xacro where xacro is installed)")
    parser.add_argument("--json", action="store_true", help="print the same for programs")


def run(arguments: argparse.Namespace) -> int:
    """Print joints, limits, masses, reach and warnings; exit code 0."""
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always", ModelWarning)
        facts = facts_of(load_urdf(arguments.urdf))
    facts["warnings"] = [str(doubt.message) for doubt in doubts]
    print(json.dumps(facts, indent=2) if arguments.json else as_text(facts))
    return 0


def facts_of(model: RobotModel) -> dict[str, Any]:
    """
    Joints, mimic joints, links and reach as plain numbers and texts; None: unknown, or no limit.

    Of links: ``mass`` (kg) as described, ``mass_moved``: with all links fixed to it, for the link
    that a joint moves. Of reach: no point of the link's origin is farther than ``farthest`` (m)
    from ``around`` (m, root frame); None on an endless slide.
    """
    limits = model.limits
    return {
        "name": model.name,
        "root_link": model.root_link,
        "mass": model.total_mass,
        "joints": [
            {
                "name": name,
                "type": model.joint_types[i],
                **{limit: _known(getattr(limits, limit)[i]) for limit in _LIMITS},
            }
            for i, name in enumerate(model.joint_names)
        ],
        "mimics": [
            {"name": m.joint, "driver": m.driver, "multiplier": m.multiplier, "offset": m.offset}
            for m in model.mimics
        ],
        "links": _links(model),
        "reach": [_reach(model, link) for link in model.leaf_links if model.joints_of(link)],
    }


def _links(model: RobotModel) -> list[dict[str, Any]]:
    seen: set[int] = set()
    links = []
    for i, name in enumerate(model.link_names):
        body, joints = int(model.arrays.frame_body[i]), model.joints_of(name)
        # Depth first, the link that a joint moves comes before those fixed to it.
        leads = body >= 0 and body not in seen
        seen.add(body)
        links.append(
            {
                "name": name,
                "mass": float(model.link_parameters[i, 0]),
                "mass_moved": float(model.arrays.bodies[body, MASS]) if leads else None,
                "moves_with": joints[-1] if joints else None,
            }
        )
    return links


def _reach(model: RobotModel, link: str) -> dict[str, Any]:
    chain = chain_to(model, link)
    farthest = chain.reach.farthest + float(np.linalg.norm(chain.offset[9:]))
    return {"link": link, "around": list(chain.reach.base), "farthest": _known(farthest)}


def as_text(facts: dict[str, Any]) -> str:
    """Write the facts as tables for people."""
    joints, links = facts["joints"], facts["links"]
    lines = [f"{facts['name']}: {len(joints)} joints, {len(links)} links, "
             f"{facts['mass']:.3f} kg, root link {facts['root_link']}", ""]  # fmt: skip
    width = max((len(joint["name"]) for joint in joints), default=5)
    columns = f"{'lower':>8s} {'upper':>8s} {'velocity':>9s} {'effort':>8s}"
    lines.append(f"{'joint':{width}s} {'type':10s} {columns}")
    for joint in joints:
        sizes = zip(_LIMITS, (8, 8, 9, 8), strict=True)
        shown = " ".join(f"{_number(joint[limit]):>{size}s}" for limit, size in sizes)
        lines.append(f"{joint['name']:{width}s} {joint['type']:10s} {shown}")
    for m in facts["mimics"]:
        lines.append(f"{m['name']} = {m['multiplier']:g} * {m['driver']} + {m['offset']:g}")
    width = max(len(link["name"]) for link in links)
    lines += ["", f"{'link':{width}s} {'mass':>9s} {'with fixed':>10s}  moves with"]
    for link in links:
        merged = "" if link["mass_moved"] is None else f"{link['mass_moved']:.4f}"
        carrier = link["moves_with"] or "the root (fixed)"
        lines.append(f"{link['name']:{width}s} {link['mass']:9.4f} {merged:>10s}  {carrier}")
    lines += [""] * bool(facts["reach"])
    for reach in facts["reach"]:
        far = "any distance" if reach["farthest"] is None else f"{reach['farthest']:.3f} m"
        around = ", ".join(f"{x:.3g}" for x in reach["around"])
        lines.append(f"reach of {reach['link']}: at most {far} from ({around})")
    return "\n".join([*lines, *(f"warning: {warning}" for warning in facts["warnings"])])


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
