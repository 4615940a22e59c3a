# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Start everything for one arm: each node a process of its own, or all in one.

ros2 launch robodyn_ros arm.launch.py robot:=ur5e
ros2 launch robodyn_ros arm.launch.py robot:=/my/robot.yaml sim:=false namespace:=left

With sim:=false something else (a driver) publishes joint_states and obeys
computed_torque/effort or, under the name given as commands:=, plain numbers.

With guard:=joint_trajectory_controller trajectory_guard stands in front of that controller: what
its motors cannot do is refused before they move.
"""

import tempfile
from pathlib import Path

import yaml
from ament_index_python.packages import get_package_share_path
from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.substitutions import Command, LaunchConfiguration
from launch.utilities import perform_substitutions
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from robodyn_ros.nodes.wiring import WIRING

PACKAGE = "robodyn_ros"


def parameter_file(robot: str) -> Path:
    """Find the YAML of a robot given by its name, its folder or the YAML itself."""
    folder = get_package_share_path(PACKAGE) / "config" / "robots"
    shipped = sorted(path.name for path in folder.iterdir())
    place = folder / robot if robot in shipped else Path(robot).expanduser().resolve()
    path = place / f"{place.name}.yaml" if place.is_dir() else place
    if not path.is_file():
        raise FileNotFoundError(
            f"robot:={robot}: no file {path}; give a robot folder, a YAML file or one of "
            + ", ".join(shipped)
        )
    return path


def description(path: Path, context: LaunchContext) -> str:
    """Read the URDF that the parameter file names; run it through xacro where it is one."""
    place = shared_parameters(path).get("urdf_file", "")
    if place.startswith("package://"):
        package, _, inside = place.removeprefix("package://").partition("/")
        urdf = get_package_share_path(package) / inside
    else:
        urdf = path.parent / Path(place).expanduser()
    if not urdf.is_file():
        raise FileNotFoundError(f"{path}: urdf_file: no file {urdf}")
    if urdf.suffix == ".xacro":
        return perform_substitutions(context, [Command(["xacro ", str(urdf)])])
    return urdf.read_text()


def shared_parameters(path: Path) -> dict:
    """Return the parameters that the file gives to every node."""
    return yaml.safe_load(path.read_text()).get("/**", {}).get("ros__parameters", {})


def arm(context: LaunchContext) -> list[Node]:
    """Choose and describe the nodes; called with the arguments at hand."""
    robot, namespace, prefix, commands, guard = (
        LaunchConfiguration(name).perform(context)
        for name in ("robot", "namespace", "frame_prefix", "commands", "guard")
    )
    sim, use_sim_time, one_process, with_rviz = (
        LaunchConfiguration(name).perform(context).lower() == "true"
        for name in ("sim", "use_sim_time", "one_process", "rviz")
    )
    path = parameter_file(robot)
    names = ["fk_publisher", "ik_server", "computed_torque", "torque_monitor"]
    names += ["trajectory_guard"] * bool(guard) + ["arm_simulator"] * sim
    overrides = {
        "robot_description": ParameterValue(description(path, context), value_type=str),
        "frame_prefix": ParameterValue(prefix, value_type=str),
        "use_sim_time": use_sim_time,
        "publish_clock": use_sim_time,  # read by the simulator: somebody has to make the time
        "nodes": names,  # read by bringup
    }
    if guard:
        overrides["controller"] = ParameterValue(guard, value_type=str)
    # /tf is absolute: left alone, the arms of two namespaces would mix there.
    tf = [("/tf", "tf"), ("/tf_static", "tf_static")] if namespace else []
    efforts = [("computed_torque/commands", commands)]
    nodes = [
        Node(
            package=PACKAGE,
            executable=name,
            namespace=namespace,
            parameters=[str(path), overrides],
            remappings=tf + efforts + ([WIRING[name]] if name in WIRING else []),
            output="screen",
        )
        for name in (["bringup"] if one_process else names)
    ]
    return nodes + [rviz(path, prefix, namespace, tf, use_sim_time)] * with_rviz


def rviz(path: Path, prefix: str, namespace: str, remappings: list, use_sim_time: bool) -> Node:
    """Show the arm; the prefix of the frames has no command line option, only a setting."""
    settings = get_package_share_path(PACKAGE) / "rviz" / "arm.rviz"
    if prefix:
        text = settings.read_text().replace('TF Prefix: ""', f'TF Prefix: "{prefix}"')
        with tempfile.NamedTemporaryFile("w", suffix=".rviz", delete=False) as file:
            file.write(text)
        settings = Path(file.name)
    base = shared_parameters(path).get("base_link", "world")
    return Node(
        package="rviz2",
        executable="rviz2",
        namespace=namespace,
        arguments=["-d", str(settings), "-f", prefix + base],
        parameters=[{"use_sim_time": use_sim_time}],
        remappings=remappings,
        output="screen",
    )


def report(event: ProcessExited, context: LaunchContext) -> LogInfo | None:
    """Say which node has ended by itself; the others go on."""
    if context.is_shutdown:
        return None
    name = event.action.node_executable if isinstance(event.action, Node) else event.process_name
    return LogInfo(msg=f"{name} has ended with exit code {event.returncode}; the rest goes on")


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments, then start the nodes."""
    flag = ["true", "false", "True", "False"]
    arguments = [
        ("robot", "panda", "panda, ur5e, two_link, or the path of a robot folder or YAML", None),
        ("sim", "true", "simulate the arm", flag),
        ("namespace", "", "namespace of all nodes, their topics and tf", None),
        ("frame_prefix", "", "put before every frame name, such as left/", None),
        ("commands", "computed_torque/commands", "topic of the efforts in order, no names", None),
        ("guard", "", "controller that trajectory_guard stands in front of; empty: none", None),
        ("use_sim_time", "false", "take the time from /clock; a simulated arm makes it", flag),
        ("one_process", "false", "all nodes in one process (bringup): less load", flag),
        ("rviz", "false", "show the arm in RViz", flag),
    ]
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=value, description=text, choices=choices)
                for name, value, text, choices in arguments
            ),
            RegisterEventHandler(OnProcessExit(on_exit=report)),
            OpaqueFunction(function=arm),
        ]
    )
