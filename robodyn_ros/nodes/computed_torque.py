# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
computed_torque: efforts that make an arm follow joint trajectories, from its dynamics.

Takes ``~/joint_trajectory``; publishes ``~/effort`` (by joint name) and ``~/commands`` (plain
numbers in the order of ``joints``, for a JointGroupEffortController) at ``update_rate``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from rclpy.duration import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage

from robodyn_ros.control import ComputedTorqueController, ControllerSettings, ControlOutput
from robodyn_ros.errors import RobodynError, TrajectoryError
from robodyn_ros.message_log import MessageLog
from robodyn_ros.nodes import diagnostics
from robodyn_ros.nodes.control_loop import ControlLoop
from robodyn_ros.nodes.controller_state import ControllerState
from robodyn_ros.nodes.conversions import (
    JointStateMessage,
    seconds_to_ns,
    shared_values,
    to_ns,
    trajectory_from_message,
)
from robodyn_ros.nodes.model_source import load_robot
from robodyn_ros.nodes.parameters import column, declare, flag, number, per_key, text
from robodyn_ros.nodes.qos import COMMAND, REQUEST, STATE
from robodyn_ros.nodes.runner import run
from robodyn_ros.nodes.watch import StateInput, Watch, log_lines

_SAFE_EFFORT_WAIT = Duration(seconds=0.2)


@dataclass(frozen=True)
class GainParameters:
    """Feedback of one joint; units by the law."""

    p: float = number(0.0, "gain on the position error", low=0.0, read_only=False)
    d: float = number(0.0, "gain on the velocity error", low=0.0, read_only=False)


@dataclass(frozen=True)
class ComputedTorqueParameters:
    """Parameters of computed_torque."""

    update_rate: float = number(500.0, "rate of the efforts", unit="Hz", above=0.0, high=2000.0)
    state_publish_rate: float = number(
        50.0, "rate of ~/controller_state; 0: never", unit="Hz", low=0.0, high=2000.0
    )
    law: Literal["feedforward", "computed_torque"] = text(
        "feedforward",
        "feedforward: torque of the reference, gains in N m/rad and N m s/rad; "
        "computed_torque: torque at the measured state, gains in 1/s^2 and 1/s",
        choices=("feedforward", "computed_torque"),
    )
    gains: Mapping[str, GainParameters] = per_key(GainParameters)
    robot_compensates_gravity: bool = flag(False, "leave the gravity torque out of the efforts")
    state_timeout: float = number(
        0.1, "age of the joint states that switches the feedback off", unit="s", above=0.0
    )
    zero_effort_after: float = number(
        2.0, "time without joint states until the effort is zero", unit="s", above=0.0
    )
    ramp_time: float = number(
        0.2, "time over which the effort is led in at switch-on", unit="s", low=0.0
    )
    max_effort_rate: float | None = number(
        None, "fastest change of an effort; unset: not limited", unit="N m/s", above=0.0
    )
    max_start_error: float = number(
        0.1, "largest distance of a first point at time zero from the arm", unit="rad", low=0.0
    )
    start_jump: Literal["refuse", "skip"] = text(
        "refuse", "what to do with a first point further away", choices=("refuse", "skip")
    )
    max_start_delay: float = number(
        60.0, "how far ahead a trajectory may be stamped", unit="s", above=0.0
    )
    positions_only: Literal["spline", "linear"] = text(
        "spline",
        "between points that give positions only: a smooth spline, or straight lines",
        choices=("spline", "linear"),
    )
    allow_partial_joints: bool = flag(False, "accept trajectories of some joints; the others hold")
    allow_nonzero_velocity_at_trajectory_end: bool = flag(
        False, "accept trajectories that end in motion; the arm is slowed down then"
    )
    check_limits: bool = flag(
        True,
        "refuse trajectories that leave the position or velocity limits of the joints; "
        "accelerations are not checked, efforts are clamped to the peak ratings",
    )


