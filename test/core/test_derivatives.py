# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Slopes of inverse dynamics."""

import numpy as np
import pinocchio as pin
import pytest
from random_models import random_tree

from bench.accuracy import random_states, read_robot
from bench.pinocchio_oracle import PinocchioOracle
from robodyn_ros import coriolis_torques, inverse_dynamics
from robodyn_ros.dynamics.derivatives import inverse_dynamics_derivatives
from robodyn_ros.errors import ShapeError

STEP = 1e-6


@pytest.mark.parametrize(("seed", "mimic"), [(1, False), (2, False), (3, True), (4, True)])
def test_slopes_are_those_of_central_differences(seed: int, mimic: bool) -> None:
    model = random_tree(seed, mimic=mimic)
    assert bool(model.mimics) == mimic
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, 10, model.n))
    by_q, by_qd = inverse_dynamics_derivatives(model, q, qd, qdd)
    x, v, a = q[:, None], qd[:, None], qdd[:, None]
    steps = STEP * np.eye(model.n)
    # Entry [s, j, i] is the slope of torque i along coordinate j.
    slope_q = inverse_dynamics(model, x + steps, v, a) - inverse_dynamics(model, x - steps, v, a)
    slope_v = inverse_dynamics(model, x, v + steps, a) - inverse_dynamics(model, x, v - steps, a)
    for ours, slope in ((by_q, slope_q), (by_qd, slope_v)):
        differences = np.swapaxes(slope, -1, -2) / (2 * STEP)
        assert ours == pytest.approx(differences, rel=1e-6, abs=1e-6)
        assert np.abs(ours).max() > 1.0


@pytest.mark.parametrize("robot", ["panda", "ur5", "talos_reduced"])
def test_slopes_are_pinocchio_s(robot: str) -> None:
    text, model = read_robot(robot)
    oracle = PinocchioOracle(text, model)
    q, qd, qdd, _ = random_states(model, 10)
    by_q, by_qd = inverse_dynamics_derivatives(model, q, qd, qdd)
    gain = oracle.gain
    for s in range(10):
        x = oracle.configuration(q[s])
        full_q, full_qd, _ = pin.computeRNEADerivatives(
            oracle.pin, oracle.data, x, gain @ qd[s], gain @ qdd[s]
        )
        assert by_q[s] == pytest.approx(gain.T @ full_q @ gain, rel=1e-9, abs=1e-9)
        assert by_qd[s] == pytest.approx(gain.T @ full_qd @ gain, rel=1e-9, abs=1e-9)


def test_velocity_slope_of_a_quadratic_form() -> None:
    """Coriolis torques are quadratic in qd, so (dtau/dqd) qd is twice them (Euler's theorem)."""
    model = random_tree(7, mimic=True)
    q, qd, qdd = np.random.default_rng(7).uniform(-1.5, 1.5, (3, 20, model.n))
    _, by_qd = inverse_dynamics_derivatives(model, q, qd, qdd)
    twice = np.einsum("sij,sj->si", by_qd, qd)
    assert twice == pytest.approx(2.0 * coriolis_torques(model, q, qd), rel=1e-11, abs=1e-11)


def test_gravity_alone_has_a_symmetric_slope() -> None:
    """At rest it is the Hessian of the potential energy."""
    model = random_tree(8)
    q, still = np.random.default_rng(8).uniform(-1.5, 1.5, (20, model.n)), np.zeros(model.n)
    by_q, by_qd = inverse_dynamics_derivatives(model, q, still, still)
    assert by_q == pytest.approx(np.swapaxes(by_q, -1, -2), rel=1e-12, abs=1e-12)
    assert np.all(by_qd == 0.0)


def test_batch_equals_single_calls_and_keeps_its_shape() -> None:
    model = random_tree(9)
    q, qd, qdd = np.random.default_rng(9).uniform(-1.5, 1.5, (3, 4, 5, model.n))
    batch = inverse_dynamics_derivatives(model, q, qd, qdd)
    single = inverse_dynamics_derivatives(model, q[2, 3], qd[2, 3], qdd[2, 3])
    for many, one in zip(batch, single, strict=True):
        assert many.shape == (4, 5, 8, 8)
        assert many[2, 3] == pytest.approx(one, rel=1e-12, abs=1e-12)
    with pytest.raises(ShapeError, match="qd has shape"):
        inverse_dynamics_derivatives(model, np.zeros(8), np.zeros(7), np.zeros(8))
