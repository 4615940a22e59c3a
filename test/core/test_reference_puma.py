# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Puma 560: figures of Peter Corke's Robotics Toolbox (petercorke/robotics-toolbox-python a9ed8d45).

From tests/test_DHRobot.py (four decimals) and, where more digits stand here, from release 1.5.0
run on the same call; Pinocchio agrees with the latter to 1e-10. The toolbox adds motor inertia and
friction to its "rne" and takes an external wrench in the last link's frame, as the robot's action
on its surroundings.
"""

import numpy as np
import pytest
from reference_models import serial_model, standard_dh

from robodyn_ros import (
    JointFriction,
    coriolis_matrix,
    forward_dynamics,
    frame_jacobian,
    gravity_torques,
    inverse_dynamics,
    link_pose,
    manipulability,
    mass_matrix,
)
from robodyn_ros.dynamics.integrators import rk4

HALF = np.pi / 2
DIGITS = dict(rel=1e-9, abs=1e-9)
DECIMALS = dict(rel=0.0, abs=6e-5)

# Puma 560: d, a, alpha, mass, centre and inertia in the axes of the Denavit-Hartenberg frame.
RIGID = serial_model(
    "puma560",
    [
        standard_dh(d=0.67183, alpha=HALF, inertia=(0, 0.35, 0)),
        standard_dh(
            a=0.4318, mass=17.4, com=(-0.3638, 0.006, 0.2275), inertia=(0.13, 0.524, 0.539)
        ),
        standard_dh(
            d=0.15005, a=0.0203, alpha=-HALF,
            mass=4.8, com=(-0.0203, -0.0141, 0.070), inertia=(0.066, 0.086, 0.0125),
        ),
        standard_dh(
            d=0.4318, alpha=HALF, mass=0.82, com=(0, 0.019, 0), inertia=(1.8e-3, 1.3e-3, 1.8e-3)
        ),
        standard_dh(alpha=-HALF, mass=0.34, inertia=(0.3e-3, 0.4e-3, 0.3e-3)),
        standard_dh(mass=0.09, com=(0, 0, 0.032), inertia=(0.15e-3, 0.15e-3, 0.04e-3)),
    ],
)  # fmt: skip
GEAR = np.array([-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686])
ROTOR = GEAR**2 * np.array([200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6])
VISCOUS = GEAR**2 * np.array([1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6])
# The toolbox has another value for each direction; the tests only move forwards.
COULOMB = np.abs(GEAR) * np.array([0.395, 0.126, 0.132, 11.2e-3, 9.26e-3, 3.96e-3])
PUMA = RIGID.with_armature(ROTOR)
FRICTION = JointFriction(VISCOUS, COULOMB)
QN = np.array([0.0, np.pi / 4, np.pi, 0.0, np.pi / 4, 0.0])
ONE, STILL = np.ones(6), np.zeros(6)


@pytest.mark.parametrize(
    ("qd", "qdd", "expected"),
    [
        (STILL, STILL, [0, 31.6398803784, 6.035138023, 0, 0.0282528, 0]),
        (
            STILL, ONE,
            [3.3531108581, 36.002511244, 7.4259640774, 0.1900430346, 0.2034409311, 0.1941327899],
        ),
        (
            ONE, ONE,
            [32.4952427549, 60.8669884751, 17.7435949128,
             1.4545190261, 1.2991104105, 0.7137808875],
        ),
        (
            ONE, STILL,
            [29.1421318969, 56.5043576095, 16.3527688584,
             1.2644759915, 1.1239222794, 0.5196480975],
        ),
    ],
    ids=["still", "accelerating", "moving and accelerating", "moving"],
)  # fmt: skip
def test_puma_rne(qd: np.ndarray, qdd: np.ndarray, expected: list[float]) -> None:
    assert inverse_dynamics(PUMA, QN, qd, qdd, friction=FRICTION) == pytest.approx(
        expected, **DIGITS
    )


def test_puma_rne_without_gravity() -> None:
    weightless = PUMA.with_gravity((0, 0, 0))
    expected = [32.4952427549, 29.2271080968, 11.7084568898,
                1.4545190261, 1.2708576105, 0.7137808875]  # fmt: skip
    tau = inverse_dynamics(weightless, QN, ONE, ONE, friction=FRICTION)
    assert tau == pytest.approx(expected, **DIGITS)


def test_puma_rigid_bodies_alone() -> None:
    expected = [1.1780065183, 35.4606149883, 6.0970639905,
                0.0004754903, 0.0351141179, 0.0002165685]  # fmt: skip
    assert inverse_dynamics(RIGID, QN, ONE, ONE) == pytest.approx(expected, **DIGITS)
    expected = [0, 31.6399, 6.0351, 0, 0.0283, 0]
    assert gravity_torques(PUMA, QN) == pytest.approx(expected, **DECIMALS)


def test_puma_pushing_on_its_surroundings() -> None:
    """The toolbox's wrench is the robot's on the world, in link axes; ours is the world's."""
    wrench = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    expected = [0.6427562971, 29.0866400328, 4.7032125099, 2.8284271247, -1.9717472, 3]
    rotation, _ = link_pose(PUMA, QN, "tip6")
    ours = -np.concatenate([rotation @ wrench[:3], rotation @ wrench[3:]])
    tau = inverse_dynamics(PUMA, QN, STILL, STILL, {"tip6": ours})
    assert tau == pytest.approx(expected, **DIGITS)
    local = frame_jacobian(PUMA, QN, "tip6", axes="local")
    assert gravity_torques(PUMA, QN) + local.T @ wrench == pytest.approx(expected, **DIGITS)


