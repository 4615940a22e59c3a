# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The truth about torque in a recording: what the motion took, against ratings and measurement."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.analysis.bags.comparison import Comparison, compare, hints
from robodyn_ros.analysis.bags.findings import Finding
from robodyn_ros.analysis.bags.joints import JointRecording
from robodyn_ros.analysis.bags.smoothing import WINDOW_S, SmoothMotion, smooth
from robodyn_ros.dynamics.effort_load import mean_square_series, thermal_series
from robodyn_ros.dynamics.forward_dynamics import mass_matrix
from robodyn_ros.dynamics.inverse_dynamics import gravity_torques, inverse_dynamics
from robodyn_ros.dynamics.joint_effects import JointFriction, friction_torques
from robodyn_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]

RMS_WINDOW_S = 10.0
_BLOCK = 16384


@dataclass(frozen=True)
class JointLoad:
    """
    One joint against its ratings; NaN where a rating is unknown.

    peak_torque N m and when; rms_torque over the recording and rms_window over the worst 10 s;
    heat: highest thermal state, 1 is where the continuous rating leads to.
    """

    joint: str
    peak_torque: float
    peak_time_s: float
    rms_torque: float
    rms_window: float
    heat: float
    peak_rating: float
    continuous_rating: float


@dataclass(frozen=True, eq=False)
class Audit:
    """
    Everything found. torque, torque_sigma, gravity (K, n) in N m at motion's samples.

    largest_speed: by how much the motion could be faster before a peak rating is reached.
    """

    model: RobotModel
    recording: JointRecording
    motion: SmoothMotion
    torque: Array
    torque_sigma: Array
    gravity: Array
    loads: list[JointLoad]
    comparisons: list[Comparison]
    largest_speed: float
    findings: list[Finding]

    @property
    def seconds(self) -> Array:
        """Time since the first sample (K,)."""
        stamps = self.recording.time.stamp_ns
        return np.asarray((stamps - stamps[0]) * 1e-9)


def audit(
    model: RobotModel,
    recording: JointRecording,
    *,
    window_s: float = WINDOW_S,
    friction: JointFriction | None = None,
    speed: float = 1.0,
) -> Audit:
    """
    Compute the torque that a recorded motion took and judge it.

    friction: added to the torque of the model, if given. speed: as if everything had happened so
    many times faster. Ratings are those of ``model.limits``.
    """
    motion = smooth(recording, window_s)
    gravity = gravity_torques(model, motion.q)
    used = np.flatnonzero(motion.usable)
    torque = np.full(motion.q.shape, np.nan)
    q, qd, qdd = motion.q[used], speed * motion.qd[used], speed**2 * motion.qdd[used]
    torque[used] = inverse_dynamics(model, q, qd, qdd)
    if friction is not None:
        torque[used] += friction_torques(friction, qd)
    if not len(used):
        torque, used = gravity.copy(), np.arange(len(gravity))
    sigma = _sigma(model, motion, speed)
    durations = _durations(recording, used) / speed
    loads = _loads(model, recording, torque, used, durations)
    rows: list[Comparison] = []
    found = [*_data_findings(recording, motion), *_load_findings(loads)]
    if speed == 1.0 and motion.usable.any():
        measured = recording.effort[used]
        period = recording.time.period_ns * 1e-9
        rows = compare(model.joint_names, measured, torque[used], qd, period)
        found += hints(rows, measured, torque[used], gravity[used], model.joint_names)
        found += _not_measured(model, rows)
    return Audit(
        model, recording, motion, torque, sigma, gravity, loads, rows,
        speed * _largest_speed(torque[used], gravity[used], model.limits.effort), found,
    )  # fmt: skip


def _sigma(model: RobotModel, motion: SmoothMotion, speed: float) -> Array:
    """Carry the noise of the accelerations into the torque, through the mass matrix."""
    sigma = np.full(motion.q.shape, np.nan)
    used = np.flatnonzero(motion.usable)
    for start in range(0, len(used), _BLOCK):
        block = used[start : start + _BLOCK]
        squares = mass_matrix(model, motion.q[block]) ** 2
        noise = (speed**2 * motion.qdd_sigma[block]) ** 2
        sigma[block] = np.sqrt(np.einsum("kij,kj->ki", squares, noise))
    return sigma


def _durations(recording: JointRecording, used: NDArray[np.intp]) -> Array:
    """How long each used sample stands for: until the next one, a hole counts as one period."""
    period = recording.time.period_ns * 1e-9
    steps = np.diff(recording.time.stamp_ns[used]) * 1e-9
    broken = (steps <= 0) | (steps > 5.0 * max(period, 1e-9))
    return np.append(np.where(broken, period, steps), period)


