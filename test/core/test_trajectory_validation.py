# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Every trajectory that must not be executed is refused with point, joint, value and limit."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError, TrajectoryError
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.trajectory import (
    JointTrajectory,
    TrajectoryPoint,
    TrajectorySpline,
    check_between_points,
    resolve_start,
    validate_trajectory,
)
from robodyn_ros.trajectory.extrema import bernstein, extrema

S = 1_000_000_000
JOINTS = ("j1", "j2", "j3")
# j1, j2 revolute +-3.2 rad and 5 rad/s; j3 continuous, 6 rad/s
LIMITS = replace(
    JointLimits.unknown(3),
    lower=[-3.2, -3.2, -np.inf],
    upper=[3.2, 3.2, np.inf],
    velocity=[5.0, 5.0, 6.0],
)
A, B, C = (0.2, -0.4, 0.9), (0.5, -0.2, 1.2), (0.8, 0.1, 1.0)


def trajectory(*points, joints=JOINTS):
    """Points as (seconds, positions[, velocities[, accelerations[, effort]]])."""
    return JointTrajectory.from_points(
        joints, [TrajectoryPoint(round(p[0] * S), *p[1:]) for p in points]
    )


def validate(*points, joints=JOINTS, **options):
    return validate_trajectory(trajectory(*points, joints=joints), JOINTS, LIMITS, **options)


def test_accepted_trajectory_comes_back_in_model_order():
    got = validate((1.0, (1.2, 0.5, -0.2), (0.3, 0.1, 0.2)), (2.0, C), joints=("j3", "j1", "j2"))
    assert got.joint_names == JOINTS
    np.testing.assert_array_equal(got.positions[0], B)
    np.testing.assert_array_equal(got.velocities[0], (0.1, 0.2, 0.3))
    assert np.isnan(got.velocities[1]).all()
    assert got.given("velocities").tolist() == [True, False]
    assert got.accelerations is None and got.end_ns == 2 * S


def test_empty_trajectory_is_a_stop_with_and_without_names():
    for joints in (JOINTS, ()):
        got = validate_trajectory(trajectory(joints=joints), JOINTS)
        assert len(got) == 0 and got.joint_names == JOINTS and got.end_ns == 0


REFUSED = {
    "unknown joint": (dict(joints=(*JOINTS, "grip"), points=[(1, (*B, 0))]), "'grip'.*j1, j2, j3"),
    "duplicate": (dict(joints=(*JOINTS, "j1"), points=[(1, (*B, 0.6))]), "'j1' is listed twice"),
    "partial": (dict(joints=("j2",), points=[(1, (-0.2,))]), "leaves out joints j1, j3"),
    "no names": (dict(joints=(), points=[(1, ())]), "positions|no joint names"),
    "two positions": (dict(points=[(1, B), (2, (0.8, 0.1))]), "point 1 has 2 positions for 3"),
    "long velocities": (dict(points=[(1, B, (0,) * 4)]), "point 0 has 4 velocities for 3"),
    "velocity only": (dict(points=[(1, (), (0.2, 0, 0))]), "point 0.*positions are required"),
    "inf": (dict(points=[(1, B, (0,) * 3, (0, np.inf, 0))]), "point 0, joint 'j2'.*inf"),
    "nan": (dict(points=[(1, B), (2, (0.8, 0.1, np.nan))]), "point 1, joint 'j3'.*nan"),
    "all nan": (dict(points=[(1, B, (np.nan,) * 3)]), "point 0, joint 'j1': velocities is nan"),
    "negative": (dict(points=[(-1, B), (1, C)]), "point 0 has time_from_start -1 s"),
    "same time": (dict(points=[(1, B), (2, C), (2, C)]), "point 2 at 2 s is not later"),
    "backwards": (dict(points=[(1, B), (3, C), (2, C)]), "point 2 at 2 s .*point 1 at 3 s"),
    "moving end": (dict(points=[(1, B), (2, C, (0.4, 0, 0))]), "point 1, joint 'j1'.*0.4.*0.001"),
    "position": (dict(points=[(1, (4.0, 0, 0))]), "point 0, joint 'j1'.*4.*at most 3.2"),
    "below": (dict(points=[(1, (0, -4.0, 0))]), "point 0, joint 'j2'.*-4.*at least -3.2"),
    "velocity": (
        dict(points=[(1, B, (0, 0, -7.0)), (2, C)]),
        "point 0, joint 'j3'.*-7.*at most 6",
    ),
}


