# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint state intake: what publishers really send, and what must come of it."""

import array

import numpy as np
import pytest

from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.state import JointStateIntake

NAN = float("nan")
NAMES = ["j1", "j2", "j3"]
POSE = [0.2, -0.4, 0.9]
REST = [0.0, 0.0, 0.0]
SECOND = 1_000_000_000
MS = 1_000_000
T0 = 1_700_000_000 * SECOND


@pytest.fixture
def intake():
    return JointStateIntake(NAMES)


def send(intake, names=NAMES, position=POSE, velocity=REST, effort=REST, stamp=None, now=T0):
    return intake.update(names, position, velocity, effort, now if stamp is None else stamp, now)


def texts(intake):
    return [text for _, text in intake.take_messages()]


def test_plain_message(intake):
    assert send(intake, effort=[1.0, 2.0, 3.0])
    np.testing.assert_array_equal(intake.position, POSE)
    np.testing.assert_array_equal(intake.velocity, REST)
    np.testing.assert_array_equal(intake.effort, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(intake.stamp_ns, [T0] * 3)
    assert intake.complete(T0 + 5 * MS, 10 * MS)
    assert texts(intake) == []


def test_arrays_are_live_and_read_only(intake):
    position = intake.position
    assert np.isnan(position).all() and not intake.complete(T0, SECOND)
    send(intake)
    np.testing.assert_array_equal(position, POSE)
    with pytest.raises(ValueError, match="read-only"):
        position[0] = 0.0


def test_order_may_change_between_messages(intake):
    for names in (["j3", "j1", "j2"], NAMES, ["j2", "j3", "j1"]):
        values = dict(zip(NAMES, POSE, strict=True))
        position = array.array("d", [values[name] for name in names])  # as rclpy hands it over
        assert send(intake, names, position, position, position)
        for got in (intake.position, intake.velocity, intake.effort):
            np.testing.assert_array_equal(got, POSE)


def test_two_publishers_each_with_its_age(intake):
    assert send(intake, ["j1"], [0.2], [], [])
    assert not intake.complete(T0, SECOND)
    assert intake.stale(T0, SECOND) == ("j2", "j3")
    assert send(intake, ["j2", "j3"], [-0.4, 0.9], [], [], now=T0 + MS)
    np.testing.assert_array_equal(intake.updated, [1, 2])
    assert intake.complete(T0 + MS, SECOND)
    np.testing.assert_array_equal(intake.stamp_ns, [T0, T0 + MS, T0 + MS])  # j1 not re-stamped
    later = T0 + 2 * SECOND
    send(intake, ["j2", "j3"], [-0.4, 0.9], [], [], now=later)
    assert intake.stale(later, SECOND) == ("j1",)
    np.testing.assert_array_equal(intake.age_ns(later), [2 * SECOND, 0, 0])


def test_absent_velocity_and_effort_are_not_zero(intake):
    send(intake)
    send(intake, velocity=[], effort=[], now=T0 + MS)
    assert np.isnan(intake.velocity).all() and np.isnan(intake.effort).all()
    send(intake, velocity=[0.0, NAN, 0.5], effort=[NAN, float("inf"), 1.0], now=T0 + 2 * MS)
    np.testing.assert_array_equal(intake.velocity, [0.0, NAN, 0.5])
    np.testing.assert_array_equal(intake.effort, [NAN, NAN, 1.0])
    assert texts(intake) == []


def test_fields_of_another_length_count_as_absent(intake):
    for k in range(3):
        assert send(intake, velocity=[0.0] * 4, effort=[0.0], now=T0 + k * MS)
    np.testing.assert_array_equal(intake.position, POSE)
    assert np.isnan(intake.velocity).all() and np.isnan(intake.effort).all()
    said = texts(intake)
    assert len(said) == 2 and "velocity" in said[0] and "4" in said[0] and "effort" in said[1]
    assert intake.counters["wrong_velocity_size"] == 3


@pytest.mark.parametrize("bad", [NAN, float("inf"), float("-inf")])
def test_position_that_is_no_number(intake, bad):
    send(intake)
    assert send(intake, position=[0.3, bad, 1.0], now=T0 + 10 * MS)
    np.testing.assert_array_equal(intake.position, [0.3, -0.4, 1.0])
    np.testing.assert_array_equal(intake.invalid, [False, True, False])
    np.testing.assert_array_equal(intake.updated, [0, 2])
    assert intake.stale(T0 + 10 * MS, 5 * MS) == ("j2",)
    assert len(texts(intake)) == 1
    send(intake, now=T0 + 20 * MS)
    assert not intake.invalid.any()


def test_only_invalid_positions_is_no_update(intake):
    assert not send(intake, ["j2"], [NAN], [], [])
    assert np.isnan(intake.position).all() and intake.invalid[1]


@pytest.mark.parametrize("names", [NAMES, []])
def test_message_without_positions_is_skipped_quietly(intake, names):
    assert not send(intake, names, [], [0.1] * len(names))
    assert texts(intake) == [] and intake.counters["no_position"] == 1
    assert np.isnan(intake.velocity).all()


def test_wrong_size_drops_the_message_and_warns_once_in_a_while(intake):
    for k in range(1000):
        assert not send(intake, position=[0.1, 0.2], now=T0 + k * MS)
    assert not send(intake, [], [0.1], [], [], now=T0 + SECOND)
    assert intake.counters["wrong_size"] == 1001
    assert texts(intake) == ["joint states dropped: 3 names but 2 positions"]
    assert not send(intake, position=[0.1], now=T0 + 6 * SECOND)
    assert texts(intake) == [
        "joint states dropped: 3 names but 1 positions (1000 more since the last report)"
    ]
    assert np.isnan(intake.position).all()


def test_unknown_names_are_ignored_and_said_once(intake):
    for k in range(5):
        send(intake, ["wheel", *NAMES], [7.0, *POSE], [7.0, *REST], [7.0, *REST], now=T0 + k * MS)
    send(intake, [*NAMES, "wheel", "lamp"], [*POSE, 7.0, 7.0], [], [], now=T0 + 9 * MS)
    np.testing.assert_array_equal(intake.position, POSE)
    said = texts(intake)
    assert len(said) == 2 and "'wheel'" in said[0] and "'lamp'" in said[1]


def test_no_name_matches_shows_both_lists(intake):
    for k in range(3):
        assert not send(intake, ["robot1/j1", "robot1/j2"], [0.1, 0.2], [], [], now=T0 + k)
    (text,) = texts(intake)
    assert "robot1/j1, robot1/j2" in text and "j1, j2, j3" in text
    assert intake.counters["no_known_joint"] == 3


def test_name_given_twice_first_counts(intake):
    for k in range(2):
        assert send(intake, [*NAMES, "j1"], [*POSE, 1.5], [0.0] * 4, [0.0] * 4, now=T0 + k)
    np.testing.assert_array_equal(intake.position, POSE)
    (text,) = texts(intake)
    assert "'j1'" in text


def test_zero_stamp_means_now(intake):
    assert send(intake, stamp=0)
    np.testing.assert_array_equal(intake.stamp_ns, [T0] * 3)


def test_old_stamp_is_kept_stale_and_said(intake):
    for k in range(10):
        assert send(intake, stamp=T0 - 40 * SECOND + k, now=T0 + k)
    assert not intake.complete(T0 + 9, SECOND)  # fresh by arrival, stale by stamp
    (text,) = texts(intake)
    assert "40.0 s behind" in text


def test_future_stamp_is_dropped_and_blocks_nothing(intake):
    assert send(intake, stamp=T0 + 50 * MS)  # within the tolerance
    assert not send(intake, stamp=T0 + 40 * SECOND)
    assert intake.counters["future"] == 1
    (text,) = texts(intake)
    assert "40.000 s ahead" in text
    assert send(intake, now=T0 + 100 * MS)


def test_stamps_a_microsecond_apart_and_equal(intake):
    assert send(intake)
    assert send(intake, position=[0.2001, -0.4, 0.9], velocity=[], stamp=T0 + 1000, now=T0 + MS)
    assert send(intake, position=[0.2002, -0.4, 0.9], velocity=[], stamp=T0 + 1000, now=T0 + MS)
    assert intake.position[0] == 0.2002


def test_older_after_newer_is_ignored(intake):
    send(intake)
    assert not send(intake, position=[0.19, -0.4, 0.9], stamp=T0 - 20 * MS, now=T0 + MS)
    assert intake.position[0] == 0.2 and intake.restarts == 0
    assert intake.counters["out_of_order"] == 1
    # per joint: what is newer in the same message is taken
    send(intake, ["j1"], [0.3], [], [], now=T0 + 9 * MS)
    assert send(intake, position=[5.0, 6.0, 7.0], stamp=T0 + 5 * MS, now=T0 + 10 * MS)
    np.testing.assert_array_equal(intake.position, [0.3, 6.0, 7.0])


def test_stamps_restart_while_the_clock_runs_on(intake):
    # a bag in a loop without /clock
    send(intake, stamp=T0 - SECOND)
    assert send(intake, position=[1.0, 2.0, 3.0], stamp=T0 - 5 * SECOND)
    np.testing.assert_array_equal(intake.position, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(intake.stamp_ns, [T0 - 5 * SECOND] * 3)
    assert intake.restarts == 1 and len(texts(intake)) == 1


def test_clock_goes_back(intake):
    # /clock 100 100.5 101 10 10.5, with a straggler of 101.02 arriving at 10.0
    for t in (100.0, 100.5, 101.0):
        assert send(intake, now=round(t * SECOND))
    assert not send(intake, stamp=101_020 * MS, now=10 * SECOND)
    assert intake.restarts == 1 and np.isnan(intake.position).all()
    assert send(intake, now=10 * SECOND)
    assert send(intake, position=[0.3] * 3, now=10_020 * MS)
    assert intake.complete(10_020 * MS, 50 * MS) and intake.restarts == 1
    np.testing.assert_array_equal(intake.position, [0.3] * 3)


def test_small_step_back_of_the_clock_forgets_nothing(intake):
    send(intake)
    send(intake, position=[0.3] * 3, now=T0 - 3 * MS)
    assert intake.restarts == 0 and intake.complete(T0, 10 * MS)


def test_nothing_before_the_first_clock(intake):
    assert not send(intake, stamp=T0, now=0)
    assert not intake.complete(0, SECOND) and texts(intake) == []
    assert send(intake, stamp=1000 * SECOND, now=1000 * SECOND)
    assert intake.complete(1000 * SECOND, MS)


def test_never_measured_is_stale_even_close_to_time_zero(intake):
    assert intake.stale(5 * MS, 10 * MS) == ("j1", "j2", "j3")


def test_standing_still_stays_fresh(intake):
    for k in range(300):
        assert send(intake, now=T0 + k * 10 * MS)
        assert intake.complete(T0 + k * 10 * MS, 20 * MS)


def test_rival_publisher_of_zeros_is_flagged():
    intake = JointStateIntake(NAMES, velocity_limit=[2.0, 2.0, NAN])
    send(intake)
    assert not intake.jumped.any() and texts(intake) == []
    for k in range(1, 1001):
        rival = k % 2 == 1
        position, velocity = (REST, []) if rival else (POSE, REST)
        send(intake, ["j3", "j2", "j1"], position[::-1], velocity, velocity, now=T0 + k * MS)
        np.testing.assert_array_equal(intake.jumped, [True, True, False])  # j3: limit unknown
    said = texts(intake)
    assert len(said) == 2 and "joint j1" in said[1] and "second node" in said[0]
    assert intake.counters["position_jumps"] == 1000


def test_fast_motion_and_gaps_are_no_jumps():
    intake = JointStateIntake(NAMES, velocity_limit=[2.0] * 3)
    for k in range(100):  # at the rated velocity
        send(intake, position=[0.002 * k] * 3, now=T0 + k * MS)
        assert not intake.jumped.any()
    send(intake, position=[1.5] * 3, now=T0 + SECOND)  # 1.3 rad in 0.9 s
    assert not intake.jumped.any()
    send(intake, position=[-1.5] * 3, now=T0 + 1100 * MS)
    assert intake.jumped.all()
    send(intake, position=[1.5] * 3, stamp=T0 - 5 * SECOND, now=T0 + 1200 * MS)  # looped bag
    assert not intake.jumped.any() and intake.restarts == 1


def test_continuous_joint_may_wrap():
    intake = JointStateIntake(NAMES, velocity_limit=[2.0] * 3, continuous=[False, False, True])
    send(intake, position=[0.2, -0.4, 3.1])
    send(intake, position=[0.2, -0.4, -3.1], now=T0 + 50 * MS)  # 0.083 rad on, not 6.2 back
    assert not intake.jumped.any()
    send(intake, position=[0.2, -0.4, -1.0], now=T0 + 60 * MS)
    np.testing.assert_array_equal(intake.jumped, [False, False, True])


@pytest.mark.parametrize("absurd", [1e9, -1e308])
def test_numbers_that_no_joint_has_are_not_taken(intake, absurd):
    send(intake)
    assert send(intake, position=[absurd, 0.1, 0.2], velocity=[0.0, absurd, 0.0], now=T0 + MS)
    np.testing.assert_array_equal(intake.position, [POSE[0], 0.1, 0.2])
    np.testing.assert_array_equal(intake.velocity, [0.0, NAN, 0.0])
    assert intake.invalid.tolist() == [True, False, False]
    assert f"{absurd:g}" in texts(intake)[0]


def test_measured_followers_are_kept_apart():
    intake = JointStateIntake(["shoulder", "left"], followers=["right", "knuckle"])
    assert send(intake, ["shoulder", "left"], [0.5, 0.03], [], [])
    assert np.isnan(intake.follower_position).all() and intake.complete(T0, MS)
    assert send(intake, ["right", "shoulder"], [-0.01, 0.6], [], [], now=T0 + MS)
    np.testing.assert_array_equal(intake.follower_position, [-0.01, NAN])
    np.testing.assert_array_equal(intake.position, [0.6, 0.03])
    np.testing.assert_array_equal(intake.updated, [2, 0])
    np.testing.assert_array_equal(intake.follower_stamp_ns, [T0 + MS, 0])
    assert texts(intake) == []


def test_sender_that_invents_names_costs_no_memory(intake):
    for k in range(3000):
        send(intake, [f"noise{k}", "j1"], [0.0, 0.1], [], [], now=T0 + k)
    assert len(intake._layouts) <= 64
    assert len(texts(intake)) <= 201
    assert intake.position[0] == 0.1


def test_construction_checks():
    with pytest.raises(ParameterError, match="j1"):
        JointStateIntake(["j1", "j2"], followers=["j1"])
    with pytest.raises(ShapeError):
        JointStateIntake(NAMES, velocity_limit=[1.0, 2.0])
