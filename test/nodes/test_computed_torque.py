# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""computed_torque: what goes out, when, and what happens to trajectories that come in."""

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")

from control_msgs.msg import JointTrajectoryControllerState  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus  # noqa: E402
from messages import joint_state, set_stamp, stamp_ns  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from robots import ARM3, ARM3_GRAVITY, ARM3_JOINTS, ARM3_POSE, GRIPPER  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from robodyn_ros.errors import ParameterError  # noqa: E402
from robodyn_ros.nodes.computed_torque import ComputedTorque  # noqa: E402

STILL = (0.0, 0.0, 0.0)


class Controller:
    """A computed_torque node, its outputs, and an arm that says where it is."""

    def __init__(self, probe, make_node, urdf=ARM3, **parameters):
        self.probe = probe
        self.effort = probe.listen(JointState, "computed_torque/effort", 10)
        self.required = probe.listen(JointState, "computed_torque/required_effort", 10)
        self.commands = probe.listen(Float64MultiArray, "computed_torque/commands", 10)
        self.state = probe.listen(
            JointTrajectoryControllerState, "computed_torque/controller_state", 10
        )
        self.diagnostics = probe.listen(DiagnosticArray, "/diagnostics", 100)
        self.node = make_node(
            ComputedTorque, urdf, **{"update_rate": 100.0, "ramp_time": 0.0} | parameters
        )
        self.joints = probe.publisher(JointState, "joint_states")
        self.trajectory = probe.publisher(JointTrajectory, "computed_torque/joint_trajectory")
        self.timer = None

    def stand(self, names=ARM3_JOINTS, position=ARM3_POSE, velocity=STILL):
        """Publish this state all the time from now on."""
        self.quiet()
        self.timer = self.probe.repeat(
            0.005, lambda: self.joints.publish(joint_state(names, position, velocity))
        )

    def quiet(self):
        """Publish no state any more."""
        if self.timer is not None:
            self.probe.node.destroy_timer(self.timer)
            self.timer = None

    def mode(self):
        return None if self.node.output is None else self.node.output.mode

    def wait_mode(self, mode):
        self.probe.wait(lambda: self.mode() == mode, f"mode {mode}")

    def move(self, *points, names=ARM3_JOINTS, stamp=0):
        """Send a trajectory of (seconds, positions)."""
        message = JointTrajectory(joint_names=list(names))
        set_stamp(message.header.stamp, stamp)
        for seconds, positions in points:
            point = JointTrajectoryPoint(positions=[float(x) for x in positions])
            set_stamp(point.time_from_start, round(seconds * 1e9))
            message.points.append(point)
        self.trajectory.publish(message)

    def close(self):
        self.quiet()


@pytest.fixture
def controller(probe, make_node):
    made = []

    def make(*args, **kwargs):
        made.append(Controller(probe, make_node, *args, **kwargs))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_nothing_is_sent_before_the_arm_is_known(controller, probe):
    controller = controller()
    controller.wait_mode("waiting")
    controller.joints.publish(joint_state(ARM3_JOINTS[:2], ARM3_POSE[:2]))
    ticks = controller.node.ticks
    probe.wait(lambda: controller.node.ticks > ticks + 20, "some periods")
    assert controller.mode() == "waiting"
    assert not controller.node.commanded


def test_the_arm_is_held_where_it_is(controller, probe):
    controller = controller()
    controller.stand()
    probe.wait(lambda: len(controller.effort) > 3 and len(controller.commands) > 3, "efforts")
    effort = controller.effort[-1]
    assert effort.name == list(ARM3_JOINTS)
    np.testing.assert_allclose(effort.effort, ARM3_GRAVITY, atol=1e-8)
    np.testing.assert_allclose(controller.commands[-1].data, ARM3_GRAVITY, atol=1e-8)
    probe.wait(lambda: controller.required, "~/required_effort")
    np.testing.assert_allclose(controller.required[-1].effort, ARM3_GRAVITY, atol=1e-8)
    assert abs(stamp_ns(effort) - probe.now_ns()) < 2e9
    assert len(effort.position) == len(effort.velocity) == 0


