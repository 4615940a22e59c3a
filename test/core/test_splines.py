# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Interpolation: orders by the fields given, continuity, exact times, agreement with formulas."""

import time

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError, TrajectoryError
from robodyn_ros.trajectory import JointTrajectory, TrajectoryPoint, TrajectorySpline
from robodyn_ros.trajectory.continuity import solve_tridiagonal

S = 1_000_000_000
STAMP = 1_700_000_000 * S + 123_456_789


def trajectory(*points, joints=("a",)):
    """Points as (seconds, positions[, velocities[, accelerations]])."""
    return JointTrajectory.from_points(
        joints, [TrajectoryPoint(round(p[0] * S), *map(np.atleast_1d, p[1:])) for p in points]
    )


def polynomial(t, T, start, end):
    """
    Position, velocity, acceleration at t of the polynomial that has the given end values.

    Independent of the code under test: the linear system of the 2, 4 or 6 end conditions.
    """
    k = len(start)
    powers = np.arange(2 * k)

    def row(x, d):
        factors = np.array([np.prod(np.arange(p, p - d, -1.0)) for p in powers])
        return np.where(powers >= d, factors * x ** np.maximum(powers - d, 0.0), 0.0)

    system = np.array([row(0.0, d) for d in range(k)] + [row(T, d) for d in range(k)])
    c = np.linalg.solve(system, [*start, *end])
    return [row(t, d) @ c for d in range(3)]


@pytest.mark.parametrize("fields", [1, 2, 3])
def test_order_follows_the_fields_of_both_ends(fields):
    """Positions: linear; velocities: cubic; accelerations: quintic (JTC documentation)."""
    ends = (0.3, 0.5, -1.0), (1.1, -0.2, 2.0)
    points = [(0.4, *ends[0][:fields]), (1.9, *ends[1][:fields])]
    spline = TrajectorySpline(trajectory(*points), positions_only="linear")
    for t in (0.4, 0.7, 1.25, 1.8999):
        got = np.ravel(spline.sample(round(t * S)))
        want = polynomial(t - 0.4, 1.5, ends[0][:fields], ends[1][:fields])
        np.testing.assert_allclose(got, want, atol=1e-9)


def test_mixed_points_use_the_lowest_common_order():
    spline = TrajectorySpline(
        trajectory((0, 0.0, 0.4), (1, 1.0), (2, 2.5, 0.1, 0.3), (3, 2.0, 0.0, 0.0), (4, 2.1, 0.0))
    )
    q, qd, qdd = (v[:, 0] for v in spline.sample_many(np.array([0.5, 1.5, 2.5, 3.5]) * S))
    assert qd[0] == pytest.approx(1.0) and qdd[0] == 0.0  # to a point without velocity: linear
    assert qd[1] == pytest.approx(1.5) and qdd[1] == 0.0
    quintic = polynomial(0.5, 1.0, (2.5, 0.1, 0.3), (2.0, 0.0, 0.0))
    np.testing.assert_allclose([q[2], qd[2], qdd[2]], quintic, atol=1e-12)
    cubic = polynomial(0.5, 1.0, (2.0, 0.0), (2.1, 0.0))
    np.testing.assert_allclose([q[3], qd[3], qdd[3]], cubic, atol=1e-12)


