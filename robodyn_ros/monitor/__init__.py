# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Live watch on joint efforts: peak and continuous ratings, heat, the torque a motion takes."""

from robodyn_ros.monitor.report import STATUSES, MonitorReport
from robodyn_ros.monitor.settings import MonitorSettings
from robodyn_ros.monitor.thresholds import Event
from robodyn_ros.monitor.torque_monitor import TorqueMonitor

__all__ = ["STATUSES", "Event", "MonitorReport", "MonitorSettings", "TorqueMonitor"]
