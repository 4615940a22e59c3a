# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
torque_monitor: efforts against the ratings of the motors, live.

/diagnostics tells once a second the worst per joint, ``~/events`` what begins and ends to exceed
a rating and when, ``~/utilisation`` the effort as a fraction of the peak rating and ``~/torque``
what the measured motion takes by the model (both as the effort field of a JointState).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node
from sensor_msgs.msg import JointState

from robodyn_ros.message_log import MessageLog
from robodyn_ros.monitor.report import MonitorReport
from robodyn_ros.monitor.settings import MonitorSettings
from robodyn_ros.monitor.thresholds import Event
from robodyn_ros.monitor.torque_monitor import TorqueMonitor as Monitor
from robodyn_ros.nodes.conversions import (
    JointStateMessage,
    seconds_text,
    seconds_to_ns,
    to_seconds,
)
from robodyn_ros.nodes.diagnostics import ERROR, OK, WARN, Diagnostics, status
from robodyn_ros.nodes.joint_command import JointCommand
from robodyn_ros.nodes.model_source import load_robot
from robodyn_ros.nodes.parameters import declare, number, text
from robodyn_ros.nodes.qos import EVENTS, STATE
from robodyn_ros.nodes.runner import run
from robodyn_ros.nodes.watch import StateInput, Watch, log_lines, steady_clock

# level and words for each status of the monitor; what nobody knows is not OK
_VERDICTS = {
    "ok": (OK, "within ratings"),
    "not_checked": (
        WARN,
        "not checked: a rating is unknown (parameters limits.<joint>.effort_...)",
    ),
    "no_effort": (WARN, "no effort known"),
    "above_continuous": (WARN, "RMS effort above the continuous rating"),
    "overheated": (ERROR, "predicted winding temperature above the rating"),
    "above_peak": (ERROR, "effort above the peak rating"),
}


@dataclass(frozen=True)
class TorqueMonitorParameters:
    """Parameters of torque_monitor."""

    source: Literal["commanded", "measured", "model"] = text(
        "commanded",
        "effort that is judged: commanded (topic commanded_effort), measured (effort of the joint "
        "states) or model (what the measured motion takes)",
        choices=("commanded", "measured", "model"),
    )
    rms_window: float = number(
        10.0, "time over which the RMS effort is taken", unit="s", above=0.0
    )
    hysteresis: float = number(
        0.02, "fraction below a rating at which an excess ends", low=0.0, high=0.5
    )
    effort_timeout: float = number(
        0.5, "age at which an effort is not known any more", unit="s", above=0.0
    )
    acceleration_window: float = number(
        0.03, "time over which accelerations are estimated", unit="s", above=0.0
    )
    initial_thermal: float = number(
        0.0, "thermal state at the start: 0 cold, 1 as after hours at the rating", low=0.0
    )
    publish_rate: float = number(
        20.0, "rate of ~/utilisation and ~/torque", unit="Hz", above=0.0, high=1000.0
    )


