# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A motion under given torques, by any integrator, with a record to run it again from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics.energy import kinetic_energy, potential_energy
from robodyn_ros.dynamics.forward_dynamics import forward_dynamics, require_inertia
from robodyn_ros.dynamics.integrators import (
    Step,
    euler,
    implicit_euler,
    newmark,
    rk4,
    semi_implicit_euler,
)
from robodyn_ros.dynamics.inverse_dynamics import wrench_torques
from robodyn_ros.dynamics.newton import Newton
from robodyn_ros.errors import ConvergenceError, ModelError, ParameterError, ShapeError
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.simulation.contact import PlaneContact
from robodyn_ros.simulation.rollout_record import Failure, Rollout, model_digest

Array = NDArray[np.float64]
TorqueLaw = Callable[[float, Array, Array], ArrayLike]

_EXPLICIT: dict[str, Step] = {
    "euler": euler,
    "semi_implicit_euler": semi_implicit_euler,
    "rk4": rk4,
}
INTEGRATORS = (*_EXPLICIT, "newmark", "implicit_euler")
_NEWTON_OPTIONS = ("tolerance", "max_iterations")
_OPTIONS = {"newmark": ("gamma", "beta", *_NEWTON_OPTIONS), "implicit_euler": _NEWTON_OPTIONS}

_FASTEST = 1e6  # rad/s or m/s: beyond it the motion has left reality


def rollout(
    model: RobotModel,
    q0: ArrayLike,
    qd0: ArrayLike,
    torque: TorqueLaw | ArrayLike | None,
    step: float,
    duration: float,
    integrator: str = "rk4",
    contact: PlaneContact | Sequence[PlaneContact] = (),
    seed: int = 0,
    *,
    noise: ArrayLike = 0.0,
    options: Mapping[str, float] | None = None,
) -> Rollout:
    """
    Move a robot from q0, qd0 (n,) for ``duration`` s in steps of ``step`` s.

    ``torque(t, q, qd)`` (n,) is asked once at the start of every step and held, as a drive does,
    so it may remember things; a table (steps, n) is held likewise; None: no torque. ``noise``
    (N m or N, one number or (n,)) is the standard deviation of a random torque on top, drawn from
    ``seed``. ``integrator``: one of INTEGRATORS, with ``options`` gamma, beta (newmark),
    tolerance, max_iterations (both implicit ones). Joint limits are not enforced but checked.

    What goes wrong in the motion ends or marks it, and is not raised: ``Rollout.failures``.
    Raises ParameterError and ShapeError for the arguments, UnknownNameError for a contact's link
    and SingularModelError.
    """
    require_inertia(model)
    take_step = _stepper(integrator, options or {})
    steps = _whole_steps(step, duration)
    q, qd = _finite("q0", q0, (model.n,)), _finite("qd0", qd0, (model.n,))
    law = _law(torque, step, (steps, model.n))
    spread = np.broadcast_to(_finite("noise", noise, (), (model.n,)), (model.n,))
    generator = np.random.default_rng(seed)
    contacts = (contact,) if isinstance(contact, PlaneContact) else tuple(contact)
    for each in contacts:
        model.link_index(each.link)

    states, torques, ended = [(q, qd)], [], None
    for k in range(steps):
        tau = law(k, q, qd)
        if spread.any():
            tau = tau + spread * generator.standard_normal(model.n)
        torques.append(tau)
        end = _try_step(take_step, model, contacts, tau, q, qd, step)
        if isinstance(end, Failure):
            ended = end
            break
        q, qd = end
        states.append(end)
    return Rollout(
        model_name=model.name,
        model_hash=model_digest(model),
        joint_names=model.joint_names,
        integrator=integrator,
        options=dict(options or {}),
        step=step,
        seed=seed,
        noise=tuple(spread.tolist()),
        contacts=contacts,
        ended=ended,
        torque=np.reshape(torques, (-1, model.n)),
        **_measured(model, contacts, step, states, torques),
    )


def repeat(record: Rollout, model: RobotModel) -> Rollout:
    """
    Run a rollout again from its record: same initial state, solver and applied torques.

    On the same machine and libraries it comes out the same to the last bit. Raises ModelError
    when the model is not the record's.
    """
    if model_digest(model) != record.model_hash:
        raise ModelError(
            f"the record was made with another model: '{record.model_name}', hash "
            f"{record.model_hash[:12]}, not '{model.name}', {model_digest(model)[:12]}"
        )
    again = rollout(
        model,
        record.q[0],
        record.qd[0],
        record.torque,
        record.step,
        record.step * len(record.torque),
        record.integrator,
        record.contacts,
        options=record.options,
    )
    return replace(again, seed=record.seed, noise=record.noise)


