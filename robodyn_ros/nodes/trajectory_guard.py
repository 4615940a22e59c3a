# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
trajectory_guard: the controller in front of the controller, which checks torque first.

Serves ``~/follow_joint_trajectory`` and takes ``~/joint_trajectory``; what the motors can do goes
on to the same names of the real controller, slowed down where the policy says so. Feedback,
cancelling and result are relayed. Every decision is on ``~/report`` as JSON.
"""

import json
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from robodyn_ros.control.guard import GuardSettings, Verdict, refusal
from robodyn_ros.control.guard import TrajectoryGuard as Guard
from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.nodes.conversions import (
    seconds_to_ns,
    to_ns,
    trajectory_from_message,
    trajectory_to_message,
)
from robodyn_ros.nodes.diagnostics import ERROR, OK, WARN, Diagnostics, status
from robodyn_ros.nodes.model_source import load_robot
from robodyn_ros.nodes.parameters import declare, flag, group, number, numbers, text
from robodyn_ros.nodes.qos import LATCHED, REQUEST
from robodyn_ros.nodes.runner import run
from robodyn_ros.nodes.watch import StateInput, Watch, steady_clock

_SERVER_WAIT_S = 1.0
_LOOK_S = 0.05
_Result = FollowJointTrajectory.Result


@dataclass(frozen=True)
class PayloadParameters:
    """What the arm carries."""

    mass: float = number(0.0, "mass of the payload", unit="kg", low=0.0, read_only=False)
    link: str = text(
        "",
        "link that carries it; may stay empty where the robot ends in one link only",
        read_only=False,
    )
    com: tuple[float, ...] = numbers(
        (0.0, 0.0, 0.0), "its centre of mass in the frame of the link", unit="m", size=3,
        read_only=False,
    )  # fmt: skip


@dataclass(frozen=True)
class TrajectoryGuardParameters:
    """Parameters of trajectory_guard."""

    controller: str = text(
        "joint_trajectory_controller",
        "the real controller: its follow_joint_trajectory and joint_trajectory get what passes",
    )
    policy: Literal["reject", "retime", "retime_up_to", "warn_only"] = text(
        "reject",
        "what exceeds a limit is refused, slowed down, slowed down at most max_factor times, or "
        "passed on with a warning",
        choices=("reject", "retime", "retime_up_to", "warn_only"),
        read_only=False,
    )
    max_factor: float = number(
        2.0, "with retime_up_to: longest new duration, in old ones", low=1.0, read_only=False
    )
    method: Literal["path", "uniform"] = text(
        "path",
        "path: slow down only where the path asks for it; uniform: all of the motion alike",
        choices=("path", "uniform"),
        read_only=False,
    )
    payload: PayloadParameters = group(PayloadParameters)
    state_timeout: float = number(
        0.5, "age of the joint states at which nothing passes any more", unit="s", above=0.0
    )
    max_start_error: float = number(
        0.05, "largest distance of a first point at time zero from the arm", unit="rad or m",
        low=0.0,
    )  # fmt: skip
    refuse_unrated: bool = flag(
        False, "refuse everything while the peak rating of a joint is unknown"
    )
    fill_effort: bool = flag(
        False, "the controller has an effort interface: write the model's torque into the points"
    )
    allow_nonzero_velocity_at_trajectory_end: bool = flag(
        False, "accept trajectories that end in motion"
    )
    feedback_timeout: float = number(
        2.0, "silence of a controller that gave feedback before it counts as dead", unit="s",
        above=0.0,
    )  # fmt: skip

    def settings(self) -> GuardSettings:
        """Return what the guard itself needs."""
        return GuardSettings(
            policy=self.policy,
            max_factor=self.max_factor,
            method=self.method,
            max_start_error=self.max_start_error,
            allow_end_velocity=self.allow_nonzero_velocity_at_trajectory_end,
            refuse_unrated=self.refuse_unrated,
            fill_effort=self.fill_effort,
        )


class _Relay:
    """One goal on its way through: the side of the planner and that of the controller."""

    def __init__(self, goal_handle: Any):
        self.planner = goal_handle
        self.controller: Any = None  # handle of the forwarded goal, once it is accepted
        self.cancel_wanted = False
        self.begun_s = time.monotonic()
        self.heard_s: float | None = None  # when the last feedback came
        self.there: Future | None = None  # whether the controller is, once that is known
        self.lost: Future = Future()

    def feedback(self, message: Any) -> None:
        """Hand on what the controller tells."""
        self.heard_s = time.monotonic()
        if self.planner.is_active:
            self.planner.publish_feedback(message.feedback)


class TrajectoryGuard(Node):
    """Asks the guard about everything that is to be executed and relays what passes."""

    def __init__(self, **node_options: Any):
        super().__init__("trajectory_guard", **node_options)
        self.robot = robot = load_robot(self)
        self.guard = Guard(robot.model)
        self.parameters = declare(self, TrajectoryGuardParameters, on_change=self._change)
        self._change(self.parameters)
        self.rest = robot.model.limits.mid
        self.mine = np.isin(robot.model.joint_names, robot.joints)
        self.clock = self.get_clock()
        self.relays: list[_Relay] = []
        self.counts = {"passed": 0, "slowed down": 0, "with a warning": 0, "refused": 0}
        self.refused_since_told = ""

        target = self.parameters.controller.rstrip("/")
        self.report_publisher = self.create_publisher(String, "~/report", LATCHED)
        self.trajectory_publisher = self.create_publisher(
            JointTrajectoryMessage, f"{target}/joint_trajectory", REQUEST
        )
        self.state = StateInput(self, robot.model, lambda *_: None, needs=robot.joints)
        self.diagnostics = Diagnostics(self)
        self.controller = ActionClient(
            self, FollowJointTrajectory, f"{target}/follow_joint_trajectory"
        )
        self._warm_up()
        self.create_subscription(
            JointTrajectoryMessage, "~/joint_trajectory", self._take_trajectory, REQUEST
        )
        self.server = ActionServer(
            self,
            FollowJointTrajectory,
            "~/follow_joint_trajectory",
            execute_callback=self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT,  # MoveIt drops the reason of a rejection
            cancel_callback=self._cancel,
        )
        self.watch = Watch(self, self.state.take_messages, self._diagnose)
        self.look_timer = self.create_timer(_LOOK_S, self._look, clock=steady_clock())

    def _change(self, parameters: TrajectoryGuardParameters) -> None:
        """Take over what may change at any time; raises what with_payload raises."""
        carried, model = parameters.payload, self.robot.model
        payload = None
        if carried.link and carried.link not in model.link_names:
            expected = f"one of {', '.join(model.link_names)}"
            raise ParameterError("payload.link", carried.link, expected)
        if carried.mass > 0.0:
            if not carried.link and len(model.leaf_links) > 1:
                expected = f"one of {', '.join(model.leaf_links)}, since there is a payload.mass"
                raise ParameterError("payload.link", "", expected)
            payload = (carried.link or model.leaf_links[0], carried.mass, carried.com)
            model.with_payload(*payload)
        self.guard.payload = payload
        self.guard.settings = parameters.settings()

    def _warm_up(self) -> None:
        """Compile what the callbacks call."""
        trial = Guard(self.robot.model, self.guard.settings)
        trial.payload = self.guard.payload
        still = np.zeros((2, self.robot.model.n))
        motion = trajectory_from_message(JointTrajectoryMessage())
        motion = type(motion)(
            self.robot.model.joint_names, np.array([0, 10**9]), still + self.rest, still, still
        )
        trial.judge(motion, self.rest, still[0], 1)

    # Judging.

    def _judge(self, message: JointTrajectoryMessage, source: str) -> Verdict:
        """Ask the guard; whatever goes wrong on the way is a refusal."""
        now_ns = self.clock.now().nanoseconds
        intake = self.state.intake
        position = np.where(self.mine | np.isfinite(intake.position), intake.position, self.rest)
        stale = intake.stale(now_ns, seconds_to_ns(self.parameters.state_timeout))
        stale = tuple(name for name in stale if name in self.robot.joints)
        try:
            verdict = self.guard.judge(
                trajectory_from_message(message), position, intake.velocity, now_ns,
                to_ns(message.header.stamp), stale,
            )  # fmt: skip
        except RobodynError as error:
            verdict = refusal("invalid_trajectory", str(error))
        except Exception as error:
            self.get_logger().error(traceback.format_exc())
            text = f"the guard failed, so nothing passes: {type(error).__name__}: {error}"
            verdict = refusal("internal_error", text)
        self._tell(verdict, source)
        return verdict

    def _tell(self, verdict: Verdict, source: str) -> None:
        """Publish and log a decision."""
        payload = self.guard.payload
        told = {
            "source": source,
            "stamp": self.clock.now().nanoseconds * 1e-9,
            "policy": self.guard.settings.policy,
            "payload": None
            if payload is None
            else {"link": payload[0], "mass": payload[1], "com": list(payload[2])},  # type: ignore[call-overload]
            **verdict.as_dict(),
        }
        self.report_publisher.publish(String(data=json.dumps(told)))
        logger = self.get_logger()
        for warning in verdict.warnings:
            logger.warning(warning)
        if not verdict.accepted:
            self.counts["refused"] += 1
            self.refused_since_told = verdict.text
            logger.error(f"refused ({verdict.code}): {verdict.text}")
        elif verdict.code == "warned":
            self.counts["with a warning"] += 1
            logger.warning(f"passed on in spite of this: {verdict.text}")
        elif verdict.code == "retimed":
            self.counts["slowed down"] += 1
            logger.warning(f"slowed down: {verdict.text}")
        else:
            self.counts["passed"] += 1

    def _outgoing(
        self, verdict: Verdict, message: JointTrajectoryMessage
    ) -> JointTrajectoryMessage:
        """Message for the controller: the very one that came, unless it was changed."""
        if not verdict.changed:
            return message
        assert verdict.trajectory is not None
        changed = trajectory_to_message(verdict.trajectory)
        changed.header.frame_id = message.header.frame_id
        if to_ns(message.header.stamp) > self.clock.now().nanoseconds:
            changed.header.stamp = message.header.stamp
        return changed

    # The topic.

    def _take_trajectory(self, message: JointTrajectoryMessage) -> None:
        verdict = self._judge(message, "topic")
        if verdict.accepted:
            self.trajectory_publisher.publish(self._outgoing(verdict, message))
            self.guard.passed(verdict, self.clock.now().nanoseconds)

    # The action.

    async def _execute(self, goal_handle: Any) -> Any:
        """Judge a goal, hand it on, and wait for its end."""
        goal: FollowJointTrajectory.Goal = goal_handle.request
        relay = _Relay(goal_handle)
        verdict = self._judge(goal.trajectory, "action")
        if not verdict.accepted:
            return self._abort(goal_handle, f"{verdict.code}: {verdict.text}")
        self.relays.append(relay)
        try:
            return await self._relay(relay, goal, verdict)
        finally:
            self.relays.remove(relay)

    async def _relay(self, relay: _Relay, goal: Any, verdict: Verdict) -> Any:
        if not await self._controller_is_there(relay):
            name = self.parameters.controller
            verdict = refusal(
                "no_controller", f"no controller serves {name}/follow_joint_trajectory: is it "
                "active, is the parameter 'controller' right?"
            )  # fmt: skip
            self._tell(verdict, "action")
            return self._abort(relay.planner, f"{verdict.code}: {verdict.text}")
        goal.trajectory = self._outgoing(verdict, goal.trajectory)
        handle = await self._or_lost(
            relay, self.controller.send_goal_async(goal, feedback_callback=relay.feedback)
        )
        if handle is None:
            return self._abort(relay.planner, self._lost_text())
        if not handle.accepted:
            text = f"{self.parameters.controller} rejected the goal: its log says why"
            return self._abort(relay.planner, text)
        self.guard.passed(verdict, self.clock.now().nanoseconds)
        relay.controller = handle
        if relay.cancel_wanted:
            handle.cancel_goal_async()
        answer = await self._or_lost(relay, handle.get_result_async())
        if answer is None:
            handle.cancel_goal_async()  # in case it lives after all
            return self._abort(relay.planner, self._lost_text())
        return self._finish(relay, verdict, answer)

    def _finish(self, relay: _Relay, verdict: Verdict, answer: Any) -> Any:
        """Pass the controller's result on, with what the guard did in its text."""
        result = answer.result
        if verdict.code == "retimed":
            result.error_string = "; ".join(
                part for part in (result.error_string, f"slowed down: {verdict.text}") if part
            )
        if answer.status == GoalStatus.STATUS_SUCCEEDED:
            relay.planner.succeed()
        elif answer.status == GoalStatus.STATUS_CANCELED and relay.planner.is_cancel_requested:
            relay.planner.canceled()
        else:
            relay.planner.abort()
        return result

    async def _cancel(self, goal_handle: Any) -> CancelResponse:
        """Cancel at the controller; it decides."""
        for relay in self.relays:
            if relay.planner is not goal_handle and relay.planner != goal_handle:
                continue
            relay.cancel_wanted = True
            if relay.controller is None:
                return CancelResponse.ACCEPT
            answer = await self._or_lost(relay, relay.controller.cancel_goal_async())
            if answer is not None and answer.goals_canceling:
                return CancelResponse.ACCEPT
            self.get_logger().warning("the controller refused to cancel")
        return CancelResponse.REJECT

    def _abort(self, goal_handle: Any, text: str) -> Any:
        goal_handle.abort()
        return _Result(error_code=_Result.INVALID_GOAL, error_string=text)

    def _lost_text(self) -> str:
        return (
            f"no_controller: {self.parameters.controller} is gone, or silent for more than "
            f"{self.parameters.feedback_timeout:g} s, while it executed the goal"
        )

    async def _controller_is_there(self, relay: _Relay) -> bool:
        """Wait a moment for the controller: discovery takes its time."""
        if not self.controller.server_is_ready():
            relay.there = Future()
            return bool(await relay.there)
        return True

    async def _or_lost(self, relay: _Relay, answer: Future) -> Any:
        """Wait for an answer of the controller; None when it is lost."""
        either: Future = Future()

        def end(future: Future) -> None:
            if not either.done():
                either.set_result(None if future is relay.lost else future.result())

        answer.add_done_callback(end)
        relay.lost.add_done_callback(end)
        return await either

    def _look(self) -> None:
        """Notice controllers that come late, and those that died while they executed a goal."""
        now_s = time.monotonic()
        for relay in self.relays:
            if relay.there is not None and not relay.there.done():
                ready = self.controller.server_is_ready()
                if ready or now_s - relay.begun_s > _SERVER_WAIT_S:
                    relay.there.set_result(ready)
            if relay.heard_s is None or relay.lost.done():
                continue
            if now_s - relay.heard_s > self.parameters.feedback_timeout:
                relay.lost.set_result(None)

    # What is told.

    def _diagnose(self) -> Sequence[tuple[str, str]]:
        """Report once a second what was decided and whether the guard can do its work."""
        now_ns = self.clock.now().nanoseconds
        stale = self.state.intake.stale(now_ns, seconds_to_ns(self.parameters.state_timeout))
        stale = tuple(name for name in stale if name in self.robot.joints)
        level, message = OK, "guarding"
        if self.guard.settings.policy == "warn_only":
            level, message = WARN, "policy warn_only: nothing is stopped"
        if not self.controller.server_is_ready():
            level, message = WARN, f"no action server at {self.parameters.controller}"
        if stale:
            level, message = WARN, "nothing passes: no recent joint state"
        if self.refused_since_told:
            level, message = ERROR, f"refused: {self.refused_since_told}"
        self.refused_since_told = ""
        values = {
            "Policy": self.guard.settings.policy,
            "Goals being executed": len(self.relays),
            "Joints without a recent state": ", ".join(stale) or "none",
            **{f"Trajectories {what}": count for what, count in self.counts.items()},
        }
        hardware = self.robot.model.name
        self.diagnostics.publish([status(self.get_name(), hardware, level, message, values)])
        return ()

    def shutdown(self) -> None:
        """Stop what nobody could stop any more through here."""
        for relay in self.relays:
            if relay.controller is not None:
                relay.controller.cancel_goal_async()
                self.get_logger().warning("the guard ends: its goal is cancelled")

    def destroy_node(self) -> None:
        """Take the actions down with the node, which rclpy leaves to others."""
        self.server.destroy()
        self.controller.destroy()
        super().destroy_node()


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(TrajectoryGuard, args)


if __name__ == "__main__":
    raise SystemExit(main())
