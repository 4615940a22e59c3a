# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Torque monitor against closed forms: hysteresis, RMS, heat, and the torque of a known motion."""

import numpy as np
import pytest

from robodyn_ros.dynamics.inverse_dynamics import inverse_dynamics
from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.specs import JointSpec, LinkSpec
from robodyn_ros.monitor import MonitorSettings, TorqueMonitor

NAN = float("nan")
SECOND = 1_000_000_000
MS = 1_000_000
T0 = 1_700_000_000 * SECOND


def double_pendulum():
    """Two links turning about y: masses 1 and 0.5 kg, lengths 0.5 and 0.4 m."""
    links = [
        LinkSpec("base"),
        LinkSpec("a", 1.0, np.array([0.25, 0, 0]), np.diag([0.001, 0.02, 0.02])),
        LinkSpec("b", 0.5, np.array([0.2, 0, 0]), np.diag([0.0005, 0.008, 0.008])),
    ]
    y = np.array([0.0, 1.0, 0.0])
    joints = [
        JointSpec("j1", "continuous", "base", "a", axis=y),
        JointSpec("j2", "continuous", "a", "b", position=np.array([0.5, 0, 0]), axis=y),
    ]
    return RobotModel.from_specs("double_pendulum", links, joints)


MODEL = double_pendulum()


def monitor(peak=(30.0, 10.0), continuous=(15.0, 5.0), tau=(60.0, 60.0), **judging):
    return TorqueMonitor(MODEL, MonitorSettings(peak, continuous, tau, **judging))


def feed(watch, efforts, start=T0, step=MS):
    """Command a series of efforts of j1 (j2: none at all); the stamp after the last."""
    for k, effort in enumerate(efforts):
        watch.update_command([effort, 0.0], start + k * step)
    return start + len(efforts) * step


# Peak rating.


def test_flicker_around_the_limit_is_one_event():
    watch = monitor()
    feed(watch, [29.99, 30.01] * 500)
    (event,) = watch.take_events()
    assert (event.joint, event.kind, event.phase) == ("j1", "peak", "enter")
    assert event.stamp_ns == T0 + MS and event.limit == 30.0
    feed(watch, [29.41, 29.39], start=T0 + SECOND)  # released below 30 * 0.98 = 29.4
    (event,) = watch.take_events()
    assert event.phase == "leave" and event.peak_value == 30.01
    assert event.duration_ns == SECOND + MS - MS
    assert "30.01" in str(event) and "1000 ms" in str(event)


def test_short_overload_between_reports_is_not_lost():
    # j1 saturates for 10 s at 1 kHz; after 0.5 s j2 is above its peak for 5 ms
    watch = monitor()
    for k in range(10_000):
        second = -11.0 if 500 <= k < 505 else 1.0
        watch.update_command([31.0, second], T0 + k * MS)
    report = watch.take_report(T0 + 10_000 * MS)
    assert report.status == ("above_peak", "above_peak") and report.worst == "above_peak"
    np.testing.assert_array_equal(report.effort, [31.0, 11.0])
    np.testing.assert_allclose(report.utilisation, [31 / 30, 1.1])
    assert report.effort_stamp_ns[1] == T0 + 500 * MS
    peaks = [e for e in watch.take_events() if e.kind == "peak"]
    assert [(e.joint, e.phase) for e in peaks] == [
        ("j1", "enter"), ("j2", "enter"), ("j2", "leave"),
    ]  # fmt: skip
    assert peaks[2].duration_ns == 5 * MS and peaks[2].peak_value == 11.0
    # what is over is over, what lasts is told again
    watch.update_command([31.0, 1.0], T0 + 10_000 * MS)
    assert watch.take_report(T0 + 10_001 * MS).status == ("above_peak", "ok")


def test_exactly_at_the_limit_is_ok_and_sign_does_not_matter():
    watch = monitor(rms_window_s=100.0)
    feed(watch, [30.0, -30.0])
    assert watch.take_report(T0 + 2 * MS).status == ("ok", "ok")
    feed(watch, [-30.1], start=T0 + 2 * MS)
    assert watch.take_report(T0 + 3 * MS).status[0] == "above_peak"


