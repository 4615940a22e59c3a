# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Between messages and arrays; messages that are sent often are built once and refilled."""

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import Pose, Transform
from numpy.typing import ArrayLike, NDArray
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory as JointTrajectoryMessage
from trajectory_msgs.msg import JointTrajectoryPoint

from robodyn_ros.trajectory.joint_trajectory import (
    DERIVED_FIELDS,
    JointTrajectory,
    TrajectoryPoint,
)

Array = NDArray[np.float64]

SECOND = 1_000_000_000


def to_ns(time: Time | Duration) -> int:
    """Nanoseconds of a time or duration message."""
    return time.sec * SECOND + time.nanosec


def set_ns(time: Time | Duration, ns: int) -> None:
    """Write nanoseconds into a time or duration message."""
    time.sec, time.nanosec = divmod(ns, SECOND)


def to_seconds(ns: int) -> float:
    """Seconds of a number of nanoseconds."""
    return ns / SECOND


def seconds_to_ns(seconds: float) -> int:
    """Whole nanoseconds of a number of seconds."""
    return round(seconds * SECOND)


def seconds_text(ns: int) -> str:
    """Seconds of a time, with every nanosecond, which a float would round."""
    return f"{ns // SECOND}.{ns % SECOND:09d}"


def shared_values(message: Any, field: str, n: int) -> Array:
    """Give a field of a message n numbers, NaN at first; return the array that writes into it."""
    setattr(message, field, array("d", [np.nan]) * n)
    return np.frombuffer(getattr(message, field))


class JointStateMessage:
    """
    A JointState that is built once; ``values[field]`` (n,) is to be filled before publishing.

    Fields that are not listed stay empty, which means: not known.
    """

    def __init__(self, names: Sequence[str], fields: Sequence[str]):
        self.message = JointState(name=list(names))
        self.values = {field: shared_values(self.message, field, len(names)) for field in fields}

    def fill(self, stamp_ns: int, **values: ArrayLike) -> JointState:
        """Write the stamp and the given fields, and return the message."""
        set_ns(self.message.header.stamp, stamp_ns)
        for field, numbers in values.items():
            self.values[field][:] = numbers
        return self.message


def trajectory_from_message(message: JointTrajectoryMessage) -> JointTrajectory:
    """Arrays of a trajectory message; raises TrajectoryError naming point and joint."""
    points = [
        TrajectoryPoint(
            to_ns(point.time_from_start),
            point.positions,
            point.velocities,
            point.accelerations,
            point.effort,
        )
        for point in message.points
    ]
    return JointTrajectory.from_points(message.joint_names, points)


def trajectory_to_message(trajectory: JointTrajectory) -> JointTrajectoryMessage:
    """Message of a trajectory, stamped 0; what a point does not give stays empty."""
    message = JointTrajectoryMessage(joint_names=list(trajectory.joint_names))
    rows = {"positions": trajectory.positions}
    rows |= {
        name: getattr(trajectory, name)
        for name in DERIVED_FIELDS
        if getattr(trajectory, name) is not None
    }
    for i, ns in enumerate(trajectory.times_ns.tolist()):
        point = JointTrajectoryPoint()
        set_ns(point.time_from_start, ns)
        for name, values in rows.items():
            if np.isfinite(values[i]).all():
                setattr(point, name, array("d", values[i].tobytes()))
        message.points.append(point)
    return message


def set_pose(pose: Pose, position: Sequence[float], quaternion: Sequence[float]) -> None:
    """Write position x y z and quaternion x y z w (plain floats)."""
    _set_vector(pose.position, position)
    _set_quaternion(pose.orientation, quaternion)


def set_transform(
    transform: Transform, position: Sequence[float], quaternion: Sequence[float]
) -> None:
    """Write position x y z and quaternion x y z w (plain floats)."""
    _set_vector(transform.translation, position)
    _set_quaternion(transform.rotation, quaternion)


def pose_arrays(pose: Pose) -> tuple[Array, Array]:
    """Position (3,) and quaternion x y z w (4,) as they are: not normalised, not checked."""
    p, q = pose.position, pose.orientation
    return np.array([p.x, p.y, p.z]), np.array([q.x, q.y, q.z, q.w])


def _set_vector(vector: Any, values: Sequence[float]) -> None:
    vector.x, vector.y, vector.z = values


def _set_quaternion(quaternion: Any, values: Sequence[float]) -> None:
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = values
