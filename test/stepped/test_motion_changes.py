# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""How the controller begins, replaces and stops motions: without a step, or not at all."""

import numpy as np
import pytest
from arms import MS, Q0, T0, Plant, S, follow, holding, motion, run, stack, trajectory

from robodyn_ros.errors import TrajectoryError

# Replacing, stopping.


def test_replacement_is_continuous_in_position_velocity_and_effort():
    def sine(t):
        x = 0.3 * np.sin(2 * np.pi * 0.5 * ((t - T0) * 1e-9 + 0.3))
        c.set_trajectory(trajectory((0.3, (0.4 + x, -0.7 - x))), t)

    c, plant = holding(law="computed_torque"), Plant(Q0)
    outputs = run(c, plant, T0, 3 * S, at={k * 100 * MS: sine for k in range(30)})
    q, qd, qdd = (stack(outputs, name) for name in ("q_d", "qd_d", "qdd_d"))
    assert np.abs(qd).max() > 0.5
    assert (np.abs(np.diff(q, axis=0)) <= (np.abs(qd).max(axis=0) + 0.1) * 1e-3).all()
    jerk = np.abs(np.diff(qdd, axis=0))
    # the first motion starts from rest with the acceleration of a cubic: the one step there is
    assert jerk[1:].max() < 0.02 * np.abs(qdd).max()
    effort = stack(outputs, "effort")
    assert np.abs(np.diff(effort[1:], axis=0)).max() < 0.02 * np.ptp(effort, axis=0).max()


def test_replacement_starts_from_the_desired_not_the_measured_state():
    c = holding()
    c.set_trajectory(motion(), T0)
    lagging = []
    for k in range(700):
        now = T0 + k * MS
        out = c.step(now)
        lagging.append(out.q_d)
        c.update_state(out.q_d - 0.05, out.qd_d, now)
        if k == 500:
            c.set_trajectory(trajectory((0.5, (0.0, 0.0))), now)
    assert np.abs(np.diff(lagging, axis=0)).max() < 5e-3


def test_refused_replacement_leaves_the_motion_running():
    c = holding()
    c.set_trajectory(motion(), T0)
    for bad, text in (
        (trajectory((1, (0.0, 5.0))), "'elbow'"),
        (trajectory((0.01, (3.0, 0.0))), "velocity"),
        (trajectory((1, (0.0,)), joints=("elbow",)), "leaves out"),
    ):
        with pytest.raises(TrajectoryError, match=text):
            c.set_trajectory(bad, T0 + 5 * MS)
    with pytest.raises(TrajectoryError, match="past"):
        c.set_trajectory(motion(), T0 + 5 * MS, stamp_ns=T0 - 10 * S)
    assert c.end_ns == T0 + 2 * S
    assert follow(c, T0 + 10 * MS, 100 * MS)[-1].mode == "moving"


def test_stop_slows_down_on_the_path_within_the_deceleration():
    c = holding(max_deceleration=6.0)
    far = trajectory((0.8, (2.6, -0.7)))
    outputs = follow(
        c, T0, S, at={0: lambda t: c.set_trajectory(far, t), 400 * MS: lambda t: c.stop(t)}
    )
    moving, after = outputs[399], outputs[400:]
    assert moving.qd_d[0] > 3.0  # 1.5 times 2.2 rad / 0.8 s
    assert after[0].mode == "stopping" and after[-1].mode == "hold"
    np.testing.assert_allclose(after[0].qd_d, moving.qd_d, atol=0.02)
    own = np.abs(stack(outputs[:400], "qdd_d")).max()
    assert np.abs(stack(after, "qdd_d")).max() <= own * 1.1
    q, qd = stack(after, "q_d")[:, 0], stack(after, "qd_d")[:, 0]
    assert (qd >= 0.0).all() and qd[-1] == 0.0 and q.max() <= 2.6
    np.testing.assert_allclose(np.diff(q) * 1e3, qd[:-1], atol=0.02)
    assert np.isfinite(stack(after, "effort")).all()


