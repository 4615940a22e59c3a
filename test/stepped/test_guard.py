# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What the guard lets pass, slows down and refuses, and what it says about it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from test_torque_check import MODEL, panda, rated, rest_to_rest, wave

from robodyn_ros import JointTrajectory, RobotModel, check_torques, inverse_dynamics
from robodyn_ros.control.guard import GuardSettings, TrajectoryGuard, Verdict
from robodyn_ros.trajectory.splines import TrajectorySpline

__all__ = ["panda"]  # the fixture

S = 1_000_000_000
NOW = 1_760_000_000 * S
LIFT = rest_to_rest((0.0, 0.0), (0.4, -1.2))
SLOW = rest_to_rest((0.0, 0.0), (4.0, -1.2))


def judge(
    trajectory: JointTrajectory,
    model: RobotModel = MODEL,
    position: float | np.ndarray = 0.0,
    velocity: float = 0.0,
    stamp_ns: int = 0,
    stale: tuple[str, ...] = (),
    payload=None,  # type: ignore[no-untyped-def]
    **settings,  # type: ignore[no-untyped-def]
) -> Verdict:
    guard = TrajectoryGuard(model, GuardSettings(**settings))
    guard.payload = payload
    q = np.broadcast_to(np.asarray(position, float), (model.n,))
    verdict = guard.judge(trajectory, q, np.full(model.n, velocity), NOW, stamp_ns, stale)
    json.dumps(verdict.as_dict(), allow_nan=False)  # whatever comes out can be told
    return verdict


def test_what_fits_passes_untouched() -> None:
    verdict = judge(SLOW)
    assert verdict.code == "ok" and verdict.trajectory is SLOW and not verdict.changed


def test_too_much_torque_is_refused_with_numbers_and_a_cure() -> None:
    verdict = judge(LIFT)
    assert verdict.code == "torque_limit" and not verdict.accepted
    assert (verdict.joint, verdict.point, verdict.limit) == ("j", 1, 12.0)
    assert verdict.value == pytest.approx(31.5159, abs=1e-3)
    for word in ("'j'", "31.5", "12", "point 1", "inertia", "retime"):
        assert word in verdict.text
    told = verdict.as_dict()
    assert told["code"] == "torque_limit" and told["joints"][0]["peak_rating"] == 12.0


def test_a_warning_lets_it_pass_as_it_was_sent() -> None:
    verdict = judge(LIFT, policy="warn_only")
    assert verdict.code == "warned" and verdict.trajectory is LIFT and "31.5" in verdict.text


@pytest.mark.parametrize("method", ["path", "uniform"])
def test_slowed_down_it_is_within_the_ratings(method: str) -> None:
    verdict = judge(LIFT, policy="retime", method=method)
    assert verdict.code == "retimed" and verdict.changed and verdict.factor > 1.5
    assert verdict.trajectory is not None and check_torques(MODEL, verdict.trajectory).ok
    assert not np.any(verdict.trajectory.velocities[-1])
    assert "MoveIt" not in " ".join(verdict.warnings) or verdict.factor > 1.1 + 0.5 / 0.4


def test_the_duration_monitor_is_spoken_of_when_it_would_cancel() -> None:
    verdict = judge(LIFT, rated(MODEL, effort=9.9), policy="retime", method="uniform")
    assert verdict.factor == pytest.approx(14.58, abs=0.01)
    assert any("execution_duration_monitoring" in text for text in verdict.warnings)


def test_slowed_down_only_so_far() -> None:
    verdict = judge(LIFT, policy="retime_up_to", max_factor=2.0, method="uniform")
    assert verdict.code == "too_slow" and "3.13" in verdict.text
    assert judge(LIFT, policy="retime_up_to", max_factor=4.0, method="uniform").accepted


def test_what_cannot_be_held_is_infeasible() -> None:
    heavy = ("bob", 1.0, (0.5, 0.0, 0.0))
    verdict = judge(LIFT, payload=heavy, policy="retime")
    assert verdict.code == "infeasible_at_any_speed" and verdict.value > 12.0
    assert "0.446 kg" in verdict.text  # (12 - 9.81) / (9.81 * 0.5)


@pytest.mark.parametrize("policy", ["reject", "retime", "warn_only"])
@pytest.mark.parametrize("fault", ["nan", "twice", "time", "stranger", "position"])
def test_what_no_controller_should_get(policy: str, fault: str) -> None:
    q = SLOW.positions.copy()
    wrong = {
        "nan": lambda: replace(SLOW, positions=np.where(q == q[1], np.nan, q)),
        "twice": lambda: JointTrajectory(("j", "j"), SLOW.times_ns, np.hstack([q, q])),
        "time": lambda: replace(SLOW, times_ns=SLOW.times_ns[::-1]),
        "stranger": lambda: replace(SLOW, joint_names=("elbow",)),
        "position": lambda: rest_to_rest((0.0, 0.0), (4.0, -3.2)),
    }[fault]()
    verdict = judge(wrong, policy=policy)
    if fault == "position":
        assert verdict.accepted == (policy == "warn_only")
        assert policy == "warn_only" or verdict.code == "position_limit"
    else:
        assert verdict.code == "invalid_trajectory" and not verdict.accepted
    assert "point" in verdict.text or "joint" in verdict.text


