# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What a node says about its joint states: none, too many publishers, joints left out."""

import pytest

rclpy = pytest.importorskip("rclpy")

from messages import joint_state  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import ReliabilityPolicy  # noqa: E402
from robots import ARM3, ARM3_JOINTS, ARM3_POSE  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from robodyn_ros import RobotModel  # noqa: E402
from robodyn_ros.nodes.watch import StateInput, log_lines  # noqa: E402

MODEL = RobotModel.from_urdf(ARM3)


@pytest.fixture
def make(probe):
    """Give a StateInput on a node of its own; (input, calls of on_state)."""

    def make(*overrides, **kwargs):
        node = rclpy.create_node(
            "n", context=probe.context, parameter_overrides=list(overrides), namespace="left"
        )
        probe.spin_along(node)
        calls = []
        return StateInput(node, MODEL, lambda *times: calls.append(times), **kwargs), calls

    return make


def seconds(state, count):
    """Let seconds pass for the watch; all lines."""
    return [line for _ in range(count) for line in state.take_messages()]


def test_silence_is_reported_once_with_the_full_name(make):
    state, _ = make()
    assert seconds(state, 4) == []
    lines = seconds(state, 20)
    assert len(lines) == 1
    level, text = lines[0]
    assert level == "warn"
    assert text == (
        "no joint states on /left/joint_states for 5 s (0 publishers): is the topic remapped, "
        "the namespace right?"
    )


def test_it_may_fall_silent_again(make, probe):
    state, calls = make()
    publisher = probe.publisher(JointState, "/left/joint_states")
    assert len(seconds(state, 6)) == 1
    publisher.publish(joint_state(ARM3_JOINTS, ARM3_POSE))
    probe.wait(lambda: calls, "the state")
    lines = seconds(state, 7)
    assert len(lines) == 1 and lines[0][1].endswith("for 5 s (1 publishers)")


def test_joints_that_are_needed_and_left_out_are_named(make, probe):
    state, calls = make(needs=ARM3_JOINTS)
    publisher = probe.publisher(JointState, "/left/joint_states")
    lines = []
    for _ in range(6):
        heard = state._received
        publisher.publish(joint_state(["j1", "j3"], [0.0, 0.0]))
        probe.wait(lambda before=heard: state._received > before, "the message")
        lines += state.take_messages()
    assert [text for _, text in lines] == [
        "the joint states on /left/joint_states leave out j2: waiting"
    ]


def test_several_publishers_are_told_when_their_number_changes(make, probe):
    state, _ = make()
    first = probe.publisher(JointState, "/left/joint_states")
    second = probe.publisher(JointState, "/left/joint_states")
    probe.wait(lambda: probe.node.count_publishers("/left/joint_states") == 2, "both")
    lines = seconds(state, 3)
    assert [text for _, text in lines if "2 nodes" in text] == [
        "2 nodes publish joint states on /left/joint_states"
    ]
    probe.node.destroy_publisher(second)
    assert first is not second


def test_stamps_count_only_where_they_are_to(make, probe):
    state, calls = make(stamped=False)
    publisher = probe.publisher(JointState, "/left/joint_states")
    publisher.publish(joint_state(ARM3_JOINTS, ARM3_POSE, stamp=5_000_000_000))
    probe.wait(lambda: calls, "the state")
    (stamp_ns, now_ns), measured_ns = calls[0], state.intake.stamp_ns[0]
    assert (stamp_ns, measured_ns) == (5_000_000_000, now_ns)


def test_the_qos_can_be_overridden(make):
    name = "qos_overrides./left/joint_states.subscription.reliability"
    state, _ = make(Parameter(name, value="reliable"))
    assert state._subscription.qos_profile.reliability == ReliabilityPolicy.RELIABLE
    state, _ = make()
    assert state._subscription.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT


def test_lines_of_every_level_reach_the_logger(make, capfd):
    """Rclpy ties a level to the line of code that logs."""
    state, _ = make()
    log_lines(state.node, [("info", "one"), ("warn", "two"), ("error", "three"), ("info", "four")])
    output = capfd.readouterr().err
    for level, text in (("INFO", "one"), ("WARN", "two"), ("ERROR", "three"), ("INFO", "four")):
        line = next(line for line in output.splitlines() if line.endswith(text))
        assert f"[{level}]" in line