def test_states_in_another_order_and_in_parts_are_one_state(controller, probe):
    controller = controller()
    parts = [
        joint_state(["j3", "j1"], [ARM3_POSE[2], ARM3_POSE[0]], [0.0, 0.0]),
        joint_state(["j2"], [ARM3_POSE[1]], [0.0]),
    ]
    controller.timer = probe.repeat(
        0.01, lambda: [controller.joints.publish(part) for part in parts]
    )
    probe.wait(lambda: len(controller.effort) > 3, "efforts")
    np.testing.assert_allclose(controller.effort[-1].effort, ARM3_GRAVITY, atol=1e-8)


def test_a_state_is_as_old_as_its_oldest_joint(controller, probe):
    """One of two publishers dies: the other does not keep the state alive."""
    controller = controller()
    controller.stand()
    controller.wait_mode("hold")
    controller.stand(["j1", "j3"], [0.2, 0.9], [0.0, 0.0])
    controller.wait_mode("stale")


def test_the_effort_is_cut_where_the_motor_ends_the_required_one_is_not(controller, probe):
    controller = controller(law="feedforward", gains__j3__p=1000.0)
    controller.stand()
    controller.wait_mode("hold")
    controller.move((0.1, (0.2, -0.4, 1.0)))
    probe.wait(lambda: controller.required and controller.required[-1].effort[2] > 90.0, "demand")
    probe.wait(lambda: controller.effort[-1].effort[2] == 30.0, "the effort at its limit")
    assert controller.commands[-1].data[2] == 30.0


def test_outputs_are_in_the_order_of_the_parameter(controller, probe):
    controller = controller(joints=["j3", "j2", "j1"])
    controller.stand()
    probe.wait(lambda: controller.effort and controller.commands, "efforts")
    assert controller.effort[-1].name == ["j3", "j2", "j1"]
    np.testing.assert_allclose(controller.commands[-1].data, ARM3_GRAVITY[::-1], atol=1e-8)


