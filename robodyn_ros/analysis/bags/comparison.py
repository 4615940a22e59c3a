# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Measured effort against the torque of the model: does one explain the other, and if not, why."""

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from robodyn_ros.analysis.bags.findings import Finding

Array = NDArray[np.float64]

_FEWEST = 20
_OPPOSED = -0.8
_SCALE = (0.8, 1.25)
_LONGEST_DELAY_S = 0.2
_DELAY_SAMPLES = 20_000
_MOVES = 1e-3  # rad/s; slower says nothing about friction
_CERTAIN = 3.0  # standard deviations


@dataclass(frozen=True)
class Comparison:
    """
    One joint: measured = scale * model + coulomb * sign(qd) + viscous * qd + offset + rest.

    correlation of measured and model effort; rms of their difference and of the rest, N m;
    scale_sigma: standard deviation of scale; delay_s of the measured effort behind the model.
    NaN where the motion does not tell.
    """

    joint: str
    samples: int
    correlation: float
    scale: float
    scale_sigma: float
    coulomb: float
    viscous: float
    offset: float
    delay_s: float
    rms_difference: float
    rms_rest: float


def compare(
    joint_names: tuple[str, ...], measured: Array, model: Array, qd: Array, period_s: float
) -> list[Comparison]:
    """Compare measured (K, n) with model (K, n); joints without measured effort are left out."""
    rows = []
    for i, joint in enumerate(joint_names):
        known = np.isfinite(measured[:, i]) & np.isfinite(model[:, i])
        if known.sum() < _FEWEST:
            continue
        rows.append(
            _compare_joint(joint, measured[known, i], model[known, i], qd[known, i], period_s)
        )
    return rows


def _compare_joint(
    joint: str, measured: Array, model: Array, qd: Array, period_s: float
) -> Comparison:
    difference = measured - model
    columns = {"scale": model, "offset": np.ones_like(model)}
    if np.ptp(qd) > _MOVES:
        columns["coulomb"] = np.where(np.abs(qd) > _MOVES, np.sign(qd), 0.0)
        columns["viscous"] = qd
    if np.ptp(model) < 1e-6 * max(np.abs(model).max(), 1e-9):
        del columns["scale"]  # a torque that never changes looks like an offset
    matrix = np.stack(list(columns.values()), axis=-1)
    size = np.maximum(np.abs(matrix).max(axis=0), 1e-12)
    fitted, _, rank, _ = np.linalg.lstsq(matrix / size, measured, rcond=1e-8)
    rest = measured - matrix / size @ fitted
    found = dict(zip(columns, fitted / size, strict=True))
    sigma = np.nan
    if rank == len(columns) and "scale" in found and len(measured) > rank:
        inverse = np.linalg.inv((matrix / size).T @ (matrix / size))
        variance = rest @ rest / (len(rest) - rank)
        sigma = float(np.sqrt(inverse[0, 0] * variance) / size[0])
    return Comparison(
        joint=joint,
        samples=len(measured),
        correlation=_correlation(measured, model),
        scale=float(found.get("scale", np.nan)),
        scale_sigma=sigma,
        coulomb=float(found.get("coulomb", np.nan)),
        viscous=float(found.get("viscous", np.nan)),
        offset=float(found["offset"]),
        delay_s=_delay(measured, matrix / size, period_s) if "scale" in found else np.nan,
        rms_difference=_rms(difference),
        rms_rest=_rms(rest),
    )


def hints(
    rows: list[Comparison], measured: Array, model: Array, gravity: Array, names: tuple[str, ...]
) -> list[Finding]:
    """Say what would explain a difference, with the number that says so."""
    found: list[Finding] = []

    def hint(code: str, text: str, joint: str | None, value: float, limit: float) -> None:
        found.append(Finding(code, "model", "warning", text, joint, None, value, limit))

    for row in rows:
        sure = abs(row.scale - 1.0) > _CERTAIN * row.scale_sigma
        if row.correlation < _OPPOSED:
            text = (
                f"sign? measured and model effort are opposed (correlation {row.correlation:.2f})"
            )
            hint("effort_sign", text, row.joint, row.correlation, _OPPOSED)
        elif sure and row.scale > 0 and not _SCALE[0] <= row.scale <= _SCALE[1]:
            text = f"unit or gear? measured = {row.scale:.3f} * model"
            hint("effort_scale", text, row.joint, row.scale, 1.0)
        if np.isfinite(row.delay_s) and row.delay_s != 0.0:
            text = f"the measured effort is {1e3 * row.delay_s:.0f} ms behind the motion"
            hint("effort_delay", text, row.joint, row.delay_s, 0.0)
    found.extend(_swapped(measured, model, names))
    known = np.isfinite(measured).all(axis=0) & np.isfinite(model).all(axis=0)
    if known.any():
        plain = _rms(measured[:, known] - model[:, known])
        without = _rms(measured[:, known] - (model - gravity)[:, known])
        if without < 0.5 * plain:
            text = (
                "gravity already compensated? without it the difference is "
                f"{without:.3g} N m, with it {plain:.3g} N m"
            )
            hint("gravity_compensated", text, None, without, plain)
    return found


def _swapped(measured: Array, model: Array, names: tuple[str, ...]) -> list[Finding]:
    """Find pairs of joints of which each explains the other's effort and not its own."""
    n = len(names)
    table = np.array(
        [[_correlation(measured[:, i], model[:, j]) for j in range(n)] for i in range(n)]
    )
    pairs = []
    for i in range(n):
        for j in range(i + 1, n):
            if min(table[i, j], table[j, i]) > 0.9 and max(table[i, i], table[j, j]) < 0.5:
                text = f"swapped joints? the effort of {names[i]} fits {names[j]} and vice versa"
                value = float(min(table[i, j], table[j, i]))
                pairs.append(
                    Finding("swapped_joints", "model", "warning", text, names[i], None, value, 0.9)
                )
    return pairs


def _delay(measured: Array, columns: Array, period_s: float) -> float:
    """
    Return by how much measured (K,) must be advanced for the columns (K, m) to explain it best.

    0 when a shift leaves more than half of what no shift leaves.
    """
    count = min(len(measured), _DELAY_SAMPLES)
    most = min(int(_LONGEST_DELAY_S / period_s) if period_s > 0 else 0, count // 4)
    if most < 1:
        return float("nan")
    basis, _ = np.linalg.qr(columns[most : count - most])
    windows = sliding_window_view(measured[:count], count - 2 * most)
    left = np.sum(windows**2, axis=1) - np.sum((windows @ basis) ** 2, axis=1)
    best = int(left.argmin())
    if abs(best - most) < 2 or left[best] > 0.5 * left[most]:
        return 0.0
    return float((best - most) * period_s)


def _correlation(a: Array, b: Array) -> float:
    a, b = a - a.mean(), b - b.mean()
    size = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / size) if size > 0 else float("nan")


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))
