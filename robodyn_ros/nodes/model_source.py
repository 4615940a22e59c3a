# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a node gets its robot from: parameter, file or topic; ratings from parameters on top."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from ament_index_python.packages import get_package_share_directory
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String

from robodyn_ros.errors import ModelError, ParameterError
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.robot_model import STANDARD_GRAVITY, RobotModel
from robodyn_ros.model.specs import JointSpec, LinkSpec
from robodyn_ros.model.urdf import parse_urdf
from robodyn_ros.nodes.parameters import declare, keys_given, number, numbers, per_key, text, texts
from robodyn_ros.nodes.qos import LATCHED

TOPIC = "robot_description"
_SOURCE_TREE = Path(__file__).parents[2]
_REMIND_S = 5.0


@dataclass(frozen=True)
class ModelParameters:
    """Parameters of every node that needs to know the robot."""

    robot_description: str = text(
        "", "URDF text; empty: urdf_file, and without that the topic robot_description"
    )
    urdf_file: str = text(
        "",
        "URDF file: package://<package>/<path>, or a path (from the working directory; for the "
        "launch file from the folder of the YAML)",
    )
    gravity: tuple[float, ...] = numbers(
        STANDARD_GRAVITY, "gravity in the frame of the root link", unit="m/s^2", size=3
    )
    joints: tuple[str, ...] = texts(
        (), "joints this node is about, in the order of its outputs; empty: all of the model"
    )


@dataclass(frozen=True)
class RatingParameters:
    """What is known about one joint beyond its description; unset: as described."""

    lower: float | None = number(None, "lower position limit", unit="rad or m")
    upper: float | None = number(None, "upper position limit", unit="rad or m")
    velocity: float | None = number(None, "velocity limit", unit="rad/s or m/s", above=0.0)
    acceleration: float | None = number(
        None, "acceleration limit", unit="rad/s^2 or m/s^2", above=0.0
    )
    effort_peak: float | None = number(
        None, "largest effort for a short time", unit="N m or N", above=0.0
    )
    effort_continuous: float | None = number(
        None, "effort the motor bears for ever", unit="N m or N", above=0.0
    )
    thermal_time_constant: float | None = number(
        None, "time constant of the motor's warming", unit="s", above=0.0
    )


@dataclass(frozen=True)
class LimitParameters:
    """Ratings per joint."""

    limits: Mapping[str, RatingParameters] = per_key(RatingParameters)


class Description(NamedTuple):
    """A URDF text and what it says."""

    text: str
    name: str
    links: tuple[LinkSpec, ...]
    joints: tuple[JointSpec, ...]
    doubts: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Robot:
    """The robot of a node: model, the joints the node is about, and where it came from."""

    model: RobotModel
    joints: tuple[str, ...]
    description: Description
    source: str

    @property
    def from_topic(self) -> bool:
        """Whether somebody else publishes the description."""
        return self.source.startswith("topic ")

    @cached_property
    def without_mimics(self) -> RobotModel:
        """Model in which every moving joint is independent: poses from measured followers too."""
        if not self.model.mimics:
            return self.model
        free = [replace(joint, mimic=None) for joint in self.description.joints]
        return RobotModel.from_specs(self.description.name, self.description.links, free)


