# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated time that waits for the controller."""


class LockstepClock:
    """
    Time of a simulation that makes its own: one period per tick, never faster.

    Once commands have come, it stays at most ``lead_ns`` ahead of the last one, so that a
    controller on a busy machine sees slow time instead of an arm that runs away. When no command
    came for ``patience_ns`` of real time it goes on, and the arm's own command timeout acts.
    """

    def __init__(self, period_ns: int, lead_ns: int, patience_ns: int = 1_000_000_000):
        self.period_ns = period_ns
        self.lead_ns = lead_ns
        self.patience_ns = patience_ns
        self.now_ns = period_ns  # time 0 means "no clock yet" to ROS
        self._command_ns: int | None = None
        self._command_real_ns = 0

    def command(self, real_ns: int) -> None:
        """Note that a command has come, at a real time."""
        self._command_ns, self._command_real_ns = self.now_ns, real_ns

    def tick(self, real_ns: int) -> int:
        """Advance by a period unless a command is awaited; the simulated time."""
        awaited = (
            self._command_ns is not None
            and self.now_ns - self._command_ns >= self.lead_ns
            and real_ns - self._command_real_ns < self.patience_ns
        )
        if not awaited:
            self.now_ns += self.period_ns
        return self.now_ns