@pytest.mark.parametrize("names", [(), ("shoulder", "elbow")])
def test_empty_trajectory_stops_and_is_harmless_when_idle(names):
    c = holding()
    assert c.set_trajectory(trajectory(joints=names), T0) is None
    assert c.step(T0).mode == "hold"
    c.set_trajectory(motion(), T0)
    follow(c, T0 + MS, 300 * MS)
    c.set_trajectory(trajectory(joints=names), T0 + 300 * MS)
    before = c.step(T0 + 301 * MS)
    assert before.mode == "stopping"
    c.set_trajectory(trajectory(joints=names), T0 + 310 * MS)  # again: nothing new
    assert follow(c, T0 + 311 * MS, S)[-1].mode == "hold"


def test_stream_of_single_points_stays_smooth():
    """One point 0.1 s ahead every 10 ms along a slow sine."""

    def point(t):
        x = 0.3 * np.sin(2 * np.pi * 0.2 * (t - T0) * 1e-9)
        c.set_trajectory(trajectory((0.1, (0.4 + x, -0.7 + x))), t)

    c = holding()
    outputs = follow(c, T0, 2 * S, 2 * MS, at={k * 10 * MS: point for k in range(200)})
    q, qd = stack(outputs, "q_d"), stack(outputs, "qd_d")
    assert np.abs(np.diff(q, axis=0)).max() < 2e-3 * np.abs(qd).max() + 1e-6
    assert np.abs(np.diff(qd, axis=0)).max() < 0.02
    assert np.ptp(q[:, 0]) > 0.2
    assert c.take_messages() == []


# The start.


def test_first_point_at_time_zero():
    c = holding()
    c.set_trajectory(trajectory((0, Q0), (1, (0.5, -0.2))), T0)
    assert c.take_messages() == []
    for bad in ([(0, (0.4, -0.2)), (1, Q0)], [(0, (0.5, -0.2))]):
        with pytest.raises(TrajectoryError, match="point 0.*time zero.*'elbow' is 0.5") as caught:
            holding().set_trajectory(trajectory(*bad), T0)
        assert (caught.value.joint, caught.value.limit) == ("elbow", 0.1)
    skipping = holding(start_jump="skip")
    skipping.set_trajectory(trajectory((0, (0.4, -0.2)), (1, (0.5, -0.2))), T0)
    assert "left out" in skipping.take_messages()[0][1]
    np.testing.assert_allclose(skipping.step(T0).q_d, Q0)


def test_first_segment_that_needs_too_much_speed_is_refused():
    with pytest.raises(TrajectoryError, match="point 0.*'shoulder'.*velocity.*8"):
        holding().set_trajectory(trajectory((0.05, (3.1, -0.7))), T0)
    fast = holding(check_limits=False)
    assert fast.set_trajectory(trajectory((0.05, (3.1, -0.7))), T0).mode == "moving"