def load_robot(node: Node) -> Robot:
    """
    Declare the parameters of the model and return the robot they describe.

    Waits for the topic when no parameter names a description; ExternalShutdownException when the
    process ends meanwhile. Raises ModelError and ParameterError.
    """
    parameters = declare(node, ModelParameters)
    urdf, source = parameters.robot_description, "parameter robot_description"
    if not urdf.strip() and parameters.urdf_file:
        urdf, source = read_urdf(parameters.urdf_file), parameters.urdf_file
    elif not urdf.strip():
        urdf, source = wait_for_description(node), f"topic {TOPIC}"
    limited = frozenset(keys_given(node, "limits", "lower") & keys_given(node, "limits", "upper"))
    try:
        description, model = _described(urdf, parameters.gravity, limited)
    except ModelError as error:
        raise ModelError(f"{source}: {error.what}", error.faults) from None
    for doubt in description.doubts:
        node.get_logger().warning(doubt)
    for joint in parameters.joints:
        if joint not in model.joint_names:
            expected = f"joints among {', '.join(model.joint_names)}"
            raise ParameterError("joints", list(parameters.joints), expected)
    if len(set(parameters.joints)) < len(parameters.joints):
        raise ParameterError("joints", list(parameters.joints), "each joint once")
    ratings = declare(node, LimitParameters, keys=model.joint_names).limits
    model = model.with_limits(_override(model, ratings))
    root, (x, y, z) = model.root_link, model.gravity
    node.get_logger().info(
        f"{model.name}: {model.n} joints, gravity ({x:g}, {y:g}, {z:g}) m/s^2 in frame '{root}'"
    )
    return Robot(model, parameters.joints or model.joint_names, description, source)


def read_urdf(place: str) -> str:
    """URDF text of a file named by a path, file:// or package://; raises ParameterError."""
    path = _package_path(place) if place.startswith("package://") else Path(place).expanduser()
    if place.startswith("file://"):
        path = Path(place.removeprefix("file://"))
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text"
        raise ParameterError(
            "urdf_file", place, f"a readable file; {path.absolute()}: {reason}"
        ) from None


def wait_for_description(node: Node) -> str:
    """URDF text from the topic robot_description, as soon as somebody publishes it."""
    received: list[str] = []

    def take(message: String) -> None:
        received.append(message.data)

    subscription = node.create_subscription(String, TOPIC, take, LATCHED)
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    waited, said = 0.0, 0.0
    try:
        while not received:
            if not node.context.ok():
                raise ExternalShutdownException()
            executor.spin_once(timeout_sec=0.1)
            waited += 0.1
            if not received and waited >= said:
                node.get_logger().info(
                    f"waiting for the robot description on {subscription.topic_name} (or set the "
                    "parameter robot_description or urdf_file)"
                )
                said = waited + _REMIND_S
    finally:
        executor.remove_node(node)
        executor.shutdown()
    node.destroy_subscription(subscription)
    return received[-1]


def _package_path(place: str) -> Path:
    package, _, inside = place.removeprefix("package://").partition("/")
    try:
        return Path(get_package_share_directory(package)) / inside
    except (LookupError, ValueError, OSError):  # not found, no such name, no index at all
        if package == "robodyn_ros":
            return _SOURCE_TREE / inside  # not installed: run from the source tree
    raise ParameterError("urdf_file", place, f"a package that is installed; '{package}' is not")


@lru_cache(maxsize=8)
def _described(
    urdf: str, gravity: tuple[float, ...], limited: frozenset[str]
) -> tuple[Description, RobotModel]:
    """Parse once for all nodes of a process."""
    if not urdf.strip():
        raise ModelError("the robot description is empty")
    name, links, joints, doubts = parse_urdf(urdf, limited_elsewhere=limited)
    description = Description(urdf, name, tuple(links), tuple(joints), tuple(doubts))
    return description, RobotModel.from_specs(name, links, joints, gravity)


def _override(model: RobotModel, ratings: Mapping[str, RatingParameters]) -> JointLimits:
    """Limits of the description with those parameters on top that are set."""
    overrides: dict[str, dict[str, float]] = {}
    for joint, rating in ratings.items():
        for f in fields(rating):
            value = getattr(rating, f.name)
            if value is not None:
                name = "effort" if f.name == "effort_peak" else f.name
                overrides.setdefault(joint, {})[name] = value
    limits = model.limits.replace(model.joint_names, overrides)
    for i in np.flatnonzero(limits.effort_continuous > limits.effort).tolist():
        name = f"limits.{model.joint_names[i]}.effort_continuous"
        expected = f"at most the peak effort of {limits.effort[i]:g}"
        raise ParameterError(name, float(limits.effort_continuous[i]), expected)
    return limits
