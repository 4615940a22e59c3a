# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The shipped parameter files reach the nodes: by name, in any namespace, every value of them."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.node import Node

from robodyn_ros.nodes.bringup import CLASSES

FOLDER = Path(__file__).parents[2] / "config" / "robots"
FILES = [folder / f"{folder.name}.yaml" for folder in sorted(FOLDER.iterdir())]


def flat(block: dict[str, Any], path: str = "") -> dict[str, Any]:
    """Name the parameters of nested maps as ROS does."""
    values: dict[str, Any] = {}
    for key, value in block.items():
        inside = isinstance(value, dict)
        values.update(flat(value, f"{path}{key}.") if inside else {path + key: value})
    return values


def parameters(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Read the shared parameters and those of every node."""
    blocks = yaml.safe_load(path.read_text())
    shared = flat(blocks.pop("/**")["ros__parameters"])
    own = {key.removeprefix("/**/"): flat(b["ros__parameters"]) for key, b in blocks.items()}
    return shared, own


def make(name: str, ros_context: Any, path: Path, namespace: str) -> Node:
    """Start a node with a parameter file."""
    node_class = getattr(import_module(f"robodyn_ros.nodes.{name}"), CLASSES[name])
    return node_class(
        context=ros_context,
        use_global_arguments=False,
        cli_args=["--ros-args", "--params-file", str(path), "-r", f"__ns:={namespace}"],
    )


def values_of(node: Node, names: Any) -> dict[str, Any]:
    """Ask the node for those parameters that it has declared."""
    declared = {name: node.get_parameter(name).value for name in names if node.has_parameter(name)}
    return {
        name: value if isinstance(value, str | int | float | bool) else list(value)
        for name, value in declared.items()
    }


@pytest.mark.parametrize("namespace", ["/", "/cell/left"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_parameter_arrives(ros_context: Any, path: Path, namespace: str) -> None:
    shared, own = parameters(path)
    assert own.keys() == CLASSES.keys()
    used: set[str] = set()
    for name, expected in own.items():
        node = make(name, ros_context, path, namespace)
        try:
            assert values_of(node, expected) == expected
            arrived = values_of(node, shared)
            used |= arrived.keys()
            assert arrived == {key: shared[key] for key in arrived}
        finally:
            if hasattr(node, "shutdown"):
                node.shutdown()
            node.destroy_node()
    assert used == shared.keys()
