# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Velocities and accelerations of recorded joints, without delay, and how sure they are."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from robodyn_ros.analysis.bags.joints import JointRecording

Array = NDArray[np.float64]

WINDOW_S = 0.05
_FEWEST = 5  # samples in a window, and in a stretch that can be smoothed
_BLOCK = 65536


@dataclass(frozen=True, eq=False)
class SmoothMotion:
    """
    Motion at the stamps of a recording: q, qd, qdd (K, n).

    qdd_sigma (K, n): standard deviation of qdd, from the noise seen in the recording. usable
    (K,): where all of it is known; elsewhere the stretch was too short. window samples and
    bandwidth_hz (of the slope, -3 dB;
    NaN for one sample) say how much was smoothed. from_positions: velocities
    were not recorded for these joints.
    """

    q: Array
    qd: Array
    qdd: Array
    qdd_sigma: Array
    usable: NDArray[np.bool_]
    window: int
    bandwidth_hz: float
    from_positions: NDArray[np.bool_]


def smooth(recording: JointRecording, window_s: float = WINDOW_S) -> SmoothMotion:
    """
    Differentiate a recording with a parabola fitted to a window around each sample.

    The window is symmetric in samples, so nothing is delayed; half a window at both ends of a
    stretch stays unknown. Uneven sampling is honoured. qdd is the slope of the recorded
    velocities, or the curvature of the positions where a joint has none (its qd is then their
    slope).
    Source: Savitzky and Golay, Analytical Chemistry 36 (1964), as local least squares.
    """
    time = recording.time
    count = max(_FEWEST, round(window_s * 1e9 / max(time.period_ns, 1)) | 1)
    shape = recording.q.shape
    q, qd = recording.q.copy(), recording.qd.copy()
    qdd, sigma = np.full(shape, np.nan), np.full(shape, np.nan)
    bare = np.isnan(recording.qd).mean(axis=0) > 0.5
    for stretch in time.segments:
        samples = stretch.stop - stretch.start
        if samples < _FEWEST:
            continue
        seconds = (time.stamp_ns[stretch] - time.stamp_ns[stretch.start]) * 1e-9
        window = min(count, samples if samples % 2 else samples - 1)
        source = np.where(bare, recording.q[stretch], recording.qd[stretch])
        fit = _Parabolas(seconds, source, window)
        inner = slice(stretch.start + window // 2, stretch.stop - window // 2)
        slope, bend = fit.coefficients[:, 1], 2.0 * fit.coefficients[:, 2]
        qdd[inner] = np.where(bare, bend, slope)
        qd[inner] = np.where(bare, slope, qd[inner])
        sigma[inner] = fit.noise * np.where(bare, 2.0 * fit.gain[:, 2:3], fit.gain[:, 1:2])
    usable = (
        np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1) & np.isfinite(qdd).all(axis=1)
    )
    return SmoothMotion(q, qd, qdd, sigma, usable, count, _bandwidth(count, time.period_ns), bare)


class _Parabolas:
    """
    Parabola around each of K samples (K, n) at times (K,) that has a full window of W (odd).

    coefficients (K - W + 1, 3, n) of 1, t, t^2; gain (K - W + 1, 3): standard
    deviation of each per unit of noise; noise (n,): standard deviation of the samples around
    their parabolas.
    """

    def __init__(self, seconds: Array, samples: Array, window: int):
        times = sliding_window_view(seconds, window)
        values = sliding_window_view(samples, window, axis=0)
        count, half = len(times), window // 2
        self.coefficients = np.empty((count, 3, samples.shape[1]))
        self.gain = np.empty((count, 3))
        # in units of the window, so that the three powers are alike in size
        unit = (seconds[-1] - seconds[0]) * window / len(seconds)
        scale = unit ** -np.arange(3)
        for start in range(0, count, _BLOCK):
            block = slice(start, start + _BLOCK)
            offset = (times[block] - times[block, half, None]) / unit
            powers = np.stack([np.ones_like(offset), offset, offset**2], axis=1)
            inverse = np.linalg.inv(powers @ powers.swapaxes(1, 2))
            fitted = inverse @ (powers @ values[block].swapaxes(1, 2))
            self.coefficients[block] = fitted * scale[:, None]
            self.gain[block] = np.sqrt(np.einsum("kii->ki", inverse)) * scale
        # a parabola takes part of the noise with it, so the residual is smaller than the noise
        left = np.maximum(1.0 - self.gain[:, 0:1] ** 2, 1e-3)
        residual = (samples[half : half + count] - self.coefficients[:, 0]) / np.sqrt(left)
        self.noise: Array = 1.4826 * np.median(np.abs(residual), axis=0)


def _bandwidth(window: int, period_ns: int) -> float:
    """Frequency at which the slope of the parabola is 70.7 % of that of an oscillation."""
    if period_ns == 0:
        return float("nan")
    steps = np.arange(window) - window // 2
    turn = 2.0 * np.pi * np.linspace(1e-4, 0.5, 2000)  # rad per sample
    kept = np.sin(turn[:, None] * steps) @ (steps / (steps @ steps)) / turn
    below = np.flatnonzero(kept < np.sqrt(0.5))
    return float(turn[below[0]] / (2.0 * np.pi * period_ns * 1e-9))
