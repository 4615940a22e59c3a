# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The worked examples of the source texts, with the values that were verified independently."""

import numpy as np
import pytest

from robodyn_ros import (
    RobotModel,
    bias_torques,
    coriolis_matrix,
    coriolis_torques,
    forward_dynamics,
    gravity_torques,
    inverse_dynamics,
    joint_positions,
    mass_matrix,
)
from robodyn_ros.dynamics.lagrangian import LagrangianSystem
from robodyn_ros.dynamics.rigid_body import RigidBody
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.model.inertia import rod_inertia, sphere_inertia

X, Y, Z = np.eye(3)
G = 9.81


def uniform_rods(axis: np.ndarray) -> RobotModel:
    """Two rods of 1 kg and 1 m along x."""
    rod = rod_inertia(1.0, 1.0, X)
    link = dict(axis=axis, mass=1.0, com=(0.5, 0.0, 0.0), inertia=rod)
    return RobotModel.from_links(
        [ChainLink(offset=(0.0, 0.0, 0.0), **link), ChainLink(offset=(1.0, 0.0, 0.0), **link)]
    )


def point_mass_arm() -> RobotModel:
    """Make the 2R arm of the second text: 1.5 and 1.0 kg at the tips of 0.5 and 0.4 m."""
    return RobotModel.from_links(
        [
            ChainLink(axis=Z, offset=(0.0, 0.0, 0.0), mass=1.5, com=(0.5, 0.0, 0.0)),
            ChainLink(axis=Z, offset=(0.5, 0.0, 0.0), mass=1.0, com=(0.4, 0.0, 0.0)),
        ],
        gravity=(0.0, -G, 0.0),
    )


def test_forward_kinematics_of_the_two_link_arm() -> None:
    arm = RobotModel.from_links(
        [ChainLink(axis=Y, offset=(0, 0, 0)), ChainLink(axis=Y, offset=(1, 0, 0))],
        tool=(0.8, 0, 0),
    )
    q = np.array([np.pi / 4, -np.pi / 6])
    expected = [
        (0.0, 0.0, 0.0),
        (0.7071067812, 0.0, -0.7071067812),
        (1.4798474422, 0.0, -0.9141620173),
    ]
    assert joint_positions(arm, q) == pytest.approx(np.array(expected), abs=1e-10)
    assert joint_positions(arm, q, tool=(0.8, 0, 0)) == pytest.approx(
        np.array(expected), abs=1e-10
    )


def test_the_tool_point_has_nothing_to_do_with_the_last_centre_of_mass() -> None:
    light = RobotModel.from_links([ChainLink(axis=Y, offset=(0, 0, 0))], tool=(0.8, 0, 0))
    heavy = RobotModel.from_links(
        [ChainLink(axis=Y, offset=(0, 0, 0), mass=2.0, com=(0.1, 0.2, 0.3))], tool=(0.8, 0, 0)
    )
    q = np.array([0.3])
    assert np.array_equal(joint_positions(light, q), joint_positions(heavy, q))


def test_articulated_body_algorithm_on_two_rods_released_from_the_horizontal() -> None:
    arm = uniform_rods(Y)
    zero = np.zeros(2)
    qdd = forward_dynamics(arm, zero, zero, zero)
    assert qdd == pytest.approx(G * np.array([9 / 7, -12 / 7]), rel=1e-12)
    assert qdd == pytest.approx([12.6128571429, -16.8171428571], abs=1e-10)
    assert inverse_dynamics(arm, zero, zero, qdd) == pytest.approx(zero, abs=1e-12)
    assert mass_matrix(arm, zero) == pytest.approx(
        np.array([[8 / 3, 5 / 6], [5 / 6, 1 / 3]]), rel=1e-12
    )
    assert gravity_torques(arm, zero) == pytest.approx([-19.62, -4.905], rel=1e-12)


def test_pendulum_in_lagrangian_form() -> None:
    pendulum = LagrangianSystem(
        mass=lambda q: 1.0,
        coriolis=lambda q, qd: 0.0,
        gravity=lambda q: G * np.sin(q),
        potential=lambda q: -G * float(np.cos(q[0])),
    )
    assert pendulum.forward_dynamics([0.5], [0.0], [0.0]) == pytest.approx([-4.703164533707])
    assert pendulum.inverse_dynamics([0.5], [0.0], [0.0]) == pytest.approx([4.703164533707])
    assert pendulum.energy([0.0], [2.0]) == pytest.approx(2.0 - G)


