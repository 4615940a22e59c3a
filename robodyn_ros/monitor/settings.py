# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What the torque monitor checks against, and how it judges."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.errors import ParameterError
from robodyn_ros.model.limits import JointLimits

Array = NDArray[np.float64]
Source = Literal["commanded", "measured", "model"]


@dataclass(frozen=True, eq=False)
class MonitorSettings:
    """
    Ratings per joint (n,), NaN = unknown and then not checked, and how to judge by them.

    ``peak`` and ``continuous`` in N m or N, ``thermal_time_constant`` in s. ``source`` is the
    effort that is judged: "commanded" (update_command), "measured" (the effort of update_state)
    or "model" (what the measured motion takes by inverse dynamics). Raises ParameterError.
    """

    peak: Array
    continuous: Array
    thermal_time_constant: Array
    source: Source = "commanded"
    rms_window_s: float = 10.0
    hysteresis: float = 0.02
    effort_timeout_s: float = 0.5  # an effort older than this is unknown
    acceleration_window_s: float = 0.03
    initial_thermal: float = 0.0  # 0 = cold motors, 1 = after hours at the continuous rating

    def __post_init__(self) -> None:
        for name in ("peak", "continuous", "thermal_time_constant"):
            values = np.array(getattr(self, name), dtype=float)
            if values.shape != np.shape(self.peak) or values.ndim != 1:
                raise ParameterError(name, values.tolist(), "one value per joint, as many as peak")
            if not np.all(np.isnan(values) | (np.isfinite(values) & (values > 0.0))):
                raise ParameterError(name, values.tolist(), "numbers above 0, NaN where unknown")
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        if np.any(self.continuous > self.peak):
            raise ParameterError("continuous", self.continuous.tolist(), "at most the peak rating")
        if self.source not in ("commanded", "measured", "model"):
            raise ParameterError("source", self.source, "'commanded', 'measured' or 'model'")
        for name in ("rms_window_s", "effort_timeout_s", "acceleration_window_s"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ParameterError(name, getattr(self, name), "seconds above 0")
        if not 0.0 <= self.hysteresis < 1.0:
            raise ParameterError("hysteresis", self.hysteresis, "a fraction from 0 to below 1")
        if not 0.0 <= self.initial_thermal < np.inf:
            raise ParameterError("initial_thermal", self.initial_thermal, "a number from 0")

    @classmethod
    def from_limits(cls, limits: JointLimits, **judging: object) -> "MonitorSettings":
        """Ratings as the model's limits state them; ``judging`` are the other fields."""
        return cls(
            limits.effort,
            limits.effort_continuous,
            limits.thermal_time_constant,
            **judging,  # type: ignore[arg-type]
        )