class TorqueMonitor(Node):
    """Feeds the monitor with states and commands and tells what it finds."""

    def __init__(self, **node_options: Any):
        super().__init__("torque_monitor", **node_options)
        self.robot = robot = load_robot(self)
        model = robot.model
        self.parameters = parameters = declare(self, TorqueMonitorParameters)
        settings = MonitorSettings.from_limits(
            model.limits,
            source=parameters.source,
            rms_window_s=parameters.rms_window,
            hysteresis=parameters.hysteresis,
            effort_timeout_s=parameters.effort_timeout,
            acceleration_window_s=parameters.acceleration_window,
            initial_thermal=parameters.initial_thermal,
        )
        self.monitor = Monitor(model, settings)
        self._name_unknown("effort_peak", settings.peak)
        self._name_unknown("effort_continuous", settings.continuous)
        self.mine = np.array([model.joint_index(name) for name in robot.joints])
        self.rest = model.limits.mid
        self.all_mine = len(robot.joints) == model.n
        self.command_stamp_ns = self.state_stamp_ns = self.torque_stamp_ns = 0
        self.clock = self.get_clock()
        self.log = MessageLog(period_ns=seconds_to_ns(1.0))

        self.utilisation = JointStateMessage(robot.joints, ["effort"])
        self.torque = JointStateMessage(robot.joints, ["effort"])
        self.utilisation_publisher = self.create_publisher(JointState, "~/utilisation", STATE)
        self.torque_publisher = self.create_publisher(JointState, "~/torque", STATE)
        self.event_publisher = self.create_publisher(DiagnosticStatus, "~/events", EVENTS)
        self.diagnostics = Diagnostics(self)
        self.state = StateInput(self, model, self._take_state, needs=robot.joints)
        self.command = JointCommand(
            model.joint_names, robot.joints, self._take_effort, absent=np.nan
        )
        if parameters.source == "commanded":
            self.create_subscription(JointState, "commanded_effort", self._take_command, STATE)
        self._warm_up(settings)
        self.watch = Watch(
            self, self.state.take_messages, self.command.take_messages, self._diagnose
        )
        self.timer = self.create_timer(
            1.0 / parameters.publish_rate, self._publish, clock=steady_clock()
        )

    def _name_unknown(self, rating: str, values: Any) -> None:
        """Say at once which ratings nobody gave; /diagnostics keeps saying it."""
        known = dict(zip(self.robot.model.joint_names, np.isfinite(values).tolist(), strict=True))
        missing = ", ".join(joint for joint in self.robot.joints if not known[joint])
        if missing:
            self.get_logger().warning(f"limits.<joint>.{rating} unknown, not checked: {missing}")

    def _warm_up(self, settings: MonitorSettings) -> None:
        """Compile what the callbacks call."""
        still = np.zeros(self.robot.model.n)
        trial = Monitor(self.robot.model, settings)
        trial.update_state(self.rest, still, still, 1, still)
        trial.update_command(still, 1)

    def _take_state(self, stamp_ns: int, now_ns: int) -> None:
        intake = self.state.intake
        oldest_ns = int(intake.stamp_ns[self.mine].min())
        if oldest_ns in (0, self.state_stamp_ns):
            return  # not all joints known, or only some joints of a state told before
        self.state_stamp_ns = oldest_ns
        q, qd = intake.position, intake.velocity
        if not self.all_mine:
            q = np.where(np.isnan(q), self.rest, q)
            others = np.ones(q.size, dtype=bool)
            others[self.mine] = False
            qd = np.where(others & np.isnan(qd), 0.0, qd)
        self.monitor.update_state(q, qd, None, oldest_ns, intake.effort)

    def _take_command(self, message: JointState) -> None:
        stamp = message.header.stamp
        stamp_ns = stamp.sec * 1_000_000_000 + stamp.nanosec
        self.command_stamp_ns = stamp_ns or self.clock.now().nanoseconds
        self.command.by_name(message)

    def _take_effort(self, effort: Any) -> None:
        self.monitor.update_command(effort, self.command_stamp_ns)

    def _publish(self) -> None:
        monitor = self.monitor
        if monitor.stamp_ns:
            message = self.utilisation.fill(
                monitor.stamp_ns, effort=monitor.utilisation[self.mine]
            )
            self.utilisation_publisher.publish(message)
        if monitor.model_torque_stamp_ns > self.torque_stamp_ns:
            message = self.torque.fill(
                monitor.model_torque_stamp_ns, effort=monitor.model_torque[self.mine]
            )
            self.torque_publisher.publish(message)
        self.torque_stamp_ns = monitor.model_torque_stamp_ns
        for event in monitor.take_events():
            self._tell(event)

    def _tell(self, event: Event) -> None:
        """Publish an event and log it, at most one line per joint, kind and second."""
        began = event.phase == "enter"
        level = (WARN if event.kind == "continuous" else ERROR) if began else OK
        values = {
            "joint": event.joint,
            "kind": event.kind,
            "phase": event.phase,
            "stamp (s)": seconds_text(event.stamp_ns),
            "worst": event.peak_value,
            "limit": event.limit,
            "duration (s)": to_seconds(event.duration_ns),
        }
        name = f"{self.get_name()}: {event.joint}"
        self.event_publisher.publish(
            status(name, self.robot.model.name, level, str(event), values)
        )
        severity = "info" if not began else "warn" if level == WARN else "error"
        self.log.throttled(
            severity, (event.joint, event.kind, began), str(event), self.clock.now().nanoseconds
        )
        log_lines(self, self.log.take())

    def _diagnose(self) -> Sequence[tuple[str, str]]:
        """Report the worst of the last second, joint by joint."""
        report = self.monitor.take_report(self.clock.now().nanoseconds)
        self.diagnostics.publish(self._joint_status(report, i) for i in self.mine.tolist())
        return ()

    def _joint_status(self, report: MonitorReport, i: int) -> DiagnosticStatus:
        level, message = _VERDICTS[report.status[i]]
        values = {
            "Worst effort (N m or N)": float(report.effort[i]),
            "Peak rating (N m or N)": float(self.monitor.settings.peak[i]),
            "Worst utilisation of peak": float(report.utilisation[i]),
            "Worst effort at (s)": seconds_text(int(report.effort_stamp_ns[i])),
            "RMS effort (N m or N)": float(report.rms[i]),
            "Continuous rating (N m or N)": float(self.monitor.settings.continuous[i]),
            "RMS utilisation of continuous": float(report.rms_utilisation[i]),
            "Thermal state": float(report.thermal[i]),
            "Model torque (N m or N)": float(report.model_torque[i]),
        }
        if report.model_reason:
            values["Model torque unknown because"] = report.model_reason
        name = f"{self.get_name()}: {report.joint_names[i]}"
        return status(name, self.robot.model.name, level, message, values)


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(TorqueMonitor, args)


if __name__ == "__main__":
    raise SystemExit(main())
