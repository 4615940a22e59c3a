# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Each node as a process of its own, from its YAML, over real topics, to a clean end."""

import signal

import numpy as np
import pytest

pytest.importorskip("rclpy")

from behaviours.alone import BEHAVIOURS, stand  # noqa: E402
from behaviours.arm import arm  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from robodyn_ros import gravity_torques  # noqa: E402

pytestmark = pytest.mark.ros_process

ROBOTS = ("panda", "ur5e", "two_link")


def assert_ended_well(node, code):
    assert code == 0, node.output
    assert "Traceback" not in node.output, node.output


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("node", BEHAVIOURS)
def test_main_job(start_node, probe, node, robot):
    shipped = arm(robot)
    process = start_node(node, *shipped.arguments)
    BEHAVIOURS[node](probe, shipped)
    assert_ended_well(process, process.end())


@pytest.mark.parametrize("node", BEHAVIOURS)
def test_main_job_with_the_executors_of_an_older_rclpy(start_node, probe, node):
    shipped = arm("two_link")
    code = f"""
import sys
sys.modules["rclpy.experimental"] = None
from robodyn_ros.nodes.{node} import main
sys.exit(main())
"""
    process = start_node(node, *shipped.arguments, code=code)
    BEHAVIOURS[node](probe, shipped)
    assert_ended_well(process, process.end())


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("node", [*BEHAVIOURS, "bringup"])
def test_either_signal_ends_a_node_at_once(start_node, probe, node, by):
    process = start_node(node, *arm("two_link").arguments)
    probe.wait(lambda: node in probe.node.get_node_names(), f"{node} to come up", 60.0)
    assert_ended_well(process, process.end(by))


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_waiting_for_the_description(start_node, probe, by):
    process = start_node("fk_publisher")
    probe.wait(lambda: "waiting for the robot description" in process.output, "the node", 60.0)
    assert_ended_well(process, process.end(by))


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_the_last_effort_is_safe(start_node, probe, by):
    shipped = arm("two_link")
    efforts = probe.listen(JointState, "computed_torque/effort")
    gains = [f"computed_torque:gains.{joint}.{g}:=0.0" for joint in shipped.joints for g in "pd"]
    process = start_node(
        "computed_torque",
        *shipped.arguments,
        *(argument for gain in gains for argument in ("-p", gain)),
    )
    stand(probe, shipped)
    probe.wait(lambda: len(efforts) > 10, "efforts")
    process.process.send_signal(by)
    probe.wait(lambda: process.process.poll() is not None, "the end")
    assert_ended_well(process, process.wait())
    gravity = gravity_torques(shipped.model, shipped.start)
    np.testing.assert_allclose(efforts[-1].effort, gravity, atol=1e-9)


@pytest.mark.parametrize(
    "node, parameter, words",
    [
        (
            "fk_publisher",
            "fk_publisher:publish_frequency:=-1.0",
            "parameter 'publish_frequency' is -1.0",
        ),
        (
            "ik_server",
            "ik_server:kinematics_solver_timeout:=soon",
            "'kinematics_solver_timeout' is 'soon'",
        ),
        (
            "computed_torque",
            "computed_torque:update_rate:=0",
            "parameter 'update_rate' is 0: expected a number",
        ),
        (
            "computed_torque",
            "computed_torque:gains.elbo.p:=1.0",
            "'gains.elbo.p' is 1.0: expected a name",
        ),
        (
            "torque_monitor",
            "torque_monitor:gravity:=[0.0, 9.81]",
            "'gravity' is [0.0, 9.81]: expected a list",
        ),
        ("arm_simulator", "arm_simulator:integrator:=euler", "expected one of semi_implicit, rk4"),
        ("bringup", "bringup:nodes:=[gripper]", "parameter 'nodes' is ['gripper']"),
        ("bringup", "computed_torque:law:=pid", "computed_torque: parameter 'law' is 'pid'"),
        ("fk_publisher", "fk_publisher:urdf_file:=/nowhere.urdf", "/nowhere.urdf: No such file"),
    ],
)
def test_a_wrong_parameter_is_one_line_and_exit_code_1(start_node, node, parameter, words):
    """A parameter without the name of its node would lose to the node's block in the YAML."""
    process = start_node(node, *arm("two_link").arguments, "-p", parameter)
    assert process.wait(60.0) == 1
    errors = [line for line in process.output.splitlines() if "[INFO]" not in line]
    assert len(errors) == 1, process.output
    assert errors[0].startswith("[ERROR] ") and words in errors[0]


def test_a_parameter_file_that_rcl_cannot_read(start_node, tmp_path):
    """Lists of mixed kinds end inside rcl; its words are passed on."""
    file = tmp_path / "mixed.yaml"
    file.write_text("/**:\n  ros__parameters:\n    gravity: [0, 0.0, -9.81]\n")
    process = start_node("fk_publisher", "--params-file", str(file))
    assert process.wait(60.0) == 1
    assert "mixed.yaml" in process.output
    assert "Traceback" not in process.output
