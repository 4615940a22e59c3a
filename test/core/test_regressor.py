# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Torque as a linear function of the inertial parameters."""

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
from random_models import random_tree

from bench.accuracy import random_states, read_robot
from bench.pinocchio_oracle import PinocchioOracle
from robodyn_ros import RobotModel, inertial_parameters, inverse_dynamics, torque_regressor
from robodyn_ros.dynamics.regressor import parameter_names
from robodyn_ros.errors import ShapeError
from robodyn_ros.model.chain import ChainLink


@pytest.mark.parametrize(("seed", "mimic"), [(1, False), (2, False), (3, True), (4, True)])
def test_regressor_times_parameters_is_the_torque(seed: int, mimic: bool) -> None:
    model = random_tree(seed, mimic=mimic)
    assert bool(model.mimics) == mimic
    bodies = model.n + len(model.mimics)
    q, qd, qdd = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, 4, 5, model.n))
    matrix = torque_regressor(model, q, qd, qdd)
    assert matrix.shape == (4, 5, model.n, 10 * bodies)
    torques = inverse_dynamics(model, q, qd, qdd)
    assert matrix @ inertial_parameters(model) == pytest.approx(torques, rel=1e-12, abs=1e-12)
    single = torque_regressor(model, q[1, 2], qd[1, 2], qdd[1, 2])
    assert single == pytest.approx(matrix[1, 2], rel=1e-12, abs=1e-12)
    assert torque_regressor(model, q, qd[0, 0], qdd[0, 0]).shape == matrix.shape


@pytest.mark.parametrize("robot", ["panda", "ur5"])
def test_regressor_is_pinocchio_s(robot: str) -> None:
    """Its parameters are these: m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz in the joint's frame."""
    text, model = read_robot(robot)
    oracle = PinocchioOracle(text, model)
    # Followers are joints of their own there: their columns stay, torques add up at the driver.
    order = [list(oracle.pin.names).index(name) - 1 for name in model.skeleton.body_names]
    theirs_theta = np.concatenate(
        [list(oracle.pin.inertias)[1 + i].toDynamicParameters() for i in order]
    )
    assert inertial_parameters(model) == pytest.approx(theirs_theta, rel=1e-12, abs=1e-15)
    q, qd, qdd, _ = random_states(model, 20)
    ours = torque_regressor(model, q, qd, qdd)
    for s in range(20):
        full = pin.computeJointTorqueRegressor(
            oracle.pin,
            oracle.data,
            oracle.configuration(q[s]),
            oracle.gain @ qd[s],
            oracle.gain @ qdd[s],
        )
        theirs = (oracle.gain.T @ full).reshape(model.n, -1, 10)[:, order].reshape(model.n, -1)
        assert ours[s] == pytest.approx(theirs, rel=1e-10, abs=1e-10)


def test_parameters_are_those_of_the_link_in_its_own_frame() -> None:
    """Parallel-axis theorem by hand: m = 2, c = (1, 2, 3), I about c = diag(4, 5, 6)."""
    link = ChainLink((1, 2, -1), mass=2.0, com=(1, 2, 3), inertia=(4, 5, 6), name="arm")
    model = RobotModel.from_links([link])
    expected = [2, 2, 4, 6, 30, -4, 25, -6, -12, 16]
    assert inertial_parameters(model) == pytest.approx(expected, rel=1e-13)
    names = parameter_names(model)
    assert names[:2] == ("arm m", "arm mcx")
    assert names[4:] == ("arm Ixx", "arm Ixy", "arm Iyy", "arm Ixz", "arm Iyz", "arm Izz")


def test_fixed_links_and_payloads_count_into_the_link_that_moves() -> None:
    model = random_tree(5)
    link = model.leaf_links[0]
    loaded = model.with_payload(link, 1.5, (0.1, -0.2, 0.3))
    q, qd, qdd = np.random.default_rng(5).uniform(-1.5, 1.5, (3, 4, model.n))
    matrix = torque_regressor(model, q, qd, qdd)
    more = inertial_parameters(loaded) - inertial_parameters(model)
    added = inverse_dynamics(loaded, q, qd, qdd) - inverse_dynamics(model, q, qd, qdd)
    assert matrix @ more == pytest.approx(added, rel=1e-10, abs=1e-11)
    changed = np.flatnonzero(np.abs(more) > 1e-12) // 10
    assert set(changed) == {model.body_path(link)[-1]}
    moving = {name.split()[0] for name in parameter_names(model)}
    assert moving == {f"l{i}" for i in range(8)}, "fixed links have no columns"


def test_torque_is_not_linear_in_the_centre_of_mass_at_fixed_inertia() -> None:
    """Linear in m, m c and the tensor about the origin only: halving c is not halving its part."""

    def torque(c: float) -> np.ndarray:
        arm = ChainLink((0, 0, 1), mass=1.0, com=(c, 0, 0), inertia=(0.1, 0.1, 0.1))
        return inverse_dynamics(RobotModel.from_links([arm]), [0.3], [0.0], [1.0])

    assert torque(1.0) - 2.0 * torque(0.5) + torque(0.0) == pytest.approx([0.5], rel=1e-12)


@pytest.mark.parametrize("function", [torque_regressor])
def test_wrong_shapes_are_named(function: Callable) -> None:
    with pytest.raises(ShapeError, match="qdd has shape"):
        function(random_tree(1), np.zeros(8), np.zeros(8), np.zeros(7))


def test_rotor_inertia_is_no_column() -> None:
    model = random_tree(6)
    rotors = np.linspace(0.1, 0.8, 8)
    q, qd, qdd = np.random.default_rng(6).uniform(-1, 1, (3, 8))
    geared = model.with_armature(rotors)
    rigid = torque_regressor(geared, q, qd, qdd) @ inertial_parameters(geared)
    torque = inverse_dynamics(geared, q, qd, qdd)
    assert rigid + rotors * qdd == pytest.approx(torque, rel=1e-12, abs=1e-12)
