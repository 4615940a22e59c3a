# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A shipped robot as the behaviours see it: its YAML, its model, a pose to stand in."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from robodyn_ros import RobotModel

CONFIG = Path(__file__).parents[2] / "config" / "robots"


@dataclass(frozen=True, eq=False)
class Arm:
    """One robot of config/robots."""

    name: str
    yaml: Path
    model: RobotModel
    joints: tuple[str, ...]
    base_link: str
    tip_link: str
    start: np.ndarray
    parameters: dict[str, Any]

    @property
    def arguments(self) -> tuple[str, ...]:
        """ROS arguments that give a node this robot."""
        return "--params-file", str(self.yaml)

    def of_node(self, node: str) -> dict[str, Any]:
        """Return the parameters of one node's block."""
        return self.parameters[f"/**/{node}"]["ros__parameters"]


@lru_cache
def arm(name: str) -> Arm:
    """Read a shipped robot."""
    path = CONFIG / name / f"{name}.yaml"
    parameters = yaml.safe_load(path.read_text())
    shared = parameters["/**"]["ros__parameters"]
    model = RobotModel.from_urdf(path.with_suffix(".urdf").read_text())
    start = parameters["/**/arm_simulator"]["ros__parameters"]["initial_positions"]
    return Arm(
        name,
        path,
        model,
        tuple(shared["joints"]),
        shared["base_link"],
        shared["tip_link"],
        np.array([start[joint] for joint in model.joint_names]),
        parameters,
    )
