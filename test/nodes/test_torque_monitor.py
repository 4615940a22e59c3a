# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""torque_monitor: what it says about efforts above their ratings, below them, and unknown."""

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus  # noqa: E402
from messages import joint_state, stamp_ns  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from robots import ARM3, ARM3_GRAVITY, ARM3_JOINTS, ARM3_POSE  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from robodyn_ros.errors import ParameterError  # noqa: E402
from robodyn_ros.nodes.torque_monitor import TorqueMonitor  # noqa: E402

MS = 1_000_000
OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
# peak ratings are those of the description: 100, 100, 30 N m
CONTINUOUS = {"j1": 50.0, "j2": 50.0, "j3": 15.0}
RATINGS = {f"limits__{j}__effort_continuous": rating for j, rating in CONTINUOUS.items()}
RATINGS |= {f"limits__{j}__thermal_time_constant": 30.0 for j in ARM3_JOINTS}
EVENTS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Monitor:
    """A torque_monitor, its outputs, and the topics it listens to."""

    def __init__(self, probe, make_node, urdf=ARM3, **parameters):
        self.probe = probe
        self.diagnostics = probe.listen(DiagnosticArray, "/diagnostics", 100)
        self.events = probe.listen(DiagnosticStatus, "torque_monitor/events", EVENTS)
        self.utilisation = probe.listen(JointState, "torque_monitor/utilisation")
        self.torque = probe.listen(JointState, "torque_monitor/torque")
        self.node = make_node(TorqueMonitor, urdf, **RATINGS | {"publish_rate": 50.0} | parameters)
        self.joints = probe.publisher(JointState, "joint_states")
        if parameters.get("source", "commanded") == "commanded":
            self.command = probe.publisher(JointState, "commanded_effort")

    def effort(self, efforts, names=ARM3_JOINTS, stamp=0):
        """Send a commanded effort and wait until it was judged."""
        before = self.node.monitor.stamp_ns
        self.command.publish(joint_state(names, effort=efforts, stamp=stamp))
        self.probe.wait(lambda: self.node.monitor.stamp_ns != before, "the effort to be judged")

    def keep(self, efforts):
        """Send this commanded effort all the time from now on."""
        self.probe.repeat(
            0.02, lambda: self.command.publish(joint_state(ARM3_JOINTS, effort=efforts))
        )

    def status(self, joint):
        """Return the latest diagnosis of a joint."""
        found = [s for m in self.diagnostics for s in m.status if s.name.endswith(f": {joint}")]
        return found[-1] if found else None

    def wait_status(self, joint, level):
        self.probe.wait(
            lambda: self.status(joint) is not None and self.status(joint).level == level,
            f"level {level!r} of {joint}",
        )
        return self.status(joint)


def values(status):
    return {value.key: value.value for value in status.values}


def exact(ns):
    digits = str(ns)
    return f"{digits[:-9]}.{digits[-9:]}"


@pytest.fixture
def monitor(probe, make_node):
    return lambda **parameters: Monitor(probe, make_node, **parameters)


def test_within_ratings_is_ok_with_all_figures(monitor, probe):
    monitor = monitor()
    monitor.keep((10.0, -20.0, 3.0))
    status = monitor.wait_status("j2", OK)
    assert (status.name, status.hardware_id) == ("torque_monitor: j2", "arm3")
    found = values(status)
    assert float(found["Worst effort (N m or N)"]) == 20.0
    assert float(found["Peak rating (N m or N)"]) == 100.0
    assert float(found["Worst utilisation of peak"]) == 0.2
    assert float(found["Continuous rating (N m or N)"]) == 50.0
    probe.wait(lambda: monitor.utilisation, "~/utilisation")
    assert monitor.utilisation[-1].name == list(ARM3_JOINTS)
    np.testing.assert_allclose(monitor.utilisation[-1].effort, [0.1, 0.2, 0.1])


def test_a_peak_of_5_ms_is_in_the_events_and_in_the_next_diagnosis(monitor, probe):
    monitor = monitor()
    start = probe.now_ns()
    for ms, effort in ((0, 10.0), (5, 130.0), (10, 10.0)):
        monitor.effort((effort, 0.0, 0.0), stamp=start + ms * MS)
    probe.wait(lambda: len(monitor.events) >= 2, "~/events")
    enter, leave = monitor.events[:2]
    assert (enter.level, leave.level) == (ERROR, OK)
    told = values(enter)
    assert (told["joint"], told["kind"], told["phase"]) == ("j1", "peak", "enter")
    assert (float(told["worst"]), float(told["limit"])) == (130.0, 100.0)
    assert told["stamp (s)"] == exact(start + 5 * MS)
    told = values(leave)
    assert told["phase"] == "leave"
    assert float(told["duration (s)"]) == pytest.approx(0.005)
    monitor.keep((10.0, 0.0, 0.0))
    status = monitor.wait_status("j1", ERROR)
    assert "peak" in status.message
    assert float(values(status)["Worst effort (N m or N)"]) == 130.0
    monitor.wait_status("j1", OK)  # told once


