# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Imports only point down, and ROS and Numba stay behind their doors."""

import ast
from pathlib import Path

import pytest

PACKAGE = "robodyn_ros"
ROOT = Path(__file__).resolve().parent.parent / PACKAGE

# A module may import from its own folder and from the levels below it.
LEVELS = [
    {"errors", "message_log"},
    {"model"},
    {"dynamics"},
    {"trajectory", "state"},
    {"ik", "control", "monitor", "simulation", "identification"},
    {"analysis"},
    {""},  # the package itself: the public API in one screen
    {"nodes"},
    {"cli"},
]
LEVEL = {folder: level for level, folders in enumerate(LEVELS) for folder in folders}
MODULES = sorted(ROOT.rglob("*.py"))
ROS = ("rclpy", "launch", "launch_ros", "rosbag2_py", "rosidl_runtime_py")


def folder_of(path):
    """Name the part of the package a file belongs to; the public API is the empty name."""
    part = path.relative_to(ROOT).parts[0].removesuffix(".py")
    return "" if part == "__init__" else part


def imports(path, module_level_only=False):
    """List the full names of everything a file imports."""
    tree = ast.parse(path.read_text(), str(path))
    nodes = list(ast.walk(tree))
    if module_level_only:
        lazy = {
            inner
            for outer in nodes
            if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
            for inner in ast.walk(outer)
        }
        nodes = [node for node in nodes if node not in lazy]
    here = [PACKAGE, *path.relative_to(ROOT).parent.parts]
    found = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            source = ".".join([*base, *filter(None, [node.module])])
            found += [f"{source}.{alias.name}" for alias in node.names]
    return found


def target_folder(name):
    """Name the part of the package that a full name lies in; None outside the package."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return None
    return parts[1] if len(parts) > 1 and parts[1] in LEVEL else ""


def is_ros(name):
    top = name.split(".")[0]
    return top in ROS or top.startswith("tf2") or top.endswith(("_msgs", "_interfaces"))


def test_every_part_of_the_package_has_its_level():
    parts = {folder_of(path) for path in MODULES}
    assert parts <= set(LEVEL), f"give {sorted(parts - set(LEVEL))} a place in LEVELS"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path):
    folder = folder_of(path)
    for name in imports(path):
        target = target_folder(name)
        if target is not None and target != folder:
            assert LEVEL[target] < LEVEL[folder], f"{folder} must not import {name}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_ros_and_numba_stay_behind_their_doors(path):
    ros = [name for name in imports(path) if is_ros(name)]
    assert folder_of(path) == "nodes" or not ros, "only nodes/ talks to ROS"
    numba = [name for name in imports(path) if name.split(".")[0] == "numba"]
    assert "_kernels" in path.parts or not numba, "only _kernels folders know Numba"


def test_commands_work_without_ros_until_they_need_a_node():
    for path in MODULES:
        if folder_of(path) == "cli":
            eager = imports(path, module_level_only=True)
            assert "nodes" not in map(target_folder, eager), f"{path.name} loads ROS at its start"