# Unknown is never OK.


def test_no_effort_yet_and_none_any_more():
    watch = monitor()
    assert watch.take_report(T0).status == ("no_effort", "no_effort")
    end = feed(watch, [1.0] * 10)
    assert watch.take_report(end).status == ("ok", "ok")
    assert watch.take_report(end + SECOND).status == ("no_effort", "no_effort")


def test_nan_effort_is_no_effort():
    watch = monitor()
    watch.update_command([NAN, 1.0], T0)
    report = watch.take_report(T0)
    assert report.status == ("no_effort", "ok")
    assert np.isnan(report.effort[0]) and np.isnan(report.utilisation[0])
    assert np.isnan(report.rms[0]) and report.rms[1] == 0.0
    # one sample without effort among good ones is told as well
    feed(watch, [1.0, NAN, 1.0], start=T0 + MS)
    assert watch.take_report(T0 + 4 * MS).status == ("no_effort", "ok")
    feed(watch, [1.0], start=T0 + 4 * MS)
    assert watch.take_report(T0 + 5 * MS).status == ("ok", "ok")


def test_nan_while_above_does_not_end_the_overload():
    watch = monitor()
    feed(watch, [31.0, NAN, NAN])
    assert [e.phase for e in watch.take_events()] == ["enter"]
    assert watch.take_report(T0 + 3 * MS).status[0] == "above_peak"


@pytest.mark.parametrize("absurd", [float("inf"), 1e300])
def test_absurd_effort_is_above_peak_and_poisons_nothing(absurd):
    watch = monitor()
    end = feed(watch, [absurd] + [3.0] * 10)
    report = watch.take_report(end)
    assert report.status[0] == "above_peak"
    assert np.isfinite(report.rms).all() and report.thermal[0] < 0.1


def test_missing_rating_is_not_checked():
    watch = monitor(peak=(NAN, 10.0), continuous=(NAN, NAN), tau=(60.0, 60.0))
    end = feed(watch, [1e6] * 10)
    report = watch.take_report(end)
    assert report.status == ("not_checked", "not_checked")
    assert np.isnan(report.utilisation[0]) and report.utilisation[1] == 0.0
    assert np.isnan(report.rms_utilisation).all() and np.isnan(report.thermal).all()
    watch.update_command([0.0, 10.1], end)  # the rating that is known still counts
    assert watch.take_report(end).status == ("not_checked", "above_peak")


# Continuous rating: RMS and heat.


def test_rms_of_a_square_wave():
    # 20 N m for 0.1 s of every 0.4 s: RMS = 20 / 2
    watch = monitor(peak=(50.0, 10.0), rms_window_s=2.0)
    for k in range(3000):
        watch.update_command([20.0 if k % 400 < 100 else 0.0, 0.0], T0 + k * MS)
        if k >= 2000:
            assert watch.rms[0] == pytest.approx(10.0, abs=0.26)  # half an oldest bin at most
    assert watch.rms[1] == 0.0
    watch.update_command([0.0, 0.0], T0 + 3200 * MS)
    assert watch.rms[0] == pytest.approx(10.0, rel=1e-12)  # whole periods in whole bins


def test_rms_of_a_sine_does_not_depend_on_the_rate():
    for step in (MS, 3 * MS, 7 * MS):
        watch = monitor(peak=(50.0, 10.0), rms_window_s=2.0)
        times = np.arange(0, 4 * SECOND, step)
        for t in times:
            watch.update_command([20.0 * np.sin(2 * np.pi * t / SECOND), 0.0], T0 + int(t))
        assert watch.rms[0] == pytest.approx(20.0 / np.sqrt(2.0), rel=0.01)


