# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Slower on the same path, as little as possible, and never above a limit."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_torque_check import MODEL, panda, rated, rest_to_rest, wave

from robodyn_ros import JointTrajectory, check_torques, load_urdf, retime
from robodyn_ros.cli.shipped import robot_folder
from robodyn_ros.errors import ParameterError, TrajectoryError
from robodyn_ros.trajectory.retiming import stretched
from robodyn_ros.trajectory.splines import TrajectorySpline

__all__ = ["panda"]  # the fixture

LIFT = rest_to_rest((0.0, 0.0), (0.4, -1.2))


def largest_use(model, trajectory, seed=None):  # type: ignore[no-untyped-def]
    """Return torque and velocity over their limits, sampled at 10 kHz, torque by Pinocchio."""
    path = robot_folder(model.name) / f"{model.name}.urdf"
    oracle = pinocchio.buildModelFromUrdf(str(path))
    data = oracle.createData()
    spline = TrajectorySpline(trajectory)
    motion = spline.sample_many(np.arange(0, spline.end_ns, 100_000))
    tau = np.abs([pinocchio.rnea(oracle, data, *row) for row in zip(*motion, strict=True)])
    limits = model.limits
    return (tau / limits.effort).max(), (np.abs(motion[1]) / limits.velocity).max()


@pytest.mark.parametrize(
    ("limit", "factor"), [(12.0, 3.1303), (10.5, 5.5178), (9.9, 14.5846), (31.6, 1.0)]
)
def test_the_smallest_uniform_factor(limit: float, factor: float) -> None:
    model = rated(MODEL, effort=limit)
    result = retime(model, LIFT, method="uniform")
    assert result.success and result.factor == pytest.approx(factor, rel=1e-4)
    assert check_torques(model, result.trajectory).ok
    if factor > 1.0:
        assert not check_torques(model, stretched(LIFT, 0.999 * factor)).ok
        assert result.after is not None and 0 <= result.after.joints[0].margin < 1e-4 * limit


@pytest.mark.parametrize("method", ["path", "uniform"])
@pytest.mark.parametrize(
    ("points", "limit", "time"),
    [
        (((0.0, 0.0), (0.4, -1.2)), 9.81, 0.0),
        (((0.0, 0.0), (0.4, -1.2)), 9.0, 0.0),
        (((0.0, -1.2), (0.8, 1.2)), 9.0, 0.4),
    ],
)
def test_what_cannot_be_held_is_said_at_once(method, points, limit, time) -> None:  # type: ignore[no-untyped-def]
    result = retime(rated(MODEL, effort=limit), rest_to_rest(*points), method=method)
    assert not result.success and result.reason == "infeasible_at_any_speed"
    overload = result.overload
    assert overload is not None and overload.joint == "j"
    assert overload.torque == pytest.approx(9.81, abs=1e-6)
    assert overload.time == pytest.approx(time, abs=1e-3)
    assert "any speed" in result.text and "'j'" in result.text


def test_what_fits_is_left_alone() -> None:
    result = retime(rated(MODEL, effort=200.0, velocity=100.0), LIFT)
    assert result.trajectory is LIFT and result.reason == "unchanged" and result.factor == 1.0


def test_slower_can_be_worse() -> None:
    t = np.append(np.arange(0.0, 0.489898, 0.005), 0.489898)[:, None]
    swing = JointTrajectory(
        ("j",), np.round(t[:, 0] * 1e9).astype(int), -0.9 + 7.5 * t**2, 15 * t, 15 + 0 * t
    )
    model = rated(MODEL, effort=3.0, velocity=5.0)
    assert check_torques(model, swing).ok  # as far as torque goes
    for factor, peak in ((1.2, 4.5808), (1.4697, 6.3239), (2.0, 7.9275)):
        found = check_torques(model, stretched(swing, factor)).joints[0].peak
        assert found == pytest.approx(peak, abs=2e-3)
    assert not retime(model, swing, method="uniform").success


