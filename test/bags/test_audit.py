# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What an audit finds in recordings with a known truth."""

from dataclasses import replace

import numpy as np
import pytest
from recordings import Samples, swing, two_link

from robodyn_ros import JointFriction, gravity_torques, inverse_dynamics
from robodyn_ros.analysis.bags.audit import Audit, audit
from robodyn_ros.analysis.bags.comparison import hints
from robodyn_ros.analysis.bags.report import as_data, as_html, as_text
from robodyn_ros.dynamics.effort_load import (
    SlidingMeanSquare,
    ThermalState,
    mean_square_series,
    thermal_series,
)


@pytest.fixture(scope="module")
def samples() -> Samples:
    return swing(two_link(), 600, 4_000_000)


def audited(samples: Samples, **options: object) -> Audit:
    return audit(two_link(), samples.recording(), **options)  # type: ignore[arg-type]


def codes(result: Audit) -> set[str]:
    return {finding.code for finding in result.findings}


def with_effort(samples: Samples, effort: np.ndarray) -> Samples:
    return replace(samples, effort=effort)


def test_a_perfect_recording_agrees_with_the_model(samples: Samples) -> None:
    result = audited(samples)
    inner = result.motion.usable
    np.testing.assert_allclose(result.torque[inner], samples.effort[inner], atol=0.05)
    for row, load in zip(result.comparisons, result.loads, strict=True):
        assert row.correlation > 0.9999 and row.scale == pytest.approx(1.0, abs=5e-3)
        assert row.rms_difference < 0.02 and row.delay_s == 0.0
        assert abs(row.coulomb) < 5e-3 and abs(row.viscous) < 5e-3
        peak = np.abs(samples.effort[inner]).max(axis=0)[result.loads.index(load)]
        assert load.peak_torque == pytest.approx(peak, rel=2e-3)
    assert not {f.code for f in result.findings if f.category == "model"}


def test_friction_and_offset_are_told_apart(samples: Samples) -> None:
    coulomb, viscous, offset = np.array([0.5, 0.3]), np.array([0.4, 0.2]), np.array([0.0, 0.3])
    extra = coulomb * np.sign(samples.qd) + viscous * samples.qd + offset
    result = audited(with_effort(samples, samples.effort + extra))
    for i, row in enumerate(result.comparisons):
        assert row.coulomb == pytest.approx(coulomb[i], rel=0.02)
        assert row.viscous == pytest.approx(viscous[i], rel=0.02)
        assert row.offset == pytest.approx(offset[i], abs=0.01)
        assert row.scale == pytest.approx(1.0, abs=5e-3)
    assert not codes(result) & {"effort_scale", "effort_delay", "effort_sign"}
    known = audited(
        with_effort(samples, samples.effort + extra), friction=JointFriction(viscous, coulomb)
    )
    assert all(abs(row.coulomb) < 5e-3 for row in known.comparisons)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda e: e * [-1.0, 1.0], "effort_sign"),
        (lambda e: e * [1.0, 1.667], "effort_scale"),
        (lambda e: np.roll(e, 10, axis=0), "effort_delay"),
    ],
)
def test_faults_of_the_measured_effort_are_named(samples: Samples, change, code: str) -> None:  # type: ignore[no-untyped-def]
    result = audited(with_effort(samples, change(samples.effort)))
    assert code in codes(result)
    finding = next(f for f in result.findings if f.code == code)
    if code == "effort_delay":
        assert finding.value == pytest.approx(0.04, abs=0.005)
    if code == "effort_scale":
        assert finding.joint == "elbow" and finding.value == pytest.approx(1.667, rel=0.01)


def test_swapped_joints_are_named() -> None:
    model = np.random.default_rng(5).standard_normal((500, 3))
    found = hints([], model[:, [0, 2, 1]], model, np.zeros_like(model), ("a", "b", "c"))
    swapped = [finding for finding in found if finding.code == "swapped_joints"]
    assert len(swapped) == 1 and "b" in swapped[0].text and "c" in swapped[0].text


def test_effort_without_gravity_is_recognised(samples: Samples) -> None:
    model = two_link()
    result = audited(with_effort(samples, samples.effort - gravity_torques(model, samples.q)))
    assert "gravity_compensated" in codes(result)