def test_rms_grows_from_zero_and_passes_the_rating_when_it_must():
    # constant 30 against 15 in a window of 10 s: RMS = 30 sqrt(t / 10) reaches 15 at 2.5 s
    watch = monitor(peak=(40.0, 10.0))
    feed(watch, [30.0] * 2400)
    assert watch.rms[0] == pytest.approx(30.0 * np.sqrt(0.2399), rel=1e-9)
    assert watch.take_report(T0 + 2400 * MS).status == ("ok", "ok")
    feed(watch, [30.0] * 200, start=T0 + 2400 * MS)
    report = watch.take_report(T0 + 2600 * MS)
    assert report.status == ("above_continuous", "ok")
    (event,) = watch.take_events()
    assert event.kind == "continuous" and event.limit == 15.0
    assert event.stamp_ns == pytest.approx(T0 + 2500 * MS, abs=MS)
    # at rest it comes down: the burst of 2.6 s leaves the window, back below 14.7 in between
    feed(watch, [0.0] * 1100, start=T0 + 2600 * MS, step=10 * MS)
    (event,) = watch.take_events()
    assert event.phase == "leave" and event.peak_value == pytest.approx(30 * np.sqrt(0.26))
    assert watch.rms[0] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("step", [MS, 100 * MS, 400 * MS])
def test_heat_follows_the_first_order_response(step):
    # 30 N m on a rating of 15: T = 4 (1 - exp(-t / tau)), whatever the rate
    watch = monitor(peak=(40.0, 10.0), tau=(8.0, NAN))
    count = 4 * SECOND // step
    feed(watch, [30.0] * (count + 1), step=step)
    assert watch.thermal[0] == pytest.approx(4.0 * (1.0 - np.exp(-4.0 / 8.0)), rel=1e-9)
    assert np.isnan(watch.thermal[1])


def test_overheating_is_told_when_it_happens_and_rest_cools():
    watch = monitor(peak=(40.0, 10.0), tau=(8.0, 8.0), rms_window_s=1000.0)
    end = feed(watch, [30.0] * 300, step=10 * MS)  # 3 s, T = 1.25 at the end
    report = watch.take_report(end)
    assert report.status == ("overheated", "ok")
    (event,) = watch.take_events()
    assert event.kind == "thermal"
    assert event.stamp_ns == pytest.approx(T0 + 8.0 * np.log(4 / 3) * SECOND, abs=10 * MS)
    hot = watch.thermal[0]
    feed(watch, [0.0] * 401, start=end - 10 * MS, step=10 * MS)
    assert watch.thermal[0] == pytest.approx(hot * np.exp(-0.5), rel=1e-9)


def test_holding_the_continuous_rating_never_overheats():
    watch = monitor(tau=(1.0, 1.0), initial_thermal=0.5)
    feed(watch, [15.0] * 400, step=100 * MS)
    assert 0.999 < watch.thermal[0] <= 1.0
    assert watch.take_events() == []


def test_in_a_gap_nothing_cools_and_nothing_is_forgotten():
    watch = monitor(peak=(40.0, 10.0), tau=(8.0, 8.0))
    end = feed(watch, [30.0] * 1001)  # 1 s, the last one held 0.5 s into the gap
    feed(watch, [30.0], start=end - MS + 60 * SECOND)
    assert watch.thermal[0] == pytest.approx(4.0 * (1.0 - np.exp(-1.5 / 8.0)), rel=1e-9)
    assert watch.rms[0] == pytest.approx(30.0 * np.sqrt(0.15), rel=1e-9)
    assert watch.thermal[1] == 0.0


def test_rms_window_is_exact_over_a_long_run():
    watch = monitor(rms_window_s=0.5)
    feed(watch, [7.0] * 20_000, step=3 * MS)
    assert watch.rms[0] == pytest.approx(7.0, rel=1e-12)


# Time.


def test_out_of_order_command_is_ignored():
    watch = monitor()
    feed(watch, [5.0, 6.0])
    watch.update_command([40.0, 0.0], T0 - 20 * MS)
    assert watch.effort[0] == 6.0 and watch.counters["out_of_order"] == 1
    assert watch.take_events() == []


