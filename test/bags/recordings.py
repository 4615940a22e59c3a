# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of a known motion, written as rosbag2 writes them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from robodyn_ros import RobotModel, inverse_dynamics, load_urdf
from robodyn_ros.analysis.bags.joints import JointRecording
from robodyn_ros.analysis.bags.time_base import time_base
from robodyn_ros.cli.shipped import robot_folder

T0 = 1_700_000_000_000_000_000
PERIOD = 10_000_000


def two_link() -> RobotModel:
    return load_urdf(robot_folder("two_link") / "two_link.urdf")


def description() -> str:
    return (robot_folder("two_link") / "two_link.urdf").read_text()


@dataclass
class Samples:
    """Joint states (T, n) at header and receive stamps, as a publisher sends them."""

    names: tuple[str, ...]
    q: Any
    qd: Any
    effort: Any
    header_ns: Any
    receive_ns: Any = field(default=None)

    def __post_init__(self) -> None:
        if self.receive_ns is None:
            self.receive_ns = np.asarray(self.header_ns)

    def recording(self) -> JointRecording:
        """As arrays, without a file."""
        time = time_base(np.asarray(self.header_ns), np.asarray(self.receive_ns))
        rows = [values[time.order] for values in (self.q, self.qd, self.effort)]
        return JointRecording(self.names, time, *rows, len(self.q), ())


def swing(model: RobotModel, count: int = 300, period_ns: int = PERIOD) -> Samples:
    """Move all joints smoothly, with the torque it takes."""
    t = np.arange(count)[:, None] * period_ns * 1e-9
    rate, phase = 2.0 + 0.7 * np.arange(model.n), np.arange(model.n)
    q = 0.6 * np.sin(rate * t + phase)
    qd = 0.6 * rate * np.cos(rate * t + phase)
    qdd = -(rate**2) * q
    effort = inverse_dynamics(model, q, qd, qdd)
    return Samples(model.joint_names, q, qd, effort, T0 + np.arange(count) * period_ns)


def write_bag(
    folder: Path,
    samples: Samples | Sequence[Samples],
    *,
    storage: str = "mcap",
    compression: str = "none",
    urdf: str | None = None,
    others: Callable[[Any, Any], None] | None = None,
) -> Path:
    """
    Write a bag with /joint_states, /robot_description (if given) and what ``others`` adds.

    storage: mcap or sqlite3; compression: none, message, file or storage.
    """
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    plugin = StoragePlugin.MCAP if storage == "mcap" else StoragePlugin.SQLITE3
    writer = Writer(folder, version=9, storage_plugin=plugin)
    if compression != "none":
        writer.set_compression(CompressionMode[compression.upper()], CompressionFormat.ZSTD)
    with writer:
        if urdf is not None:
            kind = "std_msgs/msg/String"
            described = writer.add_connection("/robot_description", kind, typestore=store)
            text = store.types[kind](urdf)
            writer.write(described, T0 - 5_000_000_000, store.serialize_cdr(text, kind))
        topic = writer.add_connection(
            "/joint_states", "sensor_msgs/msg/JointState", typestore=store
        )
        for each in [samples] if isinstance(samples, Samples) else samples:
            for i in range(len(each.q)):
                data = store.serialize_cdr(_message(store, each, i), topic.msgtype)
                writer.write(topic, int(each.receive_ns[i]), data)
        if others is not None:
            others(writer, store)
    return folder


def _message(store: Any, samples: Samples, i: int) -> Any:
    types = store.types
    sec, nanosec = divmod(int(samples.header_ns[i]), 1_000_000_000)
    header = types["std_msgs/msg/Header"](
        types["builtin_interfaces/msg/Time"](sec, nanosec), "base"
    )
    rows = [
        np.zeros(0) if values is None else np.ascontiguousarray(values[i], dtype=np.float64)
        for values in (samples.q, samples.qd, samples.effort)
    ]
    return types["sensor_msgs/msg/JointState"](header, list(samples.names), *rows)


def part(samples: Samples, rows: Any, joints: Sequence[int] | None = None) -> Samples:
    """Keep some samples, and some joints in some order."""
    keep = list(range(len(samples.names))) if joints is None else list(joints)
    names = tuple(samples.names[j] for j in keep)
    values = {
        name: None if getattr(samples, name) is None else getattr(samples, name)[rows][:, keep]
        for name in ("q", "qd", "effort")
    }
    stamps = {name: getattr(samples, name)[rows] for name in ("header_ns", "receive_ns")}
    return replace(samples, names=names, **values, **stamps)
