# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Newmark's method and implicit Euler, stability of all five, energy, long runs."""

from functools import partial

import numpy as np
import pytest
from random_models import random_tree

from robodyn_ros import RobotModel, forward_dynamics, kinetic_energy, potential_energy
from robodyn_ros.dynamics.floating_base import FloatingBase
from robodyn_ros.dynamics.integrators import (
    energy_drift,
    euler,
    implicit_euler,
    integrate,
    newmark,
    rk4,
    semi_implicit_euler,
)
from robodyn_ros.dynamics.newton import Newton
from robodyn_ros.errors import ConvergenceError, ParameterError
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.model.specs import LinkSpec


def pendulum(q, qd):
    """Acceleration of a mathematical pendulum, length 1 m, g = 9.81."""
    return -9.81 * np.sin(q)


def pendulum_slopes(q, qd):
    return -9.81 * np.cos(q)[..., None], np.zeros((*q.shape, 1))


@pytest.mark.parametrize("slopes", [None, pendulum_slopes], ids=["differences", "given"])
@pytest.mark.parametrize(
    ("step", "q", "qd"),
    [
        (implicit_euler, 0.49953008815, -0.046991185036),
        (newmark, 0.499764892378, -0.04702152438),
    ],
)
def test_one_step_of_the_pendulum(step, q, qd, slopes):
    # h = 0.01 from 0.5 rad at rest; Newmark with gamma = 1/2, beta = 1/4
    got = step(pendulum, np.array([0.5]), np.array([0.0]), 0.01, newton=Newton(slopes=slopes))
    assert np.ravel(got) == pytest.approx([q, qd], abs=6e-12)


# Chopra, Dynamics of Structures, examples 5.3 and 5.5, as OpenSees' verification test prints them
# (velocities at steps 4 and 7 of the first recomputed: misprints there); half-sine pulse of 0.6 s.
MASS, STIFFNESS, DAMPING, YIELD = 0.2533, 10.0, 0.1592, 7.5
LINEAR = (
    (0.0437, 0.2326, 0.6121, 1.0825, 1.4309, 1.4231, 0.9622, 0.1908, -0.6044, -1.1442),
    (0.8733, 2.9057, 4.6833, 4.7260, 2.2421, -2.3996, -6.8182, -8.6092, -7.2932, -3.5026),
    (17.4666, 23.1801, 12.3719, -11.5175, -38.1611, -54.6722, -33.6997, -2.1211, 28.4423, 47.3701),
)
PLASTIC = (
    (0.0437, 0.2326, 0.6121, 1.1143, 1.6214, 1.9891, 2.0951, 1.9240, 1.5602),
    (0.8733, 2.9057, 4.6833, 5.3624, 4.7792, 2.5742, -0.4534, -2.9688, -4.3075),
    (17.4666, 23.1801, 12.3719, 1.2103, -12.8735, -31.2270, -29.3242, -20.9876, -5.7830),
)


@pytest.mark.parametrize(
    ("plastic", "table", "tolerance"), [(False, LINEAR, 1e-4), (True, PLASTIC, 4e-4)]
)
def test_newmark_on_a_structure_under_a_pulse(plastic, table, tolerance):
    """The spring yields at 7.5: its plastic stretch is settled between steps."""
    h, stretch = 0.1, 0.0
    u, v, a = np.zeros(1), np.zeros(1), np.zeros(1)
    for k, expected in enumerate(zip(*table, strict=True), start=1):
        load = 10.0 * np.sin(np.pi * k * h / 0.6) if k * h <= 0.6 else 0.0

        def spring(u, stretch=stretch):
            force = STIFFNESS * (u - stretch)
            return np.clip(force, -YIELD, YIELD) if plastic else force

        def f(u, v, load=load, spring=spring):
            return (load - DAMPING * v - spring(u)) / MASS

        u, v = newmark(f, u, v, h, acceleration=a)
        a = f(u, v)
        stretch = (u - spring(u) / STIFFNESS).item()
        scale = [1.0, 10.0, 100.0]  # five figures are printed
        assert np.ravel([u, v, a]) / scale == pytest.approx(
            np.array(expected) / scale, abs=tolerance
        )


def amplification(step, wh):
    """Largest growth of a free undamped oscillation of w rad/s in one step h."""

    def f(q, qd):
        return -(wh**2) * q

    columns = [np.ravel(step(f, np.array([x]), np.array([v]), 1.0)) for x, v in ((1, 0), (0, 1))]
    return np.abs(np.linalg.eigvals(np.array(columns).T)).max()


linear_acceleration = partial(newmark, beta=1.0 / 6.0)


