# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Log lines: once, throttled, bounded, and never lost without a word."""

from robodyn_ros.message_log import MessageLog

SECOND = 1_000_000_000


def test_once_per_key():
    log = MessageLog()
    for key in ("a", "b", "a"):
        log.once("warn", key, f"about {key}")
    assert log.take() == [("warn", "about a"), ("warn", "about b")]
    log.once("warn", "a", "about a")
    assert log.take() == []


def test_throttled_per_key_with_the_number_held_back():
    log = MessageLog(period_ns=SECOND)
    for t in range(0, SECOND, SECOND // 10):
        log.throttled("error", "a", "bad", t)
    log.throttled("error", "b", "worse", SECOND // 2)
    assert log.take() == [("error", "bad"), ("error", "worse")]
    log.throttled("error", "a", "bad", SECOND)
    assert log.take() == [("error", "bad (9 more since the last report)")]


def test_throttled_speaks_again_when_the_clock_went_back():
    log = MessageLog(period_ns=SECOND)
    log.throttled("warn", "a", "x", 100 * SECOND)
    log.throttled("warn", "a", "x", 10 * SECOND)
    assert len(log.take()) == 2


def test_bounded_and_tells_what_it_did_not_keep():
    log = MessageLog(capacity=3)
    for k in range(10):
        log.say("info", str(k))
    assert log.take() == [
        ("info", "0"),
        ("info", "1"),
        ("info", "2"),
        ("warn", "7 further messages were not kept"),
    ]
    assert log.take() == []
