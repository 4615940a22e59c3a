# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The launch file as a user starts it: every node comes up, data flows, all of it ends well."""

import time
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

reason = "launch_pytest comes with a ROS 2 installation, not as a wheel"
launch_pytest = pytest.importorskip("launch_pytest", reason=reason)

from behaviours.alone import guard_lets_pass_only_what_the_motors_can_do  # noqa: E402
from behaviours.arm import arm as shipped_robot  # noqa: E402
from behaviours.probe import Probe  # noqa: E402
from behaviours.whole_arm import TOGETHER  # noqa: E402
from launch import LaunchDescription, LaunchService  # noqa: E402
from launch.actions import IncludeLaunchDescription, RegisterEventHandler  # noqa: E402
from launch.event_handlers import OnProcessExit  # noqa: E402
from launch.launch_description_sources import PythonLaunchDescriptionSource  # noqa: E402
from rcl_interfaces.srv import ListParameters  # noqa: E402
from rclpy.qos import qos_profile_sensor_data  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray, String  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402

from robodyn_ros.nodes.qos import LATCHED  # noqa: E402

pytestmark = [
    pytest.mark.ros_process,
    pytest.mark.usefixtures("ros_domain"),
    pytest.mark.timeout(300),
]

LAUNCH_FILE = Path(__file__).parents[2] / "launch" / "arm.launch.py"
NODES = {"fk_publisher", "ik_server", "computed_torque", "torque_monitor", "arm_simulator"}
COMMANDS = "/effort_controller/commands"
START_UP = 100.0  # s: on a slow machine five nodes may compile their kernels at once


@pytest.fixture
def exit_codes() -> dict[str, int]:
    """Fill up with the exit code of every node that has ended."""
    return {}


def arm(exit_codes: dict[str, int], **arguments: str) -> LaunchDescription:
    """Include the launch file and take down how its nodes end."""

    def note(event: Any, context: Any) -> None:
        exit_codes[event.action.node_executable] = event.returncode

    source = PythonLaunchDescriptionSource(str(LAUNCH_FILE))
    return LaunchDescription(
        [
            RegisterEventHandler(OnProcessExit(on_exit=note)),
            IncludeLaunchDescription(source, launch_arguments=arguments.items()),
            launch_pytest.actions.ReadyToTest(),
        ]
    )


def wait_for_nodes(probe: Probe, namespace: str = "", without: str = "") -> None:
    """Wait until every node answers: it appears in the graph long before it is ready."""
    for name in sorted(NODES - {without}):
        service = f"{namespace}/{name}/list_parameters"
        probe.call(ListParameters, service, ListParameters.Request(), START_UP)


@launch_pytest.fixture
def two_link(exit_codes: dict[str, int]) -> LaunchDescription:
    """Launch the small arm with the defaults of all other arguments."""
    return arm(exit_codes, robot="two_link")


@pytest.mark.launch(fixture=two_link)
def test_all_nodes_come_up_work_and_end_well(probe: Probe, exit_codes: dict) -> Iterator[None]:
    states = probe.listen(JointState, "joint_states", qos_profile_sensor_data)
    efforts = probe.listen(JointState, "computed_torque/effort", qos_profile_sensor_data)
    transforms = probe.listen(TFMessage, "/tf", 100)
    descriptions = probe.listen(String, "robot_description", LATCHED)
    wait_for_nodes(probe)
    probe.wait(lambda: len(states) > 50, "joint states of the simulator")
    probe.wait(lambda: len(efforts) > 50, "efforts of the controller")
    probe.wait(lambda: len(transforms) > 10, "transforms")
    probe.wait(lambda: descriptions, "the robot description")
    assert set(states[-1].name) == set(efforts[-1].name) == {"shoulder", "elbow"}
    frames = {(t.header.frame_id, t.child_frame_id) for t in transforms[-1].transforms}
    assert frames == {("base", "upper_arm"), ("upper_arm", "forearm")}
    assert 'name="two_link"' in descriptions[-1].data
    assert exit_codes == {}
    yield
    assert exit_codes == dict.fromkeys(NODES, 0)


@pytest.fixture(params=["panda", "two_link", "ur5e"])
def robot(request: pytest.FixtureRequest) -> str:
    """Name the shipped robots one after the other."""
    return request.param


@launch_pytest.fixture
def shipped_arm(exit_codes: dict[str, int], robot: str) -> LaunchDescription:
    """Launch a shipped robot that makes its own time: a busy machine is slow, not wrong."""
    return arm(exit_codes, robot=robot, use_sim_time="true")


