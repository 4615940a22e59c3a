# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Integrators against hand-computed single steps and the exact (elliptic) pendulum."""

import numpy as np
import pytest

from robodyn_ros.dynamics.integrators import euler, rk4, semi_implicit_euler


def pendulum(q, qd):
    """Acceleration of a mathematical pendulum, length 1 m, g = 9.81."""
    return -9.81 * np.sin(q)


def run(step, q, qd, h, count):
    for _ in range(count):
        q, qd = step(pendulum, q, qd, h)
    return q, qd


@pytest.mark.parametrize(
    ("step", "q", "qd"),
    [
        (euler, 0.5, -0.047031645337),
        (semi_implicit_euler, 0.499529683547, -0.047031645337),
        (rk4, 0.499764858645, -0.047024896688),
    ],
)
def test_one_step_of_the_pendulum(step, q, qd):
    # one step of h = 0.01 from q = 0.5 at rest; rk4 and the exact motion agree to 1e-12 in q
    got_q, got_qd = step(pendulum, np.array([0.5]), np.array([0.0]), 0.01)
    np.testing.assert_allclose(got_q, [q], atol=6e-13)
    np.testing.assert_allclose(got_qd, [qd], atol=6e-13)


@pytest.mark.parametrize(
    ("t", "q", "qd"),
    [(1.0, -0.98006699293, -0.57180372072), (10.0, -0.46325276873, 2.63654951355)],
)
def test_rk4_follows_the_exact_pendulum(t, q, qd):
    # exact values by Jacobi elliptic functions, start 1 rad at rest
    got = run(rk4, np.array([1.0]), np.array([0.0]), 1e-3, round(t * 1000))
    np.testing.assert_allclose(np.ravel(got), [q, qd], atol=1e-9)


@pytest.mark.parametrize(("step", "order"), [(euler, 1), (semi_implicit_euler, 1), (rk4, 4)])
def test_order_of_convergence(step, order):
    exact = np.array([-0.98006699293, -0.57180372072])
    errors = []
    for h in (0.02, 0.01):
        got = run(step, np.array([1.0]), np.array([0.0]), h, round(1.0 / h))
        errors.append(np.abs(np.ravel(got) - exact).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)


def test_energy_semi_implicit_bounded_explicit_grows():
    def drift(step):
        q, qd = run(step, np.array([1.0]), np.array([0.0]), 1e-2, 5000)
        energy = 0.5 * qd**2 - 9.81 * np.cos(q)
        return (energy[0] + 9.81 * np.cos(1.0)) / (9.81 * (1.0 - np.cos(1.0)))

    assert abs(drift(semi_implicit_euler)) < 0.05
    assert drift(euler) > 0.5


def test_batch_equals_singles_and_inputs_stay():
    rng = np.random.default_rng(1)
    q, qd = rng.normal(size=(2, 5, 3))
    before = q.copy(), qd.copy()
    for step in (euler, semi_implicit_euler, rk4):
        batch = step(pendulum, q, qd, 0.01)
        single = step(pendulum, q[2], qd[2], 0.01)
        np.testing.assert_array_equal(batch[0][2], single[0])
        np.testing.assert_array_equal(batch[1][2], single[1])
    np.testing.assert_array_equal(q, before[0])
    np.testing.assert_array_equal(qd, before[1])
