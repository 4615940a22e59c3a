# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""trajectory_guard in front of a controller that does what it is told, refuses, or dies."""

import json

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")

from action_msgs.msg import GoalStatus  # noqa: E402
from control_msgs.action import FollowJointTrajectory  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus  # noqa: E402
from messages import joint_state  # noqa: E402
from rclpy.action import (  # noqa: E402
    ActionClient,
    ActionServer,
    CancelResponse,
    GoalResponse,
)
from rclpy.node import Node  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from rclpy.task import Future  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from test_torque_check import LIFT_TEXT, rest_to_rest  # noqa: E402
from trajectory_msgs.msg import JointTrajectory as Message  # noqa: E402

from robodyn_ros import JointTrajectory  # noqa: E402
from robodyn_ros.errors import ParameterError  # noqa: E402
from robodyn_ros.nodes.conversions import (  # noqa: E402
    set_ns,
    trajectory_from_message,
    trajectory_to_message,
)
from robodyn_ros.nodes.trajectory_guard import TrajectoryGuard  # noqa: E402

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
Result = FollowJointTrajectory.Result
LIFT = rest_to_rest((0.0, 0.0), (0.4, -1.2))
SLOW = rest_to_rest((0.0, 0.0), (4.0, -1.2))


class Controller(Node):
    """An action server that keeps each goal until the test says how it ends."""

    def __init__(self, context):
        super().__init__("joint_trajectory_controller", context=context)
        self.goals, self.ends, self.accept, self.cancellable = [], [], True, True
        self.topic = []
        self.create_subscription(Message, "~/joint_trajectory", self.topic.append, 10)
        self.server = ActionServer(
            self, FollowJointTrajectory, "~/follow_joint_trajectory", self._run,
            goal_callback=lambda _: GoalResponse.ACCEPT if self.accept else GoalResponse.REJECT,
            cancel_callback=lambda _: CancelResponse.ACCEPT
            if self.cancellable else CancelResponse.REJECT,
        )  # fmt: skip

    async def _run(self, handle):
        self.goals.append(handle)
        end = Future()
        self.ends.append(end)
        how, code, text = await end
        getattr(handle, how)()
        return Result(error_code=code, error_string=text)

    def destroy_node(self):
        self.server.destroy()
        super().destroy_node()

    def end(self, how, code=0, text="", which=-1):
        self.ends[which].set_result((how, code, text))

    def trajectory(self, which=-1):
        return trajectory_from_message(self.goals[which].request.trajectory)


class Guard:
    """A trajectory_guard, its controller and a planner."""

    def __init__(self, probe, make_node, controller=True, states=True, **parameters):
        self.probe = probe
        self.node = make_node(TrajectoryGuard, LIFT_TEXT, **parameters)
        self.controller = probe.spin_along(Controller(probe.context)) if controller else None
        self.reports = probe.listen(String, "trajectory_guard/report", LATCHED)
        self.diagnostics = probe.listen(DiagnosticArray, "/diagnostics", 100)
        self.client = ActionClient(
            probe.node, FollowJointTrajectory, "trajectory_guard/follow_joint_trajectory"
        )
        self.feedback = []
        self.position = 0.0
        if states:
            joints = probe.publisher(JointState, "joint_states")
            probe.repeat(0.02, lambda: joints.publish(joint_state(["j"], [self.position], [0.0])))
            intake = self.node.state.intake
            probe.wait(lambda: np.isfinite(intake.position).all(), "a joint state")
        probe.wait(self.client.server_is_ready, "the guard's action")
        if controller:
            probe.wait(self.node.controller.server_is_ready, "the controller's action")

    def send(self, trajectory, **fields):
        message = trajectory
        if isinstance(trajectory, JointTrajectory):
            message = trajectory_to_message(trajectory)
        goal = FollowJointTrajectory.Goal(trajectory=message, **fields)
        future = self.client.send_goal_async(
            goal, feedback_callback=lambda m: self.feedback.append(m.feedback)
        )
        self.probe.wait(future.done, "an answer to the goal")
        assert future.result().accepted
        return future.result()

    def result(self, handle):
        future = handle.get_result_async()
        self.probe.wait(future.done, "a result")
        return future.result()

    def start(self, trajectory, **fields):
        """Send a goal and wait until the controller has it."""
        before = len(self.controller.goals)
        handle = self.send(trajectory, **fields)
        self.probe.wait(lambda: len(self.controller.goals) > before, "the goal at the controller")
        self.probe.wait(lambda: self.node.relays[-1].controller, "the controller's acceptance")
        return handle

    def refuse(self, trajectory):
        """Send a goal that is to be refused; return the result and the report."""
        seen = len(self.reports)
        result = self.result(self.send(trajectory))
        assert result.status == GoalStatus.STATUS_ABORTED
        assert result.result.error_code == Result.INVALID_GOAL
        self.probe.wait(lambda: len(self.reports) > seen, "a report")
        return result.result.error_string, json.loads(self.reports[-1].data)


