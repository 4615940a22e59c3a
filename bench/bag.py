# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
How long ``robodyn bag`` takes for ten minutes of an arm of 7 joints at 1 kHz.

usage: python -m bench.bag [seconds of recording]
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from robodyn_ros import RobotModel, inverse_dynamics, load_urdf
from robodyn_ros.analysis.bags.audit import audit
from robodyn_ros.analysis.bags.joints import collect_joints
from robodyn_ros.analysis.bags.reader import open_bag
from robodyn_ros.cli.shipped import robot_folder

TOPIC, KIND = "/joint_states", "sensor_msgs/msg/JointState"


def record(path: Path, model: RobotModel, seconds: float) -> int:
    """Write a recording of a smooth motion at 1 kHz; return the number of messages."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    joint_state, header, stamp = (
        store.types[name] for name in (KIND, "std_msgs/msg/Header", "builtin_interfaces/msg/Time")
    )
    times = np.arange(round(1e3 * seconds)) * 1e-3
    rate, phase = 1.0 + 0.3 * np.arange(model.n), np.arange(model.n)
    angle = rate * times[:, None] + phase
    q = model.limits.mid + 0.3 * np.sin(angle)
    qd, qdd = 0.3 * rate * np.cos(angle), -0.3 * rate**2 * np.sin(angle)
    effort: Any = inverse_dynamics(model, q, qd, qdd)
    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        topic = writer.add_connection(TOPIC, KIND, typestore=store)
        names = list(model.joint_names)
        for i in range(len(times)):
            at = stamp(1_700_000_000 + i // 1000, i % 1000 * 1_000_000)
            message = joint_state(header(at, ""), names, q[i], qd[i], effort[i])
            receive_ns = 1_700_000_000_000_000_000 + i * 1_000_000
            writer.write(topic, receive_ns, store.serialize_cdr(message, KIND))
    return len(times)


@contextmanager
def timed(what: str, messages: int) -> Iterator[None]:
    """Print how long something took."""
    start = time.perf_counter()
    yield
    took = time.perf_counter() - start
    print(f"{what:24s}{took:8.2f} s{messages / took:12.0f} samples/s", flush=True)


def main() -> None:
    """Record, read, analyse."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    model = load_urdf(robot_folder("panda") / "panda.urdf")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bag"
        count = record(path, model, seconds)
        size = sum(file.stat().st_size for file in path.iterdir()) / 1e6
        print(f"{count} messages of {model.n} joints, {size:.0f} MB")
        with timed("read", count), open_bag(path) as bag:
            recording = collect_joints(bag.messages([TOPIC]), model.joint_names)
        with timed("analyse", count):
            result = audit(model, recording)
        motion = result.motion
        with timed("of it: torques", count):
            inverse_dynamics(model, motion.q[2:-2], motion.qd[2:-2], motion.qdd[2:-2])


if __name__ == "__main__":
    main()
