# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What the shipped YAML and the page of parameters say, against the declarations."""

from pathlib import Path

import pytest
import yaml

pytest.importorskip("rclpy")

from robodyn_ros.nodes.parameter_tables import OF_ALL, OF_NODE, page  # noqa: E402
from robodyn_ros.nodes.parameters import entries  # noqa: E402

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path for path in (ROOT / "config" / "robots").glob("*/*.yaml") if path.stem == path.parent.name
)


def flat(tree, prefix=""):
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def declared(classes, keys):
    return {entry.name: entry.spec for cls in classes for entry in entries(cls, keys)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_values_are_declared_and_fit(path):
    blocks = {
        name.removeprefix("/**").lstrip("/"): block["ros__parameters"]
        for name, block in yaml.safe_load(path.read_text()).items()
    }
    shared = blocks.pop("")
    keys = [*shared["limits"], *blocks["ik_server"]["group_names"]]
    nodes = {node: declared((*OF_ALL, *classes), keys) for node, classes in OF_NODE.items()}
    anywhere = {name: spec for known in nodes.values() for name, spec in known.items()}
    for name, value in flat(shared):
        anywhere[name].check(name, value)
    assert blocks.keys() <= nodes.keys()
    for node, block in blocks.items():
        for name, value in flat(block):
            nodes[node][name].check(name, value)


def test_there_is_a_file_for_each_shipped_robot():
    assert {path.stem for path in FILES} == {"panda", "two_link", "ur5e"}


def test_the_page_of_parameters_is_up_to_date():
    written = (ROOT / "docs" / "parameters.md").read_text()
    assert written == page(), (
        "run: python -m robodyn_ros.nodes.parameter_tables > docs/parameters.md"
    )


def test_every_parameter_is_described():
    for classes in (OF_ALL, *OF_NODE.values()):
        for cls in classes:
            for entry in entries(cls):
                assert entry.spec.description, entry.name