class ComputedTorque(Node):
    """Steps the controller on the steady clock; trajectories run on the node's clock."""

    def __init__(self, **node_options: Any):
        super().__init__("computed_torque", **node_options)
        self.robot = robot = load_robot(self)
        self.parameters = parameters = declare(
            self, ComputedTorqueParameters, robot.model.joint_names, self._set_gains
        )
        model = robot.model
        if parameters.robot_compensates_gravity:
            model = model.with_gravity((0.0, 0.0, 0.0))
        self.controller = ComputedTorqueController(model, self._settings(parameters))
        self.mine = np.array([model.joint_index(name) for name in robot.joints])
        self.all_mine = len(robot.joints) == model.n
        self.rest = model.limits.mid
        self.log = MessageLog(period_ns=seconds_to_ns(1.0))
        self.clock = self.get_clock()
        self.output: ControlOutput | None = None
        self.commanded = self.jumped = False

        self.effort = JointStateMessage(robot.joints, ["effort"])
        self.required = JointStateMessage(robot.joints, ["effort"])
        self.commands = Float64MultiArray()
        self.command_values = shared_values(self.commands, "data", len(robot.joints))
        self.effort_publisher = self.create_publisher(JointState, "~/effort", COMMAND)
        self.required_publisher = self.create_publisher(JointState, "~/required_effort", STATE)
        self.command_publisher = self.create_publisher(Float64MultiArray, "~/commands", COMMAND)
        self.state_publisher = ControllerState(self, robot.joints)
        every = parameters.update_rate / max(parameters.state_publish_rate, 1e-9)
        self.state_every = max(1, round(every)) if parameters.state_publish_rate else 0
        self.ticks = 0

        self.state = StateInput(self, model, self._take_state, needs=robot.joints)
        self.create_subscription(
            JointTrajectoryMessage, "~/joint_trajectory", self._take_trajectory, REQUEST
        )
        self.diagnostics = diagnostics.Diagnostics(self)
        self.watch = Watch(
            self, self.state.take_messages, self.controller.take_messages, self._diagnose
        )
        self._warm_up()
        self.loop = ControlLoop(self, parameters.update_rate, self._step)

    def _settings(self, parameters: ComputedTorqueParameters) -> ControllerSettings:
        model = self.robot.model
        partial = parameters.allow_partial_joints or len(self.robot.joints) < model.n
        rate = parameters.max_effort_rate
        return ControllerSettings.for_model(
            model,
            law=parameters.law,
            kp=column(parameters.gains, model.joint_names, "p"),
            kd=column(parameters.gains, model.joint_names, "d"),
            max_effort_rate=np.nan if rate is None else rate,
            max_start_error=parameters.max_start_error,
            start_jump=parameters.start_jump,
            max_state_age_ns=seconds_to_ns(parameters.state_timeout),
            zero_effort_after_ns=seconds_to_ns(parameters.zero_effort_after),
            ramp_ns=seconds_to_ns(parameters.ramp_time),
            period_ns=seconds_to_ns(1.0 / parameters.update_rate),
            max_future_ns=seconds_to_ns(parameters.max_start_delay),
            positions_only=parameters.positions_only,
            allow_partial=partial,
            allow_end_velocity=parameters.allow_nonzero_velocity_at_trajectory_end,
            check_limits=parameters.check_limits,
        )

    def _set_gains(self, parameters: ComputedTorqueParameters) -> None:
        settings = self._settings(parameters)
        self.controller.settings = replace(
            self.controller.settings, kp=settings.kp, kd=settings.kd
        )
        self.parameters = parameters

    def _warm_up(self) -> None:
        """Compile what the loop calls, so that the first efforts are not late."""
        model, settings = self.controller.model, self.controller.settings
        trial = ComputedTorqueController(model, settings)
        trial.update_state(self.rest, np.zeros(model.n), 1)
        trial.step(1)

    def _take_state(self, stamp_ns: int, now_ns: int) -> None:
        """Pass the state on once all joints of this node are known; it is as old as the oldest."""
        intake = self.state.intake
        oldest_ns = int(intake.stamp_ns[self.mine].min())
        if oldest_ns == 0:
            return
        if intake.jumped[self.mine].any():
            self.jumped = True
            return
        q, qd = intake.position, intake.velocity
        if not self.all_mine:
            q = np.where(np.isnan(q), self.rest, q)
        self.controller.update_state(q, qd, oldest_ns)
        if self.jumped:
            self.jumped = False
            self.controller.rejoin(now_ns)

    def _take_trajectory(self, message: JointTrajectoryMessage) -> None:
        now_ns = self.clock.now().nanoseconds
        try:
            trajectory = trajectory_from_message(message)
            missing = [name for name in self.robot.joints if name not in trajectory.joint_names]
            if len(trajectory) and missing and not self.parameters.allow_partial_joints:
                raise TrajectoryError(
                    f"the trajectory leaves out joints {', '.join(missing)}: list all joints, or "
                    "set allow_partial_joints",
                    joint=missing[0],
                )
            self.controller.set_trajectory(trajectory, now_ns, to_ns(message.header.stamp))
        except RobodynError as error:
            self.log.throttled("error", str(error), f"trajectory refused: {error}", now_ns)
            log_lines(self, self.log.take())

    def _step(self) -> None:
        now_ns = self.clock.now().nanoseconds
        if now_ns <= 0:
            return  # simulated time has not begun
        self.output = output = self.controller.step(now_ns)
        if output.effort is not None:
            self._publish(now_ns, output.effort[self.mine], output.required[self.mine])
        self.ticks += 1
        if self.state_every and self.ticks % self.state_every == 0:
            self.state_publisher.publish(output, self.mine)

    def _publish(self, now_ns: int, effort: Any, required: Any) -> None:
        self.commanded = True
        self.command_values[:] = effort
        self.effort_publisher.publish(self.effort.fill(now_ns, effort=effort))
        self.command_publisher.publish(self.commands)
        self.required_publisher.publish(self.required.fill(now_ns, effort=required))

    def _diagnose(self) -> Sequence[tuple[str, str]]:
        """Report the loop and the controller once a second."""
        health, output, name = self.loop.take_health(), self.output, self.get_name()
        hardware = self.robot.model.name
        late = health["missed"] > 0.05 * max(health["calls"], 1)
        loop = diagnostics.status(
            f"{name}: control loop",
            hardware,
            diagnostics.WARN if late or not health["calls"] else diagnostics.OK,
            "periods missed" if late else "running",
            {
                "Rate (Hz)": float(health["calls"]),
                "Missed periods": health["missed"],
                "Longest period (ms)": health["longest_period"] * 1e3,
                "Longest step (ms)": health["longest_work"] * 1e3,
                "Mean step (ms)": health["mean_work"] * 1e3,
            },
        )
        mode = "waiting" if output is None else output.mode
        follows = mode in ("hold", "moving", "stopping")
        now_ns = self.clock.now().nanoseconds
        stale = self.state.intake.stale(now_ns, self.controller.settings.max_state_age_ns)
        control = diagnostics.status(
            f"{name}: control",
            hardware,
            diagnostics.OK if follows else diagnostics.WARN,
            mode if output is None or not output.reason else f"{mode}: {output.reason}",
            {
                "Joints without a recent state": ", ".join(stale) or "none",
                **{f"Count of {key}": n for key, n in self.controller.counters.items()},
                **{f"Joint states {key}": n for key, n in self.state.intake.counters.items()},
            },
        )
        self.diagnostics.publish([loop, control])
        return ()

    def shutdown(self) -> None:
        """Leave the motors with an effort that is safe, if they got any from here."""
        self.loop.stop()
        if not self.commanded:
            return
        effort = self.controller.safe_effort()[self.mine]
        self._publish(self.clock.now().nanoseconds, effort, effort)
        self.effort_publisher.wait_for_all_acked(_SAFE_EFFORT_WAIT)
        self.command_publisher.wait_for_all_acked(_SAFE_EFFORT_WAIT)


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(ComputedTorque, args)


if __name__ == "__main__":
    raise SystemExit(main())
