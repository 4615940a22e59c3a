# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What one control step says."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mode = Literal["waiting", "hold", "moving", "stopping", "stale", "off"]


@dataclass(frozen=True, eq=False, slots=True)
class ControlOutput:
    """
    One control step. All arrays (n,); NaN = not known at the moment, never in ``effort``.

    effort: what to send (N m, N), None while waiting for the first joint state. required: what
    the law asks for, before ramp, rate limit and clamp. q_d, qd_d, qdd_d: the reference at the
    time of the step. error, velocity_error: reference minus measurement at the time of the
    measurement. saturated: which joints are clamped. reason: why this is not the plain motion.
    """

    stamp_ns: int
    mode: Mode
    effort: Array | None
    required: Array
    q_d: Array
    qd_d: Array
    qdd_d: Array
    error: Array
    velocity_error: Array
    saturated: NDArray[np.bool_]
    reason: str