@pytest.fixture
def guard(probe, make_node):
    return lambda **parameters: Guard(probe, make_node, **parameters)


def test_a_good_goal_arrives_as_it_was_sent_with_its_tolerances(guard) -> None:
    g = guard()
    message = trajectory_to_message(SLOW)
    message.header.frame_id = "somewhere"
    set_ns(message.points[1].time_from_start, 4_000_000_123)
    tolerance = FollowJointTrajectory.Goal().goal_time_tolerance
    tolerance.sec = 3
    handle = g.start(message, goal_time_tolerance=tolerance)
    got = g.controller.goals[0].request
    assert got.trajectory == message and got.goal_time_tolerance.sec == 3
    g.controller.end("succeed", text="reached")
    end = g.result(handle)
    assert end.status == GoalStatus.STATUS_SUCCEEDED
    assert (end.result.error_code, end.result.error_string) == (Result.SUCCESSFUL, "reached")


def test_a_refusal_says_everything_and_the_controller_hears_nothing(guard) -> None:
    g = guard()
    text, report = g.refuse(LIFT)
    for word in ("torque_limit", "'j'", "31.5", "12 N m", "point 1", "retime"):
        assert word in text
    assert report["code"] == "torque_limit" and report["source"] == "action"
    assert report["accepted"] is False and report["value"] == pytest.approx(31.516, abs=1e-2)
    assert report["joints"][0]["peak_rating"] == 12.0 and report["policy"] == "reject"
    assert g.controller.goals == []
    g.probe.wait(
        lambda: any(
            s.level == DiagnosticStatus.ERROR and "31.5" in s.message
            for m in g.diagnostics for s in m.status
        ),
        "the refusal in /diagnostics",
    )  # fmt: skip


@pytest.mark.parametrize("method", ["path", "uniform"])
def test_a_goal_is_slowed_down_and_its_result_says_so(guard, method) -> None:
    g = guard(policy="retime", method=method)
    handle = g.start(LIFT)
    got = g.controller.trajectory()
    assert got.end_ns > 1.5 * LIFT.end_ns and got.effort is None
    assert got.positions[-1] == pytest.approx(-1.2)
    assert np.all(got.velocities[-1] == 0.0)
    assert json.loads(g.reports[-1].data)["code"] == "retimed"
    g.controller.end("succeed")
    assert "slowed down" in g.result(handle).result.error_string


def test_slowed_down_at_most_so_much(guard) -> None:
    g = guard(policy="retime_up_to", max_factor=1.2)
    assert g.refuse(LIFT)[1]["code"] == "too_slow"


def test_only_a_warning(guard) -> None:
    g = guard(policy="warn_only")
    g.start(LIFT)
    assert g.controller.trajectory().end_ns == LIFT.end_ns
    assert json.loads(g.reports[-1].data)["code"] == "warned"


