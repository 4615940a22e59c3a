# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What the torque monitor tells now and then."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# From good to bad; "not_checked" and "no_effort" mean nobody knows, which is not good.
STATUSES = ("ok", "not_checked", "no_effort", "above_continuous", "overheated", "above_peak")


@dataclass(frozen=True, eq=False)
class MonitorReport:
    """
    The worst since the report before, per joint (n,); NaN = not known, which is never OK.

    ``effort``: largest |effort| judged, at ``effort_stamp_ns``; ``utilisation``: it / peak;
    ``rms``, ``rms_utilisation`` (of continuous), ``thermal`` likewise the largest values;
    ``model_torque``: largest |torque| the measured motion takes, without friction; its absence is
    explained by ``model_reason`` (empty when available).
    """

    joint_names: tuple[str, ...]
    status: tuple[str, ...]
    effort: Array
    effort_stamp_ns: NDArray[np.int64]
    utilisation: Array
    rms: Array
    rms_utilisation: Array
    thermal: Array
    model_torque: Array
    model_reason: str

    @property
    def worst(self) -> str:
        """Give the worst status of all joints."""
        return max(self.status, key=STATUSES.index, default="ok")
