# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""How the simulated arm is driven, braked and stepped."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ParameterError

Array = NDArray[np.float64]

INTEGRATORS = ("semi_implicit", "rk4")
FALLBACKS = ("brake", "gravity", "zero")


@dataclass(frozen=True, eq=False)
class SimulatorSettings:
    """
    Settings of an ArmSimulator; raises ParameterError. None per joint: as the model's limits.

    ``effort_limit`` (n,) N m or N: what the drives give at most. ``velocity_limit`` (n,): the
    drives' governor lets no joint turn faster. NaN = without limit in both. ``viscous`` (N m s/rad
    or N s/m) and ``coulomb`` (N m or N) joint friction, one number or (n,).
    ``command_timeout_ns``: age at which a command is void, None = never; then ``on_timeout``:
    "brake" holds the joints where they are, as a real arm without commands does; "gravity" lets
    the drives carry the weight and the arm drift; "zero" lets it fall.
    ``max_catch_up_ns``: most that one call to advance simulates; what is beyond is skipped.
    """

    step_ns: int = 1_000_000
    integrator: Literal["semi_implicit", "rk4"] = "rk4"
    effort_limit: ArrayLike | None = None
    velocity_limit: ArrayLike | None = None
    viscous: ArrayLike = 0.0
    coulomb: ArrayLike = 0.0
    initial_position: ArrayLike | None = None  # None: 0, or the nearest limit
    command_timeout_ns: int | None = 100_000_000
    on_timeout: Literal["brake", "gravity", "zero"] = "brake"
    max_catch_up_ns: int = 50_000_000

    def __post_init__(self) -> None:
        for name in ("step_ns", "command_timeout_ns", "max_catch_up_ns"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ParameterError(name, value, "ns above 0")
        if self.max_catch_up_ns < self.step_ns:
            raise ParameterError("max_catch_up_ns", self.max_catch_up_ns, "at least step_ns")
        if self.integrator not in INTEGRATORS:
            raise ParameterError("integrator", self.integrator, " or ".join(INTEGRATORS))
        if self.on_timeout not in FALLBACKS:
            raise ParameterError("on_timeout", self.on_timeout, " or ".join(FALLBACKS))

    def per_joint(self, name: str, n: int, default: Array | None = None) -> Array:
        """One of the numeric settings as an array (n,), from 0 upwards; NaN limits become inf."""
        given = getattr(self, name)
        values = np.array(default if given is None else given, dtype=float)
        if values.shape not in ((), (n,)):
            raise ParameterError(name, values.tolist(), f"one number, or {n}")
        limit = name.endswith("_limit")
        valid = np.isnan(values) | (values > 0.0) if limit else (0.0 <= values) & (values < np.inf)
        if not np.all(valid):
            expected = "numbers above 0, NaN for none" if limit else "finite numbers from 0"
            raise ParameterError(name, values.tolist(), expected)
        values = np.where(np.isnan(values), np.inf, values)
        return np.broadcast_to(values, (n,)).copy()
