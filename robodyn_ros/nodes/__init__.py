# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 nodes: thin shells around the stepped classes; the only folder that imports rclpy."""