def test_time_restarts_but_the_motors_stay_hot():
    watch = monitor(peak=(29.0, 10.0), tau=(8.0, 8.0))
    feed(watch, [30.0] * 3001)
    hot = watch.thermal[0]
    assert hot > 1.2 and watch.rms[0] > 15.0
    watch.take_events()
    watch.update_command([1.0, 0.0], 10 * SECOND)
    assert watch.thermal[0] == hot and watch.rms[0] == 0.0
    events = watch.take_events()
    assert [(e.kind, e.phase) for e in events] == [
        ("peak", "leave"), ("continuous", "leave"), ("thermal", "leave"), ("thermal", "enter"),
    ]  # fmt: skip
    assert all(e.duration_ns >= 0 for e in events)
    assert events[-1].stamp_ns == 10 * SECOND


def test_events_are_bounded_and_the_rest_counted():
    watch = monitor()
    feed(watch, [0.0, 40.0] * 2000)
    assert len(watch.take_events()) == 1000
    assert watch.counters["events_not_kept"] > 2000


# The model's torque.


def test_model_torque_with_given_acceleration():
    watch = monitor()
    q, qd, qdd = [0.3, -0.7], [0.5, 1.5], [2.0, -3.0]
    watch.update_state(q, qd, qdd, T0)
    np.testing.assert_allclose(watch.model_torque, inverse_dynamics(MODEL, q, qd, qdd), rtol=1e-14)
    assert watch.model_torque_stamp_ns == T0
    report = watch.take_report(T0)
    np.testing.assert_array_equal(report.model_torque, np.abs(watch.model_torque))
    assert report.model_reason == ""


def moving(t):
    """Smooth motion of both joints; q, qd, qdd (2,) at t seconds."""
    w, a = np.array([2.0, 3.0]), np.array([0.8, 0.5])
    return a * np.sin(w * t), a * w * np.cos(w * t), -a * w * w * np.sin(w * t)


@pytest.mark.parametrize(("rate", "delay_ms"), [(1000, 15.5), (250, 15.5), (50, 20.0)])
def test_estimated_acceleration_gives_the_torque_of_a_moment_ago(rate, delay_ms):
    watch = monitor()
    for k in range(2 * rate):
        q, qd, _ = moving(k / rate)
        stamp = T0 + k * SECOND // rate
        watch.update_state(q, qd, None, stamp)
        if k < 2:
            assert np.isnan(watch.model_torque).all() and "samples" in watch.model_reason
        if k > rate:
            delay = (stamp - watch.model_torque_stamp_ns) / MS
            assert delay == pytest.approx(delay_ms, abs=2.0)
            truth = inverse_dynamics(MODEL, *moving((watch.model_torque_stamp_ns - T0) / SECOND))
            np.testing.assert_allclose(watch.model_torque, truth, atol=0.02)


def test_noise_of_the_velocity_is_filtered():
    rng = np.random.default_rng(7)
    watch = monitor()
    errors = []
    for k in range(2000):
        q, qd, _ = moving(k / 1000)
        watch.update_state(q, qd + rng.normal(scale=1e-3, size=2), None, T0 + k * MS)
        if k > 50:
            truth = inverse_dynamics(MODEL, *moving((watch.model_torque_stamp_ns - T0) / SECOND))
            errors.append(watch.model_torque - truth)
    # inertia of joint 1 is at most 0.41 kg m^2; plain differences would be wrong by 0.5 N m
    assert np.std(errors) < 0.02


def test_stamps_a_microsecond_apart_do_no_harm():
    watch = monitor()
    for k in range(100):
        q, qd, _ = moving(k / 1000)
        watch.update_state(q, qd, None, T0 + k * MS)
        watch.update_state(q, qd + 1e-4, None, T0 + k * MS + 1000)
    truth = inverse_dynamics(MODEL, *moving((watch.model_torque_stamp_ns - T0) / SECOND))
    np.testing.assert_allclose(watch.model_torque, truth, atol=0.02)


