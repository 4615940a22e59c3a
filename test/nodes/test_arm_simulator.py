# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""arm_simulator: joint states out of efforts, by both kinds of command and of time."""

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")

from messages import joint_state, stamp_ns  # noqa: E402
from robots import ARM3, ARM3_GRAVITY, ARM3_JOINTS, ARM3_POSE, joint, link, robot  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from robodyn_ros.errors import ModelError, ParameterError  # noqa: E402
from robodyn_ros.nodes.arm_simulator import ArmSimulator  # noqa: E402

START = {f"initial_positions__{j}": q for j, q in zip(ARM3_JOINTS, ARM3_POSE, strict=True)}


class Arm:
    """An arm_simulator with ears and hands."""

    def __init__(self, probe, make_node, urdf=ARM3, **parameters):
        self.probe = probe
        self.states = probe.listen(JointState, "joint_states", 10)
        defaults = {"publish_rate": 200.0, "step_rate": 1000.0, "command_timeout": 0.2} | START
        self.node = make_node(ArmSimulator, urdf, **defaults | parameters)
        self.command = probe.publisher(JointState, "effort_command")
        self.numbers = probe.publisher(Float64MultiArray, "arm_simulator/commands")
        probe.wait(lambda: self.states, "joint_states")

    def drive(self, message):
        """Send this command all the time from now on."""
        kind = self.command if isinstance(message, JointState) else self.numbers
        timer = self.probe.repeat(0.01, lambda: kind.publish(message))
        self.probe.wait(lambda: self.node.simulation.mode == "driven", "the command to act")
        return timer


@pytest.fixture
def arm(probe, make_node):
    return lambda **parameters: Arm(probe, make_node, **parameters)


def test_it_stands_at_the_start_until_it_is_driven(arm, probe):
    arm = arm()
    first = arm.states[0]
    assert first.name == list(ARM3_JOINTS)
    assert list(first.position) == list(ARM3_POSE)
    probe.wait(lambda: len(arm.states) > 50, "more states")
    assert list(arm.states[-1].position) == list(ARM3_POSE)
    assert list(arm.states[-1].velocity) == [0.0, 0.0, 0.0]
    stamps = np.array([stamp_ns(state) for state in arm.states])
    assert np.all(np.diff(stamps) > 0)
    assert abs(stamps[-1] - probe.now_ns()) < 2e9


@pytest.mark.parametrize(
    "message",
    [
        joint_state(ARM3_JOINTS[::-1], effort=ARM3_GRAVITY[::-1]),
        joint_state([*ARM3_JOINTS, "wheel"], effort=[*ARM3_GRAVITY, 5.0]),
        Float64MultiArray(data=ARM3_GRAVITY),
    ],
)
def test_gravity_torque_holds_it(arm, probe, message):
    arm = arm()
    arm.drive(message)
    count = len(arm.states)
    probe.wait(lambda: len(arm.states) > count + 60, "0.3 s")
    np.testing.assert_allclose(arm.states[-1].position, ARM3_POSE, atol=1e-6)
    np.testing.assert_allclose(arm.states[-1].effort, ARM3_GRAVITY, atol=1e-6)


def test_more_effort_lifts_and_cease_of_commands_brakes(arm, probe):
    arm = arm()
    effort = np.array(ARM3_GRAVITY) + [0.0, -3.0, 0.0]
    timer = arm.drive(joint_state(ARM3_JOINTS, effort=effort))
    probe.wait(lambda: arm.states[-1].position[1] < -0.45, "joint 2 to move up")
    assert arm.states[-1].velocity[1] < 0.0
    probe.node.destroy_timer(timer)
    probe.wait(lambda: arm.node.simulation.mode == "braked", "the brakes")
    probe.wait(lambda: list(arm.states[-1].velocity) == [0.0, 0.0, 0.0], "standstill")


@pytest.mark.parametrize(
    "message",
    [
        joint_state(ARM3_JOINTS, effort=(0.0, float("nan"), 0.0)),
        joint_state(ARM3_JOINTS, effort=(0.0, 0.0)),
        joint_state(["wheel"], effort=(1.0,)),
        Float64MultiArray(data=(1.0, 2.0)),
    ],
)
def test_malformed_commands_move_nothing(arm, probe, message):
    arm = arm()
    publisher = arm.command if isinstance(message, JointState) else arm.numbers
    probe.repeat(0.01, lambda: publisher.publish(message))
    count = len(arm.states)
    probe.wait(lambda: len(arm.states) > count + 60, "0.3 s")
    assert arm.node.simulation.mode == "braked"
    assert list(arm.states[-1].position) == list(ARM3_POSE)


def test_joints_left_out_get_no_effort(arm, probe):
    arm = arm()
    arm.drive(joint_state(["j2"], effort=[ARM3_GRAVITY[1]]))
    probe.wait(lambda: arm.states[-1].effort[1] != 0.0, "the effort")
    assert arm.states[-1].effort[2] == 0.0
    probe.wait(lambda: arm.states[-1].position[2] > 0.95, "the last link to fall")


def test_it_may_make_the_time(arm, probe):
    clocks = probe.listen(Clock, "/clock", 10)
    arm = arm(publish_clock=True)
    probe.wait(lambda: len(clocks) > 20 and len(arm.states) > 20, "/clock")
    times = [c.clock.sec * 10**9 + c.clock.nanosec for c in clocks]
    assert 0 < times[0] < 60e9
    assert np.all(np.diff(times) > 0)
    assert {stamp_ns(state) for state in arm.states[:-1]} <= {*times, stamp_ns(arm.states[0])}


def test_friction_of_each_joint(arm, probe):
    """Coulomb friction of 10 N m carries the 6.6 N m of gravity on joint 2 by itself."""
    arm = arm(friction__j2__coulomb=10.0, friction__j3__viscous=1e4)
    arm.drive(joint_state(ARM3_JOINTS, effort=(0.0, 0.0, 0.0)))
    count = len(arm.states)
    probe.wait(lambda: len(arm.states) > count + 40, "0.2 s")
    position = arm.states[-1].position
    assert position[1] == ARM3_POSE[1]
    assert 0.0 < position[2] - ARM3_POSE[2] < 1e-3


@pytest.mark.parametrize(
    "name, value",
    [
        ("initial_positions.j1", 4.0),
        ("initial_positions.j9", 0.0),
        ("integrator", "euler"),
        ("on_timeout", "panic"),
        ("publish_rate", 0.0),
        ("friction.j1.viscous", -1.0),
    ],
)
def test_wrong_parameters_are_named(make_node, name, value):
    with pytest.raises(ParameterError, match=name.split(".")[0]):
        make_node(ArmSimulator, ARM3, **{name.replace(".", "__"): value})


def test_a_joint_that_moves_no_mass_cannot_be_simulated(make_node):
    urdf = robot(
        "bare",
        link("base"),
        link("l1"),
        joint("j1", "continuous", "base", "l1", "0 0 0", "0 1 0"),
    )
    with pytest.raises(ModelError, match="j1"):
        make_node(ArmSimulator, urdf)
