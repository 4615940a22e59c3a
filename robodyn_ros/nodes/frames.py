# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a named frame is, seen from the robot's root: own links by the model, others by TF."""

import math
from collections.abc import Callable

import numpy as np
from geometry_msgs.msg import Transform, TransformStamped
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from robodyn_ros.dynamics.kinematics import link_pose
from robodyn_ros.errors import RobodynError
from robodyn_ros.message_log import MessageLog
from robodyn_ros.model.limits import ABSURD
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.rotations import matrix_from_quaternion
from robodyn_ros.nodes.qos import TF

Array = NDArray[np.float64]
Pose = tuple[Array, Array]  # rotation (3, 3) and position (3,)

_IDENTITY: Pose = (np.eye(3), np.zeros(3))
_SHORTEST_QUATERNION = 1e-3
_DEEPEST = 100  # a longer chain of frames is a loop


class FrameError(RobodynError):
    """A frame that nobody can place."""


def compose(first: Pose, second: Pose) -> Pose:
    """Pose of what ``second`` places in the frame that ``first`` places."""
    return first[0] @ second[0], first[0] @ second[1] + first[1]


def inverse(pose: Pose) -> Pose:
    """Pose of the outer frame seen from the inner one."""
    return pose[0].T, -pose[0].T @ pose[1]


def _says_something(transform: Transform) -> bool:
    """Whether a transform has numbers that place a frame; TF itself ignores others too."""
    p, o = transform.translation, transform.rotation
    length = math.hypot(o.x, o.y, o.z, o.w)
    near = all(abs(value) < ABSURD for value in (p.x, p.y, p.z))
    return near and _SHORTEST_QUATERNION < length < ABSURD


class Frames:
    """
    Poses of frames in the root frame of a model.

    Links of the model, with or without ``prefix`` and a leading slash, come from the joint values
    that are asked about; other frames from the latest transforms on /tf and /tf_static, whatever
    their stamp.
    """

    def __init__(self, node: Node, model: RobotModel, prefix: str, log: MessageLog):
        self.model = model
        self.prefix = prefix
        self.log = log
        self.latest: dict[str, TransformStamped] = {}
        static = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(TFMessage, "/tf", self._take, TF)
        node.create_subscription(TFMessage, "/tf_static", self._take, static)

    def _take(self, message: TFMessage) -> None:
        for transform in message.transforms:
            frame = transform.child_frame_id
            if _says_something(transform.transform):
                self.latest[frame] = transform
            else:
                text = f"transform of frame '{frame}' ignored: no position or no rotation"
                self.log.once("warn", ("transform", frame), text)

    def plain(self, frame_id: str) -> str:
        """Frame name without the leading slash that TF does not know any more."""
        if frame_id.startswith("/"):
            self.log.once("warn", frame_id, f"frame '{frame_id}': the leading slash is left out")
        return frame_id.lstrip("/")

    def link_of(self, frame: str) -> str | None:
        """Link that a frame name means; None when it is none of the model's."""
        for name in (frame.removeprefix(self.prefix), frame):
            if name in self.model.link_names:
                return name
        return None

    def pose(self, frame: str, q: Array) -> Pose:
        """
        Pose of a frame in the root frame with joint values q (n,), NaN where not known.

        Raises FrameError saying what is missing.
        """
        link = self.link_of(frame)
        if link is not None:
            return self.link_pose(link, q)
        to_root = dict(self._climb(self.prefix + self.model.root_link, stop=lambda name: False))
        for name, pose in self._climb(frame, stop=lambda name: self.link_of(name) is not None):
            link = self.link_of(name)
            if link is not None:
                return compose(self.link_pose(link, q), pose)
            if name in to_root:
                return compose(inverse(to_root[name]), pose)
        raise FrameError(
            f"frame '{frame}' is neither a link of {self.model.name} nor connected to one by TF"
        )

    def link_pose(self, link: str, q: Array) -> Pose:
        """Pose of a link; FrameError while a joint that moves it is not known."""
        unknown = [j for j in self.model.joints_of(link) if np.isnan(q[self.model.joint_index(j)])]
        if unknown:
            raise FrameError(
                f"link '{link}' cannot be placed: no position of {', '.join(unknown)}"
            )
        return link_pose(self.model, np.where(np.isnan(q), 0.0, q), link)

    def _climb(self, frame: str, stop: Callable[[str], bool]) -> list[tuple[str, Pose]]:
        """Follow TF from a frame to its ancestors: (ancestor, pose of the frame in it)."""
        found, pose = [(frame, _IDENTITY)], _IDENTITY
        while frame in self.latest and not stop(frame) and len(found) < _DEEPEST:
            transform = self.latest[frame].transform
            p, o = transform.translation, transform.rotation
            step = matrix_from_quaternion([o.x, o.y, o.z, o.w]), np.array([p.x, p.y, p.z])
            pose = compose(step, pose)
            frame = self.latest[frame].header.frame_id.lstrip("/")
            found.append((frame, pose))
        return found
