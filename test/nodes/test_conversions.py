# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Between messages and arrays: times, refilled messages, trajectories, poses."""

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")

from builtin_interfaces.msg import Time  # noqa: E402
from geometry_msgs.msg import Pose, Transform  # noqa: E402
from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from robodyn_ros.errors import TrajectoryError  # noqa: E402
from robodyn_ros.nodes.conversions import (  # noqa: E402
    JointStateMessage,
    pose_arrays,
    set_ns,
    set_pose,
    set_transform,
    shared_values,
    to_ns,
    trajectory_from_message,
)


@pytest.mark.parametrize("ns", [0, 1, 999_999_999, 1_000_000_000, 1_760_000_000_123_456_789])
def test_times_keep_every_nanosecond(ns):
    time = Time()
    set_ns(time, ns)
    assert to_ns(time) == ns
    assert time.nanosec < 1_000_000_000


def test_a_refilled_message_carries_the_new_values():
    message = JointStateMessage(["a", "b"], ["position", "effort"])
    for i in range(3):
        sent = message.fill(5_000_000_007 + i, position=[i, 2.5], effort=np.array([i, -1.0]))
        received = deserialize_message(serialize_message(sent), JointState)
        assert received.name == ["a", "b"]
        assert list(received.position) == [i, 2.5]
        assert list(received.effort) == [i, -1.0]
        assert len(received.velocity) == 0
        assert to_ns(received.header.stamp) == 5_000_000_007 + i


def test_values_never_filled_are_not_zero():
    assert np.isnan(JointStateMessage(["a"], ["effort"]).message.effort[0])


def test_shared_values_are_those_of_the_message():
    message = Float64MultiArray()
    values = shared_values(message, "data", 3)
    values[:] = [1.0, 2.0, 3.0]
    received = deserialize_message(serialize_message(message), Float64MultiArray)
    assert list(received.data) == [1.0, 2.0, 3.0]


def trajectory(*points):
    message = JointTrajectory(joint_names=["a", "b"])
    for seconds, fields in points:
        point = JointTrajectoryPoint(**fields)
        set_ns(point.time_from_start, round(seconds * 1e9))
        message.points.append(point)
    return message


def test_trajectories_keep_what_each_point_gives():
    arrays = trajectory_from_message(
        trajectory(
            (0.5, {"positions": [1.0, 2.0], "velocities": [0.1, 0.2]}),
            (1.25, {"positions": [3.0, 4.0]}),
        )
    )
    assert arrays.joint_names == ("a", "b")
    assert arrays.times_ns.tolist() == [500_000_000, 1_250_000_000]
    assert arrays.positions.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert arrays.given("velocities").tolist() == [True, False]
    assert arrays.accelerations is None and arrays.effort is None


def test_a_trajectory_without_points_is_a_stop():
    assert len(trajectory_from_message(JointTrajectory())) == 0


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"positions": [1.0]}, "point 0 has 1 positions for 2 joints"),
        ({"velocities": [1.0, 1.0]}, "point 0 has no positions"),
        ({"positions": [1.0, float("nan")]}, "point 0, joint 'b'"),
    ],
)
def test_malformed_points_are_named(fields, words):
    with pytest.raises(TrajectoryError, match=words):
        trajectory_from_message(trajectory((1.0, fields)))


def test_poses_and_transforms_hold_position_and_quaternion():
    pose, transform = Pose(), Transform()
    set_pose(pose, [1.0, 2.0, 3.0], [0.1, 0.2, 0.3, 0.4])
    set_transform(transform, [1.0, 2.0, 3.0], [0.1, 0.2, 0.3, 0.4])
    position, quaternion = pose_arrays(pose)
    assert position.tolist() == [1.0, 2.0, 3.0]
    assert quaternion.tolist() == [0.1, 0.2, 0.3, 0.4]
    t, r = transform.translation, transform.rotation
    assert [t.x, t.y, t.z, r.x, r.y, r.z, r.w] == [1.0, 2.0, 3.0, 0.1, 0.2, 0.3, 0.4]