def test_position_limits_hold_between_the_points() -> None:
    model = rated(MODEL, upper=3.2, effort=500.0)
    trajectory = JointTrajectory(
        ("j",), np.array([1, 2, 3]) * S, np.array([[3.0], [3.15], [3.15]]),
        np.array([[0.0], [2.0], [0.0]]), np.zeros((3, 1)),
    )  # fmt: skip
    verdict = judge(trajectory, model, position=3.0)
    assert verdict.code == "position_limit" and verdict.point == 2
    assert verdict.value == pytest.approx(3.545, abs=1e-3)


def test_velocity_and_acceleration_limits() -> None:
    strong = rated(MODEL, effort=500.0)
    fast = judge(LIFT, rated(strong, velocity=5.0))
    assert fast.code == "rate_limit" and fast.value == pytest.approx(1.875 * 1.2 / 0.4)
    hard = judge(LIFT, rated(strong, acceleration=20.0))
    assert hard.code == "rate_limit" and "acceleration" in hard.text
    slowed = judge(LIFT, rated(strong, acceleration=20.0), policy="retime")
    assert slowed.code == "retimed" and "faster than" in slowed.text


@pytest.mark.parametrize("policy", ["reject", "retime", "warn_only"])
def test_without_a_state_nothing_passes(policy: str) -> None:
    assert judge(SLOW, policy=policy, position=np.nan).code == "state_unknown"
    stale = judge(SLOW, policy=policy, stale=("j",))
    assert stale.code == "state_unknown" and not stale.accepted and stale.joint == "j"


def test_a_first_point_away_from_the_arm() -> None:
    verdict = judge(SLOW, position=0.2)
    assert verdict.code == "start_jump" and verdict.value == pytest.approx(0.2)
    assert judge(SLOW, position=0.02).code == "ok"
    later = rest_to_rest((1.0, 0.0), (4.0, -1.2))  # time enough to get there
    assert judge(later, position=0.2).code == "ok"


def test_the_way_to_the_first_point_counts() -> None:
    late = rest_to_rest((0.2, -1.2), (2.0, -1.2))
    verdict = judge(late)
    assert verdict.code == "torque_limit" and verdict.point == 0
    slowed = judge(late, policy="retime")
    assert slowed.code == "retimed"
    start = (np.zeros(1), np.zeros(1), np.zeros(1))
    assert check_torques(MODEL, slowed.trajectory, None, start).ok


def test_the_command_to_stop_always_passes() -> None:
    stop = JointTrajectory(("j",), np.zeros(0, int), np.zeros((0, 1)))
    verdict = judge(stop, position=np.nan)
    assert verdict.code == "stop" and verdict.trajectory is stop


