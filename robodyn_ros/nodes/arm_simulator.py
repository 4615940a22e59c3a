# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
arm_simulator: an arm that obeys efforts and publishes joint_states, for demonstrations and tests.

Takes ``effort_command`` (JointState, by joint name) or ``~/commands`` (plain numbers in the order
of ``joints``).
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.nodes.control_loop import ControlLoop
from robodyn_ros.nodes.conversions import JointStateMessage, seconds_to_ns, set_ns
from robodyn_ros.nodes.joint_command import JointCommand
from robodyn_ros.nodes.model_source import load_robot
from robodyn_ros.nodes.parameters import column, declare, flag, number, per_key, text
from robodyn_ros.nodes.qos import COMMAND, STATE
from robodyn_ros.nodes.runner import run
from robodyn_ros.nodes.watch import Watch
from robodyn_ros.simulation import ArmSimulator as Simulation
from robodyn_ros.simulation import SimulatorSettings
from robodyn_ros.simulation.lockstep import LockstepClock

# How far simulated time may be ahead of the last command, in periods of joint_states.
_LEAD_PERIODS = 3


@dataclass(frozen=True)
class FrictionParameters:
    """Friction of one joint."""

    viscous: float = number(0.0, "viscous friction", unit="N m s/rad or N s/m", low=0.0)
    coulomb: float = number(0.0, "Coulomb friction", unit="N m or N", low=0.0)


@dataclass(frozen=True)
class ArmSimulatorParameters:
    """Parameters of arm_simulator."""

    step_rate: float = number(
        1000.0, "rate of the integration steps", unit="Hz", above=0.0, high=1e5
    )
    publish_rate: float = number(500.0, "rate of joint_states", unit="Hz", above=0.0, high=2000.0)
    integrator: Literal["semi_implicit", "rk4"] = text(
        "rk4", "method of a step", choices=("semi_implicit", "rk4")
    )
    command_timeout: float = number(
        0.1, "time without a command until on_timeout applies", unit="s", above=0.0
    )
    on_timeout: Literal["brake", "gravity", "zero"] = text(
        "brake",
        "without commands: brake (hold the joints), gravity (carry the weight) or zero (fall)",
        choices=("brake", "gravity", "zero"),
    )
    initial_positions: Mapping[str, float | None] = per_key(
        number(None, "position at the start; unset: 0 or the nearest limit", unit="rad or m")
    )
    friction: Mapping[str, FrictionParameters] = per_key(FrictionParameters)
    publish_clock: bool = flag(
        False,
        "make the time and publish it on /clock, for nodes with use_sim_time; it waits for the "
        "next effort command rather than run ahead of a slow controller",
    )


class ArmSimulator(Node):
    """Advances the simulation with the clock and publishes the joints."""

    def __init__(self, **node_options: Any):
        super().__init__("arm_simulator", **node_options)
        robot = load_robot(self)
        names = robot.model.joint_names
        self.parameters = parameters = declare(self, ArmSimulatorParameters, names)
        self.simulation = Simulation(robot.model, self._settings(robot.model, parameters))
        self.joint_states = JointStateMessage(names, ["position", "velocity", "effort"])
        self.publisher = self.create_publisher(JointState, "joint_states", STATE)
        self.clock = self.get_clock()
        self.clock_message = Clock()
        self.lockstep = None
        if parameters.publish_clock:
            self.clock_publisher = self.create_publisher(Clock, "/clock", STATE)
            period_ns = seconds_to_ns(1.0 / parameters.publish_rate)
            self.lockstep = LockstepClock(period_ns, _LEAD_PERIODS * period_ns)
        self.command = JointCommand(names, robot.joints, self._command)
        self.create_subscription(JointState, "effort_command", self.command.by_name, COMMAND)
        self.create_subscription(Float64MultiArray, "~/commands", self.command.in_order, COMMAND)
        self.watch = Watch(self, self.simulation.take_messages, self.command.take_messages)
        self.loop = ControlLoop(self, parameters.publish_rate, self._advance)

    @staticmethod
    def _settings(model: Any, parameters: ArmSimulatorParameters) -> SimulatorSettings:
        limits, given = model.limits, parameters.initial_positions
        start = [given[name] for name in model.joint_names]
        nearest = np.clip(0.0, limits.lower, limits.upper)
        step_ns = seconds_to_ns(1.0 / parameters.step_rate)
        period_ns = seconds_to_ns(1.0 / parameters.publish_rate)
        return SimulatorSettings(
            step_ns=step_ns,
            integrator=parameters.integrator,
            viscous=column(parameters.friction, model.joint_names, "viscous"),
            coulomb=column(parameters.friction, model.joint_names, "coulomb"),
            initial_position=[
                value if value is not None else near
                for value, near in zip(start, nearest.tolist(), strict=True)
            ],
            command_timeout_ns=seconds_to_ns(parameters.command_timeout),
            on_timeout=parameters.on_timeout,
            max_catch_up_ns=max(50_000_000, 2 * step_ns, 2 * period_ns),
        )

    def _command(self, effort: Any) -> None:
        if self.lockstep is None:
            self.simulation.command(effort, self.clock.now().nanoseconds)
        else:
            self.lockstep.command(time.monotonic_ns())
            self.simulation.command(effort, self.lockstep.now_ns)

    def _advance(self) -> None:
        simulation, lockstep = self.simulation, self.lockstep
        before_ns = simulation.stamp_ns
        now_ns = lockstep.tick(time.monotonic_ns()) if lockstep else self.clock.now().nanoseconds
        simulation.advance(now_ns)
        if simulation.stamp_ns == before_ns:
            return  # the clock stood still
        if lockstep:
            set_ns(self.clock_message.clock, simulation.stamp_ns)
            self.clock_publisher.publish(self.clock_message)
        message = self.joint_states.fill(
            simulation.stamp_ns,
            position=simulation.q,
            velocity=simulation.qd,
            effort=simulation.effort,
        )
        self.publisher.publish(message)

    def shutdown(self) -> None:
        """Stand still."""
        self.loop.stop()


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(ArmSimulator, args)


if __name__ == "__main__":
    raise SystemExit(main())
