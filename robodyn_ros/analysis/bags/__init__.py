# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of ROS 2 (mcap, sqlite3) as arrays; needs the rosbags library, not ROS."""
