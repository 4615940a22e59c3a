# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
fk_publisher: from joint states to TF, the pose of the tool and a centre of mass to look at.

Beside a robot_state_publisher it publishes ``~/pose`` only; with ``publish_tree`` it takes the
place of one: /tf, /tf_static and robot_description, under the same parameter names.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, TransformStamped
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from robodyn_ros.errors import ParameterError
from robodyn_ros.nodes.conversions import seconds_to_ns, set_ns, set_pose, set_transform
from robodyn_ros.nodes.link_transforms import Indices, LinkTransforms, relative_pose
from robodyn_ros.nodes.markers import CenterOfMassMarker
from robodyn_ros.nodes.model_source import TOPIC, load_robot
from robodyn_ros.nodes.parameters import declare, flag, number, text
from robodyn_ros.nodes.qos import LATCHED, STATE, TF
from robodyn_ros.nodes.runner import run
from robodyn_ros.nodes.watch import StateInput, Watch


@dataclass(frozen=True)
class FkPublisherParameters:
    """Parameters of fk_publisher; the first three as robot_state_publisher's."""

    publish_frequency: float = number(
        20.0,
        "how often a joint's transform is published at most; 0: for every message",
        unit="Hz",
        low=0.0,
        high=1000.0,
        read_only=False,
    )
    ignore_timestamp: bool = flag(
        False, "publish for every message, whatever its stamp", read_only=False
    )
    frame_prefix: str = text("", "put in front of every frame name as it is", read_only=False)
    publish_tree: bool = flag(
        False, "publish every link: for use instead of robot_state_publisher, not beside it"
    )
    base_link: str = text("", "frame of ~/pose; empty: the root link")
    tip_link: str = text("", "link whose pose is published; empty: the only leaf, or none")
    state_timeout: float = number(
        0.1,
        "age of a joint at which the pose of the tip is not known any more",
        unit="s",
        above=0.0,
    )


