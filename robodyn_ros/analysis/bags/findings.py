# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What an analysis found out, one record each."""

from dataclasses import dataclass
from typing import Literal

Category = Literal["data", "state", "model"]
Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """
    One fact worth knowing.

    code: stable name for programs. category: "data" (the recording), "state" (what the arm did
    against its limits) or "model" (measured against computed effort). time_s since the first
    sample; value and limit in the unit that text names. None where it does not apply.
    """

    code: str
    category: Category
    severity: Severity
    text: str
    joint: str | None = None
    time_s: float | None = None
    value: float | None = None
    limit: float | None = None