def test_the_largest_payload_is_named() -> None:
    heavy = ("bob", 0.5, (0.5, 0.0, 0.0))
    model = rated(MODEL, effort=11.0)
    result = retime(model, rest_to_rest((0.0, 0.0), (4.0, 0.4)), payload=heavy)
    assert result.overload is not None
    largest = result.overload.largest_payload
    assert largest == pytest.approx((11.0 - 9.81) / (9.81 * 0.5), rel=1e-6)
    assert f"{largest:.3g} kg" in result.text
    fits = retime(
        model, rest_to_rest((0.0, 0.0), (4.0, 0.4)),
        payload=("bob", 0.99 * largest, (0.5, 0.0, 0.0)),
    )  # fmt: skip
    assert fits.success
    tiny = retime(rated(MODEL, effort=9.0), LIFT, payload=heavy)
    assert tiny.overload is not None and tiny.overload.largest_payload is None


@pytest.mark.parametrize("limit", [12.0, 10.5, 9.9])
def test_along_the_path_is_quicker_than_uniform(limit: float) -> None:
    model = rated(MODEL, effort=limit)
    path, uniform = retime(model, LIFT), retime(model, LIFT, method="uniform")
    assert path.success and path.factor < 0.7 * uniform.factor
    assert check_torques(model, path.trajectory).ok


def test_bang_bang_without_gravity_is_the_known_optimum() -> None:
    model = rated(MODEL.with_gravity((0.0, 0.0, 0.0)), effort=5.02, velocity=100.0)
    # 10 rad/s^2 each way: t = 2 sqrt(d / a); the grid does not meet the moment of the switch
    result = retime(model, LIFT)
    assert result.trajectory.end_ns * 1e-9 == pytest.approx(2 * np.sqrt(1.2 / 10.0), rel=5e-3)
    slow = rated(MODEL.with_gravity((0.0, 0.0, 0.0)), effort=5.02, velocity=2.0)
    # trapezoid: d / v + v / a
    expected = 1.2 / 2.0 + 2.0 / 10.0
    assert retime(slow, LIFT).trajectory.end_ns * 1e-9 == pytest.approx(expected, rel=5e-3)
    soft = rated(slow, acceleration=4.0)
    expected = 1.2 / 2.0 + 2.0 / 4.0
    assert retime(soft, LIFT).trajectory.end_ns * 1e-9 == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("robot", ["panda", "ur5e"])
@pytest.mark.parametrize("seed", range(3))
def test_never_above_a_limit_for_an_independent_oracle(robot: str, seed: int) -> None:
    model = load_urdf(robot_folder(robot) / f"{robot}.urdf")
    rng = np.random.default_rng(seed)
    half = 0.25 * (model.limits.upper - model.limits.lower)
    q = np.clip(model.limits.mid + half * rng.uniform(-1, 1, (6, model.n)), -2.8, 2.8)
    quick = JointTrajectory(model.joint_names, np.arange(6) * 250_000_000, q)
    before = largest_use(model, quick)
    assert max(before) > 1.0
    for method in ("path", "uniform"):
        result = retime(model, quick, method=method)  # type: ignore[arg-type]
        if result.reason == "infeasible_at_any_speed":
            continue
        assert result.success
        assert max(largest_use(model, result.trajectory)) <= 1.0 + 1e-6
        np.testing.assert_allclose(result.trajectory.positions[[0, -1]], q[[0, -1]], atol=1e-9)


def test_the_path_is_kept(panda) -> None:  # type: ignore[no-untyped-def]
    model = rated(panda, velocity=1.0)
    quick = wave(panda, 30, 3.0, seed=1)
    quick = replace(quick, velocities=None, accelerations=None)
    result = retime(model, quick)
    assert result.success and result.reason == "retimed"
    old, new = TrajectorySpline(quick), TrajectorySpline(result.trajectory)
    along = old.sample_many(np.linspace(0, old.end_ns, 40_001).astype(int))[0]
    for q in new.sample_many(np.linspace(0, new.end_ns, 60).astype(int))[0]:
        assert np.linalg.norm(along - q, axis=1).min() < 1e-3