def test_a_hanging_two_link_arm_is_in_equilibrium() -> None:
    arm = RobotModel.from_links(
        [
            ChainLink(axis=Y, offset=(0, 0, 0), mass=1.0, com=(0, 0, -1.0)),
            ChainLink(axis=Y, offset=(0, 0, -1.0), mass=1.0, com=(0, 0, -1.0)),
        ]
    )
    zero = np.zeros(2)
    system = LagrangianSystem.from_model(arm)
    assert gravity_torques(arm, zero) == pytest.approx(zero, abs=1e-15)
    assert system.forward_dynamics(zero, zero, zero) == pytest.approx(zero, abs=1e-15)
    # Away from it the two routes to the same torque agree.
    q, qd, qdd = np.array([0.4, -0.9]), np.array([0.3, 1.2]), np.array([-1.0, 0.7])
    tau = inverse_dynamics(arm, q, qd, qdd)
    assert system.inverse_dynamics(q, qd, qdd) == pytest.approx(tau, rel=1e-12)
    assert system.forward_dynamics(q, qd, tau) == pytest.approx(qdd, rel=1e-12)


def test_sphere_pushed_and_turned() -> None:
    sphere = RigidBody(2.0, sphere_inertia(2.0, 0.5))
    zero = np.zeros(3)
    dv, domega = sphere.forward_dynamics(zero, zero, force=6.0 * X, torque=Z)
    assert dv == pytest.approx([3.0, 0.0, 0.0])
    assert domega == pytest.approx([0.0, 0.0, 5.0])
    force, torque = sphere.inverse_dynamics(zero, zero, dv, domega)
    assert force == pytest.approx(6.0 * X) and torque == pytest.approx(Z)


def test_gyroscopic_acceleration_of_an_asymmetric_body() -> None:
    body = RigidBody(1.0, np.diag([1.0, 2.0, 3.0]))
    omega = np.array([1.0, 1.0, 0.0])
    _, domega = body.forward_dynamics(np.zeros(3), omega, np.zeros(3), np.zeros(3))
    assert domega == pytest.approx([0.0, 0.0, -1.0 / 3.0])


def test_newton_euler_recursion_on_a_rod_about_its_end() -> None:
    rod = RobotModel.from_links(
        [
            ChainLink(
                axis=Z,
                offset=(0, 0, 0),
                mass=2.0,
                com=(0.5, 0, 0),
                inertia=rod_inertia(2.0, 1.0, X),
            )
        ],
        gravity=(0, 0, 0),
    )
    assert inverse_dynamics(rod, [0.0], [0.0], [1.0]) == pytest.approx([2.0 / 3.0], rel=1e-12)


def test_two_joint_arm_agrees_with_its_closed_form() -> None:
    arm = point_mass_arm()
    q, qd, qdd = np.array([0.4, -0.7]), np.array([1.2, 0.9]), np.array([0.3, -0.5])
    close = dict(rel=1e-13)
    assert inverse_dynamics(arm, q, qd, qdd) == pytest.approx(
        [15.596712972254135, 3.577096220641493], **close
    )
    mass = np.array([[1.0909368749137955, 0.31296843745689773], [0.31296843745689773, 0.16]])
    assert mass_matrix(arm, q) == pytest.approx(mass, **close)
    coriolis = np.array([[0.1159591837027844, 0.27057142863983025], [-0.15461224493704584, 0.0]])
    assert coriolis_matrix(arm, q, qd) == pytest.approx(coriolis, abs=1e-15, **close)
    assert coriolis_torques(arm, q, qd) == pytest.approx(
        [0.382665306219188, -0.185534693924455], **close
    )
    assert gravity_torques(arm, q) == pytest.approx(
        [15.04325082228926, 3.748740383328879], **close
    )
    assert bias_torques(arm, q, qd) == pytest.approx(
        coriolis_torques(arm, q, qd) + gravity_torques(arm, q), **close
    )
    step = 1e-6
    mass_rate = (mass_matrix(arm, q + step * qd) - mass_matrix(arm, q - step * qd)) / (2 * step)
    skew = mass_rate - 2 * coriolis_matrix(arm, q, qd)
    assert skew == pytest.approx(np.array([[0, -0.42518367], [0.42518367, 0]]), abs=1e-8)
