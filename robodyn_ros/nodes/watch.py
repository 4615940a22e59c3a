# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What a node keeps an eye on once a second: its log, its clock, and whether joint states come."""

from collections.abc import Callable, Iterable, Sequence
from copy import copy

import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos_overriding_options import QoSOverridingOptions
from sensor_msgs.msg import JointState

from robodyn_ros.message_log import Line
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.nodes.conversions import to_ns
from robodyn_ros.nodes.qos import SENSOR
from robodyn_ros.state.joint_states import JointStateIntake

_CLOCK_S = 2
_SILENCE_S = 5


def steady_clock() -> Clock:
    """Clock for timers: never stands still, never jumps."""
    return Clock(clock_type=ClockType.STEADY_TIME)


def log_lines(node: Node, lines: Iterable[Line]) -> None:
    """Hand the lines of a stepped class to the node's logger."""
    logger = node.get_logger()
    for level, line in lines:
        # rclpy ties a level to the line of code it is logged from
        if level == "error":
            logger.error(line)
        elif level == "warn":
            logger.warning(line)
        else:
            logger.info(line)


class Watch:
    """Once a second: log what the stepped classes have to say and look for a clock at rest."""

    def __init__(self, node: Node, *sources: Callable[[], Iterable[Line]]):
        self.node = node
        self.sources = list(sources)
        self._seconds = 0
        self._timer = node.create_timer(1.0, self._look, clock=steady_clock())

    def _look(self) -> None:
        self._seconds += 1
        for source in self.sources:
            log_lines(self.node, source())
        at_rest = self.node.get_clock().now().nanoseconds == 0
        if self._seconds == _CLOCK_S and at_rest:
            self.node.get_logger().warning(
                "use_sim_time is set but the clock stands at 0: waiting for /clock"
            )


class StateInput:
    """
    The joint_states of a node: subscription, intake and what is to be said about them.

    ``on_state(stamp_ns, now_ns)`` is called after each message that changed something in
    ``intake``.
    """

    def __init__(
        self,
        node: Node,
        model: RobotModel,
        on_state: Callable[[int, int], None],
        stamped: bool = True,
        needs: Sequence[str] = (),
    ):
        """
        Subscribe; without ``stamped`` the time of arrival counts as time of measurement.

        ``needs`` names the joints whose absence is to be reported.
        """
        self.node = node
        self.intake = JointStateIntake(
            model.joint_names,
            followers=[mimic.joint for mimic in model.mimics],
            velocity_limit=model.limits.velocity,
            continuous=model.continuous,
        )
        self._on_state = on_state
        self._stamped = stamped
        self._clock = node.get_clock()
        self._received = 0
        self._silent_s = self._missing_s = 0
        self._needs = np.array([model.joint_index(name) for name in needs], dtype=int)
        self._publishers = 1
        self._subscription = node.create_subscription(
            JointState,
            "joint_states",
            self._take,
            copy(SENSOR),  # overrides are written into the profile itself
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )

    def _take(self, message: JointState) -> None:
        self._received += 1
        now_ns = self._clock.now().nanoseconds
        stamp_ns = to_ns(message.header.stamp)
        accepted = self.intake.update(
            message.name,
            message.position,
            message.velocity,
            message.effort,
            stamp_ns if self._stamped else 0,
            now_ns,
        )
        if accepted:
            self._on_state(stamp_ns if stamp_ns > 0 else now_ns, now_ns)

    def use_stamps(self, stamped: bool) -> None:
        """Go by the stamps of the messages from now on, or by the time of their arrival."""
        self._stamped = stamped

    def take_messages(self) -> list[Line]:
        """Return what is to be logged; to be called once a second."""
        lines = self.intake.take_messages()
        topic = self._subscription.topic_name
        publishers = self.node.count_publishers(topic)
        self._silent_s = 0 if self._received else self._silent_s + 1
        missing = self._needs[self.intake.received_ns[self._needs] == 0]
        self._missing_s = self._missing_s + 1 if self._received and missing.size else 0
        self._received = 0
        if self._missing_s == _SILENCE_S:
            names = ", ".join(self.intake.joint_names[i] for i in missing)
            lines.append(("warn", f"the joint states on {topic} leave out {names}: waiting"))
        if self._silent_s == _SILENCE_S:
            cure = ": is the topic remapped, the namespace right?" if publishers == 0 else ""
            lines.append(
                ("warn", f"no joint states on {topic} for 5 s ({publishers} publishers){cure}")
            )
        if publishers > 1 and publishers != self._publishers:
            lines.append(("info", f"{publishers} nodes publish joint states on {topic}"))
        self._publishers = publishers
        return lines