class FkPublisher(Node):
    """Publishes where the links are, with the stamps of the joint states they follow from."""

    def __init__(self, **node_options: Any):
        super().__init__("fk_publisher", **node_options)
        self.robot = robot = load_robot(self)
        self.parameters = declare(self, FkPublisherParameters, on_change=self._configure)
        self.links = LinkTransforms(robot.model, robot.without_mimics)
        self.state = StateInput(
            self, robot.model, self._publish, stamped=not self.parameters.ignore_timestamp
        )
        self.watch = Watch(self, self.state.take_messages, self.links.take_messages)
        self.restarts = 0
        self.timeout_ns = seconds_to_ns(self.parameters.state_timeout)
        self._choose_tip()
        self.pose_publisher = self.create_publisher(PoseStamped, "~/pose", STATE)
        self.marker = CenterOfMassMarker(self, robot.model)
        if self.parameters.publish_tree:
            self.tf_publisher = self.create_publisher(TFMessage, "/tf", TF)
            self.static_publisher = self.create_publisher(TFMessage, "/tf_static", LATCHED)
            if not robot.from_topic:
                self.description_publisher = self.create_publisher(String, TOPIC, LATCHED)
                self.description_publisher.publish(String(data=robot.description.text))
        self.links.poses(self.state.intake)  # compiles before it counts
        self._configure(self.parameters)

    def _choose_tip(self) -> None:
        """Find the frames of ~/pose and the joints that move one against the other."""
        model, leaves = self.robot.model, self.robot.model.leaf_links
        base = self.parameters.base_link or model.root_link
        tip = self.parameters.tip_link or (leaves[0] if len(leaves) == 1 else "")
        for name, link in (("base_link", base), ("tip_link", tip or base)):
            if link not in model.link_names:
                expected = f"one of the links {', '.join(model.link_names)}"
                raise ParameterError(name, link, expected)
        self.base_link = base
        self.moves_tip = np.zeros(model.n + len(model.mimics), dtype=bool)
        if not tip:
            reason = "tip_link is not set and the links end in " + ", ".join(leaves)
            self.get_logger().info(f"no ~/pose: {reason}")
            return
        moving = {*model.joints_of(tip)} ^ {*model.joints_of(base)}
        self.tip_joints = np.array([model.joint_index(name) for name in moving], dtype=int)
        self.moves_tip[self.tip_joints] = True
        self.base, self.tip = model.link_index(base), model.link_index(tip)

    def _configure(self, parameters: FkPublisherParameters) -> None:
        """Build the messages anew: a prefix concerns all of them, the static ones too."""
        if parameters.ignore_timestamp != self.parameters.ignore_timestamp:
            self.state.use_stamps(not parameters.ignore_timestamp)
        self.parameters = parameters
        rate = 0.0 if parameters.ignore_timestamp else parameters.publish_frequency
        self.period_ns = round(1e9 / rate) if rate > 0.0 else 0
        self.pose = PoseStamped()
        self.pose.header.frame_id = parameters.frame_prefix + self.base_link
        self.moving = self._transform_messages(self.links.moving)
        self.tf = TFMessage()
        if parameters.publish_tree:
            fixed = self._transform_messages(self.links.fixed)
            now_ns = self.get_clock().now().nanoseconds
            self._fill(fixed, *self.links.fixed_transforms(), now_ns)
            self.static_publisher.publish(TFMessage(transforms=fixed))

    def _transform_messages(self, links: Sequence[tuple[str, str]]) -> list[TransformStamped]:
        """Messages for (parent, child) frames that share one stamp."""
        messages: list[TransformStamped] = []
        prefix = self.parameters.frame_prefix
        for parent, child in links:
            message = TransformStamped(child_frame_id=prefix + child)
            message.header.frame_id = prefix + parent
            if messages:
                message.header.stamp = messages[0].header.stamp
            messages.append(message)
        return messages

    @staticmethod
    def _fill(
        messages: Sequence[TransformStamped], position: Any, quaternion: Any, stamp_ns: int
    ) -> None:
        for message, p, q in zip(messages, position.tolist(), quaternion.tolist(), strict=True):
            set_transform(message.transform, p, q)
        if messages:
            set_ns(messages[0].header.stamp, stamp_ns)

    def _publish(self, stamp_ns: int, now_ns: int) -> None:
        intake = self.state.intake
        if intake.restarts != self.restarts:
            self.restarts = intake.restarts
            self.links.restart()
        joints = self.links.due(intake, stamp_ns, self.period_ns)
        measured_ns = now_ns if self.parameters.ignore_timestamp else stamp_ns
        tree, pose = self.parameters.publish_tree, self._tells_tip(joints, measured_ns)
        root = self.parameters.frame_prefix + self.robot.model.root_link
        self.marker.publish(root, stamp_ns, intake.position)
        if not joints.size or not (tree or pose):
            return
        poses = self.links.poses(intake)
        if tree:
            rows = self.links.behind(joints)
            messages = [self.moving[i] for i in rows]
            self._fill(messages, *self.links.transforms(poses, rows), stamp_ns)
            self.tf.transforms = messages
            self.tf_publisher.publish(self.tf)
        if pose:
            origin, quaternion = relative_pose(poses, self.base, self.tip)
            set_pose(self.pose.pose, origin.tolist(), quaternion.tolist())
            set_ns(self.pose.header.stamp, stamp_ns)
            self.pose_publisher.publish(self.pose)

    def _tells_tip(self, joints: Indices, measured_ns: int) -> bool:
        """Whether one of these joints moves the tip and all that do were measured just now."""
        if not self.moves_tip[joints].any():
            return False
        age_ns = measured_ns - self.state.intake.stamp_ns[self.tip_joints]
        return bool((age_ns <= self.timeout_ns).all())


def main(args: Sequence[str] | None = None) -> int:
    """Run the node."""
    return run(FkPublisher, args)


if __name__ == "__main__":
    raise SystemExit(main())