def test_rests_on_the_way_stay_rests() -> None:
    stop_and_go = rest_to_rest((0.0, 0.0), (0.2, -0.8), (0.4, 0.3))
    result = retime(rated(MODEL, effort=15.0), stop_and_go)
    assert result.success
    at_turn = np.abs(result.trajectory.positions[:, 0] + 0.8).argmin()
    assert result.trajectory.positions[at_turn, 0] == pytest.approx(-0.8, abs=1e-9)
    assert result.trajectory.velocities is not None
    assert result.trajectory.velocities[at_turn, 0] == 0.0


def test_a_factor_that_is_too_large_is_refused() -> None:
    result = retime(rated(MODEL, effort=12.0), LIFT, max_factor=1.5)
    assert not result.success and result.reason == "too_slow" and result.trajectory is LIFT
    assert "1.5" in result.text


def test_faster_on_request() -> None:
    model = rated(MODEL, effort=60.0, velocity=100.0)
    slow = stretched(LIFT, 10.0)
    assert retime(model, slow).trajectory is slow
    result = retime(model, slow, faster=True)
    assert result.factor < 0.2 and check_torques(model, result.trajectory).ok


def test_the_start_state_is_where_the_motion_begins() -> None:
    trajectory = rest_to_rest((0.4, -1.2))
    start = ([0.0], [0.0], [0.0])
    result = retime(rated(MODEL, effort=12.0), trajectory, start_state=start, method="uniform")
    assert result.factor == pytest.approx(3.1303, rel=1e-4) and len(result.trajectory) == 1
    with pytest.raises(TrajectoryError, match="begins at speed"):
        retime(
            rated(MODEL, effort=12.0), trajectory, start_state=([0.0], [0.5], None),
            method="uniform",
        )  # fmt: skip


def test_wrong_arguments() -> None:
    with pytest.raises(ParameterError, match="method"):
        retime(MODEL, LIFT, method="magic")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="max_factor"):
        retime(MODEL, LIFT, max_factor=0.5)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.floats(-1.4, 1.4), min_size=2, max_size=6),
    st.floats(0.05, 1.0),
    st.floats(10.0, 40.0),
    st.sampled_from(["path", "uniform"]),
)
def test_any_motion_ends_within_its_limits_or_says_why(positions, step, limit, method) -> None:  # type: ignore[no-untyped-def]
    model = rated(MODEL, effort=limit, acceleration=30.0)
    trajectory = rest_to_rest(*((i * step, q) for i, q in enumerate(positions)))
    result = retime(model, trajectory, method=method)
    assert result.success, result.text
    assert check_torques(model, result.trajectory).peak_ok
    motion = TrajectorySpline(result.trajectory).sample_many(
        np.linspace(0, result.trajectory.end_ns - 1, 20_000).astype(int)
    )
    assert np.abs(motion[1]).max() <= model.limits.velocity[0] * (1 + 1e-6)
    assert np.abs(motion[2]).max() <= 30.0 * (1 + 1e-6)
    times = result.trajectory.times_ns
    assert (np.diff(times) > 0).all() and times[0] == 0


def test_a_pause_on_the_way_is_kept() -> None:
    """Two lifts with two seconds of rest between them and one at the end."""
    q = np.array([[0.0], [0.4], [0.4], [0.0], [0.0]])
    times_ns = np.array([0, 500, 2500, 3000, 4000]) * 1_000_000
    motion = JointTrajectory(MODEL.joint_names, times_ns, q, np.zeros_like(q))
    result = retime(rated(MODEL, effort=12.0), motion)
    slower = result.trajectory
    assert result.reason == "retimed" and result.factor > 1.0
    at_top = np.flatnonzero(np.abs(slower.positions[:, 0] - 0.4) < 1e-9)
    assert slower.times_ns[at_top[-1]] - slower.times_ns[at_top[0]] >= 2_000_000_000
    assert slower.times_ns[-1] - slower.times_ns[-2] == pytest.approx(1e9, abs=2)
