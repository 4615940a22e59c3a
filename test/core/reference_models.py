# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Robots as other sources describe them: Denavit-Hartenberg rows and chains of segments."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from robodyn_ros import RobotModel
from robodyn_ros.model.rotations import matrix_from_rpy
from robodyn_ros.model.specs import JointSpec, LinkSpec

FOLDER = Path(__file__).parent / "reference"
GRAVITY = (0.0, 0.0, -9.81)

Pose = tuple[Any, Any]
HERE: Pose = (np.eye(3), np.zeros(3))


def read_figures(name: str) -> Any:
    """Read a file of figures."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def turn(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> np.ndarray:
    """Rotation about one axis (or roll, pitch, yaw)."""
    return matrix_from_rpy([x, y, z])


@dataclass(frozen=True)
class Segment:
    """
    A joint at a pose in the tip before it, and its own tip at a pose in the moving frame.

    The mass is in the axes of the tip, or of the joint with ``mass_at="joint"``.
    """

    joint: Pose = HERE
    tip: Pose = HERE
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    type: str = "revolute"
    mass: float = 0.0
    com: Sequence[float] = (0.0, 0.0, 0.0)
    inertia: Any = (0.0, 0.0, 0.0)
    mass_at: str = "tip"


def serial_model(
    name: str, segments: Sequence[Segment], gravity: Sequence[float] = GRAVITY
) -> RobotModel:
    """Make a chain: link "joint<i>" moves, link "tip<i>" is fixed to it, both from 1."""
    links, joints, parent = [LinkSpec("base")], [], "base"
    for i, segment in enumerate(segments, start=1):
        tensor = np.asarray(segment.inertia, dtype=float)
        tensor = np.diag(tensor) if tensor.ndim == 1 else tensor
        body = (segment.mass, np.array(segment.com, dtype=float), tensor)
        moving, tip = f"joint{i}", f"tip{i}"
        links.append(LinkSpec(moving, *(body if segment.mass_at == "joint" else ())))
        links.append(LinkSpec(tip, *(body if segment.mass_at == "tip" else ())))
        axis = np.array(segment.axis, dtype=float)
        where = [np.array(x, dtype=float) for x in segment.joint]
        joints.append(JointSpec(f"q{i}", segment.type, parent, moving, *where, axis))
        where = [np.array(x, dtype=float) for x in segment.tip]
        joints.append(JointSpec(f"tip_of_q{i}", "fixed", moving, tip, *where))
        parent = tip
    return RobotModel.from_specs(name, links, joints, gravity=gravity)


def standard_dh(
    a: float = 0.0, alpha: float = 0.0, d: float = 0.0, theta: float = 0.0, **body: Any
) -> Segment:
    """Rz(q) Tz(d) Tx(a) Rx(alpha); a sliding joint has Rz(theta) Tz(q) in front instead."""
    return Segment((turn(z=theta), np.zeros(3)), (turn(x=alpha), (a, 0.0, d)), **body)


def modified_dh(a: float, alpha: float, d: float, tool: float = 0.0, **body: Any) -> Segment:
    """Tx(a) Rx(alpha) Rz(q) Tz(d), with a tool Tz(tool) behind it."""
    return Segment((turn(x=alpha), (a, 0.0, 0.0)), (np.eye(3), (0.0, 0.0, d + tool)), **body)


def panda_with_tool() -> RobotModel:
    """Make the kinematics of the Panda with its hand: flange .107, tool .103 turned by -45 deg."""
    half = np.pi / 2
    rows = zip(
        (0.0, 0.0, 0.0, 0.0825, -0.0825, 0.0, 0.088),
        (0.0, -half, half, half, -half, half, half),
        (0.333, 0.0, 0.316, 0.0, 0.384, 0.0, 0.107),
        strict=True,
    )
    segments = [modified_dh(a, alpha, d) for a, alpha, d in rows]
    last = Segment(segments[-1].joint, (turn(z=-np.pi / 4), (0.0, 0.0, 0.107 + 0.103)))
    return serial_model("panda", [*segments[:-1], last])


@cache
def reference_arms() -> dict[str, Any]:
    """Arms of reference/arms.json: their figures, with the model made of them under "model"."""
    arms = read_figures("arms")
    for name, arm in arms.items():
        links = arm["links"]
        flange = tuple(arm["flange"].values())
        segments = [
            Segment(
                (link["rotation"], link["position"]),
                flange if link is links[-1] else HERE,
                mass=link["mass"],
                com=link["com"],
                inertia=link["inertia"],
                mass_at="joint",
            )
            for link in links
        ]
        arm["model"] = serial_model(name, segments)
    return arms
