# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The robots that come with the package, and their parameter files."""

from pathlib import Path
from typing import Any

import yaml

from robodyn_ros.errors import RobodynError


def robots_folder() -> Path:
    """Folder config/robots: in the source tree, else in the share folder of the installation."""
    here = Path(__file__).resolve()
    tree = here.parents[2] / "config" / "robots"
    # from <prefix>/lib/python3.x/site-packages/robodyn_ros/cli
    return tree if tree.is_dir() else here.parents[5] / "share/robodyn_ros/config/robots"


def robot_names() -> list[str]:
    """Names of the shipped robots."""
    return sorted(path.name for path in robots_folder().iterdir() if path.is_dir())


def robot_folder(name: str) -> Path:
    """Folder of one shipped robot."""
    return robots_folder() / name


def shared_parameters(path: Path) -> dict[str, Any]:
    """Return the parameters that a robot's YAML gives to every node."""
    shared: dict[str, Any] = yaml.safe_load(path.read_text())["/**"]["ros__parameters"]
    return shared


def ratings_in(path: Path) -> dict[str, dict[str, float]]:
    """
    Motor ratings {joint: {field of JointLimits: value}} in a robot's YAML.

    Raises RobodynError when the file has none.
    """
    try:
        limits = shared_parameters(path)["limits"]
    except (yaml.YAMLError, KeyError, TypeError) as error:
        raise RobodynError(f"'{path}' has no /** ros__parameters limits: {error}") from error
    return {
        joint: {"effort" if name == "effort_peak" else name: value for name, value in each.items()}
        for joint, each in limits.items()
    }
