# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Statuses for /diagnostics (REP 107): levels, names, keys with units, values as text."""

from collections.abc import Iterable, Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from robodyn_ros.nodes.qos import DIAGNOSTICS

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR


def status(
    name: str, hardware_id: str, level: bytes, message: str, values: Mapping[str, object]
) -> DiagnosticStatus:
    """One status; numbers are written with six digits, NaN as 'unknown'."""
    pairs = [KeyValue(key=key, value=_text(value)) for key, value in values.items()]
    return DiagnosticStatus(
        level=level, name=name, message=message, hardware_id=hardware_id or "none", values=pairs
    )


class Diagnostics:
    """Publisher of /diagnostics for one node."""

    def __init__(self, node: Node):
        self.node = node
        self.publisher = node.create_publisher(DiagnosticArray, "/diagnostics", DIAGNOSTICS)

    def publish(self, statuses: Iterable[DiagnosticStatus]) -> None:
        """Send the statuses with the time of now."""
        message = DiagnosticArray(status=list(statuses))
        message.header.stamp = self.node.get_clock().now().to_msg()
        self.publisher.publish(message)


def _text(value: object) -> str:
    if not isinstance(value, float):
        return str(value)
    return "unknown" if value != value else f"{value:.6g}"
