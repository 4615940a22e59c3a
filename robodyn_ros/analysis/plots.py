# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of a recorded motion; needs matplotlib."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.analysis.bags.audit import Audit
from robodyn_ros.analysis.motion import MotionRecording
from robodyn_ros.errors import RobodynError

Array = NDArray[np.float64]

BLUE, ORANGE, RED, GREY = "#1f6fb4", "#e08214", "#c0392b", "#8c8c8c"


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise RobodynError(
            "plots need matplotlib: apt install python3-matplotlib, or pip install matplotlib"
        ) from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def plot_motion(
    motion: MotionRecording,
    peak: Array,
    continuous: Array,
    path: Path,
    title: str,
    spans: Sequence[tuple[float, float, str]] = (),
) -> Path:
    """
    Torque against ratings and tracking error of every joint, as a PNG.

    peak and continuous (n,) in N m, NaN where unknown; ``spans`` are (start, end, label) in s to
    shade. The error axes are scaled to what lies outside the spans. Returns the path.
    """
    plt = _pyplot()
    n = len(motion.joint_names)
    figure, axes = plt.subplots(
        n, 2, figsize=(13, 1.0 + 1.65 * n), sharex=True, squeeze=False, layout="constrained"
    )
    figure.suptitle(title, fontsize=13)
    time = motion.time - motion.time[0]
    plain = np.ones(len(time), dtype=bool)
    for start, end, _ in spans:
        plain &= (time < start) | (time > end)
    errors = 1e3 * motion.error
    reach = 1.3 * np.abs(errors[plain]).max(initial=0.1)
    for i, joint in enumerate(motion.joint_names):
        torque, tracking = axes[i]
        _rating(torque, continuous[i], ORANGE, "--", "continuous rating")
        _rating(torque, peak[i], RED, "-", "peak rating")
        torque.plot(time, motion.required[:, i], color=GREY, lw=1.0, label="asked for")
        torque.plot(time, motion.applied[:, i], color=BLUE, lw=1.2, label="applied")
        torque.set_ylabel(f"{joint}\nN m", fontsize=8)
        tracking.plot(time, errors[:, i], color=BLUE, lw=1.0)
        tracking.set_ylim(-reach, reach)
        tracking.axhline(0.0, color=GREY, lw=0.6)
        tracking.set_ylabel("mrad", fontsize=8)
        for axis in (torque, tracking):
            axis.tick_params(labelsize=7)
            axis.grid(alpha=0.25)
            for start, end, _ in spans:
                axis.axvspan(start, end, color=ORANGE, alpha=0.12, lw=0)
    axes[0, 0].set_title("joint torque", fontsize=10)
    axes[0, 1].set_title("tracking error", fontsize=10)
    for start, end, label in spans:
        axes[0, 1].text(
            0.5 * (start + end),
            0.97,
            label,
            ha="center",
            va="top",
            fontsize=8,
            transform=axes[0, 1].get_xaxis_transform(),
        )
    for axis in axes[-1]:
        axis.set_xlabel("time, s", fontsize=8)
    figure.align_ylabels()
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def plot_audit(audit: Audit, path: Path, title: str) -> Path:
    """Torque by the model, its uncertainty and measured effort against ratings, as a PNG."""
    plt = _pyplot()
    names, limits, seconds = audit.model.joint_names, audit.model.limits, audit.seconds
    figure, axes = plt.subplots(
        len(names), 1, figsize=(12, 1.0 + 1.6 * len(names)), sharex=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    figure.suptitle(title, fontsize=13)
    # lines must not lead over a hole
    starts = audit.recording.time.starts[1:]
    time = np.insert(seconds, starts, np.nan)

    def broken(values: Array) -> Array:
        return np.asarray(np.insert(values, starts, np.nan))

    for i, joint in enumerate(names):
        axis = axes[i, 0]
        _rating(axis, limits.effort_continuous[i], ORANGE, "--", "continuous rating")
        _rating(axis, limits.effort[i], RED, "-", "peak rating")
        if np.isfinite(audit.recording.effort[:, i]).any():
            measured = broken(audit.recording.effort[:, i])
            axis.plot(time, measured, color=GREY, lw=1.0, label="measured")
        torque, spread = broken(audit.torque[:, i]), 2.0 * broken(audit.torque_sigma[:, i])
        axis.fill_between(time, torque - spread, torque + spread, color=BLUE, alpha=0.25, lw=0)
        axis.plot(time, torque, color=BLUE, lw=1.2, label="model")
        axis.set_ylabel(f"{joint}\nN m", fontsize=8)
        axis.tick_params(labelsize=7)
        axis.grid(alpha=0.25)
        reach = 1.25 * np.nanmax(np.abs(np.stack([torque, broken(audit.recording.effort[:, i])])))
        if np.isfinite(reach) and reach > 0 and not reach > 0.6 * limits.effort[i]:
            axis.set_ylim(-reach, reach)
    axes[-1, 0].set_xlabel("time, s", fontsize=8)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


def _rating(axis: Any, value: float, color: str, style: str, label: str) -> None:
    if np.isfinite(value):
        for sign, name in ((1, label), (-1, None)):
            axis.axhline(sign * value, color=color, ls=style, lw=1.0, label=name)
