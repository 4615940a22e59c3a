# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A periodic callback on the steady clock that knows how well it keeps its period."""

import time
from collections.abc import Callable

from rclpy.node import Node

from robodyn_ros.nodes.watch import steady_clock


class ControlLoop:
    """
    Calls ``work`` at a rate (Hz) and measures itself.

    Since the last ``take_health``: calls, ``missed`` (periods that passed without a call), the
    longest time between two calls and the longest and mean time of work, in seconds.
    """

    def __init__(self, node: Node, rate: float, work: Callable[[], None]):
        self.period_ns = round(1e9 / rate)
        self._work = work
        self._last_ns = 0
        self._clear()
        self._timer = node.create_timer(1.0 / rate, self._run, clock=steady_clock())

    def stop(self) -> None:
        """Call no more."""
        self._timer.cancel()

    def take_health(self) -> dict[str, float]:
        """Return the figures since the last call and begin anew."""
        calls = self._calls
        health = {
            "calls": calls,
            "missed": self._missed,
            "longest_period": self._longest_period * 1e-9,
            "longest_work": self._longest_work * 1e-9,
            "mean_work": self._work_time * 1e-9 / calls if calls else 0.0,
        }
        self._clear()
        return health

    def _clear(self) -> None:
        self._calls = self._missed = 0
        self._longest_period = self._longest_work = self._work_time = 0

    def _run(self) -> None:
        start = time.monotonic_ns()
        if self._last_ns:
            period = start - self._last_ns
            self._longest_period = max(self._longest_period, period)
            if period > 1.5 * self.period_ns:
                self._missed += round(period / self.period_ns) - 1
        self._last_ns = start
        self._work()
        work = time.monotonic_ns() - start
        self._calls += 1
        self._work_time += work
        self._longest_work = max(self._longest_work, work)