def test_a_trajectory_is_followed_and_reported(controller, probe):
    controller = controller(law="computed_torque", gains__j1__p=100.0, gains__j1__d=20.0)
    controller.stand()
    controller.wait_mode("hold")
    controller.move((0.3, (0.3, -0.4, 0.9)))
    controller.wait_mode("moving")
    controller.wait_mode("hold")
    goal = [0.3, -0.4, 0.9]
    probe.wait(
        lambda: (
            controller.state
            and np.allclose(controller.state[-1].reference.positions, goal, atol=1e-12)
        ),
        "the reference at its goal",
    )
    state = controller.state[-1]
    assert state.joint_names == list(ARM3_JOINTS)
    assert state.speed_scaling_factor == 1.0
    np.testing.assert_allclose(state.feedback.positions, ARM3_POSE, atol=1e-9)
    np.testing.assert_allclose(state.error.positions, [0.1, 0.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(state.reference.velocities, 0.0, atol=1e-12)
    # the arm stands still at an error of 0.1 rad: M11 * p * e more than gravity
    assert abs(state.output.effort[0]) > 1.0
    np.testing.assert_allclose(state.output.effort, state.reference.effort, atol=1e-12)


def refused(controller, probe):
    """Return the text of the last refusal that was logged."""
    log = controller.node.log
    probe.wait(lambda: log._last, "a refusal")
    return " ".join(str(key) for key in log._last)


@pytest.mark.parametrize(
    "points, names, words",
    [
        ([(1.0, (0.3, 0.0, 0.0))], ("j1", "j2", "j9"), "leaves out joints j3"),
        ([(1.0, (0.3, 0.0))], ("j1", "j2"), "allow_partial_joints"),
        ([(1.0, (0.3, 0.0))], ARM3_JOINTS, "point 0 has 2 positions for 3 joints"),
        ([(1.0, (0.3, np.nan, 0.0))], ARM3_JOINTS, "joint 'j2'"),
        ([(1.0, (4.3, 0.0, 0.0))], ARM3_JOINTS, "j1"),
        ([(1.0, ARM3_POSE), (1.0, ARM3_POSE)], ARM3_JOINTS, "point 1"),
    ],
)
def test_what_must_not_be_executed_is_refused_and_the_arm_held(
    controller, probe, points, names, words
):
    controller = controller()
    controller.stand()
    controller.wait_mode("hold")
    controller.move(*points, names=names)
    assert words in refused(controller, probe)
    assert controller.mode() == "hold"


def test_no_points_is_a_stop(controller, probe):
    controller = controller()
    controller.stand()
    controller.wait_mode("hold")
    controller.move((20.0, (1.0, -0.4, 0.9)))
    controller.wait_mode("moving")
    controller.move(names=())
    controller.wait_mode("hold")
    assert controller.node.output.q_d[0] < 0.5


def test_partial_trajectories_where_allowed(controller, probe):
    controller = controller(allow_partial_joints=True)
    controller.stand()
    controller.wait_mode("hold")
    controller.move((0.2, (0.25,)), names=["j1"])
    controller.wait_mode("moving")
    controller.wait_mode("hold")
    np.testing.assert_allclose(controller.node.output.q_d, [0.25, -0.4, 0.9], atol=1e-9)


def test_joints_of_others_need_not_be_measured(controller, probe):
    """An arm whose gripper says nothing: the fingers count where they may be, with no effort."""
    controller = controller(GRIPPER, joints=["shoulder", "elbow"])
    controller.stand(["shoulder", "elbow"], [0.5, 0.8], [0.0, 0.0])
    controller.wait_mode("hold")
    probe.wait(lambda: controller.effort, "efforts")
    assert controller.effort[-1].name == ["shoulder", "elbow"]
    # gravity at these angles, fingers at 0.03; a finger's place changes little
    np.testing.assert_allclose(controller.effort[-1].effort, [-6.74, -2.94], atol=0.02)
    controller.move((0.2, (0.55, 0.8)), names=["shoulder", "elbow"])
    controller.wait_mode("moving")


def test_a_robot_that_carries_itself_gets_no_gravity(controller, probe):
    controller = controller(robot_compensates_gravity=True)
    controller.stand()
    probe.wait(lambda: len(controller.effort) > 3, "efforts")
    np.testing.assert_allclose(controller.effort[-1].effort, 0.0, atol=1e-9)


def test_silence_ends_the_feedback_and_then_the_effort(controller, probe):
    controller = controller(zero_effort_after=0.5)
    controller.stand()
    controller.wait_mode("hold")
    controller.move((20.0, (1.0, -0.4, 0.9)))
    controller.wait_mode("moving")
    controller.quiet()
    controller.wait_mode("stale")
    np.testing.assert_allclose(controller.node.output.effort, ARM3_GRAVITY, atol=1e-8)
    controller.wait_mode("off")
    assert controller.node.output.effort.tolist() == [0.0, 0.0, 0.0]
    controller.stand()
    controller.wait_mode("hold")  # the motion does not go on by itself


def test_a_rival_with_zeros_gets_no_kick(controller, probe):
    controller = controller(law="feedforward", gains__j1__p=500.0, state_timeout=0.2)
    controller.stand()
    controller.wait_mode("hold")
    controller.quiet()
    efforts = []
    for _ in range(10):
        now = probe.now_ns()
        true = joint_state(ARM3_JOINTS, ARM3_POSE, STILL, stamp=now)
        rival = joint_state(["j3", "j2", "j1"], STILL, stamp=now + 1_000_000)
        for message in (true, rival):
            controller.joints.publish(message)
        ticks = controller.node.ticks
        probe.wait(lambda before=ticks: controller.node.ticks > before + 1, "a period")
        efforts.append(controller.node.output.effort)
    assert controller.node.state.intake.counters["position_jumps"] > 0
    assert np.abs(np.array(efforts) - ARM3_GRAVITY).max() < 1e-6


def test_an_arm_put_elsewhere_gets_no_kick(controller, probe):
    controller = controller(law="feedforward", gains__j1__p=500.0, ramp_time=0.5)
    controller.stand()
    controller.wait_mode("hold")
    elsewhere = (ARM3_POSE[0] + 1.0, *ARM3_POSE[1:])
    controller.stand(position=elsewhere)
    node = controller.node
    probe.wait(lambda: node.output.q_d[0] == elsewhere[0], "the arm to be held elsewhere")
    assert np.abs([message.effort[0] for message in controller.effort]).max() < 100.0
    assert "suddenly elsewhere" in node.output.reason


def test_the_last_word_is_a_safe_effort(controller, probe):
    controller = controller(law="feedforward", gains__j1__p=500.0)
    controller.stand()
    controller.wait_mode("hold")
    controller.move((0.2, (0.4, -0.4, 0.9)))
    probe.wait(lambda: abs(controller.node.output.effort[0]) > 50.0, "an effort that is not safe")
    controller.node.shutdown()
    controller.quiet()
    probe.wait(
        lambda: (
            np.allclose(controller.effort[-1].effort, ARM3_GRAVITY, atol=1e-8)
            and np.allclose(controller.commands[-1].data, ARM3_GRAVITY, atol=1e-8)
        ),
        "gravity torque as the last effort",
    )


def test_gains_change_while_running_and_nothing_else(controller, probe):
    controller = controller(law="feedforward")
    controller.stand()
    controller.wait_mode("hold")
    controller.move((0.1, (0.3, -0.4, 0.9)))
    probe.wait(lambda: controller.node.output.q_d[0] > 0.29, "the reference")
    assert abs(controller.node.output.effort[0]) < 50.0
    result = controller.node.set_parameters([Parameter("gains.j1.p", value=1000)])[0]
    assert result.successful, result.reason
    probe.wait(lambda: abs(controller.node.output.effort[0]) > 90.0, "the new gain to act")
    assert not controller.node.set_parameters([Parameter("gains.j1.p", value=-1.0)])[0].successful
    assert not controller.node.set_parameters([Parameter("update_rate", value=50.0)])[0].successful


def test_diagnostics_tell_the_loop_and_the_joint_that_is_missing(controller, probe):
    controller = controller()
    controller.timer = probe.repeat(
        0.01, lambda: controller.joints.publish(joint_state(["j1", "j3"], [0.2, 0.9]))
    )

    def status(name):
        found = [s for m in controller.diagnostics for s in m.status if s.name.endswith(name)]
        return found[-1] if found else None

    probe.wait(lambda: status("control") and status("control loop"), "/diagnostics")
    control, loop = status("control"), status("control loop")
    assert control.level == DiagnosticStatus.WARN
    assert control.name == "computed_torque: control"
    assert control.hardware_id == "arm3"
    values = {value.key: value.value for value in control.values}
    assert "j2" in values["Joints without a recent state"]
    assert float({v.key: v.value for v in loop.values}["Rate (Hz)"]) > 50.0


@pytest.mark.parametrize(
    "name, value",
    [
        ("update_rate", 0.0),
        ("law", "pid"),
        ("gains.j1.p", -1.0),
        ("gains.j7.p", 1.0),
        ("state_timeout", 0),
        ("zero_effort_after", 0.05),
    ],
)
def test_wrong_parameters_are_named(make_node, name, value):
    with pytest.raises(ParameterError, match=name.split(".")[0]):
        make_node(ComputedTorque, ARM3, **{name.replace(".", "__"): value})
