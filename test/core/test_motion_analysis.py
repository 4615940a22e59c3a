# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Summary numbers of a recorded motion."""

import numpy as np
import pytest

from robodyn_ros.analysis.motion import MotionRecording, summarise, table
from robodyn_ros.analysis.plots import plot_motion
from robodyn_ros.errors import ShapeError


def motion(samples: int = 401) -> MotionRecording:
    """Joint a swings with an error of 0.01 rad, joint b has torque for half the time only."""
    # Uneven on purpose: most samples crowd at the start.
    time = 10.0 + 2.0 * np.linspace(0.0, 1.0, samples) ** 2
    phase = np.pi * (time - 10.0)
    torque = np.column_stack([-8.0 * np.sin(phase), np.where(time < 11.0, 2.0, 0.0)])
    reference = np.column_stack([3.0 * np.sin(phase), 0.0 * phase])
    error = np.column_stack([0.01 * np.cos(phase), 0.0 * phase])
    return MotionRecording(("a", "b"), time, reference, error, torque, torque)


def test_peaks_and_means_over_time_not_over_samples() -> None:
    a, b = summarise(motion(), peak=np.array([10.0, np.nan]), continuous=np.array([4.0, 1.0]))
    assert a.peak_torque == pytest.approx(8.0, rel=1e-3)
    assert a.peak_time in (pytest.approx(0.5, abs=0.01), pytest.approx(1.5, abs=0.01))
    assert a.rms_torque == pytest.approx(8.0 / np.sqrt(2.0), rel=1e-3)
    assert a.peak_utilisation == pytest.approx(0.8, rel=1e-3)
    assert a.continuous_utilisation == pytest.approx(np.sqrt(2.0), rel=1e-3)
    assert a.rms_error == pytest.approx(0.01 / np.sqrt(2.0), rel=1e-3)
    assert a.max_error == pytest.approx(0.01, rel=1e-3)
    assert b.rms_torque == pytest.approx(np.sqrt(2.0), rel=1e-2)
    assert np.isnan(b.peak_utilisation)


def test_table_marks_unknown_ratings() -> None:
    text = table(summarise(motion(), np.array([10.0, np.nan]), np.array([4.0, 1.0])))
    assert text.splitlines()[2].split()[:4] == ["a", "8.00", "10.0", "80%"]
    assert "?" in text.splitlines()[3]


def test_a_part_of_the_motion_and_missing_torques() -> None:
    whole = motion()
    part = whole.between(10.5, 11.0)
    assert part.time.min() >= 10.5 and part.time.max() <= 11.0
    required = whole.required.copy()
    required[::2] = np.nan
    gaps = MotionRecording(
        whole.joint_names, whole.time, whole.reference, whole.error, required, whole.applied
    )
    a, _ = summarise(gaps, np.full(2, np.nan), np.full(2, np.nan))
    assert a.rms_torque == pytest.approx(8.0 / np.sqrt(2.0), rel=1e-2)
    with pytest.raises(ShapeError, match="at least 2"):
        summarise(whole.between(0.0, 1.0), np.full(2, np.nan), np.full(2, np.nan))


def test_the_plot_is_a_picture(tmp_path) -> None:
    path = plot_motion(
        motion(),
        np.array([10.0, np.nan]),
        np.array([4.0, 1.0]),
        tmp_path / "motion.png",
        "two joints",
        spans=[(0.5, 1.0, "too fast")],
    )
    assert path.read_bytes().startswith(b"\x89PNG")
    from matplotlib.image import imread

    pixels = imread(path)
    assert pixels.shape[1] > 1000 and pixels[..., :3].std() > 0.05