@pytest.mark.launch(fixture=shipped_arm)
def test_shipped_arm_does_its_work(probe: Probe, exit_codes: dict, robot: str) -> Iterator[None]:
    wait_for_nodes(probe)
    for behaviour in TOGETHER:
        behaviour(probe, shipped_robot(robot))
    assert exit_codes == {}
    yield
    assert exit_codes == dict.fromkeys(NODES, 0)


@launch_pytest.fixture
def left_arm(exit_codes: dict[str, int]) -> LaunchDescription:
    """Launch one of two arms; its robot given as a path."""
    folder = LAUNCH_FILE.parents[1] / "config" / "robots" / "two_link"
    given = {"namespace": "left", "frame_prefix": "left/", "commands": COMMANDS}
    return arm(exit_codes, robot=str(folder), **given)


@pytest.mark.launch(fixture=left_arm)
def test_namespaced_arm_keeps_to_itself(probe: Probe, exit_codes: dict) -> Iterator[None]:
    own = probe.listen(TFMessage, "/left/tf", 100)
    fixed = probe.listen(TFMessage, "/left/tf_static", LATCHED)
    common = probe.listen(TFMessage, "/tf", 100)
    commands = probe.listen(Float64MultiArray, COMMANDS)
    wait_for_nodes(probe, "/left")
    probe.wait(lambda: len(own) > 10 and fixed, "transforms")
    probe.wait(lambda: commands, "efforts for another controller")
    assert common == []
    names = {t.child_frame_id for message in own + fixed for t in message.transforms}
    assert names == {"left/upper_arm", "left/forearm", "left/tip"}
    yield
    assert exit_codes == dict.fromkeys(NODES, 0)


@launch_pytest.fixture
def real_arm(exit_codes: dict[str, int]) -> LaunchDescription:
    """Launch everything but the simulator."""
    return arm(exit_codes, robot="two_link", sim="false")


@pytest.mark.launch(fixture=real_arm)
def test_nothing_moves_without_a_robot(probe: Probe, exit_codes: dict) -> Iterator[None]:
    efforts = probe.listen(JointState, "computed_torque/effort", qos_profile_sensor_data)
    wait_for_nodes(probe, without="arm_simulator")
    end = time.monotonic() + 1.0
    probe.wait(lambda: time.monotonic() > end, "a second")
    assert efforts == []
    yield
    assert exit_codes == dict.fromkeys(NODES - {"arm_simulator"}, 0)


@launch_pytest.fixture
def guarded_arm(exit_codes: dict[str, int]) -> LaunchDescription:
    """Launch an arm with a guard before the controller of the test."""
    return arm(exit_codes, robot="two_link", guard="joint_trajectory_controller")


@pytest.mark.launch(fixture=guarded_arm)
def test_guard_before_a_controller(probe: Probe, exit_codes: dict) -> Iterator[None]:
    wait_for_nodes(probe)
    guard_lets_pass_only_what_the_motors_can_do(probe, shipped_robot("two_link"))
    assert exit_codes == {}
    yield
    assert exit_codes == dict.fromkeys(NODES | {"trajectory_guard"}, 0)


@launch_pytest.fixture
def timeless_arm(exit_codes: dict[str, int]) -> LaunchDescription:
    """Launch an arm that makes its own time, all nodes in one process."""
    given = {"use_sim_time": "true", "one_process": "true", "commands": COMMANDS}
    return arm(exit_codes, robot="two_link", **given)


@pytest.mark.launch(fixture=timeless_arm)
def test_simulator_makes_the_time_of_one_process(probe: Probe, exit_codes: dict) -> Iterator[None]:
    clock = probe.listen(Clock, "/clock", qos_profile_sensor_data)
    transforms = probe.listen(TFMessage, "/tf", 100)
    commands = probe.listen(Float64MultiArray, COMMANDS)
    wait_for_nodes(probe)
    probe.wait(lambda: clock and len(transforms) > 10, "time and transforms")
    probe.wait(lambda: commands, "efforts for another controller")
    stamp = transforms[-1].transforms[0].header.stamp
    assert 0 <= clock[-1].clock.sec - stamp.sec <= 1
    assert stamp.sec < 10 * START_UP, "the time of day instead of the time since the start"
    yield
    assert exit_codes == {"bringup": 0}


def test_unknown_robot_is_refused_with_the_known_ones() -> None:
    service = LaunchService()
    service.include_launch_description(arm({}, robot="no_such_robot"))
    assert service.run() == 1
    with pytest.raises(FileNotFoundError, match="no_such_robot.*panda, two_link, ur5e"):
        run_path(str(LAUNCH_FILE))["parameter_file"]("no_such_robot")