def test_puma_inertia() -> None:
    expected = np.array([
        [3.6593754122, -0.404361246, 0.1006136478, -0.0025169558, 0, 0],
        [-0.404361246, 4.4137419336, 0.350890665, 0, 0.0023595131, 0],
        [0.1006136478, 0.350890665, 0.9378415752, 0, 0.0014801664, 0],
        [-0.0025169558, 0, 0, 0.1925317061, 0, 0.0000282843],
        [0, 0.0023595131, 0.0014801664, 0, 0.1713484517, 0],
        [0, 0, 0, 0.0000282843, 0, 0.1941045057],
    ])  # fmt: skip
    mass = mass_matrix(PUMA, QN)
    assert mass == pytest.approx(expected, abs=1e-10)
    qdd = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    expected = [3.1499769076, 9.4805136422, 3.6188800361,
                0.1900996031, 0.3518564286, 0.5823418013]  # fmt: skip
    assert mass @ qdd == pytest.approx(expected, **DIGITS)
    inverse = np.linalg.inv(frame_jacobian(PUMA, QN, "tip6"))
    expected = np.array([
        [17.2954, -2.7542, -9.6233, 0, 0.2795, 0],
        [-2.7542, 12.1909, 1.2459, -0.3254, -0.0703, -0.9652],
        [-9.6233, 1.2459, 13.3348, 0, 0.2767, 0],
        [0, -0.3254, 0, 0.1941, 0, 0.1941],
        [0.2795, -0.0703, 0.2767, 0, 0.1713, 0],
        [0, -0.9652, 0, 0.1941, 0, 0.5791],
    ])  # fmt: skip
    assert inverse.T @ mass @ inverse == pytest.approx(expected, **DECIMALS)