def test_feedback_is_relayed(guard) -> None:
    g = guard()
    g.start(SLOW)
    feedback = FollowJointTrajectory.Feedback(joint_names=["j"])
    feedback.error.positions = [0.125]
    g.controller.goals[0].publish_feedback(feedback)
    g.probe.wait(lambda: g.feedback, "feedback")
    assert g.feedback[0] == feedback


def test_cancelling_is_done_by_the_controller(guard) -> None:
    g = guard()
    handle = g.start(SLOW)
    cancel = handle.cancel_goal_async()
    g.probe.wait(cancel.done, "an answer to cancelling")
    assert cancel.result().goals_canceling
    assert g.controller.goals[0].is_cancel_requested
    g.controller.end("canceled", text="as you wish")
    end = g.result(handle)
    assert end.status == GoalStatus.STATUS_CANCELED
    assert end.result.error_string == "as you wish"


def test_a_controller_that_does_not_cancel(guard) -> None:
    g = guard()
    g.controller.cancellable = False
    handle = g.start(SLOW)
    cancel = handle.cancel_goal_async()
    g.probe.wait(cancel.done, "an answer to cancelling")
    assert not cancel.result().goals_canceling
    g.controller.end("succeed")
    assert g.result(handle).status == GoalStatus.STATUS_SUCCEEDED


def test_the_next_goal_preempts_at_the_controller(guard) -> None:
    g = guard()
    first = g.start(SLOW)
    second = g.start(SLOW)
    g.controller.end("abort", Result.INVALID_GOAL, "preempted by a new goal", which=0)
    end = g.result(first)
    assert end.status == GoalStatus.STATUS_ABORTED
    assert end.result.error_string == "preempted by a new goal"
    g.controller.end("succeed")
    assert g.result(second).status == GoalStatus.STATUS_SUCCEEDED


def test_a_refused_goal_leaves_the_running_one_alone(guard) -> None:
    g = guard()
    running = g.start(SLOW)
    assert g.refuse(LIFT)[1]["code"] == "torque_limit"
    assert g.controller.goals[0].is_active and not g.controller.goals[0].is_cancel_requested
    g.controller.end("succeed")
    assert g.result(running).status == GoalStatus.STATUS_SUCCEEDED


def test_the_controllers_own_verdict_is_passed_on(guard) -> None:
    g = guard()
    handle = g.start(SLOW)
    g.controller.end("abort", Result.PATH_TOLERANCE_VIOLATED, "j was late")
    end = g.result(handle)
    assert end.status == GoalStatus.STATUS_ABORTED
    assert end.result.error_code == Result.PATH_TOLERANCE_VIOLATED
    assert end.result.error_string == "j was late"
    g.controller.accept = False
    end = g.result(g.send(SLOW))
    assert end.status == GoalStatus.STATUS_ABORTED and "rejected" in end.result.error_string


def test_without_a_controller(guard) -> None:
    g = guard(controller=False)
    end = g.result(g.send(SLOW))
    assert end.status == GoalStatus.STATUS_ABORTED
    assert "no_controller" in end.result.error_string
    assert "'controller'" in end.result.error_string


def test_a_controller_that_falls_silent(guard) -> None:
    g = guard(feedback_timeout=0.3)
    handle = g.start(SLOW)
    g.controller.goals[0].publish_feedback(FollowJointTrajectory.Feedback())
    end = g.result(handle)
    assert end.status == GoalStatus.STATUS_ABORTED
    assert "silent" in end.result.error_string
    g.probe.wait(lambda: g.controller.goals[0].is_cancel_requested, "a last attempt to cancel")


def test_without_joint_states_nothing_passes(guard) -> None:
    g = guard(states=False, policy="warn_only")
    text, report = g.refuse(SLOW)
    assert report["code"] == "state_unknown" and "j" in text
    assert g.controller.goals == []


