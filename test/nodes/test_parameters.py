# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Parameters: what is accepted, what is refused and in which words, at start and at run time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

rclpy = pytest.importorskip("rclpy")

from rclpy.parameter import Parameter  # noqa: E402

from robodyn_ros.errors import ParameterError  # noqa: E402
from robodyn_ros.nodes.parameters import (  # noqa: E402
    column,
    declare,
    entries,
    flag,
    integer,
    misspelt,
    number,
    numbers,
    per_key,
    text,
    texts,
)


@dataclass(frozen=True)
class Gains:
    p: float = number(1.0, "proportional", low=0.0, read_only=False)
    limit: float | None = number(None, "unset: none", unit="N m", above=0.0)


@dataclass(frozen=True)
class Everything:
    rate: float = number(50.0, "rate", unit="Hz", above=0.0, high=1000.0, read_only=False)
    wait: float = number(1.0, "wait", unit="s", low=0.0)
    count: int = integer(3, "count", low=1)
    gravity: tuple[float, ...] = numbers((0.0, 0.0, -9.81), "gravity", size=3, read_only=False)
    names: tuple[str, ...] = texts((), "names", read_only=False)
    law: str = text("slow", "law", choices=("slow", "fast"))
    loud: bool = flag(False, "loud")
    gains: Mapping[str, Gains] = per_key(Gains)
    start: Mapping[str, float] = per_key(number(0.0, "start"))


JOINTS = ("j1", "j2")


@pytest.fixture
def make(ros_context):
    """Declare Everything on a node that was given some parameters; (node, instance)."""
    nodes = []

    def make(given: dict[str, Any] | None = None, on_change=None):
        overrides = [Parameter(name, value=value) for name, value in (given or {}).items()]
        node = rclpy.create_node("n", context=ros_context, parameter_overrides=overrides)
        nodes.append(node)
        return node, declare(node, Everything, JOINTS, on_change)

    yield make
    for node in nodes:
        node.destroy_node()


def test_defaults_arrive_as_declared(make):
    _, everything = make()
    assert everything.rate == 50.0
    assert everything.gravity == (0.0, 0.0, -9.81)
    assert everything.names == ()
    assert everything.gains == {"j1": Gains(), "j2": Gains()}
    assert everything.start == {"j1": 0.0, "j2": 0.0}


def test_values_of_every_kind_are_taken(make):
    _, everything = make(
        {
            "rate": 10,  # YAML without a point
            "gravity": [0, 0, -10],
            "names": ["a", "b"],
            "law": "fast",
            "loud": True,
            "gains.j2.p": 7,
            "gains.j1.limit": 12.5,
            "start.j1": -1.5,
        }
    )
    assert everything.rate == 10.0 and isinstance(everything.rate, float)
    assert everything.gravity == (0.0, 0.0, -10.0)
    assert everything.names == ("a", "b")
    assert (everything.law, everything.loud) == ("fast", True)
    assert column(everything.gains, JOINTS, "p").tolist() == [1.0, 7.0]
    limits = column(everything.gains, JOINTS, "limit")
    assert limits[0] == 12.5 and limits[1] != limits[1]
    assert everything.start["j1"] == -1.5


