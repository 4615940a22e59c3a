# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kinematics and a textbook arm as tested by Peter Corke's Robotics Toolbox for Python.

petercorke/robotics-toolbox-python a9ed8d45, tests test_ERobot, test_Robot and test_DHRobot (four
to six decimals) and, where more digits stand here, release 1.5.0 run on the same call.
"""

import numpy as np
import pytest
from reference_models import (
    Segment,
    panda_with_tool,
    read_figures,
    serial_model,
    standard_dh,
)

from robodyn_ros import (
    RobotModel,
    coriolis_torques,
    frame_jacobian,
    frame_jacobian_rate,
    gravity_torques,
    link_pose,
    mass_matrix,
)
from robodyn_ros.model.specs import JointSpec, LinkSpec

HALF = np.pi / 2
DIGITS = dict(rel=1e-9, abs=1e-9)
DECIMALS = dict(rel=0.0, abs=6e-5)


def spong_arm(variant: str) -> RobotModel:
    """Two point masses of 1 kg in the middle of rods of 1 m, plain or with fixed joints."""
    rod = dict(axis=(0, 1, 0), mass=1.0, com=(0.5, 0, 0))
    elbow = (np.eye(3), (1.0, 0.0, 0.0))
    if variant == "plain":
        return serial_model("spong", [Segment(**rod), Segment(elbow, **rod)])
    y, eye, x = np.array([0.0, 1.0, 0.0]), np.eye(3), np.array([1.0, 0.0, 0.0])
    massive = LinkSpec("upper", 1.0, 0.5 * x)
    shoulder = JointSpec("q1", "revolute", "base", "upper", eye, 0.0 * x, y)
    if variant == "massless link in between":
        links = [LinkSpec("base"), massive, LinkSpec("between"), LinkSpec("lower", 1.0, 0.5 * x)]
        joints = [
            shoulder,
            JointSpec("weld", "fixed", "upper", "between", eye, x),
            JointSpec("q2", "revolute", "between", "lower", eye, 0.0 * x, y),
        ]
    else:
        links = [LinkSpec("base"), massive, LinkSpec("lower"), LinkSpec("load", 1.0, 0.25 * x)]
        joints = [
            shoulder,
            JointSpec("q2", "revolute", "upper", "lower", eye, x, y),
            JointSpec("weld", "fixed", "lower", "load", eye, 0.25 * x),
        ]
    return RobotModel.from_specs("spong", links, joints)


@pytest.mark.parametrize("variant", ["plain", "massless link in between", "mass on a fixed child"])
def test_spong_two_link_arm_in_closed_form(variant: str) -> None:
    """Spong, Robot Modeling and Control, 2nd edition, p. 260; test_invdyn and its variants."""
    arm = spong_arm(variant)
    close = dict(rel=1e-13, abs=1e-13)
    q = np.array([[0, 0], [0, -HALF], [-HALF, HALF], [-HALF, 0]])
    expected = 9.81 * np.array([[-2, -0.5], [-1.5, 0], [-0.5, -0.5], [0, 0]])
    assert gravity_torques(arm, q) == pytest.approx(expected, **close)
    bent = [0.0, -HALF]
    qd = np.array([[1, 0], [0, 1], [1, 1]])
    expected = 0.5 * np.array([[0, -1], [1, 0], [3, -1]])
    assert coriolis_torques(arm, bent, qd) == pytest.approx(expected, **close)
    for q2 in (-HALF, 0.3):
        d11, d12 = 1.5 + np.cos(q2), 0.25 + 0.5 * np.cos(q2)
        expected = np.array([[d11, d12], [d12, 0.25]])
        assert mass_matrix(arm, [0.7, q2]) == pytest.approx(expected, **close)


PANDA = panda_with_tool()
PANDA_STATE = np.array([1.4, 0.2, 1.8, 0.7, 0.1, 3.1, 2.9])


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        (
            PANDA_STATE,
            [[-0.5082790746, -0.5790458901, 0.6374623437, 0.4468229467],
             [0.8301455343, -0.5263946236, 0.1837582436, 0.1616839569],
             [0.2291522947, 0.6225869879, 0.7482477319, 0.9679811337]],
        ),
        (
            np.arange(1.0, 8.0),
            [[-0.8583056811, 0.1177836632, 0.4994380507, 0.1371946218],
             [0.198022322, 0.9739350054, 0.1106244333, 0.3245998854],
             [-0.4733904496, 0.1938494621, -0.8592577426, 0.4435503307]],
        ),
        (
            np.array([0, -0.3, 0, -2.2, 0, 2, np.pi / 4]),
            [[0.9950041653, 0, 0.0998334166, 0.4840068820],
             [0, -1, 0, 0],
             [0.0998334166, 0, -0.9950041653, 0.4130277771]],
        ),
    ],
    ids=["test_fkine", "test_fkine_panda", "ready"],
)  # fmt: skip
def test_panda_pose(q: np.ndarray, expected: list[list[float]]) -> None:
    pose = np.column_stack([*link_pose(PANDA, q, "tip7")])
    assert pose == pytest.approx(np.array(expected), **DIGITS)


def test_panda_jacobian() -> None:
    expected = np.array([
        [-0.161683957, 0.107925929, -0.0341453006, 0.335029257, -0.0107195463, 0.103187865, 0],
        [0.446822947, 0.625741987, 0.416474664, -0.0804745724, 0.0778257566, -0.0117720983, 0],
        [0, -0.235276631, -0.0820187641, -0.514076923, -0.00998040745, -0.202626953, 0],
        [0, -0.98544973, 0.0337672585, -0.0616735653, 0.668449878, -0.135361558, 0.637462344],
        [0, 0.169967143, 0.195778638, 0.979165111, 0.184470262, 0.982748279, 0.183758244],
        [1, 0, 0.980066578, -0.193473657, 0.72051751, -0.126028049, 0.748247732],
    ])  # fmt: skip
    assert frame_jacobian(PANDA, PANDA_STATE, "tip7") == pytest.approx(expected, abs=1e-9)
    expected = np.array([
        [0.3058, 0.1315, -0.2364, -0.0323, 0.0018, 0.2095, 0],
        [0.0954, 0.0303, -0.0721, 0.1494, -0.0258, 0.0144, 0],
        [-0.1469, 0.3385, 0.0506, 0.0847, 0, -0.0880, 0],
        [-0.4734, 0.8292, -0.0732, 0.8991, -0.2788, -0.0685, 0],
        [0.1938, 0.4271, 0.7224, 0.3461, -0.0191, 0.9976, 0],
        [-0.8593, -0.3605, 0.6876, -0.2679, -0.9602, 0, 1],
    ])  # fmt: skip
    local = frame_jacobian(PANDA, np.arange(1.0, 8.0), "tip7", axes="local")
    assert local == pytest.approx(expected, **DECIMALS)


@pytest.mark.parametrize("k", range(7))
def test_panda_hessian_is_the_jacobian_s_rate_when_one_joint_moves(k: int) -> None:
    figures = read_figures("panda_hessian")
    slope = np.array(figures["hessian"])[:, :, k]
    rate = frame_jacobian_rate(PANDA, figures["q"], np.eye(7)[k], "tip7")
    assert rate == pytest.approx(slope, abs=1e-8)


def universal_robot(d: list[float], a2: float, a3: float) -> RobotModel:
    """Make the Denavit-Hartenberg form of a UR arm."""
    rows = zip([0, a2, a3, 0, 0, 0], [HALF, 0, 0, HALF, -HALF, 0], d, strict=True)
    return serial_model("ur", [standard_dh(a, alpha, d) for a, alpha, d in rows])


@pytest.mark.parametrize(
    ("model", "at_zero", "bent"),
    [
        (
            universal_robot([0.089459, 0, 0, 0.10915, 0.09465, 0.0823], -0.425, -0.39225),
            [-0.81725, -0.19145, -0.005191],
            [-0.5888033241, -0.2413631026, 0.3676536137],
        ),
        (
            universal_robot([0.1273, 0, 0, 0.163941, 0.1157, 0.0922], -0.612, -0.5723),
            [-1.1843, -0.256141, 0.0116],
            [-0.8388451592, -0.3302487587, 0.5431037144],
        ),
    ],
    ids=["ur5", "ur10"],
)
def test_universal_robots_pose(model: RobotModel, at_zero: list, bent: list) -> None:
    rotation, position = link_pose(model, np.zeros(6), "tip6")
    assert position == pytest.approx(at_zero, **DIGITS)
    assert rotation == pytest.approx(np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]]), abs=1e-15)
    rotation, position = link_pose(model, [0.1, -1.2, 1.3, -0.4, 0.5, 0.6], "tip6")
    assert position == pytest.approx(bent, **DIGITS)
    expected = np.array([
        [0.8940259079, -0.2553641931, -0.3681124895],
        [-0.3079718874, 0.2464413222, -0.9189232782],
        [0.3253782301, 0.9349095163, 0.1416799342],
    ])  # fmt: skip
    assert rotation == pytest.approx(expected, **DIGITS)


def test_chain_of_sliding_and_turning_joints() -> None:
    slide = dict(type="prismatic")
    model = serial_model(
        "prpr", [standard_dh(**slide), standard_dh(), standard_dh(theta=2, **slide), standard_dh()]
    )
    rotation, position = link_pose(model, [1.0, 2.0, 3.0, 4.0], "tip4")
    cos, sin = -0.14550003, 0.98935825
    expected = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]])
    assert rotation == pytest.approx(expected, abs=1e-8)
    assert position == pytest.approx([0, 0, 4], abs=1e-15)


def test_jacobian_of_sliding_and_turning_joints() -> None:
    slide = dict(type="prismatic")
    model = serial_model(
        "prpr",
        [
            standard_dh(theta=4, **slide),
            standard_dh(a=2),
            standard_dh(theta=2, **slide),
            standard_dh(),
        ],
    )
    q = [1.0, 2.0, 3.0, 4.0]
    expected = np.zeros((6, 4))
    expected[:, 1] = 0.5588, 1.9203, 0, 0, 0, 1
    expected[2, [0, 2]] = 1
    expected[5, 3] = 1
    assert frame_jacobian(model, q, "tip4") == pytest.approx(expected, **DECIMALS)
    local = frame_jacobian(model, q, "tip4", axes="local")
    assert local[0] == pytest.approx([0, -0.5588, 0, 0], **DECIMALS)