def test_joints_without_measured_effort_are_left_out(samples: Samples) -> None:
    effort = samples.effort.copy()
    effort[:, 1] = np.nan
    result = audited(with_effort(samples, effort))
    assert [row.joint for row in result.comparisons] == ["shoulder"]
    assert next(f for f in result.findings if f.code == "no_effort").joint == "elbow"
    assert np.isfinite([load.peak_torque for load in result.loads]).all()


def test_exceeded_ratings_are_errors_with_time_and_value(samples: Samples) -> None:
    model = two_link()
    limits = model.limits.replace(
        model.joint_names,
        {"shoulder": {"effort": 8.0, "effort_continuous": 2.0, "thermal_time_constant": 0.5}},
    )
    result = audit(model.with_limits(limits), samples.recording())
    errors = {f.code: f for f in result.findings if f.severity == "error"}
    assert errors.keys() == {"peak_torque", "continuous_torque", "heat"}
    peak = errors["peak_torque"]
    inner = result.motion.usable
    worst = np.flatnonzero(inner)[np.abs(samples.effort[inner, 0]).argmax()]
    assert peak.joint == "shoulder" and peak.limit == 8.0
    assert peak.time_s == pytest.approx(worst * 0.004, abs=0.008)
    assert result.largest_speed < 1.0


def test_the_largest_speed_is_where_the_rating_is_reached(samples: Samples) -> None:
    result = audited(samples)
    model = two_link()
    factor = result.largest_speed
    assert 1.0 < factor < np.inf
    inner = result.motion.usable
    motion = result.motion
    faster = inverse_dynamics(
        model, motion.q[inner], factor * motion.qd[inner], factor**2 * motion.qdd[inner]
    )
    assert np.max(np.abs(faster) / model.limits.effort) == pytest.approx(1.0, abs=1e-9)
    again = audited(samples, speed=factor)
    assert again.largest_speed == pytest.approx(factor**2 / factor, rel=1e-9)
    assert max(a.peak_torque / a.peak_rating for a in again.loads) == pytest.approx(1.0, abs=1e-9)


def test_a_single_message_gives_the_torque_of_gravity(samples: Samples) -> None:
    one = Samples(
        samples.names, samples.q[:1], samples.qd[:1], samples.effort[:1], samples.header_ns[:1]
    )
    result = audited(one)
    expected = np.abs(gravity_torques(two_link(), samples.q[0]))
    np.testing.assert_allclose([load.peak_torque for load in result.loads], expected)
    assert "too_short" in codes(result) and not result.comparisons


def test_the_uncertainty_of_the_torque_covers_the_truth(samples: Samples) -> None:
    rng = np.random.default_rng(3)
    noisy = replace(samples, qd=samples.qd + 0.01 * rng.standard_normal(samples.qd.shape))
    result = audited(noisy)
    inner = result.motion.usable
    off = (result.torque - samples.effort)[inner] / result.torque_sigma[inner]
    assert 0.8 < np.std(off) < 1.3


def test_reports_have_no_nan_and_nothing_foreign(samples: Samples, tmp_path) -> None:  # type: ignore[no-untyped-def]
    import json

    named = replace(samples, names=("shoulder", "elbow"))
    result = audited(named)
    data = as_data(result, {"bag": "<b>"})
    text = json.dumps(data, allow_nan=False)
    assert json.loads(text)["schema"] == "robodyn.bag/1"
    assert data["joints"][0]["heat"] is None or data["joints"][0]["heat"] >= 0.0
    picture = tmp_path / "torque.png"
    picture.write_bytes(b"png")
    page = as_html(result, "<script>alert(1)</script>", picture)
    assert "<script" not in page and "http" not in page and "shoulder" in page
    assert "shoulder" in as_text(result)


def test_series_do_what_the_live_monitor_does() -> None:
    rng = np.random.default_rng(4)
    square, durations = 9.0 * rng.random((3000, 3)), 0.02 * rng.random(3000)
    continuous, constant = np.array([1.0, 2.0, np.nan]), np.array([0.05, 10.0, 3.0])
    live = ThermalState(continuous, constant, 0.2)
    window = SlidingMeanSquare(3, 2_000_000_000)
    heat, means = [live.temperature], []
    for each, seconds in zip(square, durations, strict=True):
        live.add(each, seconds)
        heat.append(live.temperature)
        window.add(each, round(seconds * 1e9))
        means.append(window.mean_square)
    found = thermal_series(square, durations, continuous, constant, 0.2)
    np.testing.assert_allclose(found, heat, rtol=1e-9)
    np.testing.assert_allclose(mean_square_series(square, durations, 2.0), means, atol=0.02)