def test_partly_past_trajectory_is_joined_from_the_present_state():
    c = holding()
    late = trajectory((1.0, (0.9, -0.3)), (2.0, (0.5, -0.2)))
    c.set_trajectory(late, T0, stamp_ns=T0 - 3 * S // 2)
    assert "1 of 2 points" in c.take_messages()[0][1]
    assert c.end_ns == T0 + S // 2
    np.testing.assert_allclose(c.step(T0).q_d, Q0, atol=1e-12)
    q = stack(follow(c, T0, 600 * MS), "q_d")
    np.testing.assert_allclose(q[-1], (0.5, -0.2), atol=1e-12)
    assert np.abs(np.diff(q, axis=0)).max() < 3e-3
    with pytest.raises(TrajectoryError, match="velocity"):
        holding().set_trajectory(
            trajectory((1.0, Q0), (2.0, (3.1, -0.7))), T0, stamp_ns=T0 - 19 * S // 10
        )


def test_future_start_leaves_the_present_motion_alone_until_then():
    c = holding()
    c.set_trajectory(motion(), T0)
    undisturbed = [x.q_d for x in follow(c, T0, S)]
    c = holding()
    c.set_trajectory(motion(), T0)
    c.set_trajectory(trajectory((1.0, (0.0, 0.0))), T0, stamp_ns=T0 + S)
    outputs = follow(c, T0, 5 * S // 2)
    np.testing.assert_array_equal(stack(outputs[:1000], "q_d"), undisturbed)
    assert np.abs(np.diff(stack(outputs, "qdd_d")[1:], axis=0)).max() < 0.3
    np.testing.assert_allclose(outputs[-1].q_d, 0.0, atol=1e-12)
    assert outputs[1999].mode == "moving" and outputs[-1].mode == "hold"


def test_later_message_replaces_a_pending_one_and_stop_cancels_it():
    c = holding()
    c.set_trajectory(trajectory((1.0, (0.0, 0.0))), T0, stamp_ns=T0 + S)
    c.set_trajectory(trajectory((1.0, (0.5, 0.5))), T0 + MS, stamp_ns=T0 + 2 * S)
    assert follow(c, T0, 1900 * MS)[-1].mode == "hold"
    np.testing.assert_allclose(follow(c, T0 + 1900 * MS, 1200 * MS)[-1].q_d, 0.5, atol=1e-12)
    c.set_trajectory(trajectory((1.0, (0.0, 0.0))), T0 + 3100 * MS, stamp_ns=T0 + 4 * S)
    c.stop(T0 + 3200 * MS)
    np.testing.assert_allclose(follow(c, T0 + 3200 * MS, 2 * S)[-1].q_d, 0.5, atol=1e-12)
    with pytest.raises(TrajectoryError, match="clock"):
        c.set_trajectory(motion(), T0 + 5200 * MS, stamp_ns=T0 + 1_000_000 * S)


def test_displaced_idle_arm_starts_where_it_is():
    """Pushed by 0.5 rad: the motion begins at the arm, and the effort does not step."""
    c = holding()
    pushed = np.array([0.9, -0.7])
    c.update_state(pushed, np.zeros(2), T0)
    before = c.step(T0)
    assert before.error[0] == pytest.approx(-0.5)
    c.set_trajectory(trajectory((1.0, (0.5, -0.2))), T0 + MS)
    after = c.step(T0 + MS)
    np.testing.assert_allclose(after.q_d, pushed, atol=1e-12)
    np.testing.assert_allclose(after.effort, before.effort, atol=1e-9)
    assert "displaced" in c.take_messages()[0][1]


def test_partial_goal_stops_the_other_joint_where_it_can():
    c = holding(allow_partial=True)
    c.set_trajectory(trajectory((1.0, (0.5,), (0.0,)), joints=("elbow",)), T0)
    outputs = follow(c, T0, 1200 * MS)
    np.testing.assert_allclose(stack(outputs, "q_d")[:, 0], Q0[0], atol=1e-12)
    assert outputs[-1].q_d[1] == pytest.approx(0.5)
    c.set_trajectory(motion(), T0 + 1200 * MS)
    outputs = follow(c, T0 + 1200 * MS, 500 * MS)
    speed, place = outputs[-1].qd_d[0], outputs[-1].q_d[0]
    assert speed > 0.5
    c.set_trajectory(trajectory((0.5, (0.0,)), joints=("elbow",)), T0 + 1700 * MS)
    q = stack(follow(c, T0 + 1700 * MS, S), "q_d")[:, 0]
    assert place < q[-1] < place + 0.3
    assert q.max() < q[-1] + 0.02  # on to its place of rest, no way back


def test_allowed_end_velocity_is_brought_to_rest_behind_the_end():
    c = holding(allow_end_velocity=True, max_deceleration=3.0)
    c.set_trajectory(trajectory((1.0, (0.8, -0.7), (0.6, 0.0))), T0)
    outputs = follow(c, T0, 2 * S)
    assert outputs[1010].qd_d[0] == pytest.approx(0.6, abs=0.02)
    tail = stack(outputs[1000:], "qdd_d")
    assert np.abs(tail).max() == pytest.approx(3.0, rel=1e-3)
    assert outputs[-1].mode == "hold" and not outputs[-1].qd_d.any()
    assert outputs[-1].q_d[0] == pytest.approx(0.8 + 0.5 * 0.6 * (1.5 * 0.6 / 3.0), abs=1e-6)


def test_effort_in_points_is_ignored_with_one_note():
    c, plain = holding(), holding()
    with_effort = trajectory((1.0, (0.5, 0.5), (0.0, 0.0), (), (0.0, 5.0)))
    c.set_trajectory(with_effort, T0)
    c.set_trajectory(with_effort, T0)
    for _ in range(2):
        plain.set_trajectory(trajectory((1.0, (0.5, 0.5), (0.0, 0.0))), T0)
    assert [text for _, text in c.take_messages() if "effort" in text] == [
        "the effort in trajectory points is ignored: it comes from the model"
    ]
    now = T0 + 50 * MS
    np.testing.assert_array_equal(c.step(now).effort, plain.step(now).effort)
