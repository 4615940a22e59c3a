# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The computed-torque controller in closed loop, its bounds, and what it does without a state."""

import numpy as np
import pytest
from arms import (
    GAINS,
    MS,
    Q0,
    T0,
    Plant,
    S,
    controller,
    follow,
    gravity_of,
    holding,
    motion,
    run,
    stack,
    trajectory,
    two_link,
    wheel,
)

from robodyn_ros.control import ComputedTorqueController, ControllerSettings
from robodyn_ros.errors import ParameterError, ShapeError, TrajectoryError

both_laws = pytest.mark.parametrize("law", GAINS)


# Closed loop on an arm that is integrated from the closed-form equations.


@both_laws
@pytest.mark.parametrize("latency", [0, 2])
def test_tracks_a_trajectory(law, latency):
    c, plant = controller(law), Plant(Q0)
    outputs = run(
        c, plant, T0, 3 * S, at={S // 2: lambda t: c.set_trajectory(motion(), t)}, latency=latency
    )
    errors = stack(outputs[500:], "error")
    assert np.sqrt(np.mean(errors**2, axis=0)).max() < 2e-4
    assert {out.mode for out in outputs} == {"hold", "moving"}
    assert outputs[-1].mode == "hold" and not stack(outputs, "saturated").any()
    np.testing.assert_allclose(plant.q, (0.2, -0.3), atol=1e-4)
    np.testing.assert_allclose(outputs[-1].effort, gravity_of((0.2, -0.3)), atol=0.02)


def test_feedforward_alone_follows_the_model():
    """Without gains the arm goes where the model says; what is left shrinks with the period."""
    drift = []
    for period in (400_000, 100_000):
        c, plant = controller(kp=0.0, kd=0.0, ramp_ns=0), Plant(Q0)
        c.update_state(Q0, np.zeros(2), T0)
        c.set_trajectory(motion(), T0)
        run(c, plant, T0, S, period)
        now = T0 + S
        out = c.step(now)
        drift.append(np.abs(plant.q - out.q_d).max())
    assert drift[1] < 2e-4
    assert drift[1] < 0.3 * drift[0]


@both_laws
def test_hold_does_not_sag_under_gravity(law):
    plant = Plant(Q0)
    outputs = run(controller(law), plant, T0, 3 * S)
    assert {out.mode for out in outputs} == {"hold"}
    np.testing.assert_allclose(plant.q, Q0, atol=1e-9)
    np.testing.assert_allclose(outputs[0].effort, gravity_of(Q0), rtol=1e-9)


@both_laws
def test_feedback_takes_a_payload_the_model_does_not_know(law):
    """The shift is bounded and feedback is what bounds it."""
    light, plant = controller(law, two_link(payload=-0.1)), Plant(Q0)
    run(light, plant, T0, 2 * S)
    assert 1e-4 < np.abs(plant.q - Q0).max() < 0.05


def test_same_inputs_give_the_same_outputs():
    def record():
        c = controller("computed_torque")
        events = {200 * MS: lambda t: c.set_trajectory(motion(), t), 900 * MS: c.stop}
        return stack(run(c, Plant(Q0), T0, S, at=events), "effort")

    np.testing.assert_array_equal(record(), record())


# Feedback compares what belongs together in time.


def test_old_measurement_is_compared_with_the_reference_of_its_time():
    """A state 30 ms old, exactly on the path, is no error - also across a change of motion."""
    c = holding()
    c.set_trajectory(motion(), T0)
    on_path = {}
    for k in range(0, 1000, 5):
        now = T0 + k * MS
        if k == 400:
            c.set_trajectory(trajectory((1.0, (0.2, 0.4), (0.0, 0.0))), now)
        if k >= 30:
            c.update_state(*on_path[k - 30], now - 30 * MS)
        out = c.step(now)
        on_path[k] = out.q_d, out.qd_d
        if k >= 30:
            np.testing.assert_allclose(out.error, 0.0, atol=1e-12)
            np.testing.assert_allclose(out.velocity_error, 0.0, atol=1e-12)


@both_laws
def test_unmeasured_velocity_switches_damping_off(law):
    c = holding(law=law)
    c.set_trajectory(motion(), T0)
    reference = follow(c, T0, 301 * MS)[-1]
    now, q, qd = T0 + 300 * MS, reference.q_d - [0.01, 0.02], reference.qd_d
    c.update_state(q, qd, now)
    measured = c.step(now)
    c.update_state(q, [np.nan, np.nan], now)
    unknown = c.step(now)
    np.testing.assert_allclose(unknown.effort, measured.effort, atol=1e-9)
    assert np.isnan(unknown.velocity_error).all() and np.isfinite(unknown.error).all()


def test_continuous_joint_takes_the_short_way_and_wrapped_measurements():
    """j3 at 6.2, points at 0.1 and 0.4: the first becomes 6.383 and the motion is 0.48 rad."""
    c = controller(
        model=wheel(), kp=10.0, kd=1.0, max_state_age_ns=10 * S, zero_effort_after_ns=None
    )
    c.update_state([6.2], [0.0], T0)
    c.step(T0)
    c.set_trajectory(trajectory((1, (0.1,)), (2, (0.4,)), joints=("turn",)), T0)
    q = stack([c.step(T0 + k * 10 * MS) for k in range(1, 251)], "q_d")
    assert q[99, 0] == pytest.approx(0.1 + 2 * np.pi)
    assert q[-1, 0] == pytest.approx(0.4 + 2 * np.pi)
    assert np.ptp(q) < 0.49
    c.update_state([0.39], [0.0], T0 + 3 * S)
    assert c.step(T0 + 3 * S).error == pytest.approx([0.01])


# Before the first state.


def test_waits_for_the_first_state():
    c = controller()
    c.stop(T0)
    c.set_trajectory(trajectory(), T0)
    out = c.step(T0)
    assert (out.mode, out.effort) == ("waiting", None) and not out.saturated.any()
    np.testing.assert_array_equal(c.safe_effort(), 0.0)
    for partial in (motion(), trajectory((1, (0.1,)), joints=("elbow",))):
        with pytest.raises(TrajectoryError, match="no joint state yet"):
            c.set_trajectory(partial, T0)
    c.update_state(Q0, np.zeros(2), T0 - 5 * S)
    out = c.step(T0)
    assert (out.mode, out.effort) == ("waiting", None) and "5.000 s old" in out.reason


def test_joints_that_move_at_switch_on_are_slowed_down():
    c = controller(max_deceleration=4.0)
    c.update_state(Q0, (1.0, -0.5), T0)
    outputs = follow(c, T0, S)
    assert outputs[0].mode == "stopping" and outputs[-1].mode == "hold"
    np.testing.assert_allclose(outputs[0].qd_d, (1.0, -0.5), atol=1e-9)
    assert np.abs(stack(outputs, "qdd_d")).max() == pytest.approx(4.0, rel=1e-3)


def test_ramp_leads_from_gravity_torque_to_the_command():
    """The damping of an arm that cannot follow comes in over the ramp, not in one step."""
    c = controller(ramp_ns=200 * MS)
    efforts = []
    for k in range(300):
        c.update_state(Q0, (0.5, 0.0), T0 + k * MS)
        out = c.step(T0 + k * MS)
        efforts.append(out.effort)
    np.testing.assert_allclose(efforts[0], gravity_of(Q0), rtol=1e-6)
    np.testing.assert_allclose(efforts[250], out.required, rtol=0.2)
    wanted = np.abs(out.required - gravity_of(Q0)).max()
    assert wanted > 5.0
    assert np.abs(np.diff(efforts, axis=0)).max() < 0.02 * wanted


# Bounds of the effort.


def test_effort_is_clamped_and_says_so():
    c = holding(effort_limit=(40.0, np.nan))
    c.update_state((Q0[0] - 0.5, Q0[1] - 0.5), np.zeros(2), T0)
    out = c.step(T0)
    assert out.effort[0] == 40.0 and out.required[0] > 150.0
    assert out.effort[1] == out.required[1] > 15.0  # NaN: not limited
    assert out.saturated.tolist() == [True, False]
    assert out.reason == "effort limit reached: shoulder"
    np.testing.assert_array_equal(holding().settings.effort_limit, (40.0, 15.0))


def test_effort_rate_is_bounded_per_joint():
    c = holding(max_effort_rate=(200.0, np.nan))
    previous = c.step(T0).effort
    c.update_state((Q0[0] - 0.05, Q0[1] - 0.05), np.zeros(2), T0)
    same_time = c.step(T0)
    assert same_time.effort[0] == pytest.approx(previous[0])
    for k in range(1, 40):
        out = c.step(T0 + k * MS)
        assert abs(out.effort[0] - previous[0]) <= 0.2 + 1e-9
        previous = out.effort
    assert out.required[0] - gravity_of(Q0)[0] == pytest.approx(15.0)
    assert out.effort[1] == pytest.approx(out.required[1])


# Losing the state.


def test_lost_state_leaves_gravity_then_nothing_and_comes_back_as_a_hold():
    c = holding(max_state_age_ns=100 * MS, zero_effort_after_ns=S)
    c.set_trajectory(motion(), T0)
    outputs = follow(c, T0, 400 * MS)
    last, pose = outputs[-1], outputs[-1].q_d
    assert c.step(T0 + 490 * MS).mode == "moving"
    out = c.step(T0 + 510 * MS)
    assert out.mode == "stale" and np.isnan(out.error).all()
    assert out.reason == "motion aborted: the joint state is 0.111 s old (allowed: 0.1 s)"
    np.testing.assert_allclose(out.effort, gravity_of(pose), rtol=1e-9)
    np.testing.assert_allclose(c.safe_effort(), gravity_of(pose), rtol=1e-9)
    np.testing.assert_allclose(c.step(T0 + 1300 * MS).effort, out.effort)
    with pytest.raises(TrajectoryError, match="joint state is 0.111 s old"):
        c.set_trajectory(motion(), T0 + 1310 * MS)
    off = c.step(T0 + 1410 * MS)
    assert off.mode == "off" and not off.effort.any() and not c.safe_effort().any()
    assert [level for level, _ in c.take_messages()] == ["error"]
    assert c.counters["state_lost"] == 1 and last.mode == "moving"

    fallen = (0.1, -0.2)
    c.update_state(fallen, np.zeros(2), T0 + 5 * S)
    back = c.step(T0 + 5 * S)
    assert back.mode == "hold" and "aborted" in back.reason
    np.testing.assert_allclose(back.q_d, fallen)
    np.testing.assert_allclose(back.effort, 0.0, atol=1e-9)  # the ramp starts at what was sent
    outputs = follow(c, T0 + 5 * S, 300 * MS)
    np.testing.assert_allclose(outputs[-1].effort, gravity_of(fallen), rtol=1e-9)
    assert np.abs(np.diff(stack(outputs, "effort"), axis=0)).max() < 0.2
    c.set_trajectory(motion(), T0 + 5300 * MS)
    assert c.step(T0 + 5300 * MS).reason == ""


def test_gravity_can_be_kept_for_ever():
    c = holding(zero_effort_after_ns=None)
    out = c.step(T0 + 1000 * S)
    assert out.mode == "stale"
    np.testing.assert_allclose(out.effort, gravity_of(Q0), rtol=1e-9)


@pytest.mark.parametrize(
    ("q", "qd"),
    [
        ((0.4, np.nan), (0, 0)),
        ((np.inf, 0.0), (0, 0)),
        ((0.4, -0.7), (0.0, -np.inf)),
        ((0.4, 1e300), (0, 0)),
        ((0.4, -0.7), (1e308, np.nan)),
    ],
)
def test_states_that_are_not_finite_are_kept_out(q, qd):
    c = holding()
    before = c.step(T0)
    for k in range(50):
        assert not c.update_state(q, qd, T0 + k * MS)
    after = c.step(T0 + 50 * MS)
    np.testing.assert_array_equal(after.effort, before.effort)
    assert c.counters["state_not_finite"] == 50
    assert len(c.take_messages()) == 1
    assert c.step(T0 + 200 * MS).mode == "stale"


@pytest.mark.parametrize("velocity", [30.0, 9e8])
def test_a_velocity_no_joint_has_does_not_lead_the_arm_away(velocity):
    """One wrong sample at switch-on: 8 rad/s is the rating, 5 rad/s^2 the braking."""
    c = controller()
    c.update_state(Q0, (velocity, 0.0), T0)
    ends = c.step(T0).q_d[0], c.step(T0 + 1).q_d[0]
    assert abs(ends[1] - ends[0]) <= 8.0 * 1.1e-9
    assert c.end_ns - T0 < 10 * S


def test_an_arm_that_is_suddenly_elsewhere_is_held_there():
    c, there = holding(kp=3000.0), (1.2, 0.5)
    c.set_trajectory(motion(), T0)
    before = c.step(T0 + 10 * MS)
    c.update_state(there, np.zeros(2), T0 + 11 * MS)
    c.rejoin(T0 + 11 * MS)
    outputs = [c.step(T0 + 11 * MS), *follow(c, T0 + 12 * MS, 300 * MS)]
    np.testing.assert_allclose(outputs[0].effort, before.effort, atol=0.2)
    assert np.abs(np.diff(stack(outputs, "effort"), axis=0)).max() < 0.2
    np.testing.assert_allclose(outputs[-1].q_d, there)
    assert outputs[-1].mode == "hold" and "suddenly elsewhere" in outputs[-1].reason


def test_one_false_measurement_is_no_reason_to_stop():
    c = holding()
    c.set_trajectory(motion(), T0)
    c.update_state(Q0, np.zeros(2), T0 + MS)
    c.rejoin(T0 + MS)
    assert c.step(T0 + 2 * MS).mode == "moving"


def test_state_out_of_order_is_ignored():
    c = holding()
    assert not c.update_state((0.0, 0.0), np.zeros(2), T0 - 20 * MS)
    np.testing.assert_allclose(c.step(T0).error, 0.0, atol=1e-12)
    assert c.counters["state_out_of_order"] == 1
    with pytest.raises(ShapeError):
        c.update_state((0.0,), np.zeros(2), T0)


def test_time_that_jumps_back_aborts_and_holds_at_the_next_state():
    """A looped recording: 100 s, then 10 s; a straggler of the old time must not count."""
    c = holding()
    c.set_trajectory(motion(), T0)
    pose = follow(c, T0, 400 * MS)[-1].q_d
    early = T0 - 90 * S
    out = c.step(early)
    assert out.mode == "stale" and "time went back by 90.399 s" in out.reason
    assert out.reason.startswith("motion aborted")
    np.testing.assert_allclose(out.effort, gravity_of(pose), rtol=1e-9)
    c.update_state(pose + 0.3, np.zeros(2), T0 + 410 * MS)
    assert c.step(early + MS).mode == "stale"
    c.update_state(Q0, np.zeros(2), early + 2 * MS)
    out = c.step(early + 3 * MS)
    assert out.mode == "hold"
    np.testing.assert_allclose(out.q_d, Q0)
    assert c.counters["time_jumps"] == 1


def test_command_is_never_nan(monkeypatch):
    import robodyn_ros.control.computed_torque as module

    c = holding()
    c.set_trajectory(motion(), T0)
    follow(c, T0, 100 * MS)
    with monkeypatch.context() as patched:
        patched.setattr(module, "inverse_dynamics", lambda *_: np.full(2, np.nan))
        out = c.step(T0 + 100 * MS)
        assert out.mode == "stale" and "not finite" in out.reason
        assert np.isfinite(out.effort).all() and np.abs(out.effort).max() > 1.0
        patched.setattr(module, "gravity_torques", lambda *_: np.full(2, np.nan))
        assert c.step(T0 + 101 * MS).effort.tolist() == [0.0, 0.0]
        assert c.safe_effort().tolist() == [0.0, 0.0]
    assert c.counters["effort_not_finite"] >= 2
    out = c.step(T0 + 102 * MS)
    assert out.mode in ("hold", "stopping") and np.isfinite(out.effort).all()


# Settings.


def test_settings_come_from_the_model_and_are_checked():
    model = two_link()
    settings = ControllerSettings.for_model(model, kp=5.0, max_deceleration=(2.0, np.nan))
    np.testing.assert_array_equal(settings.kp, (5.0, 5.0))
    np.testing.assert_array_equal(settings.effort_limit, (40.0, 15.0))
    np.testing.assert_array_equal(settings.max_deceleration, (2.0, 5.0))
    assert np.isnan(settings.max_effort_rate).all()
    for name, value in {
        "law": "pid",
        "kp": (1.0, -1.0),
        "kd": (1.0, 1.0, 1.0),
        "max_deceleration": 0.0,
        "effort_limit": np.inf,
        "max_state_age_ns": 0,
        "zero_effort_after_ns": 1,
        "ramp_ns": -1,
        "positions_only": "quintic",
        "start_jump": "jump",
        "no_such": 1,
    }.items():
        with pytest.raises(ParameterError) as caught:
            ControllerSettings.for_model(model, **{name: value})
        assert caught.value.name == name
    with pytest.raises(ParameterError, match="1 numbers"):
        ComputedTorqueController(wheel(), settings)