def test_without_velocity_the_model_torque_is_not_available():
    watch = monitor(source="model")
    for k in range(50):
        q, qd, _ = moving(k / 1000)
        watch.update_state(q, qd, None, T0 + k * MS)
        if k == 10:
            assert watch.take_report(T0 + k * MS).status == ("no_effort", "no_effort")
    assert watch.take_report(T0 + 50 * MS).status == ("ok", "ok")
    watch.update_state(q, [0.1, NAN], None, T0 + 50 * MS)
    assert np.isnan(watch.model_torque).all() and watch.model_reason == "no velocity measured"
    assert watch.take_report(T0 + 50 * MS).status == ("no_effort", "no_effort")
    watch.update_state([NAN, 0.0], qd, None, T0 + 51 * MS)
    assert watch.model_reason == "no position measured"


def test_gap_and_restart_begin_the_estimate_anew():
    watch = monitor()
    for k in range(50):
        q, qd, _ = moving(k / 1000)
        watch.update_state(q, qd, None, T0 + k * MS)
    watch.update_state(q, qd, None, T0 + SECOND)
    assert np.isnan(watch.model_torque).all()
    for k in range(5):
        watch.update_state(q, qd, None, T0 - 100 * SECOND + k * MS)
    assert abs(watch.model_torque_stamp_ns - (T0 - 100 * SECOND)) < 10 * MS


def test_source_measured_and_model():
    watch = monitor(source="measured")
    watch.update_command([99.0, 0.0], T0)
    watch.update_state([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], T0, effort=[31.0, NAN])
    assert watch.take_report(T0).status == ("above_peak", "no_effort")
    watch.update_state([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], T0 + MS)
    assert watch.take_report(T0 + MS).status == ("above_peak", "no_effort")

    watch = monitor(peak=(5.0, 5.0), continuous=(4.0, 4.0), source="model")
    watch.update_state([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], T0)  # gravity: 1.25 g * 0.5.. = 5.886
    report = watch.take_report(T0)
    assert report.status == ("above_peak", "ok")
    assert report.effort[0] == pytest.approx(9.81 * (0.25 + 0.5 * 0.7))


# Border.


def test_wrong_sizes_are_refused():
    watch = monitor()
    with pytest.raises(ShapeError, match="2 joints"):
        watch.update_command([1.0], T0)
    with pytest.raises(ShapeError, match="qd"):
        watch.update_state([0.0, 0.0], [], None, T0)
    with pytest.raises(ShapeError, match="3 joints"):
        TorqueMonitor(MODEL, MonitorSettings([1.0] * 3, [NAN] * 3, [NAN] * 3))


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"peak": (0.0, 10.0)}, "peak"),
        ({"peak": (-1.0, 10.0)}, "peak"),
        ({"peak": (float("inf"), 10.0)}, "peak"),
        ({"continuous": (31.0, 5.0)}, "continuous"),
        ({"continuous": (5.0,)}, "continuous"),
        ({"tau": (0.0, 1.0)}, "thermal_time_constant"),
        ({"rms_window_s": 0.0}, "rms_window_s"),
        ({"rms_window_s": NAN}, "rms_window_s"),
        ({"hysteresis": 1.0}, "hysteresis"),
        ({"source": "current"}, "source"),
        ({"initial_thermal": -1.0}, "initial_thermal"),
    ],
)
def test_settings_that_make_no_sense(change, name):
    with pytest.raises(ParameterError) as caught:
        monitor(**change)
    assert caught.value.name == name


def test_ratings_from_the_models_limits():
    limits = JointLimits.unknown(2).replace(
        ["j1", "j2"], {"j2": {"effort": 12.0, "effort_continuous": 6.0}}
    )
    settings = MonitorSettings.from_limits(limits, rms_window_s=3.0)
    np.testing.assert_array_equal(settings.peak, [NAN, 12.0])
    np.testing.assert_array_equal(settings.continuous, [NAN, 6.0])
    assert settings.rms_window_s == 3.0