@pytest.mark.parametrize(("given", "text"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(given, text):
    with pytest.raises(TrajectoryError, match=text):
        validate(*given["points"], joints=given.get("joints", JOINTS))


def test_refusal_carries_its_data():
    with pytest.raises(TrajectoryError) as caught:
        validate((1, B), (2, (0, 4.0, 0)))
    error = caught.value
    assert (error.point, error.joint, error.value, error.limit) == (1, "j2", 4.0, 3.2)


def test_rounding_of_the_end_velocity_becomes_rest():
    got = validate((1, B, (0, 0, 0)), (2, C, (6e-5, -3e-7, 0)))
    assert (got.velocities[-1] == 0.0).all()
    moving = validate((1, B), (2, C, (0.4, 0, 0)), allow_end_velocity=True)
    assert moving.velocities[-1, 0] == 0.4


def test_partial_goal_holds_the_other_joints():
    got = validate((1, (-0.2,), (0.3,)), (2, (-0.1,)), joints=("j2",), allow_partial=True, hold=A)
    np.testing.assert_array_equal(got.positions, [(0.2, -0.2, 0.9), (0.2, -0.1, 0.9)])
    np.testing.assert_array_equal(got.velocities[0], (0, 0.3, 0))
    assert np.isnan(got.velocities[1]).all()
    with pytest.raises(TrajectoryError, match="present position is not known"):
        validate((1, (-0.2,)), joints=("j2",), allow_partial=True)


def test_arrays_of_other_sizes_are_refused():
    with pytest.raises(ShapeError, match=r"velocities.*\(2, 3\).*\(1, 3\)"):
        JointTrajectory(JOINTS, [S], [B], velocities=[B, C])


def test_arrays_with_holes_are_refused():
    """A row that is NaN in part is neither given nor left out."""
    traj = JointTrajectory(JOINTS, [S], [B], velocities=[(0.0, np.nan, 0.0)])
    with pytest.raises(TrajectoryError, match="point 0, joint 'j2': velocities is nan"):
        validate_trajectory(traj, JOINTS)


# Between the points.


def check(traj, state, **options):
    spline = TrajectorySpline(traj, 0, (state, np.zeros(3), np.zeros(3)), **options)
    check_between_points(spline, LIMITS, JOINTS)


def test_quintic_overshoot_is_found_with_its_peak():
    """Knots inside 3.2 rad, the quintic between them reaches 3.545 rad."""
    zero, fast = (0.0, 0.0, 0.0), (2.0, 0.0, 0.0)
    traj = validate((1, (3.15, 0, 0), fast, zero), (2, (3.15, 0, 0), zero, zero))
    with pytest.raises(TrajectoryError, match="point 1.*'j1'.*position 3.54.*3.2") as caught:
        check(traj, (3.0, 0.0, 0.0))
    assert caught.value.value == pytest.approx(3.545, abs=5e-4)
    assert (caught.value.point, caught.value.joint, caught.value.limit) == (1, "j1", 3.2)


def test_velocity_between_the_points():
    """A cubic from rest to rest peaks at 1.5 times its mean velocity."""
    check(validate((1, (3.0, 0, 0))), (-0.3, 0.0, 0.0))
    with pytest.raises(TrajectoryError, match="point 0.*0.5 s.*'j1'.*velocity 5.1") as caught:
        check(validate((1, (3.0, 0, 0))), (-0.4, 0.0, 0.0))
    assert caught.value.value == pytest.approx(1.5 * 3.4)


def test_points_one_nanosecond_apart_need_an_absurd_velocity():
    text = "point 0 to point 1 joint 'j1' needs a velocity of 3e.08: the limit is 5"
    with pytest.raises(TrajectoryError, match=text) as caught:
        validate((1, B), (1 + 1e-9, C))
    assert caught.value.value == pytest.approx(3e8, rel=1e-6)
    unjudged = validate_trajectory(trajectory((1, B), (1 + 1e-9, C)), JOINTS)
    with pytest.raises(TrajectoryError, match="joint 'j1' reaches"):
        check(unjudged, A)


def test_first_segment_may_come_back_from_outside_but_not_go_further_out():
    outside, zero = (3.4, 0.0, 0.0), (0.0, 0.0, 0.0)
    check(validate((1, (3.1, 0, 0))), outside)
    traj = validate((1, (3.1, 0, 0), zero))
    further = TrajectorySpline(traj, 0, (outside, (0.5, 0.0, 0.0), zero))
    with pytest.raises(TrajectoryError, match="point 0.*'j1'.*position 3.4.*3.2"):
        check_between_points(further, LIMITS, JOINTS)
    with pytest.raises(TrajectoryError, match="point 1.*'j1'.*position"):
        check(validate((1, (3.15, 0, 0), (1.0, 0, 0)), (2, (3.1, 0, 0), zero)), outside)


def test_unknown_limits_are_not_checked():
    spline = TrajectorySpline(trajectory((0.01, (99.0, 0, 0))), 0, (A, None, None))
    check_between_points(spline, JointLimits.unknown(3), JOINTS)


def test_extrema_and_bernstein_bounds_against_dense_sampling():
    rng = np.random.default_rng(7)
    u = np.linspace(0, 1, 2001)
    for _ in range(200):
        c = rng.normal(size=6) * 10.0 ** rng.integers(-3, 2, 6)
        values = np.polynomial.polynomial.polyval(u, c)
        low, u_low, high, u_high = extrema(c)
        scale = np.ptp(values) + 1e-12
        assert values.min() - 1e-5 * scale <= low <= values.min() + 1e-12
        assert values.max() - 1e-12 <= high <= values.max() + 1e-5 * scale
        assert np.polynomial.polynomial.polyval([u_low, u_high], c) == pytest.approx([low, high])
        control = bernstein(c)
        assert control.min() <= low + 1e-9 * scale and control.max() >= high - 1e-9 * scale


# Header stamps.

NOW = 1_760_000_000 * S
TIMES = np.array([S, 2 * S])


def test_stamp_zero_or_a_moment_late_is_now():
    assert resolve_start(0, TIMES, NOW).start_ns == NOW
    late = resolve_start(NOW - 80_000, np.array([0]), NOW, late_ns=2_000_000)
    assert (late.start_ns, late.join_ns, late.skipped) == (NOW, NOW, 0)


def test_partly_past_joins_now_and_keeps_the_end():
    start = resolve_start(NOW - 3 * S // 2, TIMES, NOW, late_ns=2_000_000)
    assert (start.start_ns, start.join_ns, start.skipped) == (NOW - 3 * S // 2, NOW, 1)
    early = resolve_start(NOW - S // 2, TIMES, NOW, late_ns=2_000_000)
    assert (early.start_ns, early.join_ns, early.skipped) == (NOW - S // 2, NOW, 0)


@pytest.mark.parametrize(("ago", "text"), [(10 * S, "ended 8.000 s ago"), (2 * S, "0.000 s ago")])
def test_all_past_is_refused_with_the_seconds(ago, text):
    with pytest.raises(TrajectoryError, match=text):
        resolve_start(NOW - ago, TIMES, NOW)


def test_recording_of_last_year_is_refused():
    with pytest.raises(TrajectoryError, match="59999998.000 s ago"):
        resolve_start(1_700_000_000 * S, TIMES, NOW)


def test_future_waits_and_absurd_future_is_refused():
    start = resolve_start(NOW + 2 * S, TIMES, NOW)
    assert (start.start_ns, start.join_ns, start.skipped) == (NOW + 2 * S, NOW + 2 * S, 0)
    with pytest.raises(TrajectoryError, match="1000000.000 s.*60 s.*clock"):
        resolve_start(NOW + 1_000_000 * S, TIMES, NOW)
    assert resolve_start(NOW + 90 * S, TIMES, NOW, max_future_ns=100 * S).join_ns == NOW + 90 * S
