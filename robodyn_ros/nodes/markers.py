# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A marker for RViz and Foxglove: where the centre of mass is, as large as the mass is."""

import math

import numpy as np
from rclpy.node import Node
from visualization_msgs.msg import Marker, MarkerArray

from robodyn_ros.dynamics.center_of_mass import center_of_mass
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.nodes.conversions import Array, set_ns
from robodyn_ros.nodes.qos import STATE

_PERIOD_NS = 100_000_000
_DENSITY = 2700.0  # kg/m^3, aluminium: the size of the ball


class CenterOfMassMarker:
    """Publishes ``~/markers`` at 10 Hz while somebody listens and all joints are known."""

    def __init__(self, node: Node, model: RobotModel):
        self.model = model
        self.publisher = node.create_publisher(MarkerArray, "~/markers", STATE)
        self.marker = Marker(ns="center_of_mass", type=Marker.SPHERE, action=Marker.ADD)
        radius = (3.0 * model.total_mass / (4.0 * math.pi * _DENSITY)) ** (1.0 / 3.0)
        scale, color = self.marker.scale, self.marker.color
        scale.x = scale.y = scale.z = 2.0 * radius
        color.r, color.g, color.b, color.a = 0.88, 0.51, 0.08, 0.9
        self.message = MarkerArray(markers=[self.marker])
        self._last_ns = 0

    def publish(self, frame: str, stamp_ns: int, q: Array) -> None:
        """Send the marker for q (n,) unless it was sent just before."""
        since_ns = stamp_ns - self._last_ns
        if 0 <= since_ns < _PERIOD_NS or not self.model.total_mass > 0.0:
            return
        if not self.publisher.get_subscription_count() or not np.isfinite(q).all():
            return
        self._last_ns = stamp_ns
        position = self.marker.pose.position
        position.x, position.y, position.z = center_of_mass(self.model, q).tolist()
        self.marker.header.frame_id = frame
        set_ns(self.marker.header.stamp, stamp_ns)
        self.publisher.publish(self.message)