def test_puma_coriolis_matrix_is_the_christoffel_one() -> None:
    """The toolbox builds it of pairs of Newton-Euler calls, entry by entry the same."""
    expected = np.array([
        [-0.1734975963, -2.0493597794, -0.1178183322, -0.0002138673, -0.0044778722, 0.00014],
        [0.6273764621, 1.1571842415, 1.9286955228, -0.0015239512, -0.000289382, -0.0000058579],
        [-0.3607713781, -0.7733526553, -0.0018413739, -0.0009021592, -0.0064448088, -0.0000058579],
        [0.0010699335, 0.0005435245, -0.0000782675, 0.00020216, 0.0002142171, -0.0000989949],
        [-0.0002155635, 0.0028447415, 0.0046034349, -0.0002142171, 0, -0.0000058579],
        [0.00014, 0.0000341421, 0.0000341421, 0.0000424264, 0.0000058579, 0],
    ])  # fmt: skip
    matrix = coriolis_matrix(PUMA, QN, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    assert matrix == pytest.approx(expected, abs=1e-10)


def test_puma_acceleration_under_torques() -> None:
    qd = np.array([0.1, 0.2, 0.8, 0.2, 0.5, 1.0])
    tau = np.array([1.0, 3.2, 1.8, 0.1, 0.7, 4.6])
    qdd = forward_dynamics(PUMA, QN, qd, tau, friction=FRICTION)
    expected = [-7.4102231637, -9.8432245816, -10.9693984451,
                -4.4314287514, -0.9881410724, 21.0227819493]  # fmt: skip
    assert qdd == pytest.approx(expected, **DIGITS)


def test_puma_falling_for_a_second() -> None:
    """No torque, viscous friction only; RK45 with rtol 1e-10 there, and joint 3 a turn behind."""
    oil = JointFriction(VISCOUS)

    def acceleration(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return forward_dynamics(PUMA, q, qd, STILL, friction=oil)

    q, qd = QN, STILL
    for _ in range(500):
        q, qd = rk4(acceleration, q, qd, 0.002)
    expected = [0.1257911889, -1.2573784566, -2.7781720693 + 2 * np.pi,
                0.0002933242, 0.7653440852, 0.0000233294]  # fmt: skip
    assert q == pytest.approx(expected, abs=1e-8)
    expected = [0.3262510879, -2.3048084545, 1.6790068595,
                -0.0016173271, -0.0200342807, 0.0000410036]  # fmt: skip
    assert qd == pytest.approx(expected, abs=1e-8)


def test_puma_kinematics() -> None:
    rotation, position = link_pose(PUMA, QN, "tip6")
    assert rotation == pytest.approx(np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]]), abs=1e-15)
    assert position == pytest.approx([0.5963031486, -0.15005, 0.6574757323], **DIGITS)
    rotation, position = link_pose(PUMA, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], "tip6")
    expected = np.array([
        [0.1216976814, -0.606671726, -0.7855820079],
        [0.8183638247, 0.5091974688, -0.2664556026],
        [0.5616674503, -0.6104648676, 0.5584463454],
    ])  # fmt: skip
    assert rotation == pytest.approx(expected, **DIGITS)
    assert position == pytest.approx([0.2478027469, -0.1259401815, 1.1462879057], **DIGITS)
    root = np.sqrt(0.5)
    expected = np.array([
        [0.15005, 0.0143542677, 0.3196829758, 0, 0, 0],
        [0.5963031486, 0, 0, 0, 0, 0],
        [0, 0.5963031486, 0.2909744405, 0, 0, 0],
        [0, 0, 0, root, 0, 1],
        [0, -1, -1, 0, -1, 0],
        [1, 0, 0, -root, 0, 0],
    ])  # fmt: skip
    assert frame_jacobian(PUMA, QN, "tip6") == pytest.approx(expected, **DIGITS)


def test_puma_manipulability() -> None:
    jacobian = frame_jacobian(PUMA, QN, "tip6")
    assert manipulability(jacobian) == pytest.approx(0.0786, **DECIMALS)
    assert manipulability(jacobian[:3]) == pytest.approx(0.111181, abs=6e-7)
    assert manipulability(jacobian[3:]) == pytest.approx(2.44949, abs=6e-6)
    assert manipulability(frame_jacobian(PUMA, STILL, "tip6")) == pytest.approx(0.0, abs=1e-15)
