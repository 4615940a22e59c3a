# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The robots that come with the package, and their parameter files."""

from pathlib import Path
from typing import Any

import yaml


def robots_folder() -> Path:
    """Folder config/robots: in the source tree, else in the installed share folder."""
    tree = Path(__file__).resolve().parents[2] / "config" / "robots"
    if tree.is_dir():
        return tree
    from ament_index_python.packages import get_package_share_path

    return Path(get_package_share_path("robodyn_ros")) / "config" / "robots"


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
