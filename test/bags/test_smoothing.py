# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Accelerations of recordings: exact where they can be, honest about noise, never over a hole."""

from dataclasses import replace

import numpy as np
import pytest
from recordings import PERIOD, T0, Samples, swing, two_link

from robodyn_ros.analysis.bags.smoothing import smooth

NAMES = ("a", "b")


def parabola(stamps: np.ndarray) -> Samples:
    t = (stamps - T0)[:, None] * 1e-9
    c = np.array([[0.3, -1.2], [0.5, 2.0]])
    return Samples(
        NAMES, c[0] * t + c[1] * t**2, c[0] + 2 * c[1] * t, np.zeros((len(t), 2)), stamps
    )


@pytest.mark.parametrize("velocities", [True, False])
def test_a_constant_acceleration_is_found_exactly_also_at_uneven_times(velocities: bool) -> None:
    rng = np.random.default_rng(1)
    stamps = T0 + np.cumsum(rng.integers(PERIOD // 2, 2 * PERIOD, 80))
    samples = parabola(stamps)
    if not velocities:
        samples = replace(samples, qd=np.full_like(samples.q, np.nan))
    motion = smooth(samples.recording())
    assert motion.usable[2:-2].all() and not motion.usable[[0, 1, -2, -1]].any()
    np.testing.assert_allclose(motion.qdd[2:-2], np.tile([1.0, 4.0], (76, 1)), rtol=1e-6)
    np.testing.assert_allclose(motion.qd[2:-2], parabola(stamps).qd[2:-2], atol=1e-8)
    assert motion.from_positions.all() == (not velocities)


def test_a_hole_is_not_bridged() -> None:
    stamps = T0 + np.arange(60) * PERIOD
    stamps[30:] += 400_000_000
    samples = parabola(stamps)
    samples.qd[30:] += 50.0
    motion = smooth(samples.recording())
    np.testing.assert_allclose(motion.qdd[motion.usable][:, 0], 1.0, rtol=1e-6)
    assert not motion.usable[28:32].any()


@pytest.mark.parametrize("window", [0.05, 0.2])
def test_the_stated_uncertainty_is_that_of_the_result(window: float) -> None:
    rng = np.random.default_rng(2)
    count, noise = 4000, np.array([0.01, 0.05])
    stamps = T0 + np.arange(count) * PERIOD
    samples = parabola(stamps)
    samples.qd += noise * rng.standard_normal((count, 2))
    motion = smooth(samples.recording(), window)
    truth = np.array([1.0, 4.0])
    actual = np.std(motion.qdd[motion.usable] - truth, axis=0)
    stated = np.median(motion.qdd_sigma[motion.usable], axis=0)
    np.testing.assert_allclose(stated, actual, rtol=0.1)


def test_a_wider_window_keeps_less_and_says_so() -> None:
    recording = swing(two_link(), 400).recording()
    narrow, wide = smooth(recording, 0.05), smooth(recording, 0.25)
    assert (narrow.window, wide.window) == (5, 25)
    assert narrow.bandwidth_hz > 4 * wide.bandwidth_hz > 4.0
    frequency = wide.bandwidth_hz
    t = np.arange(400)[:, None] * PERIOD * 1e-9
    wave = np.sin(2 * np.pi * frequency * t) * np.ones((1, 2))
    samples = Samples(NAMES, wave, np.full_like(wave, np.nan), wave, T0 + np.arange(400) * PERIOD)
    motion = smooth(samples.recording(), 0.25)
    rate = np.abs(motion.qd[motion.usable]).max() / (2 * np.pi * frequency)
    assert rate == pytest.approx(np.sqrt(0.5), abs=0.02)


def test_too_short_a_recording_has_no_acceleration() -> None:
    motion = smooth(parabola(T0 + np.arange(4) * PERIOD).recording())
    assert not motion.usable.any() and np.isnan(motion.qdd).all()
