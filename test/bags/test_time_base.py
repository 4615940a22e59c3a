# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Which clock counts, and what becomes of broken time."""

import numpy as np
import pytest
from recordings import PERIOD, T0

from robodyn_ros.analysis.bags.time_base import time_base

REGULAR = T0 + np.arange(100) * PERIOD


def test_a_regular_recording_is_one_stretch() -> None:
    base = time_base(REGULAR, REGULAR + 1_000_000)
    assert base.clock == "header" and base.period_ns == PERIOD
    assert base.segments == [slice(0, 100)] and not base.holes
    assert (base.duplicates, base.out_of_order, base.restarts) == (0, 0, 0)
    assert base.duration_s == pytest.approx(0.99)


def test_unset_headers_mean_the_time_of_reception() -> None:
    base = time_base(np.zeros(100, dtype=np.int64), REGULAR)
    assert base.clock == "receive" and base.segments == [slice(0, 100)]


def test_single_unset_headers_are_left_out() -> None:
    header = REGULAR.copy()
    header[[3, 50]] = 0
    base = time_base(header, REGULAR)
    assert base.clock == "header" and len(base.order) == 98 and 50 not in base.order


def test_receive_times_in_bursts_do_not_matter() -> None:
    bursts = REGULAR[np.arange(100) // 5 * 5]
    base = time_base(REGULAR, bursts)
    assert base.clock == "header" and base.period_ns == PERIOD
    alone = time_base(np.zeros(100, dtype=np.int64), bursts)
    assert alone.duplicates == 80 and alone.period_ns == 5 * PERIOD


def test_swapped_neighbours_are_sorted() -> None:
    order = np.arange(100)
    order[[10, 11, 40, 41]] = order[[11, 10, 41, 40]]
    base = time_base(REGULAR[order], REGULAR)
    assert (base.out_of_order, base.restarts) == (2, 0)
    np.testing.assert_array_equal(base.stamp_ns, REGULAR)
    np.testing.assert_array_equal(base.order, np.argsort(order))


def test_equal_stamps_count_once() -> None:
    base = time_base(np.repeat(REGULAR, 2), np.repeat(REGULAR, 2))
    assert base.duplicates == 100 and base.period_ns == PERIOD
    np.testing.assert_array_equal(base.order, np.arange(0, 200, 2))


def test_a_hole_cuts_the_recording() -> None:
    stamps = REGULAR.copy()
    stamps[60:] += 1_000_000_000
    base = time_base(stamps, stamps)
    assert base.segments == [slice(0, 60), slice(60, 100)]
    assert base.holes == [(int(stamps[59]), int(stamps[60]))]
    assert base.duration_s == pytest.approx(0.98)


def test_a_loop_starts_again() -> None:
    twice = np.concatenate([REGULAR, REGULAR])
    base = time_base(twice, T0 + np.arange(200) * PERIOD)
    assert base.restarts == 1 and base.duplicates == 0
    assert base.segments == [slice(0, 100), slice(100, 200)]


def test_one_sample_has_no_period() -> None:
    base = time_base(REGULAR[:1], REGULAR[:1])
    assert base.period_ns == 0 and base.duration_s == 0.0 and base.segments == [slice(0, 1)]
