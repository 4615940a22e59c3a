# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Combinations of inertial parameters that torques can tell apart."""

import numpy as np
import pytest
from random_models import random_inertia, random_tree

from bench.accuracy import random_states, read_robot
from robodyn_ros import RobotModel, inertial_parameters, inverse_dynamics, torque_regressor
from robodyn_ros.dynamics.base_parameters import base_parameters
from robodyn_ros.dynamics.regressor import parameter_names
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.model.rotations import matrix_from_rpy
from robodyn_ros.model.specs import LinkSpec


def random_chain(seed: int = 3, axis: tuple[float, ...] | None = None) -> RobotModel:
    """Make a 3R chain with axes in any direction, or all along one."""
    rng = np.random.default_rng(seed)
    return RobotModel.from_links(
        [
            ChainLink(
                axis=axis or rng.standard_normal(3),
                offset=rng.uniform(-0.5, 0.5, 3),
                rotation=np.eye(3) if axis else matrix_from_rpy(rng.uniform(-2, 2, 3)),
                mass=rng.uniform(1, 3),
                com=rng.uniform(-0.2, 0.2, 3),
                inertia=random_inertia(rng),
            )
            for _ in range(3)
        ],
        gravity=(0.0, -9.81, 0.0),
    )


def test_a_spatial_chain_of_three_joints_has_17_base_parameters() -> None:
    """Rank 17 of 30, measured independently; Mayeda, Yoshida, Osuka 1990: 7 n - 4 = 17."""
    base = base_parameters(random_chain())
    assert base.rank == 17
    assert base.combination.shape == (17, 30)


def test_a_planar_chain_identifies_three_numbers_a_link() -> None:
    """M c x, m c y and I about the axis of each link, the masses beyond it added to them."""
    model = random_chain(axis=(0.0, 0.0, 1.0))
    base = base_parameters(model)
    names = [parameter_names(model)[i] for i in base.columns]
    expected = {"mcx", "mcy", "Izz"}
    assert base.rank == 9
    for link in ("link1", "link2", "link3"):
        assert {name.split()[1] for name in names if name.startswith(link)} == expected


@pytest.mark.parametrize("model", [random_chain(), random_tree(1), random_tree(3, mimic=True)])
def test_base_parameters_give_the_torques(model: RobotModel) -> None:
    base = base_parameters(model)
    assert base.rank < 10 * len(model.arrays.bodies)
    q, qd, qdd = np.random.default_rng(9).uniform(-1.5, 1.5, (3, 50, model.n))
    beta = base.values(inertial_parameters(model))
    matrix = torque_regressor(model, q, qd, qdd)[..., base.columns]
    torques = inverse_dynamics(model, q, qd, qdd)
    assert matrix @ beta == pytest.approx(torques, rel=1e-9, abs=1e-9)
    # And nothing less would do: the columns are independent.
    assert np.linalg.matrix_rank(matrix.reshape(-1, base.rank)) == base.rank
    fitted = np.linalg.lstsq(matrix.reshape(-1, base.rank), torques.ravel(), rcond=None)[0]
    assert fitted == pytest.approx(beta, rel=1e-6, abs=1e-8)


def test_parameters_outside_the_base_do_not_change_the_torques() -> None:
    model = random_chain()
    base = base_parameters(model)
    # A direction in which beta stays: no torque sees it.
    _, _, rows = np.linalg.svd(base.combination)
    unseen = rows[base.rank :]
    q, qd, qdd = np.random.default_rng(10).uniform(-1.5, 1.5, (3, 20, 3))
    assert len(unseen) == 13
    assert torque_regressor(model, q, qd, qdd) @ unseen.T == pytest.approx(0.0, abs=1e-10)


def test_rank_of_an_industrial_arm_is_that_of_the_singular_values() -> None:
    """UR5: 36 by Mayeda's count for an arm whose first two joints are perpendicular at z up."""
    _, model = read_robot("ur5")
    q, qd, qdd, _ = random_states(model, 200)
    base = base_parameters(model)
    matrix = torque_regressor(model, q, qd, qdd).reshape(-1, 60)
    assert base.rank == np.linalg.matrix_rank(matrix, tol=1e-8 * np.linalg.norm(matrix, 2)) == 36


def test_given_states_tell_what_they_excite() -> None:
    model = random_chain()
    q = np.random.default_rng(11).uniform(-1.5, 1.5, (100, 3))
    still = np.zeros(3)
    held = base_parameters(model, states=(q, still, still))
    assert 0 < held.rank < 17
    names = [parameter_names(model)[i] for i in held.columns]
    assert all(" m" in name for name in names), "gravity knows no inertia"
    again = base_parameters(model, states=(q, still, still))
    assert np.array_equal(held.combination, again.combination)
    idle = base_parameters(model.with_gravity((0, 0, 0)), states=(q, still, still))
    assert idle.rank == 0 and idle.values(np.ones(30)).shape == (0,)


def test_a_robot_without_joints_has_none() -> None:
    model = RobotModel.from_specs("stand", [LinkSpec("base", 1.0)], [])
    assert base_parameters(model).rank == 0
    assert torque_regressor(model, *np.zeros((3, 4, 0))).shape == (4, 0, 0)
    assert inertial_parameters(model).shape == (0,)
