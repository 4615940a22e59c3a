# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""bringup: several nodes in one process keep their names, parameters and topics apart."""

import pytest

rclpy = pytest.importorskip("rclpy")

from rclpy.parameter import Parameter  # noqa: E402
from robots import ARM3  # noqa: E402

from robodyn_ros.errors import ParameterError, RobodynError  # noqa: E402
from robodyn_ros.nodes.bringup import CLASSES, Bringup, shared_arguments  # noqa: E402


@pytest.fixture
def bringup(ros_context):
    made = []

    def make(nodes, *arguments):
        given = [Parameter("nodes", value=nodes)]
        arguments = ["-p", f"robot_description:='{ARM3}'", *arguments]
        made.append(
            Bringup(
                arguments,
                context=ros_context,
                use_global_arguments=False,
                parameter_overrides=given,
            )
        )
        return made[-1]

    yield make
    for node in made:
        node.shutdown()
        node.destroy_node()


def test_every_node_keeps_its_name(bringup):
    names = [node.get_name() for node in bringup(list(CLASSES)).members]
    assert names == list(CLASSES)


def test_a_subset_in_any_order(bringup):
    """The one that brings the robot description is made first."""
    members = bringup(["arm_simulator", "fk_publisher"]).members
    assert [node.get_name() for node in members] == ["fk_publisher", "arm_simulator"]


def test_only_what_may_take_long_spins_apart(bringup):
    apart = [n.get_name() for n in bringup(list(CLASSES)).members if getattr(n, "apart", False)]
    assert apart == ["ik_server"]


def test_the_nodes_belong_together_also_in_a_namespace(bringup):
    nodes = bringup(["torque_monitor", "arm_simulator"], "-r", "__ns:=/left").members
    for node, topic in zip(
        nodes,
        ("/left/computed_torque/required_effort", "/left/computed_torque/effort"),
        strict=True,
    ):
        assert node.get_namespace() == "/left"
        assert topic in [subscription.topic_name for subscription in node.subscriptions]


def test_a_remapping_of_the_user_wins(bringup):
    node = bringup(["arm_simulator"], "-r", "effort_command:=/elsewhere").members[0]
    assert "/elsewhere" in [subscription.topic_name for subscription in node.subscriptions]


@pytest.mark.parametrize(
    "nodes", [["computed_torque", "computed_torqe"], [], ["fk_publisher", "fk_publisher"]]
)
def test_names_that_make_no_sense_are_refused(bringup, nodes):
    with pytest.raises(ParameterError, match="arm_simulator") as refusal:
        bringup(nodes)
    assert refusal.value.name == "nodes"


def test_a_refusal_says_which_node_it_was(bringup):
    with pytest.raises(RobodynError, match="computed_torque: parameter 'update_rate' is 0.0"):
        bringup(["fk_publisher", "computed_torque"], "-p", "computed_torque:update_rate:=0.0")


@pytest.mark.parametrize(
    "argv, kept",
    [
        (["--ros-args", "-r", "__node:=x", "-p", "a:=1"], ["-p", "a:=1"]),
        (["--ros-args", "--remap", "__name:=x", "-r", "__ns:=/y"], ["-r", "__ns:=/y"]),
        (["own", "--ros-args", "-p", "a:=1", "--", "more"], ["-p", "a:=1"]),
        (["--ros-args", "--params-file", "f.yaml"], ["--params-file", "f.yaml"]),
        ([], []),
    ],
)
def test_arguments_for_all_nodes(argv, kept):
    assert shared_arguments(argv) == kept
