# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts as they come in, by joint name or in an agreed order, as arrays for all joints."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.message_log import Line, MessageLog

Array = NDArray[np.float64]
Slots = tuple[NDArray[np.intp], NDArray[np.intp]]


class JointCommand:
    """
    Turns messages into efforts (n,) in the order of the model and hands them to ``take``.

    Joints that a message leaves out get ``absent``. Names are looked up once per list of names.
    """

    def __init__(
        self,
        joint_names: Sequence[str],
        ordered: Sequence[str],
        take: Callable[[Array], None],
        absent: float = 0.0,
    ):
        """``ordered`` are the joints of messages without names."""
        self._index = {name: i for i, name in enumerate(joint_names)}
        self._ordered = np.array([self._index[name] for name in ordered], dtype=np.intp)
        self._take = take
        self._absent = absent
        self._layouts: dict[tuple[str, ...], Slots] = {}
        self._log = MessageLog()

    def by_name(self, message: JointState) -> None:
        """Take the efforts of a JointState."""
        names = tuple(message.name)
        if len(message.effort) != len(names):
            self._refuse(f"{len(names)} names but {len(message.effort)} efforts")
            return
        source, slots = self._layouts.get(names) or self._lay_out(names)
        if not slots.size:
            self._refuse(f"no joint of it is known, only {', '.join(self._index)}")
            return
        efforts = np.full(len(self._index), self._absent)
        efforts[slots] = np.asarray(message.effort)[source]
        self._take(efforts)

    def in_order(self, message: Float64MultiArray) -> None:
        """Take plain numbers in the agreed order."""
        if len(message.data) != self._ordered.size:
            self._refuse(f"{len(message.data)} numbers for {self._ordered.size} joints")
            return
        efforts = np.full(len(self._index), self._absent)
        efforts[self._ordered] = message.data
        self._take(efforts)

    def take_messages(self) -> list[Line]:
        """Return what is to be logged since the last call."""
        return self._log.take()

    def _refuse(self, reason: str) -> None:
        now_ns = time.monotonic_ns()
        self._log.throttled("error", reason, f"effort command refused: {reason}", now_ns)

    def _lay_out(self, names: tuple[str, ...]) -> Slots:
        place = {name: i for i, name in reversed(list(enumerate(names)))}
        for name in place.keys() - self._index.keys():
            self._log.once("warn", name, f"joint '{name}' of an effort command is not known")
        known = [name for name in place if name in self._index]
        if len(self._layouts) > 64:
            self._layouts.clear()  # a sender that invents names costs time, not memory
        layout = (
            np.array([place[name] for name in known], dtype=np.intp),
            np.array([self._index[name] for name in known], dtype=np.intp),
        )
        self._layouts[names] = layout
        return layout
