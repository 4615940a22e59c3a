# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""References: what they say about position, velocity and acceleration belongs together."""

import numpy as np
import pytest
from arms import MS, T0, S, motion

from robodyn_ros.control.references import Coast, Followed, Motion, Slowdown, Timeline, stop_from
from robodyn_ros.trajectory import TrajectorySpline

SPLINE = TrajectorySpline(motion(), T0, ((0.4, -0.7), (0.0, 0.0), (0.0, 0.0)))
REFERENCES = {
    "coast": Coast((0.1, 0.2), (0.5, -0.3), T0),
    "slowdown": Slowdown(SPLINE, T0 + S // 2, S),
    "slow coast": Slowdown(Coast((0.1, 0.2), (0.5, -0.3), T0), T0 + S // 2, S),
    "followed": Followed(SPLINE, Coast((0.2, -0.3)), T0 + 2 * S),
}


@pytest.mark.parametrize("reference", REFERENCES.values(), ids=REFERENCES.keys())
def test_velocity_and_acceleration_are_the_derivatives(reference):
    """Central differences over 0.1 ms; and many times at once say the same as one by one."""
    h = MS // 10
    times = T0 + np.arange(MS, 2 * S + S // 4, 13 * MS)
    times = times[np.abs(times - T0 - 600 * MS) > h]  # jerk steps at the knots are fine, kinks not
    q, qd, qdd = reference.sample_many(times)
    ahead, behind = reference.sample_many(times + h), reference.sample_many(times - h)
    np.testing.assert_allclose((ahead[0] - behind[0]) / 2e-4, qd, atol=2e-4)
    np.testing.assert_allclose((ahead[1] - behind[1]) / 2e-4, qdd, atol=5e-3)
    for i, t in enumerate(times.tolist()):
        for row, rows in zip(reference.sample(t), (q, qd, qdd), strict=True):
            np.testing.assert_allclose(row, rows[i], atol=1e-8)


def test_slowdown_leaves_and_arrives_without_a_step():
    start = T0 + 700 * MS
    stop = Slowdown(SPLINE, start, 300 * MS)
    for before, after in zip(SPLINE.sample(start), stop.sample(start + 1), strict=True):
        np.testing.assert_allclose(before, after, atol=1e-6)
    _, qd, qdd = stop.sample(stop.end_ns - 1)
    np.testing.assert_allclose((qd, qdd), 0.0, atol=1e-6)
    np.testing.assert_allclose(stop.sample(stop.end_ns + S)[0], stop.end_position)
    np.testing.assert_allclose(stop.end_position, SPLINE.sample(start + 150 * MS)[0])
    np.testing.assert_allclose(stop.sample(start - MS)[0], SPLINE.sample(start - MS)[0])


def test_stop_is_as_fast_as_the_weakest_joint_allows():
    stop = stop_from(Coast((0.0, 0.0), (1.0, -3.0), T0), T0, np.array([4.0, 6.0]))
    assert (stop.end_ns - stop.start_ns) * 1e-9 == pytest.approx(1.5 * 3.0 / 6.0)
    peak = np.abs(stop.sample_many(T0 + np.arange(0, S, MS))[2]).max(axis=0)
    np.testing.assert_allclose(peak, (2.0, 6.0), rtol=1e-4)


@pytest.mark.parametrize("ms", range(50, 2000, 75))
def test_stop_anywhere_on_a_path_stays_near_its_bound(ms):
    """At most a tenth above the larger of the deceleration allowed and the path's own."""
    limit, start = np.array([5.0, 5.0]), T0 + ms * MS
    stop = stop_from(SPLINE, start, limit)
    duration = stop.end_ns - start
    needed = np.abs(stop.sample_many(start + np.arange(0, duration, MS))[2]).max(axis=0)
    own = np.abs(SPLINE.sample_many(start + np.arange(0, 2 * S, MS))[2]).max(axis=0)
    assert (needed <= 1.2 * np.maximum(limit, own)).all()
    assert duration * 1e-9 <= 2.5 * 1.5 * np.abs(SPLINE.sample(start)[1]).max() / 5.0 + 1e-3


def test_timeline_keeps_enough_history_and_forgets_the_rest():
    timeline = Timeline(Motion(T0, Coast((0.0,)), "hold"), 200 * MS)
    for k in range(1, 60):
        timeline.append(Motion(T0 + k * 10 * MS, Coast((float(k),)), "moving"), T0 + k * 10 * MS)
    now = T0 + 590 * MS
    for age in range(0, 200, 10):
        assert timeline.sample(now - age * MS)[0] == pytest.approx([59 - age / 10])
    assert timeline.sample(T0)[0] > 30.0  # forgotten: the oldest that is left
    timeline.append(Motion(now + S, Coast((99.0,)), "moving"), now)
    assert timeline.sample(now + S)[0] == pytest.approx([99.0])
    assert timeline.cancel_pending(now) and not timeline.cancel_pending(now)
    assert timeline.sample(now + S)[0] == pytest.approx([59.0])