def test_an_error_inside_is_a_refusal(guard) -> None:
    g = guard(policy="warn_only")

    def fail(*_):
        raise ZeroDivisionError("by nothing")

    g.node.guard.judge = fail
    text, report = g.refuse(SLOW)
    assert report["code"] == "internal_error" and "ZeroDivisionError" in text
    assert g.controller.goals == []


@pytest.mark.parametrize("fault", ["nan", "stranger", "times", "sizes", "jump"])
def test_what_a_controller_would_not_notice(guard, fault) -> None:
    g = guard(policy="retime")
    message = trajectory_to_message(SLOW)
    if fault == "nan":
        message.points[1].positions = [float("nan")]
    elif fault == "stranger":
        message.joint_names = ["elbow"]
    elif fault == "times":
        set_ns(message.points[1].time_from_start, 0)
    elif fault == "sizes":
        message.points[1].velocities = [0.0, 0.0]
    else:
        g.position = 0.5
        g.probe.wait(lambda: g.node.state.intake.position[0] == 0.5, "the state")
    text, report = g.refuse(message)
    expected = "start_jump" if fault == "jump" else "invalid_trajectory"
    assert report["code"] == expected and ("point" in text or "joint" in text)


def test_the_topic_is_guarded_too(guard) -> None:
    g = guard(policy="retime")
    publisher = g.probe.publisher(Message, "trajectory_guard/joint_trajectory")
    slow = trajectory_to_message(SLOW)
    g.probe.insist(lambda: publisher.publish(slow), lambda: g.controller.topic, "it to pass")
    assert g.controller.topic[0] == slow
    del g.controller.topic[:]
    publisher.publish(trajectory_to_message(LIFT))
    g.probe.wait(lambda: g.controller.topic, "the slower one")
    assert trajectory_from_message(g.controller.topic[0]).end_ns > 1.5 * LIFT.end_ns
    seen = len(g.reports)
    publisher.publish(trajectory_to_message(rest_to_rest((0.0, 0.0), (4.0, -5.0))))
    g.probe.wait(lambda: len(g.reports) > seen, "a report")
    assert json.loads(g.reports[-1].data)["code"] == "position_limit"
    assert json.loads(g.reports[-1].data)["source"] == "topic"
    publisher.publish(Message())  # stop
    g.probe.wait(lambda: len(g.controller.topic) > 1, "the stop")
    assert not g.controller.topic[1].points


def test_payload_and_policy_while_it_runs(guard) -> None:
    g = guard(payload__com=[0.5, 0.0, 0.0])
    handle = g.start(SLOW)
    g.controller.end("succeed")
    g.result(handle)
    done = g.node.set_parameters(
        [Parameter("payload.mass", value=1.0), Parameter("payload.link", value="bob")]
    )
    assert all(d.successful for d in done)
    text, report = g.refuse(SLOW)
    assert report["payload"] == {"link": "bob", "mass": 1.0, "com": [0.5, 0.0, 0.0]}
    g.node.set_parameters([Parameter("policy", value="retime")])
    text, report = g.refuse(SLOW)
    assert report["code"] == "infeasible_at_any_speed" and "0.446 kg" in text
    refused = g.node.set_parameters([Parameter("payload.link", value="hand")])[0]
    assert not refused.successful and "bob" in refused.reason


def test_a_wrong_payload_parameter_is_refused_at_the_start(probe, make_node) -> None:
    with pytest.raises(ParameterError, match=r"payload\.mas.*payload\.mass"):
        make_node(TrajectoryGuard, LIFT_TEXT, payload__mas=1.0)
    with pytest.raises(ParameterError, match="payload.link"):
        make_node(TrajectoryGuard, LIFT_TEXT, payload__mass=1.0, payload__link="hand")


def test_the_end_of_the_guard_cancels_what_runs(guard) -> None:
    g = guard()
    g.start(SLOW)
    g.node.shutdown()
    g.probe.wait(lambda: g.controller.goals[0].is_cancel_requested, "the goal to be cancelled")
