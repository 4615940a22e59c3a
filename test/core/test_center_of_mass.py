# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the whole robot's centre of mass is, and how it moves with the joints."""

import numpy as np
import pinocchio as pin
import pytest
from random_models import random_tree

from bench.accuracy import random_states, read_robot
from bench.pinocchio_oracle import PinocchioOracle
from robodyn_ros import (
    ChainLink,
    RobotModel,
    center_of_mass,
    center_of_mass_jacobian,
    frame_jacobian,
    gravity_torques,
    link_pose,
    potential_energy,
)
from robodyn_ros.errors import ModelError, ShapeError


@pytest.fixture(params=[(1, False), (3, True)], ids=str)
def case(request: pytest.FixtureRequest) -> tuple[RobotModel, np.ndarray]:
    seed, mimic = request.param
    model = random_tree(seed, mimic=mimic)
    return model, np.random.default_rng(seed).uniform(-1.5, 1.5, (2, 6, model.n))


def test_center_of_two_point_masses() -> None:
    arm = RobotModel.from_links(
        [
            ChainLink(axis=(0, 0, 1), mass=1.0, com=(0.5, 0, 0)),
            ChainLink(axis=(0, 0, 1), offset=(0.5, 0, 0), mass=3.0, com=(0.4, 0, 0)),
        ]
    )
    q = np.array([np.pi / 2, -np.pi / 2])
    assert center_of_mass(arm, q) == pytest.approx([0.3, 0.5, 0.0])
    expected = [[-0.5, 0.0], [0.3, 0.3], [0.0, 0.0]]
    assert center_of_mass_jacobian(arm, q) == pytest.approx(np.array(expected), abs=1e-15)


def test_it_is_the_mass_weighted_mean_of_all_links(case) -> None:
    model, (q, _) = case
    loaded = model.with_payload(model.leaf_links[0], 0.7, (0.1, 0.2, -0.1))
    bodies = [
        (link, parameters[0], parameters[1:4] / parameters[0])
        for link, parameters in zip(model.link_names, model.link_parameters, strict=True)
    ] + [(model.leaf_links[0], 0.7, np.array([0.1, 0.2, -0.1]))]
    where, how = np.zeros(3), np.zeros((3, model.n))
    for link, mass, c in bodies:
        rotation, position = link_pose(model, q[0], link)
        where += mass * (position + rotation @ c)
        how += mass * frame_jacobian(model, q[0], link, c)[:3]
    assert center_of_mass(loaded, q[0]) == pytest.approx(where / loaded.total_mass, rel=1e-12)
    assert center_of_mass_jacobian(loaded, q[0]) == pytest.approx(
        how / loaded.total_mass, rel=1e-12, abs=1e-13
    )


def test_jacobian_is_the_slope_and_gravity_acts_at_the_center(case) -> None:
    model, (q, qd) = case
    step = 1e-6
    moved = center_of_mass(model, q + step * qd) - center_of_mass(model, q - step * qd)
    jacobian = center_of_mass_jacobian(model, q)
    assert np.einsum("bij,bj->bi", jacobian, qd) == pytest.approx(moved / (2 * step), abs=1e-8)
    weight = model.total_mass * model.gravity
    assert -weight @ jacobian == pytest.approx(gravity_torques(model, q), rel=1e-11, abs=1e-11)
    assert potential_energy(model, q) == pytest.approx(-center_of_mass(model, q) @ weight)


@pytest.mark.parametrize("robot", ["panda", "tiago", "talos_reduced"])
def test_agrees_with_pinocchio(robot: str) -> None:
    text, model = read_robot(robot)
    oracle = PinocchioOracle(text, model)
    q, *_ = random_states(model, 20)
    ours, jacobian = center_of_mass(model, q), center_of_mass_jacobian(model, q)
    # Pinocchio's Jacobian is that of the moving links' centre, without what is fixed to the root.
    moving = model.total_mass - oracle.pin.inertias[0].mass
    for s in range(len(q)):
        assert ours[s] == pytest.approx(oracle.center_of_mass(q[s]), rel=1e-12, abs=1e-13)
        x = oracle.configuration(q[s])
        full = pin.jacobianCenterOfMass(oracle.pin, oracle.data, x) * moving / model.total_mass
        assert jacobian[s] == pytest.approx(full @ oracle.gain, rel=1e-11, abs=1e-13)


def test_batches_keep_their_shape(case) -> None:
    model, states = case
    q = states[0].reshape(2, 3, model.n)
    assert center_of_mass(model, q).shape == (2, 3, 3)
    jacobian = center_of_mass_jacobian(model, q)
    assert jacobian.shape == (2, 3, 3, model.n)
    assert jacobian[1, 2] == pytest.approx(center_of_mass_jacobian(model, q[1, 2]), rel=1e-12)
    assert center_of_mass_jacobian(model, q[:, :0]).shape == (2, 0, 3, model.n)


def test_what_has_no_mass_has_no_center() -> None:
    bare = RobotModel.from_links([ChainLink(axis=(0, 0, 1))])
    for function in (center_of_mass, center_of_mass_jacobian):
        with pytest.raises(ModelError, match="chain has no mass"):
            function(bare, [0.0])
        with pytest.raises(ShapeError, match="q has shape"):
            function(bare, 0.0)