@pytest.mark.parametrize(
    ("step", "limit"),
    [
        (euler, 0.0),
        (semi_implicit_euler, 2.0),
        (partial(newmark, beta=0.0), 2.0),  # central differences
        (rk4, 2.0 * np.sqrt(2.0)),
        (linear_acceleration, 2.0 * np.sqrt(3.0)),
        (newmark, np.inf),
        (implicit_euler, np.inf),
    ],
)
def test_stability_on_an_undamped_oscillator(step, limit):
    for wh in (1e-3, 0.1, 1.0, 0.999 * limit, 1.001 * limit, 10.0, 1e3):
        if 0.0 < wh < np.inf:
            growth = amplification(step, wh)
            assert (growth <= 1.0 + 1e-9) == (wh < limit), f"w h = {wh}: {growth}"


def test_growth_and_decay_have_their_closed_forms():
    for wh in (0.01, 0.3, 3.0):
        assert amplification(euler, wh) == pytest.approx(np.hypot(1.0, wh))
        assert amplification(implicit_euler, wh) == pytest.approx(1.0 / np.hypot(1.0, wh))
        assert amplification(newmark, wh) == pytest.approx(1.0, abs=1e-9)
    damped = partial(newmark, gamma=0.6, beta=0.3025)
    assert amplification(damped, 10.0) < 0.95


