# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
All nodes of an arm: in processes of their own, and in one.

The simulator makes the time and waits for the controller, so that a busy machine makes these
tests slow and not wrong.
"""

import pytest

pytest.importorskip("rclpy")

from behaviours.arm import arm  # noqa: E402
from behaviours.whole_arm import TOGETHER  # noqa: E402

from robodyn_ros.nodes.wiring import WIRING  # noqa: E402

pytestmark = pytest.mark.ros_process

NODES = ("fk_publisher", "ik_server", "computed_torque", "torque_monitor", "arm_simulator")
SIMULATED = ("-p", "use_sim_time:=true", "-p", "publish_clock:=true")


@pytest.mark.parametrize("together", [False, True], ids=["processes", "one process"])
@pytest.mark.parametrize("robot", ["panda", "two_link"])
def test_whole_arm(start_node, probe, robot, together):
    shipped = arm(robot)
    arguments = [*shipped.arguments, *SIMULATED]
    if together:
        nodes = f"nodes:=[{', '.join(NODES)}]"
        processes = [start_node("bringup", *arguments, "-p", nodes)]
    else:
        processes = [
            start_node(
                node, *arguments, *(("-r", ":=".join(WIRING[node])) if node in WIRING else ())
            )
            for node in NODES
        ]
    for behaviour in TOGETHER:
        behaviour(probe, shipped)
    for process in processes:
        assert process.end() == 0, process.output
        assert "Traceback" not in process.output, process.output


def test_nodes_in_one_process_keep_their_names_in_a_namespace(start_node, probe):
    nodes = f"nodes:=[{', '.join(NODES)}]"
    process = start_node(
        "bringup",
        *arm("two_link").arguments,
        *("-p", nodes, "-r", "__node:=left_arm", "-r", "__ns:=/left"),
    )
    expected = {f"/left/{name}" for name in (*NODES, "left_arm")}
    probe.wait(
        lambda: expected <= set(probe.node.get_fully_qualified_node_names()), "all names", 60.0
    )
    assert process.end() == 0, process.output
