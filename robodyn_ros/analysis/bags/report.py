# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""An audit as JSON for programs, as text for the terminal and as one HTML page for people."""

import base64
import dataclasses
import html
import math
from pathlib import Path
from typing import Any

import numpy as np

from robodyn_ros.analysis.bags.audit import Audit

SCHEMA = "robodyn.bag/1"

_COLORS = {"error": "#c0392b", "warning": "#b9770e", "info": "#566573"}
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0; display: block; overflow-x: auto }
th, td { border-bottom: 1px solid #ddd; padding: .3em .8em; text-align: right }
th:first-child, td:first-child { text-align: left }
img { max-width: 100% }
.error { color: #c0392b } .warning { color: #b9770e } .info { color: #566573 }
"""


def as_data(audit: Audit, settings: dict[str, Any]) -> dict[str, Any]:
    """Return the audit as plain data; numbers that are not known are None."""
    time = audit.recording.time
    data = {
        "schema": SCHEMA,
        "settings": settings,
        "recording": {
            "messages": audit.recording.messages,
            "samples": len(time.order),
            "clock": time.clock,
            "start_ns": int(time.stamp_ns[0]),
            "duration_s": time.duration_s,
            "period_s": time.period_ns * 1e-9,
            "stretches": len(time.starts),
            "duplicates": time.duplicates,
            "out_of_order": time.out_of_order,
            "restarts": time.restarts,
            "holes_ns": [list(hole) for hole in time.holes],
        },
        "smoothing": {
            "window_samples": audit.motion.window,
            "bandwidth_hz": audit.motion.bandwidth_hz,
            "torque_sigma": _median(audit.torque_sigma),
        },
        "model": {"name": audit.model.name, "joints": list(audit.model.joint_names)},
        "joints": [dataclasses.asdict(load) for load in audit.loads],
        "comparison": [dataclasses.asdict(row) for row in audit.comparisons],
        "largest_speed": audit.largest_speed,
        "findings": [dataclasses.asdict(finding) for finding in audit.findings],
    }
    plain: dict[str, Any] = _plain(data)
    return plain


def as_text(audit: Audit) -> str:
    """Two tables and the findings."""
    time = audit.recording.time
    lines = [
        f"{audit.model.name}: {len(time.order)} samples, {time.duration_s:.3f} s, "
        f"{len(time.starts)} stretch(es), {time.clock} time",
        "",
        *_table(_load_rows(audit)),
    ]
    if audit.comparisons:
        lines += ["", "measured = scale * model + coulomb * sign(qd) + viscous * qd + offset"]
        lines += _table(_comparison_rows(audit))
    if audit.findings:
        lines.append("")
        lines += [f"{finding.severity}: {_said(finding)}" for finding in audit.findings]
    if math.isfinite(audit.largest_speed):
        lines += ["", f"the peak ratings would allow {audit.largest_speed:.3g} times this speed"]
    return "\n".join(lines)


def as_html(audit: Audit, title: str, picture: Path) -> str:
    """One page that needs nothing but itself; ``picture`` (PNG) is put into it."""
    image = base64.b64encode(picture.read_bytes()).decode()
    found = "".join(
        f'<li class="{f.severity}">{html.escape(_said(f))}</li>' for f in audit.findings
    )
    parts = [
        f"<h1>{html.escape(title)}</h1>",
        f"<pre>{html.escape(as_text(audit).splitlines()[0])}</pre>",
        "<h2>Torque against ratings</h2>",
        _html_table(_load_rows(audit)),
        f'<img alt="torque of every joint over time" src="data:image/png;base64,{image}">',
    ]
    if audit.comparisons:
        parts += [
            "<h2>Measured effort against the model</h2>",
            _html_table(_comparison_rows(audit)),
        ]
    parts += ["<h2>Findings</h2>", f"<ul>{found or '<li>none</li>'}</ul>"]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _load_rows(audit: Audit) -> list[list[str]]:
    rows = [["joint", "peak N m", "at s", "rating", "RMS N m", "worst 10 s", "rating", "heat"]]
    for load in audit.loads:
        values = (
            load.peak_torque, load.peak_time_s, load.peak_rating, load.rms_torque,
            load.rms_window, load.continuous_rating, load.heat,
        )  # fmt: skip
        rows.append([load.joint, *map(_number, values)])
    return rows


def _comparison_rows(audit: Audit) -> list[list[str]]:
    rows = [["joint", "correlation", "scale", "+/-", "coulomb", "viscous", "offset", "delay ms",
             "RMS difference", "RMS rest"]]  # fmt: skip
    for row in audit.comparisons:
        values = (
            row.correlation, row.scale, row.scale_sigma, row.coulomb, row.viscous, row.offset,
            1e3 * row.delay_s, row.rms_difference, row.rms_rest,
        )  # fmt: skip
        rows.append([row.joint, *map(_number, values)])
    return rows


def _said(finding: Any) -> str:
    if finding.joint is None or finding.joint in finding.text:
        return str(finding.text)
    return f"{finding.joint}: {finding.text}"


def _number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "-"


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(w) if k == 0 else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _html_table(rows: list[list[str]]) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows[1:]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _median(values: Any) -> list[float]:
    known = values[np.isfinite(values).all(axis=1)]
    return [float(v) for v in np.median(known, axis=0)] if len(known) else []


def _plain(value: Any) -> Any:
    """JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