@pytest.mark.parametrize(
    ("step", "order"),
    [
        (implicit_euler, 1),
        (newmark, 2),
        (linear_acceleration, 2),
        (partial(newmark, gamma=0.6, beta=0.3025), 1),
    ],
)
def test_order_of_convergence(step, order):
    # pendulum from 1 rad at rest, exact at t = 1 by elliptic functions
    exact = np.array([-0.98006699293, -0.57180372072])
    errors = []
    for h in (0.01, 0.005):
        q, qd = integrate(step, pendulum, np.array([1.0]), np.zeros(1), h, round(1.0 / h))
        errors.append(np.abs(np.ravel([q[-1], qd[-1]]) - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


ROTOR = FloatingBase(
    RobotModel.from_specs(
        "rotor",
        [LinkSpec("rotor", 2.0, np.array([0.1, 0.05, -0.1]), np.diag([0.05, 0.08, 0.11]))],
        [],
    )
)


@pytest.mark.parametrize(
    ("step", "order"),
    [(euler, 1), (semi_implicit_euler, 1), (implicit_euler, 1), (newmark, 2), (rk4, 4)],
)
def test_a_free_root_keeps_the_order(step, order):
    """Tumbling body whose frame is off its centre of mass: positions and turns do not commute."""

    def f(q, v):
        return ROTOR.forward_dynamics(q, v, np.zeros(6))

    start = ROTOR.neutral(), np.array([0.5, -0.2, 0.3, 2.0, 3.0, -1.0])
    move = ROTOR.integrate
    ends = []
    for steps in (20, 40, 80):
        q, v = start
        for _ in range(steps):
            q, v = step(f, q, v, 0.4 / steps, move=move)
        ends.append(np.concatenate([ROTOR.difference(start[0], q), v]))
    coarse, fine = (np.abs(a - b).max() for a, b in zip(ends[:-1], ends[1:], strict=True))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.3)


def test_one_coordinate_may_be_the_time():
    """Q'' = cos t by carrying t as a coordinate: RK4 is exact to its order."""

    def f(q, qd):
        return np.array([np.cos(q[1]), 0.0])

    for step, tolerance in ((rk4, 1e-8), (newmark, 1e-3), (implicit_euler, 5e-2)):
        q, _ = integrate(step, f, np.array([-1.0, 0.0]), np.array([0.0, 1.0]), 0.02, 50)
        assert q[-1] == pytest.approx([-np.cos(1.0), 1.0], abs=tolerance)


def test_batch_equals_singles_on_an_arm():
    model = random_tree(1)
    rng = np.random.default_rng(2)
    q, qd = rng.uniform(-1, 1, (2, 3, 2, model.n))

    def f(q, qd):
        return forward_dynamics(model, q, qd, np.zeros(model.n))

    for step in (newmark, implicit_euler):
        batch = step(f, q, qd, 0.01)
        single = step(f, q[1, 1], qd[1, 1], 0.01)
        assert batch[0][1, 1] == pytest.approx(single[0], rel=1e-12, abs=1e-12)
        assert batch[1][1, 1] == pytest.approx(single[1], rel=1e-12, abs=1e-12)
        end = f(*batch)
        start = end if step is implicit_euler else f(q, qd)
        rise = 0.005 * (start + end)
        assert batch[1] == pytest.approx(qd + rise, rel=1e-9, abs=1e-9)


def test_stiff_spring_and_damper_at_steps_that_explicit_methods_cannot_take():
    def f(q, qd):
        return -1e6 * q - 2e3 * qd

    start = np.array([0.1]), np.array([0.0])
    for step in (implicit_euler, newmark):
        q, _ = integrate(step, f, *start, 0.01, 200)
        assert abs(q[-1, 0]) < 1e-3
    with np.errstate(over="ignore", invalid="ignore"):
        q, _ = integrate(semi_implicit_euler, f, *start, 0.01, 200)
    assert not abs(q[-1, 0]) < 1.0


def test_energy_drifts_least_with_rk4_then_newmark_then_implicit_euler():
    # as MuJoCo's forward tests order RK4, implicit and explicit Euler
    model = RobotModel.from_links(
        [ChainLink((0, 1, 0), (0, 0, 0.5 * k), 1.0, (0, 0, 0.25), (0.02,) * 3) for k in (0, 1)]
    )

    def f(q, qd):
        return forward_dynamics(model, q, qd, np.zeros(2))

    drifts = []
    for step in (rk4, newmark, implicit_euler, euler):
        q, qd = integrate(step, f, np.array([2.0, 0.5]), np.zeros(2), 2e-3, 500)
        kinetic = kinetic_energy(model, q, qd)
        drift = energy_drift(kinetic + potential_energy(model, q), kinetic.max())
        drifts.append(drift)
    sizes = [drift.relative for drift in drifts]
    assert sizes == sorted(sizes) and sizes[0] < 1e-7 and sizes[1] < 1e-3
    assert drifts[2].final < 0.0 < drifts[3].final


def test_energy_drift_names_the_worst_and_the_last():
    energy = np.array([[2.0, 1.0], [2.5, 1.0], [1.0, 1.0], [1.9, 1.0]])
    worst, final, relative = energy_drift(energy)
    assert worst == pytest.approx([-1.0, 0.0])
    assert final == pytest.approx([-0.1, 0.0])
    assert relative == pytest.approx([0.4, 0.0])
    assert energy_drift(energy, scale=10.0).relative == pytest.approx([0.1, 0.0])


# Chaotic double pendulum of Kane 1974 ("babyboot", Drake): rod on a hinge about x, plate on a
# hinge along the rod. State at 10 s by high-order integrators there; errors of RK4 at a step as
# measured by another library.
BABYBOOT = RobotModel.from_links(
    [
        ChainLink((1, 0, 0), (0, 0, 0), 0.01, (0, 0, -0.075), (50e-7,) * 3),
        ChainLink((0, 0, 1), (0, 0, -0.2), 0.1, (0, 0, 0), (2500e-7, 500e-7, 2000e-7)),
    ]
)
BABYBOOT_END = (
    *np.radians([-61.312983340691, -929.47789677244]),
    -6.7440081040646,
    -2.7795690128833,
)


@pytest.mark.parametrize(
    ("h", "error", "energy"), [(5e-3, 0.174, -5.7e-9), (2.5e-3, 9.7e-3, -2.1e-10)]
)
def test_rk4_on_a_chaotic_double_pendulum(h, error, energy):
    def f(q, qd):
        return forward_dynamics(BABYBOOT, q, qd, np.zeros(2))

    start = np.radians([90.0, 1.0])
    q, qd = integrate(rk4, f, start, np.zeros(2), h, round(10.0 / h))
    off = np.abs(np.ravel([q[-1], qd[-1]]) - BABYBOOT_END).max()
    assert off == pytest.approx(error, rel=0.02)
    total = kinetic_energy(BABYBOOT, q, qd) + potential_energy(BABYBOOT, q)
    assert energy_drift(total).final == pytest.approx(energy, rel=0.05)


def test_a_step_without_a_solution_is_an_error():
    def f(q, qd):  # needs qd' = 1 + h qd'^2: no real solution for h > 1/4
        return qd**2

    one = np.array([1.0])
    with pytest.raises(ConvergenceError, match="implicit_euler: not solved.*smaller step") as e:
        implicit_euler(f, one, one, 1.0)
    assert e.value.method == "implicit_euler" and e.value.residual > 0.0
    _, qd = implicit_euler(f, one, one, 0.2)
    assert qd == pytest.approx((1.0 - np.sqrt(0.2)) / 0.4, rel=1e-12)
    with pytest.raises(ConvergenceError, match="nan"):
        newmark(lambda q, qd: np.nan * q, one, one, 0.1)


def test_parameters_are_checked():
    one = np.array([1.0])
    with pytest.raises(ParameterError, match="gamma"):
        newmark(pendulum, one, one, 0.1, gamma=1.5)
    with pytest.raises(ParameterError, match="beta"):
        newmark(pendulum, one, one, 0.1, beta=-0.1)
    with pytest.raises(ParameterError, match="tolerance"):
        Newton(tolerance=0.0)
    with pytest.raises(ParameterError, match="max_iterations"):
        Newton(max_iterations=0)