def test_late_comers_get_the_events(monitor, probe):
    monitor = monitor()
    start = probe.now_ns()
    monitor.effort((130.0, 0.0, 0.0), stamp=start)
    probe.wait(lambda: monitor.events, "~/events")
    late = probe.listen(DiagnosticStatus, "torque_monitor/events", EVENTS)
    probe.wait(lambda: late, "the event of before")


def test_rms_above_the_continuous_rating_is_a_warning(monitor, probe):
    monitor = monitor(rms_window=1.0)
    start = probe.now_ns() - 3_000 * MS
    for ms in range(0, 3_000, 100):
        monitor.effort((60.0, 0.0, 0.0), stamp=start + ms * MS)
    probe.wait(lambda: monitor.events, "~/events")
    assert values(monitor.events[0])["kind"] == "continuous"
    assert monitor.events[0].level == WARN


def test_efforts_by_name_and_in_parts(monitor, probe):
    monitor = monitor()
    monitor.effort((3.0, 20.0), names=("j3", "j1"))
    effort = monitor.node.monitor.effort
    assert (effort[0], effort[2]) == (20.0, 3.0)
    assert np.isnan(effort[1])


def test_what_nobody_knows_is_not_ok(monitor, probe):
    monitor = monitor()
    assert monitor.wait_status("j1", WARN).message == "no effort known"
    monitor.keep((10.0, np.nan, 3.0))
    monitor.wait_status("j1", OK)
    assert monitor.wait_status("j2", WARN).message == "no effort known"
    assert values(monitor.status("j2"))["Worst effort (N m or N)"] == "unknown"


def test_ratings_that_nobody_gave_are_named_at_the_start(monitor, capfd):
    monitor(limits__j2__effort_continuous=None)
    log = capfd.readouterr().err
    assert "limits.<joint>.effort_continuous unknown, not checked: j2" in log
    assert "effort_peak" not in log


def test_a_joint_without_a_rating_is_not_checked(monitor):
    parameters = {"limits__j1__effort_continuous": None}
    monitor = monitor(**parameters)
    monitor.keep((10.0, 10.0, 3.0))
    monitor.wait_status("j2", OK)
    assert "not checked" in monitor.wait_status("j1", WARN).message


def test_the_torque_of_the_measured_motion(monitor, probe):
    monitor = monitor()
    start = probe.now_ns() - 200 * MS
    received = monitor.node.state
    for i in range(40):
        before = received._received
        monitor.joints.publish(
            joint_state(ARM3_JOINTS, ARM3_POSE, (0.0, 0.0, 0.0), stamp=start + i * 5 * MS)
        )
        probe.wait(lambda before=before: received._received != before, "the state to be heard")
    probe.wait(lambda: monitor.torque, "~/torque")
    message = monitor.torque[-1]
    np.testing.assert_allclose(message.effort, ARM3_GRAVITY, atol=1e-8)
    assert start < stamp_ns(message) <= start + 200 * MS


@pytest.mark.parametrize("source, expected", [("measured", (7.0, 8.0, 9.0)), ("model", None)])
def test_other_sources_of_the_effort(monitor, probe, source, expected):
    monitor = monitor(source=source)
    received = monitor.node.state.intake.counters
    start = probe.now_ns() - 200 * MS
    for i in range(40):
        monitor.joints.publish(
            joint_state(
                ARM3_JOINTS, ARM3_POSE, (0.0,) * 3, (7.0, 8.0, 9.0), stamp=start + i * 5 * MS
            )
        )
        probe.wait(lambda i=i: sum(received.values()) > i, "the state to be heard")
    effort = monitor.node.monitor.effort
    np.testing.assert_allclose(effort, expected or ARM3_GRAVITY, atol=1e-8)
    assert not probe.node.count_subscribers("commanded_effort")


@pytest.mark.parametrize(
    "name, value",
    [
        ("source", "guessed"),
        ("rms_window", 0.0),
        ("hysteresis", 0.9),
        ("publish_rate", 0),
    ],
)
def test_wrong_parameters_are_named(make_node, name, value):
    with pytest.raises(ParameterError) as refusal:
        make_node(TorqueMonitor, ARM3, **{name: value})
    assert refusal.value.name == name


def test_a_continuous_rating_above_the_peak_is_refused(make_node):
    with pytest.raises(ParameterError, match="peak"):
        make_node(TorqueMonitor, ARM3, limits__j1__effort_continuous=120.0)
