# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The life of a node process: what ends it, what it still says, and its exit code."""

import signal
import time

import pytest

pytest.importorskip("rclpy")

from rosgraph_msgs.msg import Clock  # noqa: E402
from std_msgs.msg import String  # noqa: E402

pytestmark = pytest.mark.ros_process

NODE = """
import sys, time
import rclpy.node
from std_msgs.msg import String
from robodyn_ros.errors import RobodynError
from robodyn_ros.nodes.runner import run

class Talker(rclpy.node.Node):
    def __init__(self):
        super().__init__("talker")
        {making}
        self.publisher = self.create_publisher(String, "words", 10)
        self.timer = self.create_timer(0.05, self.speak)
        self.count = 0

    def speak(self):
        if not self.publisher.get_subscription_count():
            return  # nobody would hear it
        self.count += 1
        self.publisher.publish(String(data="word"))
        {speaking}

    def shutdown(self):
        self.publisher.publish(String(data="last word"))
        self.publisher.wait_for_all_acked()
        {ending}

sys.exit(run(Talker))
"""


def program(making="pass", speaking="pass", ending="pass"):
    return NODE.format(making=making, speaking=speaking, ending=ending)


@pytest.fixture
def talker(start_node, probe):
    """Start a talker and wait until it is heard; (process, what was heard)."""

    def start(**parts):
        words = probe.listen(String, "words")
        process = start_node("talker", code=program(**parts))
        probe.wait(lambda: words, "words")
        return process, words

    return start


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_the_last_word_is_said_after_the_signal(talker, probe, by):
    process, words = talker()
    process.process.send_signal(by)
    probe.wait(lambda: words[-1].data == "last word", "the last word")
    assert process.wait() == 0
    assert process.output == ""


def test_two_signals_are_one(talker, probe):
    """A terminal and a launch system both send theirs."""
    process, words = talker(ending="time.sleep(0.5)")
    process.process.send_signal(signal.SIGINT)
    probe.wait(lambda: words[-1].data == "last word", "the last word")
    process.process.send_signal(signal.SIGINT)
    process.process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    assert process.output == ""


def test_a_failing_callback_ends_the_process_safely_and_loudly(talker, probe):
    process, words = talker(speaking="1 / (3 - self.count)")
    probe.wait(lambda: words[-1].data == "last word", "the last word")
    assert process.wait() == 1
    assert "ZeroDivisionError" in process.output


def test_a_signal_while_the_node_is_made_ends_it_at_once(start_node, probe):
    """Loading kernels may take longer than a launch system waits."""
    making = "print('making', flush=True); time.sleep(60.0)"
    process = start_node("talker", code=program(making=making))
    probe.wait(lambda: "making" in process.output, "the node in the making", 60.0)
    start = time.monotonic()
    assert process.end(timeout=20.0) == 0
    assert time.monotonic() - start < 4.0, "a launch system kills after 5 s"
    assert process.output == "making\n"


def test_an_error_of_the_package_is_one_line(start_node):
    process = start_node("talker", code=program(making="raise RobodynError('no such arm')"))
    assert process.wait() == 1
    assert process.output == "[ERROR] no such arm\n"


def test_any_other_error_at_the_start_tells_where(start_node):
    process = start_node("talker", code=program(making="1 / 0"))
    assert process.wait() == 1
    assert "ZeroDivisionError" in process.output and "Traceback" in process.output


def test_a_signal_during_the_start_is_no_error(start_node, probe):
    making = "print('making', flush=True); time.sleep(1.0)"
    process = start_node("talker", code=program(making=making))
    probe.wait(lambda: "making" in process.output, "the start")
    assert process.end() == 0
    assert "Traceback" not in process.output


def test_arguments_that_rcl_does_not_know_are_told(start_node):
    process = start_node("talker", "--no-such-argument", code=program())
    assert process.wait() == 1
    assert "no-such-argument" in process.output
    assert "Traceback" not in process.output


def test_simulated_time_that_does_not_begin_is_reported(start_node, probe):
    process = start_node(
        "computed_torque",
        *("--params-file", "config/robots/two_link/two_link.yaml", "-p", "use_sim_time:=true"),
    )
    probe.wait(lambda: "waiting for /clock" in process.output, "the warning", 60.0)
    clock = probe.publisher(Clock, "/clock")
    clock.publish(Clock())
    assert process.end() == 0
