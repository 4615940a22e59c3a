# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
An arm in fixed steps of forward dynamics, with what real joints have: limits, friction, brakes.

The smooth part of a step is the integrator's. Friction and stops then change the velocity by an
impulse (Moreau 1988, time stepping; Stewart, Trinkle 1996): the velocity v after the step
minimises (v - v_free)' M (v - v_free) / 2 + h viscous v^2 / 2 + h coulomb |v| within the bounds
that stops and governor leave. This is implicit, hence stable for any friction, holds a joint at
exactly 0 when friction can, and never adds energy.
"""

from collections import Counter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics.forward_dynamics import forward_dynamics, mass_matrix
from robodyn_ros.dynamics.integrators import rk4, semi_implicit_euler
from robodyn_ros.dynamics.inverse_dynamics import gravity_torques
from robodyn_ros.errors import ParameterError
from robodyn_ros.message_log import Line, MessageLog
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.simulation._kernels.joint_impulses import settle_velocity
from robodyn_ros.simulation.settings import SimulatorSettings

Array = NDArray[np.float64]

_FASTEST = 1e6  # rad/s or m/s: beyond it, or no number, the simulation has left reality
_RESET_NS = 1_000_000_000  # a clock that goes back this far means that the world starts again


class ArmSimulator:
    """
    The plant: efforts in, joint states out, in substeps of ``step_ns``.

    State after the last substep: ``q``, ``qd``, ``qdd`` (n,) and ``effort`` (n,), what the drives
    applied during it (0 while braked), at ``stamp_ns``. Flags of the last substep (n,):
    ``saturated`` (effort cut), ``at_limit`` (against a position stop), ``governed`` (at the
    velocity limit). ``mode``: "braked" (before the first command and, by default, when commands
    cease: the joints are held), "driven", "gravity" or "zero". ``lag_ns``: time skipped in all
    because advance was called too rarely. ``counters`` of what went wrong.
    """

    def __init__(self, model: RobotModel, settings: SimulatorSettings | None = None):
        """
        Set the arm at rest, brakes on.

        Raises SingularModelError when a joint moves no inertia, ParameterError for settings that
        do not fit the model.
        """
        self.model = model
        self.settings = settings = settings or SimulatorSettings()
        n, limits = model.n, model.limits
        self._effort_limit = settings.per_joint("effort_limit", n, limits.effort)
        self._velocity_limit = settings.per_joint("velocity_limit", n, limits.velocity)
        self._h = settings.step_ns * 1e-9
        self._viscous = self._h * settings.per_joint("viscous", n)
        self._coulomb = self._h * settings.per_joint("coulomb", n)
        self._rubs = bool(self._viscous.any() or self._coulomb.any())
        precise = settings.integrator == "rk4"
        self._integrate = rk4 if precise else semi_implicit_euler
        self._new_share = 0.5 if precise else 1.0  # of the new velocity in a step with impulses
        self.counters: Counter[str] = Counter()
        self.lag_ns = 0
        self.stamp_ns = 0
        self._log = MessageLog()
        self.reset()
        forward_dynamics(model, self.q, self.qd, self.effort)  # refuses models without inertia
        self._settle(self.qd, -self._velocity_limit, self._velocity_limit)  # compiles in time

    def reset(self, q: ArrayLike | None = None, qd: ArrayLike | None = None) -> None:
        """
        Put the arm at q (default: the initial position) and qd (0), without a command.

        Raises ParameterError for sizes, values that are not finite, or outside the limits.
        """
        n, limits = self.model.n, self.model.limits
        if q is None:
            q = self.settings.initial_position
        position = np.clip(np.zeros(n), limits.lower, limits.upper) if q is None else _vector(q, n)
        velocity = np.zeros(n) if qd is None else _vector(qd, n)
        if position is None or velocity is None:
            raise ParameterError("initial_position", q, f"{n} finite numbers")
        outside = np.flatnonzero((position < limits.lower) | (position > limits.upper))
        if outside.size:
            i = int(outside[0])
            reach = f"within [{limits.lower[i]:g}, {limits.upper[i]:g}]"
            joint = self.model.joint_names[i]
            value = float(position[i])
            raise ParameterError(f"initial_positions.{joint}", value, reach)
        self.q, self.qd = position, velocity
        self.qdd, self.effort = np.zeros(n), np.zeros(n)
        self.saturated, self.at_limit, self.governed = (np.zeros(n, dtype=bool) for _ in range(3))
        self.mode = "braked"
        self._command: Array | None = None
        self._command_ns = 0

    def command(self, effort: ArrayLike, now_ns: int) -> bool:
        """Take an effort (n,) and hold it until the next; refuse it (False) when malformed."""
        values = np.array(effort, dtype=float)
        fault = ""
        if values.shape != (self.model.n,):
            fault = f"{values.size} efforts for {self.model.n} joints"
        elif not np.all(np.isfinite(values)):
            bad = np.flatnonzero(~np.isfinite(values))
            fault = "no number for " + ", ".join(self.model.joint_names[i] for i in bad)
        if fault:
            self.counters["commands_refused"] += 1
            text = f"effort command refused: {fault}; the last one stays until its timeout"
            self._log.throttled("error", "command", text, now_ns)
            return False
        self._command, self._command_ns = values, now_ns
        return True

    def advance(self, now_ns: int) -> int:
        """Simulate up to ``now_ns`` in whole substeps; how many were made."""
        if now_ns <= 0:
            return 0  # the clock has not started
        if self.stamp_ns == 0:
            self.stamp_ns = now_ns
            return 0
        step = self.settings.step_ns
        elapsed = now_ns - self.stamp_ns
        if elapsed <= -step:
            self._clock_went_back(now_ns)
            return 0
        steps, most = max(0, elapsed // step), self.settings.max_catch_up_ns // step
        if steps > most:
            self._skip((steps - most) * step, now_ns)
            steps = most
        for _ in range(steps):
            self._step()
        return steps

    def take_messages(self) -> list[Line]:
        """Return what is to be logged since the last call: (level, text), throttled."""
        return self._log.take()

    def _skip(self, skipped_ns: int, now_ns: int) -> None:
        self.stamp_ns += skipped_ns
        self.lag_ns += skipped_ns
        self.counters["lags"] += 1
        text = f"simulation fell behind: {skipped_ns / 1e6:.0f} ms skipped, the arm stood still"
        self._log.throttled("warn", "lag", text, now_ns)

    def _clock_went_back(self, now_ns: int) -> None:
        """Go on from the new time, commands as old as they were; far back: from the beginning."""
        back = self.stamp_ns - now_ns
        self.counters["clock_jumps"] += 1
        self._log.say("warn", f"the clock went back by {back * 1e-9:.3f} s")
        self.stamp_ns -= back
        self._command_ns -= back
        if back > _RESET_NS:
            self.reset()

    def _drive(self) -> Array | None:
        """Effort for the coming substep before saturation; None: the brakes hold."""
        timeout = self.settings.command_timeout_ns
        if self._command is None:
            self.mode = "braked"
            return None
        if timeout is None or self.stamp_ns - self._command_ns <= timeout:
            self.mode = "driven"
            return self._command
        fallback = self.settings.on_timeout
        mode = "braked" if fallback == "brake" else fallback
        if self.mode != mode:
            self.mode = mode
            self.counters["command_timeouts"] += 1
            text = f"no effort command for {timeout / 1e6:.0f} ms: {mode}"
            self._log.throttled("warn", "timeout", text, self.stamp_ns)
        if fallback == "brake":
            return None
        return gravity_torques(self.model, self.q) if fallback == "gravity" else 0.0 * self.q

    def _step(self) -> None:
        wanted = self._drive()
        self.stamp_ns += self.settings.step_ns
        if wanted is None:
            self._stand_still()
            return
        self.effort = np.clip(wanted, -self._effort_limit, self._effort_limit)
        q_free, v_free = self._integrate(self._acceleration, self.q, self.qd, self._h)
        limits = self.model.limits
        low = np.maximum((limits.lower - self.q) / self._h, -self._velocity_limit)
        high = np.minimum((limits.upper - self.q) / self._h, self._velocity_limit)
        q, v = q_free, v_free
        if self._rubs or ((v_free < low) | (v_free > high)).any():
            v = self._settle(v_free, low, high)
            # not q_free plus a correction: a joint that sticks must not creep by rounding or order
            q = self.q + self._h * (self.qd + self._new_share * (v - self.qd))
        if not (np.abs(v) < _FASTEST).all():
            self._diverged()
            return
        self.qdd = (v - self.qd) / self._h
        self.q = np.clip(q, limits.lower, limits.upper)
        self._note(wanted != self.effort, v_free)
        self.qd = v

    def _acceleration(self, q: Array, qd: Array) -> Array:
        return forward_dynamics(self.model, q, qd, self.effort)

    def _settle(self, v_free: Array, low: Array, high: Array) -> Array:
        """Velocity that friction, stops and governor leave of the free one."""
        mass = mass_matrix(self.model, self.q)
        v = v_free.copy()
        matrix = mass + np.diag(self._viscous)
        settle_velocity(matrix, mass @ v_free, self._coulomb, low, high, v)
        return v

    def _stand_still(self) -> None:
        still = np.zeros(self.model.n)
        self.qd, self.qdd, self.effort = still, still.copy(), still.copy()
        self.saturated = self.governed = np.zeros(self.model.n, dtype=bool)

    def _diverged(self) -> None:
        """Refuse a step that leaves reality: stop where the arm was, and drop the command."""
        self.counters["diverged"] += 1
        text = "simulation diverged: brakes on until the next command (cure: a smaller step_ns)"
        self._log.throttled("error", "diverged", text, self.stamp_ns)
        self._command = None
        self.mode = "braked"
        self._stand_still()

    def _note(self, saturated: NDArray[np.bool_], v_free: Array) -> None:
        """Set the flags and report what begins."""
        limits = self.model.limits
        at_limit = (self.q <= limits.lower) | (self.q >= limits.upper)
        governed = np.abs(v_free) > self._velocity_limit
        for now, before, count, text in (
            (
                at_limit,
                self.at_limit,
                "stops_hit",
                "hit its stop at {q:.4g} with velocity {v:.4g}",
            ),
            (saturated, self.saturated, "saturations", "saturates: effort cut to {effort:.4g}"),
            (governed, self.governed, "governed", "is held at its velocity limit {limit:.4g}"),
        ):
            if now.any():
                for i in np.flatnonzero(now & ~before).tolist():
                    self.counters[count] += 1
                    self._report(i, count, text)
        self.at_limit, self.saturated, self.governed = at_limit, saturated, governed

    def _report(self, i: int, key: str, text: str) -> None:
        told = text.format(
            q=self.q[i], v=self.qd[i], effort=self.effort[i], limit=self._velocity_limit[i]
        )
        line = f"joint '{self.model.joint_names[i]}' {told}"
        self._log.throttled("warn", (key, i), line, self.stamp_ns)


def _vector(values: ArrayLike, n: int) -> Array | None:
    """Values as n finite numbers, None when they are not."""
    vector = np.array(values, dtype=float)
    return vector if vector.shape == (n,) and np.all(np.isfinite(vector)) else None