def test_accelerations_without_velocities_do_not_make_a_quintic():
    points = [
        TrajectoryPoint(0, [0.0], [], [1.0]),
        TrajectoryPoint(S, [1.0], [], [1.0]),
        TrajectoryPoint(2 * S, [1.0], [0.0], [1.0]),
    ]
    spline = TrajectorySpline(JointTrajectory.from_points(["a"], points))
    assert np.ravel(spline.sample(S // 2)) == pytest.approx([0.5, 1.0, 0.0])


def test_quintic_overshoots_between_points_to_3_545():
    """The peak of this quintic is 3.545 rad, though its end points are at 3.15 and 3.15."""
    traj = trajectory((1, 3.15, 2.0, 0.0), (2, 3.15, 0.0, 0.0))
    spline = TrajectorySpline(traj, 0, ([3.0], [0.0], [0.0]))
    q, _, _ = spline.sample_many(np.arange(0, 2 * S, S // 1000))
    assert q.max() == pytest.approx(3.545, abs=5e-4)


def test_start_state_begins_the_first_segment_in_exact_nanoseconds():
    traj = trajectory((0.5, 1.2, 0.0, 0.0), (0.9, 0.2, 0.0, 0.0))
    spline = TrajectorySpline(traj, STAMP, ([0.3], [0.7], [-0.4]))
    assert (spline.start_ns, spline.end_ns) == (STAMP, STAMP + 900_000_000)
    assert np.ravel(spline.sample(STAMP)) == pytest.approx([0.3, 0.7, -0.4])
    for ns in (1, 333_333_333):
        want = polynomial(ns * 1e-9, 0.5, (0.3, 0.7, -0.4), (1.2, 0.0, 0.0))
        np.testing.assert_allclose(np.ravel(spline.sample(STAMP + ns)), want, atol=1e-12)
    assert spline.sample(STAMP + 500_000_000)[0] == pytest.approx([1.2], abs=1e-15)


@pytest.mark.parametrize(("known", "order"), [((0.7, None), "cubic"), ((None, None), "linear")])
def test_start_state_that_is_only_partly_known_lowers_the_first_order(known, order):
    traj = trajectory((1, 1.0, 0.0, 0.0))
    qd, qdd = (None if v is None else [v] for v in known)
    got = np.ravel(TrajectorySpline(traj, 0, ([0.2], qd, qdd)).sample(S // 4))
    start, end = ((0.2, 0.7), (1.0, 0.0)) if order == "cubic" else ((0.2,), (1.0,))
    np.testing.assert_allclose(got, polynomial(0.25, 1.0, start, end), atol=1e-12)


def test_points_before_the_join_are_left_out():
    traj = trajectory((1, 9.0, 0.0), (2, 0.8, 0.0), (3, 0.5, 0.0))
    spline = TrajectorySpline(traj, STAMP, ([0.2], [0.0], [0.0]), join_ns=STAMP + 3 * S // 2)
    assert spline.first_point == 1
    assert spline.start_ns == STAMP + 3 * S // 2
    assert np.ravel(spline.sample(spline.start_ns)[0]) == pytest.approx([0.2])
    assert np.ravel(spline.sample(STAMP + 2 * S)[0]) == pytest.approx([0.8])
    assert spline.end_ns == STAMP + 3 * S  # stamp + last time_from_start, not counted from now


def test_point_at_time_zero_gives_way_to_the_start_state_but_chooses_the_order():
    positions = TrajectorySpline(
        trajectory((0, 0.2), (1, 1.0, 0.0)), 0, ([0.21], [0.0], [0.0]), positions_only="linear"
    )
    assert np.ravel(positions.sample(S // 2)) == pytest.approx([0.605, 0.79, 0.0])
    full = TrajectorySpline(
        trajectory((0, 0.2, 0.0, 1.5), (1, 1.0, 0.0, 0.0)), 0, ([0.2], [0.0], [0.0])
    )
    assert full.sample(0)[2] == pytest.approx([1.5])  # the acceleration the sender wants


def test_positions_only_spline_is_continuous_in_acceleration():
    rng = np.random.default_rng(1)
    times = np.cumsum(rng.uniform(0.1, 0.8, 9))
    q = rng.normal(size=(9, 3))
    traj = trajectory(*zip(times, q, strict=True), joints=("a", "b", "c"))
    q0, v0 = rng.normal(size=3), rng.normal(size=3)
    spline = TrajectorySpline(traj, STAMP, (q0, v0, np.zeros(3)))
    np.testing.assert_allclose(spline.sample(STAMP)[0], q0)
    np.testing.assert_allclose(spline.sample(STAMP)[1], v0)
    np.testing.assert_allclose(spline.end_state[1], np.zeros(3), atol=1e-12)
    for knot, position in zip(spline.times_ns[1:-1].tolist(), q, strict=False):
        before, after = spline.sample(knot - 1), spline.sample(knot)
        np.testing.assert_allclose(after[0], position, atol=1e-12)
        for x, y in zip(before, after, strict=True):
            np.testing.assert_allclose(x, y, atol=2e-6)  # jerk times one nanosecond


def test_positions_only_spline_reproduces_a_cubic():
    """A clamped cubic spline through points of a cubic is that cubic (uniqueness)."""

    def cubic(t):
        return 0.3 + 1.5 * t**2 - t**3  # at rest at 0 and 1

    times = np.array([0.15, 0.4, 0.55, 0.8, 1.0])
    spline = TrajectorySpline(
        trajectory(*zip(times, cubic(times), strict=True)), 0, ([0.3], [0.0], None)
    )
    t = np.linspace(0, 0.999, 50)
    q, _, qdd = spline.sample_many(np.rint(t * S).astype(np.int64))
    np.testing.assert_allclose(q[:, 0], cubic(t), atol=1e-9)
    np.testing.assert_allclose(qdd[:, 0], 3.0 - 6.0 * t, atol=1e-6)


def test_single_positions_only_point_is_the_cubic_from_the_present_state():
    spline = TrajectorySpline(trajectory((2, 1.0)), 0, ([0.0], [0.5], [9.0]))
    for t in (0.0, 0.6, 1.7):
        want = polynomial(t, 2.0, (0.0, 0.5), (1.0, 0.0))
        np.testing.assert_allclose(np.ravel(spline.sample(round(t * S))), want, atol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8, 19])
def test_cyclic_reduction_solves_the_system(size):
    rng = np.random.default_rng(size)
    lower, upper = rng.uniform(-1, 1, (2, size, 1))
    lower[0] = upper[-1] = 0.0
    diagonal, rhs = rng.uniform(2.1, 3.0, (size, 1)), rng.normal(size=(size, 2))
    matrix = np.diag(diagonal[:, 0]) + np.diag(lower[1:, 0], -1) + np.diag(upper[:-1, 0], 1)
    want = np.linalg.solve(matrix, rhs)
    np.testing.assert_allclose(solve_tridiagonal(lower, diagonal, upper, rhs), want, atol=1e-12)


JOINED = {
    "positions": [(0.5, 1.0), (1.0, 0.4)],
    "velocities": [(0.5, 1.0, 0.3), (1.0, 0.4, 0.0)],
    "one point": [(0.5, 1.0)],
    "one point with velocity": [(0.5, 1.0, 0.0)],
    "all": [(0.5, 1.0, 0.3, -2.0), (1.0, 0.4, 0.0, 0.0)],
    "mixed": [(0.5, 1.0, 0.3), (1.0, 0.4), (1.5, 0.4, 0.0)],
}


@pytest.mark.parametrize("points", JOINED.values(), ids=JOINED.keys())
@pytest.mark.parametrize("positions_only", ["spline", "linear"])
def test_quintic_join_has_no_step_at_either_end(points, positions_only):
    state = ([0.2], [0.9], [-1.5])
    spline = TrajectorySpline(
        trajectory(*points), 0, state, join="quintic", positions_only=positions_only
    )
    np.testing.assert_allclose(np.ravel(spline.sample(0)), np.ravel(state), atol=1e-12)
    if len(points) > 1:
        before, after = spline.sample(S // 2 - 1), spline.sample(S // 2)
        np.testing.assert_allclose(np.ravel(before), np.ravel(after), atol=1e-6)
    else:
        np.testing.assert_allclose(np.ravel(spline.end_state), [1.0, 0.0, 0.0], atol=1e-12)


def test_rest_before_the_start_and_after_the_end():
    spline = TrajectorySpline(trajectory((1, 0.3, 0.5), (2, 0.8, 0.4)), STAMP)
    for ns, held in ((-S, 0.3), (S - 1, 0.3), (2 * S, 0.8), (10 * S, 0.8)):
        assert np.ravel(spline.sample(STAMP + ns)) == pytest.approx([held, 0.0, 0.0])
    assert np.ravel(spline.end_state)[:2] == pytest.approx([0.8, 0.4])


def test_sample_many_agrees_with_sample_for_unsorted_and_repeated_times():
    rng = np.random.default_rng(3)
    rows = [(t, *rng.normal(size=(3, 2))) for t in (0.3, 0.7, 1.0, 1.6)]
    spline = TrajectorySpline(
        trajectory(*rows, joints=("a", "b")), STAMP, tuple(rng.normal(size=(3, 2)))
    )
    times = STAMP + rng.integers(-S // 5, 2 * S, 60)
    times = np.concatenate([times, times[:7], spline.times_ns])
    many = spline.sample_many(times)
    for i, t in enumerate(times.tolist()):
        for row, rows_ in zip(spline.sample(t), many, strict=True):
            np.testing.assert_allclose(rows_[i], row, atol=1e-9)


def test_points_one_nanosecond_apart_stay_finite():
    traj = trajectory((1, 0.5, 0.0, 0.0), (1 + 1e-9, 0.8, 0.0, 0.0))
    spline = TrajectorySpline(traj, 0, ([0.2], [0.0], [0.0]))
    assert traj.times_ns.tolist() == [S, S + 1]
    assert np.isfinite(np.concatenate(spline.sample_many([S - 1, S, S + 1]))).all()


def test_twenty_thousand_points_do_not_block_the_loop():
    """Accepted well below a second, the figure asked for; here 20 000 points of 3 joints."""
    t = np.arange(1, 20_001)
    traj = JointTrajectory(("a", "b", "c"), t * 1_000_000, np.sin(np.outer(t * 1e-3, [1, 2, 3])))
    start = time.perf_counter()
    spline = TrajectorySpline(traj, 0, (np.zeros(3), np.array([1.0, 2.0, 3.0]), None))
    assert time.perf_counter() - start < 0.5
    q, _, qdd = spline.sample_many([10_000_500_000])
    np.testing.assert_allclose(q[0], np.sin(10.0005 * np.array([1, 2, 3])), atol=1e-9)


def test_refusals():
    with pytest.raises(TrajectoryError, match="no points"):
        TrajectorySpline(trajectory())
    with pytest.raises(TrajectoryError, match="point 1 is not later") as caught:
        TrajectorySpline(trajectory((1, 0.0), (1, 0.5)))
    assert caught.value.point == 1
    with pytest.raises(ShapeError, match="start state"):
        TrajectorySpline(trajectory((1, 0.0)), 0, ([0.0, 0.0], None, None))
    with pytest.raises(TrajectoryError, match="too large"):
        TrajectorySpline(trajectory((1, 1e308), (2, -1e308)), positions_only="linear")
