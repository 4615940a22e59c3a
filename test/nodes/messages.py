# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages for the node tests, and what is read out of answers."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState

SECOND = 1_000_000_000


def set_stamp(stamp: Any, ns: int) -> None:
    """Write nanoseconds into a stamp."""
    stamp.sec, stamp.nanosec = divmod(ns, SECOND)


def stamp_ns(message: Any) -> int:
    """Nanoseconds of a message's header stamp."""
    return message.header.stamp.sec * SECOND + message.header.stamp.nanosec


def joint_state(
    names: Sequence[str],
    position: Sequence[float] = (),
    velocity: Sequence[float] = (),
    effort: Sequence[float] = (),
    stamp: int = 0,
) -> JointState:
    """Make a JointState."""
    message = JointState(name=list(names))
    message.position = [float(x) for x in position]
    message.velocity = [float(x) for x in velocity]
    message.effort = [float(x) for x in effort]
    set_stamp(message.header.stamp, stamp)
    return message


def pose_stamped(
    frame: str, position: Sequence[float], quaternion: Sequence[float]
) -> PoseStamped:
    """Make a PoseStamped."""
    message = PoseStamped()
    message.header.frame_id = frame
    p, o = message.pose.position, message.pose.orientation
    p.x, p.y, p.z = (float(x) for x in position)
    o.x, o.y, o.z, o.w = (float(x) for x in quaternion)
    return message


def matrix(position: Any, rotation: Any) -> np.ndarray:
    """Homogeneous transform (4, 4) of a vector and a quaternion message."""
    x, y, z, w = rotation.x, rotation.y, rotation.z, rotation.w
    m = np.eye(4)
    # Rodrigues with the quaternion's vector part, written out apart from the code under test
    v = np.array([x, y, z])
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    m[:3, :3] = (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * cross
    m[:3, 3] = position.x, position.y, position.z
    return m


def tree(transforms: Iterable[Any]) -> Mapping[str, tuple[str, np.ndarray]]:
    """Map child frames to their parents and transforms, as TF listeners do."""
    return {
        t.child_frame_id: (
            t.header.frame_id,
            matrix(t.transform.translation, t.transform.rotation),
        )
        for t in transforms
    }


def placed(frames: Mapping[str, tuple[str, np.ndarray]], frame: str, root: str) -> np.ndarray:
    """Pose (4, 4) of a frame in the root by the chain of transforms."""
    pose = np.eye(4)
    while frame != root:
        parent, step = frames[frame]
        pose = step @ pose
        frame = parent
    return pose
