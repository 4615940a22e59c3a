# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A recorded motion: what was asked of the joints, what they did, and the torque it took."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.errors import ShapeError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MotionRecording:
    """
    Samples of one motion.

    time (T,) in s; reference joint positions and tracking error, reference minus measured at the
    moment of the measurement, (T, n) in rad (m); required torque (T, n), what the control law
    asked for, and applied torque, what was sent after clamping, both in N m (N). NaN where a value
    was not recorded.
    """

    joint_names: tuple[str, ...]
    time: Array
    reference: Array
    error: Array
    required: Array
    applied: Array

    def __post_init__(self) -> None:
        shape = (len(self.time), len(self.joint_names))
        for name in ("reference", "error", "required", "applied"):
            if getattr(self, name).shape != shape:
                raise ShapeError(f"{name} has shape {getattr(self, name).shape}, not {shape}")

    def between(self, start: float, end: float) -> "MotionRecording":
        """Keep the samples with start <= time <= end."""
        keep = (self.time >= start) & (self.time <= end)
        columns = (self.time, self.reference, self.error, self.required, self.applied)
        return MotionRecording(self.joint_names, *(column[keep] for column in columns))


@dataclass(frozen=True)
class JointSummary:
    """One joint of a motion against its ratings; NaN where a rating is unknown."""

    joint: str
    peak_torque: float
    peak_time: float
    rms_torque: float
    peak_rating: float
    continuous_rating: float
    rms_error: float
    max_error: float

    @property
    def peak_utilisation(self) -> float:
        """Peak torque over peak rating."""
        return self.peak_torque / self.peak_rating

    @property
    def continuous_utilisation(self) -> float:
        """RMS torque over continuous rating."""
        return self.rms_torque / self.continuous_rating


def summarise(motion: MotionRecording, peak: Array, continuous: Array) -> list[JointSummary]:
    """
    Per joint: torque asked for against ratings (n,), and tracking error.

    RMS values are over time, trapezoidal, so that uneven sampling does not matter. Raises
    ShapeError when fewer than two samples were recorded.
    """
    if len(motion.time) < 2:
        raise ShapeError(f"{len(motion.time)} samples recorded: a motion needs at least 2")
    torque, error = np.abs(motion.required), np.abs(motion.error)
    found = np.isfinite(torque)
    highest = np.argmax(np.where(found, torque, -1.0), axis=0)
    rows = []
    for i, joint in enumerate(motion.joint_names):
        k = highest[i]
        rows.append(
            JointSummary(
                joint,
                float(torque[k, i]),
                float(motion.time[k] - motion.time[0]),
                _rms(motion.time[found[:, i]], torque[found[:, i], i]),
                float(peak[i]),
                float(continuous[i]),
                _rms(motion.time, error[:, i]),
                float(error[:, i].max()),
            )
        )
    return rows


def _rms(time: Array, values: Array) -> float:
    if len(time) < 2:
        return float("nan")
    squares = values**2
    area = np.sum(0.5 * (squares[1:] + squares[:-1]) * np.diff(time))
    return float(np.sqrt(area / (time[-1] - time[0])))


def table(rows: list[JointSummary]) -> str:
    """Write the summary as text: one line per joint."""
    width = max(len("joint"), *(len(row.joint) for row in rows))
    lines = [
        f"{'joint':{width}s} {'peak':>8s} {'rating':>8s} {'used':>6s} {'RMS':>8s} {'rating':>8s} "
        f"{'used':>6s} {'error RMS':>11s} {'error max':>11s}",
        f"{'':{width}s} {'N m':>8s} {'N m':>8s} {'':6s} {'N m':>8s} {'N m':>8s} {'':6s} "
        f"{'rad':>11s} {'rad':>11s}",
    ]
    for row in rows:
        lines.append(
            f"{row.joint:{width}s} {row.peak_torque:8.2f} {row.peak_rating:8.1f} "
            f"{_percent(row.peak_utilisation)} {row.rms_torque:8.2f} {row.continuous_rating:8.1f} "
            f"{_percent(row.continuous_utilisation)} {row.rms_error:11.2e} {row.max_error:11.2e}"
        )
    return "\n".join(lines)


def _percent(share: float) -> str:
    return f"{share:6.0%}" if np.isfinite(share) else f"{'?':>6s}"
