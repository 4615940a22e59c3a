# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The marker of fk_publisher: at the centre of mass, seldom, and never a guess."""

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")

from messages import joint_state, stamp_ns  # noqa: E402
from robots import ARM3, ARM3_JOINTS, ARM3_POSE  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from visualization_msgs.msg import Marker, MarkerArray  # noqa: E402

from robodyn_ros import RobotModel  # noqa: E402
from robodyn_ros.dynamics.center_of_mass import center_of_mass  # noqa: E402
from robodyn_ros.nodes.fk_publisher import FkPublisher  # noqa: E402


def test_marker_stands_at_the_centre_of_mass_at_most_ten_times_a_second(probe, make_node):
    node = make_node(FkPublisher, ARM3, frame_prefix="left/")
    markers = probe.listen(MarkerArray, "/fk_publisher/markers", 10)
    publisher = probe.publisher(JointState, "joint_states")
    start = probe.now_ns()

    def send(k, pose):
        publisher.publish(joint_state(ARM3_JOINTS, pose, stamp=start + k * 10_000_000))

    count = [0]

    def next_state():
        send(count[0], ARM3_POSE)
        count[0] += 1

    timer = probe.repeat(0.01, next_state)
    probe.wait(lambda: len(markers) >= 3, "three markers")
    timer.cancel()
    marker = markers[0].markers[0]
    model = RobotModel.from_urdf(ARM3)
    expected = center_of_mass(model, np.array(ARM3_POSE))
    p = marker.pose.position
    np.testing.assert_allclose([p.x, p.y, p.z], expected, atol=1e-12)
    assert marker.header.frame_id == "left/" + model.root_link
    assert marker.type == Marker.SPHERE and marker.scale.x > 0.0 and marker.color.a > 0.0
    stamps = [stamp_ns(m.markers[0]) for m in markers]
    assert min(np.diff(stamps)) >= 100_000_000
    assert node.marker.publisher.get_subscription_count() == 1
