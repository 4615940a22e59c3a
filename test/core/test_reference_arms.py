# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Industrial arms with the link parameters of their makers, at one published state.

The figures are in reference/arms.json, each with its source; they were computed by Pinocchio 4.1.0
(FR3 and UR10e to ten digits, the others in full).
"""

import numpy as np
import pytest
from reference_models import reference_arms

from robodyn_ros import (
    bias_torques,
    coriolis_matrix,
    forward_dynamics,
    frame_jacobian,
    gravity_torques,
    inverse_dynamics,
    kinetic_energy,
    link_pose,
    mass_matrix,
    potential_energy,
)
from robodyn_ros.dynamics.regressor import torque_regressor


def flange_pose(arm: dict) -> np.ndarray:
    """Homogeneous pose (4, 4) of the flange."""
    model = arm["model"]
    rotation, position = link_pose(model, arm["q"], model.link_names[-1])
    return np.block([[rotation, position[:, None]], [np.zeros(3), 1.0]])


# Every figure of the file is tested: by these, or by a test of its own further down.
QUANTITIES = {
    "flange pose": flange_pose,
    "flange position": lambda arm: flange_pose(arm)[:3, 3],
    "jacobian": lambda arm: frame_jacobian(arm["model"], arm["q"], arm["model"].link_names[-1]),
    "gravity torques": lambda arm: gravity_torques(arm["model"], arm["q"]),
    "bias torques": lambda arm: bias_torques(arm["model"], arm["q"], arm["qd"]),
    "torques": lambda arm: inverse_dynamics(arm["model"], arm["q"], arm["qd"], arm["qdd"]),
    "mass matrix": lambda arm: mass_matrix(arm["model"], arm["q"]),
    "coriolis matrix": lambda arm: coriolis_matrix(arm["model"], arm["q"], arm["qd"]),
    "kinetic energy": lambda arm: kinetic_energy(arm["model"], arm["q"], arm["qd"]),
    "potential energy": lambda arm: potential_energy(arm["model"], arm["q"]),
}


FIGURES = [(a, q) for a, arm in reference_arms().items() for q in arm["expected"]]


@pytest.mark.parametrize(("name", "quantity"), [f for f in FIGURES if f[1] in QUANTITIES])
def test_quantity_is_the_published_one(name: str, quantity: str) -> None:
    arm = reference_arms()[name]
    expected = np.array(arm["expected"][quantity])
    printed = 1e-10 if arm["model"].name in ("fr3", "ur10e") else 0.0
    assert QUANTITIES[quantity](arm) == pytest.approx(expected, rel=1e-12, abs=printed + 1e-13)


@pytest.mark.parametrize("name", reference_arms())
def test_released_arm_accelerates_as_published(name: str) -> None:
    """Zero torque; light wrists make M badly conditioned, so the bound grows with cond(M)."""
    arm = reference_arms()[name]
    model, expected = arm["model"], np.array(arm["expected"]["accelerations"])
    qdd = forward_dynamics(model, arm["q"], arm["qd"], np.zeros(model.n))
    bound = np.linalg.cond(mass_matrix(model, arm["q"])) * np.finfo(float).eps
    assert np.abs(qdd - expected).max() <= bound * np.abs(expected).max() + 1e-10


@pytest.mark.parametrize("name", ["panda, identified", "panda, maker", "ur5e"])
def test_first_row_of_the_regressor_is_the_published_one(name: str) -> None:
    arm = reference_arms()[name]
    regressor = torque_regressor(arm["model"], arm["q"], arm["qd"], arm["qdd"])
    assert regressor[0] == pytest.approx(arm["expected"]["regressor row"], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(
    ("name", "torque"), [("panda, maker", 15.43), ("panda, identified", 18.57), ("fr3", 18.96)]
)
def test_joint_4_of_the_panda_carries_more_than_12_newton_metres(name: str, torque: float) -> None:
    """In the ready pose, by gravity alone: a rating of 12 N m for joint 4 cannot be right."""
    ready = np.array([0.0, -1.0, 0.0, -3.0, 0.0, 2.0, 1.0]) * np.pi / 4
    model = reference_arms()[name]["model"]
    assert gravity_torques(model, ready)[3] == pytest.approx(torque, abs=0.005)
    _, flange = link_pose(model, ready, model.link_names[-1])
    assert flange == pytest.approx([0.3068905666, 0.0, 0.5902820523], abs=1e-10)


def test_the_published_closed_form_of_the_panda_is_another_parameter_set() -> None:
    """
    Gravity terms that Gaz et al. 2019 ship as code differ from their table by up to 0.1 N m.

    The code uses base parameters of its own and g = 9.80665; the table is what we (and Pinocchio)
    use. marcocognetti/FrankaEmikaPandaDynModel 24d85ce4, compiled and run at the same state.
    """
    arm = reference_arms()["panda, identified"]
    code = np.array([0.0, -29.8928094995, 1.63243517353, 18.6058475281,
                     0.884197717642, 1.42287114873, -0.0265590530325])  # fmt: skip
    difference = np.abs(gravity_torques(arm["model"], arm["q"]) - code)
    assert 0.05 < difference.max() < 0.1