def _try_step(
    take_step: Step,
    model: RobotModel,
    contacts: Sequence[PlaneContact],
    tau: Array,
    q: Array,
    qd: Array,
    h: float,
) -> tuple[Array, Array] | Failure:
    """State after one step, or why there is none."""
    if not np.all(np.isfinite(tau)):
        return Failure("torque_not_finite", f"the torque law gave {tau.tolist()}")
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # the label tells
            q, qd = take_step(partial(_acceleration, model, contacts, tau), q, qd, h)
    except ConvergenceError as error:
        return Failure("not_converged", str(error))
    if not (np.all(np.isfinite(q)) and np.all(np.abs(qd) < _FASTEST)):
        return Failure("diverged", "take a smaller step, or an implicit integrator")
    return q, qd


def _acceleration(
    model: RobotModel, contacts: Sequence[PlaneContact], tau: Array, q: Array, qd: Array
) -> Array:
    for contact in contacts:
        touch = contact.of_robot(model, q, qd)
        if touch.depth > 0.0:
            tau = tau + wrench_torques(model, q, {contact.link: touch.wrench})
    return forward_dynamics(model, q, qd, tau)


def _measured(
    model: RobotModel,
    contacts: Sequence[PlaneContact],
    step: float,
    states: Sequence[tuple[Array, Array]],
    torques: Sequence[Array],
) -> dict[str, Array]:
    """Energies, depths and limits at all states, as Rollout holds them."""
    q, qd = (np.array(x) for x in zip(*states, strict=True))
    elastic, lost = np.zeros(len(q)), np.zeros(len(q))
    depth = np.zeros((len(q), len(contacts)))
    for column, contact in enumerate(contacts):
        touch = contact.of_robot(model, q, qd)
        depth[:, column] = touch.depth
        elastic += touch.energy
        lost += touch.dissipation
    held = np.reshape(torques, (-1, model.n))[: len(q) - 1]
    return {
        "q": q,
        "qd": qd,
        "kinetic": kinetic_energy(model, q, qd),
        "potential": potential_energy(model, q),
        "elastic": elastic,
        # Exact, since torques are held; what contacts take is by the trapezoidal rule.
        "work": _running(np.sum(held * np.diff(q, axis=0), axis=1)),
        "dissipated": _running(0.5 * step * (lost[1:] + lost[:-1])),
        "depth": depth,
        "beyond_limits": np.maximum(model.limits.lower - q, q - model.limits.upper),
    }


def _running(parts: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(parts)])


def _stepper(integrator: str, options: Mapping[str, Any]) -> Step:
    """Give the integrator of that name with its options bound."""
    if integrator not in INTEGRATORS:
        raise ParameterError("integrator", integrator, f"one of {', '.join(INTEGRATORS)}")
    known = _OPTIONS.get(integrator, ())
    for name, value in options.items():
        if name not in known:
            takes = " and ".join(known) or "no options"
            raise ParameterError(name, value, f"nothing: {integrator} takes {takes}")
    if integrator in _EXPLICIT:
        return _EXPLICIT[integrator]
    newton = Newton(**{name: options[name] for name in _NEWTON_OPTIONS if name in options})
    rest = {name: value for name, value in options.items() if name not in _NEWTON_OPTIONS}
    method: Any = newmark if integrator == "newmark" else implicit_euler
    step: Step = partial(method, newton=newton, **rest)
    return step


def _whole_steps(step: float, duration: float) -> int:
    if not (isfinite(step) and step > 0.0):
        raise ParameterError("step", step, "a time above 0 (s)")
    if not (isfinite(duration) and duration >= 0.0):
        raise ParameterError("duration", duration, "a time from 0 (s)")
    steps = round(duration / step)
    if abs(steps * step - duration) > 1e-6 * step:
        raise ParameterError("duration", duration, f"a whole number of steps of {step:g} s")
    return steps


def _law(
    torque: TorqueLaw | ArrayLike | None, step: float, shape: tuple[int, int]
) -> Callable[[int, Array, Array], Array]:
    """Torque of step k, whatever form it was given in."""
    if callable(torque):
        return lambda k, q, qd: _shaped("torque(t, q, qd)", torque(k * step, q, qd), shape[1:])
    table = np.zeros(shape) if torque is None else _shaped("torque", torque, shape)
    return lambda k, q, qd: table[k]


def _shaped(name: str, value: ArrayLike, *shapes: tuple[int, ...]) -> Array:
    array = np.array(value, dtype=float)
    if array.shape not in shapes:
        raise ShapeError(
            f"{name} has shape {array.shape}: expected {' or '.join(map(str, shapes))}"
        )
    return array


def _finite(name: str, value: ArrayLike, *shapes: tuple[int, ...]) -> Array:
    array = _shaped(name, value, *shapes)
    if not np.all(np.isfinite(array)):
        raise ParameterError(name, array.tolist(), "finite numbers")
    return array
