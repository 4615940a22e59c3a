# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Friction and rotor inertia, on the Puma 560 with its motors.

Parameters and results: models/DH/Puma560.py and the tests of robotics-toolbox-python 1.5.0
(test_DHRobot.py), whose rigid-body part an independent run of Pinocchio 4.1.0 confirmed.
"""

import numpy as np
import pytest
from random_models import random_tree

from robodyn_ros import (
    JointFriction,
    RobotModel,
    forward_dynamics,
    friction_torques,
    inverse_dynamics,
    mass_matrix,
)
from robodyn_ros.dynamics.forward_dynamics import singular_joints
from robodyn_ros.dynamics.joint_effects import coulomb_torques, viscous_torques
from robodyn_ros.errors import ModelError, ParameterError, ShapeError
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.model.rotations import matrix_from_rpy
from robodyn_ros.model.specs import JointSpec, LimitSpec, LinkSpec

# d, a, alpha, mass, centre of mass and diagonal of the inertia about it in the frame beyond.
PUMA = [
    (0.67183, 0.0, np.pi / 2, 0.0, (0, 0, 0), (0, 0.35, 0)),
    (0.0, 0.4318, 0.0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539)),
    (0.15005, 0.0203, -np.pi / 2, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125)),
    (0.4318, 0.0, np.pi / 2, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3)),
    (0.0, 0.0, -np.pi / 2, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3)),
    (0.0, 0.0, 0.0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3)),
]
ROTOR = np.array([200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6])
GEAR = np.array([-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686])
VISCOUS = np.array([1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6])
COULOMB = np.array([0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3])  # for positive velocity
QN = np.array([0.0, np.pi / 4, np.pi, 0.0, np.pi / 4, 0.0])
ONE, ZERO = np.ones(6), np.zeros(6)

# rne() with motors: velocity, acceleration, gravity, torques.
_HELD = [0, 31.6398803784, 6.035138023, 0, 0.0282528, 0]
_STARTED = [3.3531108581, 36.002511244, 7.4259640774, 0.1900430346, 0.2034409311, 0.1941327899]
_MOVED = [32.4952427549, 60.8669884751, 17.7435949128, 1.4545190261, 1.2991104105, 0.7137808875]
_COASTED = [29.1421318969, 56.5043576095, 16.3527688584, 1.2644759915, 1.1239222794, 0.5196480975]
_FLOATED = [32.4952427549, 29.2271080968, 11.7084568898, 1.4545190261, 1.2708576105, 0.7137808875]
TORQUES = [
    (ZERO, ZERO, -9.81, _HELD),
    (ZERO, ONE, -9.81, _STARTED),
    (ONE, ONE, -9.81, _MOVED),
    (ONE, ZERO, -9.81, _COASTED),
    (ONE, ONE, 0.0, _FLOATED),
]
DIGITS = dict(rel=1e-9, abs=1e-9)


def puma(gravity: float = -9.81) -> RobotModel:
    """Rigid Puma 560 by standard Denavit-Hartenberg parameters Rz(q) Tz(d) Tx(a) Rx(alpha)."""
    links, joints = [LinkSpec("beyond0")], []
    z, limit = np.array([0.0, 0.0, 1.0]), LimitSpec(-5, 5)
    for i, (d, a, alpha, mass, com, inertia) in enumerate(PUMA, start=1):
        turn, arm, beyond = matrix_from_rpy([alpha, 0.0, 0.0]), f"arm{i}", f"beyond{i}"
        links += [LinkSpec(arm), LinkSpec(beyond, mass, np.array(com, float), np.diag(inertia))]
        joints += [
            JointSpec(f"j{i}", "revolute", f"beyond{i - 1}", arm, axis=z, limit=limit),
            JointSpec(f"dh{i}", "fixed", arm, beyond, turn, np.array([a, 0.0, d])),
        ]
    return RobotModel.from_specs("puma", links, joints, gravity=(0.0, 0.0, gravity))


def motors() -> JointFriction:
    return JointFriction(GEAR**2 * VISCOUS, np.abs(GEAR) * COULOMB)


@pytest.mark.parametrize(("qd", "qdd", "gravity", "expected"), TORQUES)
def test_inverse_dynamics_with_motors(qd, qdd, gravity: float, expected: list[float]) -> None:
    model = puma(gravity).with_armature(GEAR**2 * ROTOR)
    tau = inverse_dynamics(model, QN, qd, qdd, friction=motors())
    assert tau == pytest.approx(expected, **DIGITS)
    batch = inverse_dynamics(model, np.tile(QN, (70, 1)), qd, qdd, friction=motors())
    assert batch == pytest.approx(np.tile(expected, (70, 1)), **DIGITS)


def test_nothing_is_added_unasked() -> None:
    rigid = [1.1780065183, 35.4606149883, 6.0970639905, 0.0004754903, 0.0351141179, 0.0002165685]
    assert inverse_dynamics(puma(), QN, ONE, ONE) == pytest.approx(rigid, **DIGITS)
    assert np.all(puma().armature == 0.0)


def test_mass_matrix_with_rotors() -> None:
    expected = [
        [3.6593754122, -0.404361246, 0.1006136478, -0.0025169558, 0, 0],
        [-0.404361246, 4.4137419336, 0.350890665, 0, 0.0023595131, 0],
        [0.1006136478, 0.350890665, 0.9378415752, 0, 0.0014801664, 0],
        [-0.0025169558, 0, 0, 0.1925317061, 0, 0.0000282843],
        [0, 0.0023595131, 0.0014801664, 0, 0.1713484517, 0],
        [0, 0, 0, 0.0000282843, 0, 0.1941045057],
    ]
    model = puma().with_armature(GEAR**2 * ROTOR)
    assert mass_matrix(model, QN) == pytest.approx(np.array(expected), **DIGITS)
    assert mass_matrix(model, np.tile(QN, (70, 1)))[69] == pytest.approx(
        np.array(expected), **DIGITS
    )
    torque = mass_matrix(model, QN) @ [1, 2, 3, 1, 2, 3]
    assert torque == pytest.approx(
        [3.1499769076, 9.4805136422, 3.6188800361, 0.1900996031, 0.3518564286, 0.5823418013],
        **DIGITS,
    )


def test_forward_dynamics_with_motors() -> None:
    model, qd = puma().with_armature(GEAR**2 * ROTOR), [0.1, 0.2, 0.8, 0.2, 0.5, 1.0]
    tau = [1.0, 3.2, 1.8, 0.1, 0.7, 4.6]
    expected = [
        -7.4102231637,
        -9.8432245816,
        -10.9693984451,
        -4.4314287514,
        -0.9881410724,
        21.0227819493,
    ]
    single = forward_dynamics(model, QN, np.array(qd), np.array(tau), friction=motors())
    assert single == pytest.approx(expected, **DIGITS)
    batch = forward_dynamics(model, np.tile(QN, (70, 1)), qd, tau, friction=motors())
    assert batch == pytest.approx(np.tile(expected, (70, 1)), **DIGITS)


def test_friction_of_equal_joints_behind_a_gear() -> None:
    """test_friction of the same source: B = 3, G = 2, Tc = 2, as felt at the joint."""
    friction = JointFriction(viscous=2.0**2 * 3.0, coulomb=2.0 * 2.0)
    assert friction_torques(friction, [1.0, 2.0, 3.0, 4.0]) == pytest.approx([16, 28, 40, 52])
    assert viscous_torques(friction, [-1.0]) == pytest.approx([-12.0])
    assert coulomb_torques(friction, [[-1.0], [0.0]]) == pytest.approx(np.array([[-4.0], [0.0]]))


def test_identified_friction_of_a_franka_arm() -> None:
    """
    Sigmoid with a shift, Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca 2019, table I.

    a / (1 + exp(-b (qd + c))) - a / (1 + exp(-b c)); values of a run of the authors' own program.
    """
    a = np.array([0.54615, 0.87224, 0.64068, 1.2794, 0.83904, 0.30301, 0.56489])
    b = np.array([5.1181, 9.0657, 10.136, 5.5903, 8.3469, 17.133, 10.336])
    c = np.array([0.039533, 0.025882, -0.04607, 0.036194, 0.026226, -0.021047, 0.0035526])
    friction = JointFriction(coulomb=a / 2, coulomb_velocity=2 / b, coulomb_shift=c)
    expected = [
        0.0660320229456,
        -0.337891955808,
        0.348417027813,
        -0.556169034116,
        0.363531433581,
        -0.124473727892,
        0.276867738412,
    ]
    qd = [0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7]
    assert friction_torques(friction, qd) == pytest.approx(expected, rel=1e-10)
    assert np.all(friction_torques(friction, np.zeros(7)) == 0.0)


def test_smooth_friction_becomes_the_sharp_one() -> None:
    qd = np.array([-2.0, -0.5, 0.0, 0.5, 2.0])
    sharp = coulomb_torques(JointFriction(coulomb=3.0), qd)
    assert np.array_equal(sharp, [-3.0, -3.0, 0.0, 3.0, 3.0])
    narrow = coulomb_torques(JointFriction(coulomb=3.0, coulomb_velocity=0.01), qd)
    assert narrow == pytest.approx(sharp, rel=1e-12)
    mixed = JointFriction(coulomb=3.0, coulomb_velocity=[0.0, 1.0])
    assert coulomb_torques(mixed, [0.1, 0.1]) == pytest.approx([3.0, 3.0 * np.tanh(0.1)])
    assert np.isnan(coulomb_torques(mixed, [np.nan, np.nan])).all(), "not measured stays unknown"


def test_friction_of_the_robot_description() -> None:
    z, limit = np.array([0.0, 0.0, 1.0]), LimitSpec(-3, 3)
    links = [LinkSpec("base"), LinkSpec("arm", 1.0, np.array([0.5, 0, 0]))]
    joint = JointSpec(
        "lift", "revolute", "base", "arm", axis=z, limit=limit, damping=0.3, friction=2
    )
    model = RobotModel.from_specs("one", links, [joint])
    friction = JointFriction.from_model(model)
    assert friction_torques(friction, [-2.0]) == pytest.approx([-2.6])
    q, qd, qdd = np.array([0.3]), np.array([-2.0]), np.array([1.0])
    rubbed = inverse_dynamics(model, q, qd, qdd, friction=friction)
    assert rubbed - inverse_dynamics(model, q, qd, qdd) == pytest.approx([-2.6])
    assert forward_dynamics(model, q, qd, rubbed, friction=friction) == pytest.approx(qdd)


@pytest.mark.parametrize("mimic", [False, True])
def test_rotors_add_to_every_algorithm(mimic: bool) -> None:
    model = random_tree(11, mimic=mimic)
    rotors = np.linspace(0.1, 0.9, model.n)
    geared = model.with_armature(rotors)
    q, qd, qdd = np.random.default_rng(11).uniform(-1.5, 1.5, (3, 70, model.n))
    mass, torque = mass_matrix(geared, q), inverse_dynamics(geared, q, qd, qdd)
    assert mass - mass_matrix(model, q) == pytest.approx(
        np.tile(np.diag(rotors), (70, 1, 1)), abs=1e-12
    )
    more = torque - inverse_dynamics(model, q, qd, qdd)
    assert more == pytest.approx(rotors * qdd, rel=1e-11, abs=1e-11)
    assert forward_dynamics(geared, q, qd, torque) == pytest.approx(qdd, rel=1e-9, abs=1e-9)
    one = q[3], qd[3], qdd[3]
    assert inverse_dynamics(geared, *one) == pytest.approx(torque[3], rel=1e-12, abs=1e-12)
    assert forward_dynamics(geared, *one[:2], torque[3]) == pytest.approx(qdd[3], rel=1e-9)
    assert np.array_equal(
        geared.with_armature(np.zeros(model.n)).arrays.bodies, model.arrays.bodies
    )


def test_a_rotor_is_inertia_enough_for_a_massless_link() -> None:
    model = RobotModel.from_links([ChainLink((0, 0, 1)), ChainLink((0, 1, 0))])
    assert singular_joints(model) == ("joint1", "joint2")
    geared = model.with_armature([0.2, 0.4])
    assert singular_joints(geared) == ()
    qdd = forward_dynamics(geared, np.zeros(2), np.zeros(2), np.ones(2))
    assert qdd == pytest.approx([5.0, 2.5])


def test_impossible_numbers_are_refused_by_name() -> None:
    with pytest.raises(ParameterError, match="'viscous'.*none negative"):
        JointFriction(viscous=[0.1, -0.1])
    with pytest.raises(ParameterError, match="'coulomb'"):
        JointFriction(coulomb=np.nan)
    with pytest.raises(ParameterError, match="'coulomb_shift'.*coulomb_velocity is 0"):
        JointFriction(coulomb=1.0, coulomb_shift=0.1)
    with pytest.raises(ShapeError, match="coulomb is for 3 joints, qd has shape .2,."):
        friction_torques(JointFriction(coulomb=[1, 2, 3]), [1.0, 2.0])
    with pytest.raises(ShapeError, match="armature has shape .5,., the model has 6 joints"):
        puma().with_armature(np.ones(5))
    with pytest.raises(ModelError, match="joint 'j2': -1\n.*joint 'j3': nan"):
        puma().with_armature([0, -1, np.nan, 0, 0, 0])
