# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings of the computed-torque controller: one value per joint, times in nanoseconds."""

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.errors import ParameterError
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.trajectory.splines import PositionsOnly
from robodyn_ros.trajectory.timing import MAX_FUTURE_NS
from robodyn_ros.trajectory.validation import END_VELOCITY_TOLERANCE

Array = NDArray[np.float64]
ControlLaw = Literal["feedforward", "computed_torque"]
StartJump = Literal["refuse", "skip"]

MILLISECOND = 1_000_000
# rad/s^2 or m/s^2: gentle for arms up to 2 m, used where neither a setting nor the model knows
DEFAULT_DECELERATION = 5.0
DEFAULT_START_ERROR = 0.1


@dataclass(frozen=True, eq=False)
class ControllerSettings:
    """
    How the controller behaves; ``for_model`` fills in the defaults.

    kp, kd (n,): N m/rad and N m s/rad with law "feedforward", 1/s^2 and 1/s with
    "computed_torque"; 0 = no feedback. NaN means not limited in effort_limit (N m),
    max_effort_rate (N m/s) and max_start_error (rad: a first point at time zero further than
    this from the present position is refused, or left out with start_jump "skip"; an idle arm
    displaced further than this starts where it is measured).
    max_deceleration (rad/s^2): bound for stopping. A joint state older than max_state_age_ns
    leaves gravity torque only, after zero_effort_after_ns (None: never) nothing. ramp_ns: blend
    from gravity torque to the full command after switch-on. period_ns: control period; a
    trajectory late by no more than it counts as starting now. For a robot that compensates
    gravity by itself give the controller ``model.with_gravity((0, 0, 0))``.
    """

    kp: Array
    kd: Array
    effort_limit: Array
    max_effort_rate: Array
    max_start_error: Array
    max_deceleration: Array
    law: ControlLaw = "feedforward"
    max_state_age_ns: int = 100 * MILLISECOND
    zero_effort_after_ns: int | None = 2000 * MILLISECOND
    ramp_ns: int = 200 * MILLISECOND
    period_ns: int = 2 * MILLISECOND
    max_future_ns: int = MAX_FUTURE_NS
    positions_only: PositionsOnly = "spline"
    start_jump: StartJump = "refuse"
    allow_partial: bool = False
    allow_end_velocity: bool = False
    end_velocity_tolerance: float = END_VELOCITY_TOLERANCE
    check_limits: bool = True

    def __post_init__(self) -> None:
        n = np.size(self.kp)
        # name of a per-joint setting: (smallest allowed value, NaN allowed)
        rules = {
            "kp": (0.0, False),
            "kd": (0.0, False),
            "effort_limit": (0.0, True),
            "max_effort_rate": (0.0, True),
            "max_start_error": (0.0, True),
            "max_deceleration": (1e-6, False),
        }
        for name, (least, may_be_nan) in rules.items():
            values = np.array(getattr(self, name), dtype=float)
            if values.shape != (n,):
                raise ParameterError(name, values.tolist(), f"{n} numbers, one per joint")
            fine = (values >= least) | (np.isnan(values) & may_be_nan)
            if not (fine & ~np.isinf(values)).all():
                raise ParameterError(name, values.tolist(), f"finite, at least {least:g}")
            values.setflags(write=False)
            object.__setattr__(self, name, values)
        for name, choice in (
            ("law", ControlLaw),
            ("positions_only", PositionsOnly),
            ("start_jump", StartJump),
        ):
            if getattr(self, name) not in get_args(choice):
                expected = "one of " + ", ".join(get_args(choice))
                raise ParameterError(name, getattr(self, name), expected)
        for name in ("max_state_age_ns", "period_ns", "max_future_ns"):
            if not getattr(self, name) > 0:
                raise ParameterError(name, getattr(self, name), "a time above 0")
        if not self.ramp_ns >= 0:
            raise ParameterError("ramp_ns", self.ramp_ns, "a time of 0 or more")
        zero_after = self.zero_effort_after_ns
        if zero_after is not None and not zero_after >= self.max_state_age_ns:
            expected = f"at least max_state_age_ns ({self.max_state_age_ns})"
            raise ParameterError("zero_effort_after_ns", zero_after, expected)

    @classmethod
    def for_model(
        cls,
        model: RobotModel,
        *,
        kp: ArrayLike = 0.0,
        kd: ArrayLike = 0.0,
        effort_limit: ArrayLike | None = None,
        max_effort_rate: ArrayLike = np.nan,
        max_start_error: ArrayLike = DEFAULT_START_ERROR,
        max_deceleration: ArrayLike | None = None,
        **others: Any,
    ) -> "ControllerSettings":
        """
        Build the settings of a robot; a single number stands for all joints.

        effort_limit defaults to the peak ratings of the model; max_deceleration to its
        acceleration limits, and to 5 rad/s^2 where those are unknown (or NaN is given).
        Raises ParameterError.
        """
        if others.keys() - {f.name for f in fields(cls)}:
            unknown = min(others.keys() - {f.name for f in fields(cls)})
            raise ParameterError(unknown, others[unknown], "no such setting")
        slow = model.limits.acceleration if max_deceleration is None else max_deceleration
        slow = np.asarray(slow, dtype=float)

        def each(values: ArrayLike) -> Array:
            given = np.asarray(values, dtype=float)
            return np.full(model.n, given) if given.ndim == 0 else given

        return cls(
            kp=each(kp),
            kd=each(kd),
            effort_limit=each(model.limits.effort if effort_limit is None else effort_limit),
            max_effort_rate=each(max_effort_rate),
            max_start_error=each(max_start_error),
            max_deceleration=each(np.where(np.isnan(slow), DEFAULT_DECELERATION, slow)),
            **others,
        )