def test_positions_only_get_velocities_when_they_may_be_changed() -> None:
    bare = JointTrajectory(("j",), np.array([0, 2, 4]) * S, np.array([[0.0], [-0.5], [-1.2]]))
    refused = judge(bare)
    assert refused.code == "torque_limit" and "give velocities" in refused.text
    filled = judge(bare, policy="retime")
    assert filled.code == "ok" and filled.changed and filled.trajectory is not None
    assert "velocities" in filled.warnings[0]
    np.testing.assert_array_equal(filled.trajectory.times_ns, bare.times_ns)
    # what the controller interpolates is the motion that was judged
    at = np.arange(0, 4 * S, S // 100)
    ours, same = TrajectorySpline(filled.trajectory), TrajectorySpline(bare)
    np.testing.assert_allclose(ours.sample_many(at)[0], same.sample_many(at)[0], atol=1e-9)


def test_an_arm_in_motion_is_not_slowed_down() -> None:
    verdict = judge(rest_to_rest((0.4, -1.2)), velocity=-1.0, policy="retime")
    assert verdict.code == "in_motion" and "until the arm rests" in verdict.text
    assert judge(rest_to_rest((4.0, -1.2)), velocity=-0.5, policy="retime").code == "ok"


def test_late_and_early_stamps() -> None:
    slow = rest_to_rest((0.0, 0.0), (0.1, 0.0), (4.0, -1.2))
    assert judge(slow, stamp_ns=NOW + 5 * S).code == "ok"
    assert judge(slow, stamp_ns=NOW - 10 * S).code == "invalid_trajectory"
    # 3.8 s late: 0.2 s are left for the whole way
    late = judge(slow, stamp_ns=NOW - int(3.8 * S))
    assert late.code == "torque_limit" and late.value > 90.0
    slowed = judge(slow, stamp_ns=NOW - int(3.8 * S), policy="retime")
    assert slowed.code == "retimed" and slowed.factor > 2.0
    assert len(slowed.trajectory) > 2 and slowed.trajectory.times_ns[0] >= 0


def test_unknown_ratings_are_named_or_refused() -> None:
    unrated = rated(MODEL, effort=np.nan)
    verdict = judge(LIFT, unrated)
    assert verdict.accepted and "no rating" in verdict.warnings[0]
    assert verdict.as_dict()["unchecked"] == ["j"]
    refused = judge(LIFT, unrated, refuse_unrated=True)
    assert refused.code == "unrated" and not refused.accepted


def test_heat_stays_from_motion_to_motion_until_the_motor_has_rested() -> None:
    model = rated(MODEL, effort=100.0, effort_continuous=14.0, thermal_time_constant=20.0)
    there = rest_to_rest((0.0, 0.0), (0.4, -1.5), (0.8, 0.0), (1.2, -1.5))
    back = rest_to_rest((0.0, -1.5), (0.4, 0.0), (0.8, -1.5), (1.2, 0.0), (1.6, -1.5))
    guard = TrajectoryGuard(model)
    still = np.zeros(1)
    first = guard.judge(there, still, still, NOW)
    assert first.code == "ok" and first.report.joints[0].end_heat > 0.1
    guard.passed(first, NOW)
    now, done, hot = NOW, 0, first
    at = np.array([-1.5])
    while hot.accepted and done < 40:
        now += round(hot.report.duration * S)
        hot = guard.judge(back, at, still, now)
        if hot.accepted:
            guard.passed(hot, now)
            done += 1
    assert hot.code == "continuous_limit" and done > 1 and hot.value > 1.0
    rest = float(hot.text.split("rest ")[1].split(" s")[0])
    assert 0.0 < rest < 60.0
    early = guard.judge(back, at, still, now + round(0.9 * rest * S))
    later = guard.judge(back, at, still, now + round(1.02 * rest * S))
    assert early.code == "continuous_limit" and later.code == "ok"


def test_no_rest_helps_where_holding_is_too_much() -> None:
    model = rated(MODEL, effort=100.0, effort_continuous=5.0, thermal_time_constant=1.0)
    verdict = judge(rest_to_rest((0.0, 0.0), (9.0, -0.5)), model)
    assert verdict.code == "continuous_limit" and "no rest helps" in verdict.text


def test_order_and_subset_of_the_joints_are_kept(panda: RobotModel) -> None:
    quick = wave(panda, 20, 1.0, seed=3, share=0.3)
    start, names = quick.positions[0], panda.joint_names
    some = [5, 2, 0]
    part = JointTrajectory(
        [names[i] for i in some], quick.times_ns, quick.positions[:, some],
        quick.velocities[:, some] * 0.0,
    )  # fmt: skip
    verdict = judge(part, panda, start, policy="retime")
    assert verdict.code == "retimed" and verdict.trajectory.joint_names == part.joint_names
    assert verdict.trajectory.velocities.shape == verdict.trajectory.positions.shape
    np.testing.assert_allclose(verdict.trajectory.positions[-1], part.positions[-1], atol=1e-9)


def test_effort_for_controllers_that_take_it(panda: RobotModel) -> None:
    slow = wave(panda, 10, 30.0, seed=1, share=0.05)
    rest = replace(slow, velocities=0 * slow.velocities, accelerations=0 * slow.velocities)
    verdict = judge(rest, panda, rest.positions[0], fill_effort=True)
    assert verdict.code == "ok" and verdict.trajectory.effort is not None
    expected = inverse_dynamics(panda, rest.positions, rest.velocities, rest.accelerations)
    np.testing.assert_allclose(verdict.trajectory.effort, expected, atol=1e-9)
    assert judge(rest, panda, rest.positions[0]).trajectory.effort is None


def test_whole_turns_of_continuous_joints() -> None:
    from test_torque_check import PENDULUM

    text = PENDULUM.replace('"revolute"', '"continuous"').replace('effort="12"', 'effort="40"')
    model = RobotModel.from_urdf(text)
    turn = 2 * np.pi
    lift = rest_to_rest((0.0, 3 * turn), (0.4, 3 * turn - 1.2), model=model)
    verdict = judge(lift, model, 0.01, policy="retime")
    assert verdict.code == "retimed"
    np.testing.assert_allclose(verdict.trajectory.positions[-1], lift.positions[-1], atol=1e-9)