def _loads(
    model: RobotModel,
    recording: JointRecording,
    torque: Array,
    used: NDArray[np.intp],
    durations: Array,
) -> list[JointLoad]:
    limits = model.limits
    known = torque[used]
    square = known**2
    highest = np.abs(known).argmax(axis=0)
    total = durations.sum()
    rms = (
        np.sqrt((square * durations[:, None]).sum(axis=0) / total)
        if total > 0
        else np.abs(known[0])
    )
    window = min(RMS_WINDOW_S, total)
    if window > 0:
        worst = np.sqrt(mean_square_series(square, durations, window).max(axis=0))
    else:
        worst = rms
    heat = thermal_series(
        square, durations, limits.effort_continuous, limits.thermal_time_constant, 0.0
    ).max(axis=0)
    stamps = recording.time.stamp_ns
    return [
        JointLoad(
            joint,
            float(np.abs(known[highest[i], i])),
            float(stamps[used[highest[i]]] - stamps[0]) * 1e-9,
            float(rms[i]),
            float(worst[i]),
            float(heat[i]),
            float(limits.effort[i]),
            float(limits.effort_continuous[i]),
        )
        for i, joint in enumerate(model.joint_names)
    ]


def _largest_speed(torque: Array, gravity: Array, peak: Array) -> float:
    """
    Return the factor at which the first peak rating is reached; 0 when gravity alone exceeds one.

    tau(k) = g + k^2 (tau - g) at each pose of the path; friction counts as if it grew likewise.
    """
    if (np.abs(gravity) > peak).any():
        return 0.0
    dynamic = torque - gravity
    with np.errstate(divide="ignore", invalid="ignore"):
        room = (np.copysign(peak, dynamic) - gravity) / dynamic
    return float(np.sqrt(np.nanmin(room, initial=np.inf)))


def _load_findings(loads: list[JointLoad]) -> list[Finding]:
    found = []
    for load in loads:
        for code, value, limit, text in (
            ("peak_torque", load.peak_torque, load.peak_rating,
             "peak torque {:.4g} N m, rating {:.4g}"),
            ("continuous_torque", load.rms_window, load.continuous_rating,
             "RMS torque {:.4g} N m over 10 s, continuous rating {:.4g}"),
            ("heat", load.heat, 1.0, "thermal state {:.3g}, limit {:.3g}"),
        ):  # fmt: skip
            if value > limit:
                time = load.peak_time_s if code == "peak_torque" else None
                text = f"{load.joint}: {text.format(value, limit)}"
                found.append(Finding(code, "state", "error", text, load.joint, time, value, limit))
        if np.isnan(load.peak_rating):
            text = f"{load.joint}: peak rating unknown, not checked"
            found.append(Finding("rating_unknown", "state", "info", text, load.joint))
    return found


def _data_findings(recording: JointRecording, motion: SmoothMotion) -> list[Finding]:
    time = recording.time
    found = [Finding("messages", "data", "warning", note) for note in recording.notes]

    def note(code: str, text: str, count: float | None = None) -> None:
        found.append(Finding(code, "data", "warning", text, value=count))

    if time.clock == "receive":
        note("receive_time", "header stamps are not usable: times are those of reception")
    if time.duplicates:
        note(
            "duplicates",
            f"{time.duplicates} samples with a stamp seen before left out",
            time.duplicates,
        )
    if time.out_of_order:
        note(
            "out_of_order", f"{time.out_of_order} samples out of order, sorted", time.out_of_order
        )
    if time.restarts:
        note("restarts", f"time starts again {time.restarts} times (a loop?)", time.restarts)
    for begin, end in time.holes:
        start = (begin - int(time.stamp_ns[0])) * 1e-9
        found.append(
            Finding(
                "hole", "data", "warning", f"{(end - begin) * 1e-9:.3f} s without samples",
                None, start, (end - begin) * 1e-9,
            )
        )  # fmt: skip
    if motion.from_positions.any():
        names = [
            n for n, bare in zip(recording.joint_names, motion.from_positions, strict=True) if bare
        ]
        note("no_velocity", f"no velocity of {', '.join(names)}: taken from the positions")
    if not motion.usable.any():
        note("too_short", "too few samples for accelerations: torque is that of gravity alone")
    return found


def _not_measured(model: RobotModel, rows: list[Comparison]) -> list[Finding]:
    compared = {row.joint for row in rows}
    return [
        Finding("no_effort", "data", "info", f"{joint}: no measured effort to compare with", joint)
        for joint in model.joint_names
        if joint not in compared
    ]
