# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint limits as arrays; what nobody stated stays unknown instead of becoming a number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.errors import ParameterError, ShapeError, UnknownNameError

Array = NDArray[np.float64]

# No joint is there, or as fast or strong (rad, m, N m, and per s), and no square of it overflows:
# a measurement of this size is a fault like NaN.
ABSURD = 1e9


@dataclass(frozen=True, eq=False)
class JointLimits:
    """
    Limits per joint, each (n,): rad or m, per s, per s^2; efforts in N m or N.

    Unknown positions are -inf / inf, every other unknown is NaN and is never checked against.
    ``effort`` is the peak rating, ``effort_continuous`` what the motor bears for ever,
    ``thermal_time_constant`` (s) how fast the winding warms up.
    """

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array
    effort_continuous: Array
    thermal_time_constant: Array

    def __post_init__(self) -> None:
        n = np.size(self.lower)
        for f in fields(self):
            values = np.array(getattr(self, f.name), dtype=float)
            if values.shape != (n,):
                raise ShapeError(f"limits of {n} joints: {f.name} has shape {values.shape}")
            values.setflags(write=False)
            object.__setattr__(self, f.name, values)

    @classmethod
    def unknown(cls, n: int) -> "JointLimits":
        """Limits of n joints about which nothing is known."""
        return cls(
            np.full(n, -np.inf), np.full(n, np.inf), *(np.full(n, np.nan) for _ in range(5))
        )

    @property
    def mid(self) -> Array:
        """Middle of the position range (n,); 0 clipped into the range where a side is open."""
        bounded = np.isfinite(self.lower) & np.isfinite(self.upper)
        with np.errstate(invalid="ignore"):
            middle = 0.5 * (self.lower + self.upper)
        return np.where(bounded, middle, np.clip(0.0, self.lower, self.upper))

    def replace(
        self, joint_names: Sequence[str], overrides: Mapping[str, Mapping[str, float]]
    ) -> "JointLimits":
        """
        Limits with single fields of single joints replaced: {joint: {field: value}}.

        Raises UnknownNameError (joint or field) and ParameterError (NaN position limit,
        lower above upper, negative or zero rate or effort); NaN makes a rate or effort unknown.
        """
        known = [f.name for f in fields(self)]
        values = {name: getattr(self, name).copy() for name in known}
        for joint, changed in overrides.items():
            if joint not in joint_names:
                raise UnknownNameError("joint", joint, joint_names)
            i = list(joint_names).index(joint)
            for name, value in changed.items():
                if name not in known:
                    raise UnknownNameError("limit", name, known)
                positional = name in ("lower", "upper")
                number = isinstance(value, Real) and not isinstance(value, bool)
                if not number or (np.isnan(value) if positional else value <= 0.0):
                    expected = "a number" if positional else "a number above 0"
                    raise ParameterError(f"limits.{joint}.{name}", value, expected)
                values[name][i] = value
        for joint, low, high in zip(joint_names, values["lower"], values["upper"], strict=True):
            if low > high:
                expected = f"at most upper ({high:g})"
                raise ParameterError(f"limits.{joint}.lower", float(low), expected)
        return JointLimits(**values)
