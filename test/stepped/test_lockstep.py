# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulated time waits for a slow controller, but not for ever."""

from robodyn_ros.simulation.lockstep import LockstepClock

MS = 1_000_000


def test_without_commands_time_goes_on_by_a_period_a_tick() -> None:
    clock = LockstepClock(2 * MS, 10 * MS)
    start = clock.now_ns
    assert start > 0
    for k in range(1, 20):
        assert clock.tick(k * 50 * MS) == start + k * 2 * MS


def test_a_slow_controller_slows_time_down() -> None:
    clock = LockstepClock(2 * MS, 10 * MS)
    for k in range(200):  # a tick each 2 ms of real time, a command each 40 ms
        if k % 20 == 0:
            clock.command(k * 2 * MS)
        before = clock.now_ns
        clock.tick(k * 2 * MS)
        assert clock.now_ns - before in (0, 2 * MS)
    # Ten commands let it go on by 10 ms each.
    assert clock.now_ns == 2 * MS + 10 * 10 * MS


def test_it_does_not_wait_for_a_controller_that_is_gone() -> None:
    clock = LockstepClock(2 * MS, 10 * MS, patience_ns=1000 * MS)
    clock.command(0)
    for k in range(1, 500):
        clock.tick(k * 2 * MS)
    assert clock.now_ns == 12 * MS
    for k in range(500, 600):
        clock.tick(k * 2 * MS)
    assert clock.now_ns == 12 * MS + 100 * 2 * MS