@pytest.mark.parametrize("empty", [[], None])
def test_an_empty_list_is_a_list(make, empty):
    """Rcl reads [] in a file as a parameter without a type."""
    node, everything = make({"names": empty} if empty is not None else {})
    assert everything.names == ()
    result = node.set_parameters([Parameter("names", value=["later"])])[0]
    assert result.successful, result.reason


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("rate", 0.0, "a number above 0 up to 1000 (Hz)"),
        ("rate", 1000.5, "a number above 0 up to 1000 (Hz)"),
        ("rate", float("nan"), "a number above 0 up to 1000 (Hz)"),
        ("rate", float("inf"), "a number above 0 up to 1000 (Hz)"),
        ("rate", "10", "a number above 0 up to 1000 (Hz)"),
        ("rate", True, "a number above 0 up to 1000 (Hz)"),
        ("rate", [10.0], "a number above 0 up to 1000 (Hz)"),
        ("rate", 1e-300, "a number above 0 up to 1000 (Hz), within 1e+09 s"),
        ("wait", 1e300, "a number of at least 0 (s), within 1e+09 s"),
        ("count", 2.5, "a whole number of at least 1"),
        ("count", 0, "a whole number of at least 1"),
        ("gravity", 9.81, "a list of 3 numbers"),
        ("gravity", [0.0, 9.81], "a list of 3 numbers"),
        ("gravity", [], "a list of 3 numbers"),
        ("gravity", [0.0, 0.0, float("nan")], "a list of 3 numbers"),
        ("gravity", [0.0, 0.0, float("inf")], "a list of 3 numbers"),
        ("gravity", ["0", "0", "1"], "a list of 3 numbers"),
        ("names", "a", "a list of texts"),
        ("names", [1, 2], "a list of texts"),
        ("law", "medium", "one of slow, fast"),
        ("loud", 1, "true or false"),
        ("gains.j1.p", -1.0, "a number of at least 0"),
        ("gains.j1.limit", 0.0, "a number above 0 (N m)"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(make, name, value, expected):
    with pytest.raises(ParameterError) as refusal:
        make({name: value})
    assert refusal.value.name == name
    assert refusal.value.expected == expected
    line = str(refusal.value)
    assert "\n" not in line and f"'{name}'" in line and expected in line


@pytest.mark.parametrize("name", ["gains.j3.p", "gains.j1.q", "start.j9", "gains.p"])
def test_an_entry_that_nobody_would_read_is_refused(make, name):
    with pytest.raises(ParameterError, match="j1, j2") as refusal:
        make({name: 1.0})
    assert refusal.value.name == name


def test_parameters_of_other_nodes_are_none_of_ours(make):
    make({"limits.j7.effort_peak": 3.0, "frame_prefix": "left/"})


def test_a_change_reaches_the_node_as_a_new_instance(make):
    seen = []
    node, before = make(on_change=seen.append)
    result = node.set_parameters([Parameter("gains.j1.p", value=4)])[0]
    assert result.successful, result.reason
    assert seen[-1].gains["j1"].p == 4.0
    assert before.gains["j1"].p == 1.0
    node.set_parameters([Parameter("rate", value=20.0)])
    assert (seen[-1].rate, seen[-1].gains["j1"].p) == (20.0, 4.0)


def test_a_refused_change_keeps_the_old_value_and_says_why(make):
    seen = []
    node, _ = make(on_change=seen.append)
    result = node.set_parameters([Parameter("rate", value=-1.0)])[0]
    assert not result.successful
    assert result.reason == "parameter 'rate' is -1.0: expected a number above 0 up to 1000 (Hz)"
    assert node.get_parameter("rate").value == 50.0
    assert not seen


def test_the_node_may_refuse_a_change(make):
    def refuse(new):
        raise ParameterError("rate", new.rate, "something else")

    node, _ = make(on_change=refuse)
    result = node.set_parameters([Parameter("rate", value=60.0)])[0]
    assert (result.successful, result.reason) == (
        False,
        "parameter 'rate' is 60.0: expected something else",
    )
    assert node.get_parameter("rate").value == 50.0


def test_several_changes_are_taken_together_or_not_at_all(make):
    seen = []
    node, _ = make(on_change=seen.append)
    good, bad = Parameter("rate", value=60.0), Parameter("gravity", value=[1.0])
    assert not node.set_parameters_atomically([good, bad]).successful
    assert node.get_parameter("rate").value == 50.0
    assert not seen


def test_read_only_and_deletion_are_refused(make):
    node, _ = make()
    assert not node.set_parameters([Parameter("law", value="fast")])[0].successful
    assert node.get_parameter("law").value == "slow"
    assert not node.set_parameters([Parameter("rate", Parameter.Type.NOT_SET)])[0].successful
    assert node.get_parameter("rate").value == 50.0


def test_descriptors_tell_what_the_dataclass_says(make):
    node, _ = make()
    descriptor = node.describe_parameter("gains.j2.limit")
    assert descriptor.description == "unset: none"
    assert descriptor.additional_constraints == "a number above 0 (N m)"
    assert descriptor.read_only
    assert not node.describe_parameter("rate").read_only


def test_entries_list_every_parameter_once():
    names = [entry.name for entry in entries(Everything, JOINTS)]
    assert len(names) == len(set(names)) == 7 + 4 + 2
    assert {"gains.j1.limit", "start.j2"} < set(names)


def test_a_name_one_letter_away_is_a_misspelling(make):
    node, _ = make({"rates": 20.0, "gain.j1.p": 2.0, "of_another_node": 1.0, "rate": 10.0})
    assert dict(misspelt(node)) == {"rates": "rate", "gain": "gains"}


def test_names_shared_by_the_nodes_of_an_arm_are_no_misspellings():
    """No parameter of one node looks like a misspelt one of another."""
    from difflib import get_close_matches

    from robodyn_ros.nodes.parameter_tables import OF_ALL, OF_NODE
    from robodyn_ros.nodes.parameters import _ALIKE

    names = {
        node: {entry.name.split(".")[0] for cls in (*OF_ALL, *classes) for entry in entries(cls)}
        for node, classes in OF_NODE.items()
    }
    for own in names.values():
        for other in set().union(*names.values()) - own:
            assert not get_close_matches(other, own, cutoff=_ALIKE)
