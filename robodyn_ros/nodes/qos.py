# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The QoS profile of each kind of topic, equal to what the standard ROS nodes use."""

from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data

# Best effort matches publishers of both kinds; late samples are worth nothing.
SENSOR = qos_profile_sensor_data
# The last command is the only one that counts.
COMMAND = QoSProfile(depth=1)
REQUEST = QoSProfile(depth=10)
STATE = QoSProfile(depth=10)
# The last message waits for whoever comes later.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
EVENTS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
TF = QoSProfile(depth=100)
DIAGNOSTICS = QoSProfile(depth=1)
