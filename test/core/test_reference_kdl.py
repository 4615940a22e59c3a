# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Figures of the tests of KDL (orocos/orocos_kinematics_dynamics c73370f0, orocos_kdl/tests).

A segment of KDL is a joint at its root and a constant pose to its tip; the Y-shaped tree of
treeinvdyntest.cpp is in test_properties.py.
"""

import numpy as np
import pytest
from random_models import random_specs
from reference_models import HERE, Segment, serial_model, turn

from robodyn_ros import (
    RobotModel,
    forward_dynamics,
    frame_acceleration,
    frame_jacobian,
    inverse_dynamics,
    link_pose,
    mass_matrix,
)
from robodyn_ros.model.specs import JointSpec, LinkSpec

HALF = np.pi / 2


def craig(alpha: float, d: float) -> tuple[np.ndarray, np.ndarray]:
    """Rx(alpha) Tz(d): KDL's DH_Craig1989(0, alpha, d, 0)."""
    return turn(x=alpha), turn(x=alpha) @ [0.0, 0.0, d]


def test_two_chains_in_one_tree_are_two_chains() -> None:
    """TwoChainsTest: each branch takes the torques it takes alone."""
    left, right = random_specs(21, joints=5), random_specs(22, joints=4)
    links, joints = [LinkSpec("world")], []
    for side, (some_links, some_joints) in (("left_", left), ("right_", right)):
        links += [LinkSpec(side + s.name, s.mass, s.com, s.inertia) for s in some_links]
        joints.append(JointSpec(side + "mount", "fixed", "world", side + "base"))
        joints += [
            JointSpec(side + j.name, j.type, side + j.parent, side + j.child,
                      j.rotation, j.position, j.axis, j.limit)
            for j in some_joints
        ]  # fmt: skip
    tree = RobotModel.from_specs("tree", links, joints)
    alone = [RobotModel.from_specs("one", *specs) for specs in (left, right)]
    q, qd, qdd = np.random.default_rng(0).uniform(-1.5, 1.5, (3, 100, 9))
    expected = [
        inverse_dynamics(model, q[:, part], qd[:, part], qdd[:, part])
        for model, part in zip(alone, (slice(0, 5), slice(5, 9)), strict=True)
    ]
    torques = inverse_dynamics(tree, q, qd, qdd)
    assert torques == pytest.approx(np.concatenate(expected, axis=1), rel=1e-12, abs=1e-12)
    assert not mass_matrix(tree, q)[:, :5, 5:].any()


# Motoman SIA10: the first pose is a fixed segment.
SIA10 = serial_model(
    "sia10",
    [
        Segment((np.eye(3), (0, 0, 0.36)), craig(HALF, 0)),
        Segment(tip=craig(-HALF, 0.36)),
        Segment(tip=craig(HALF, 0)),
        Segment(tip=craig(-HALF, 0.36)),
        Segment(tip=craig(HALF, 0)),
        Segment(tip=craig(-HALF, 0)),
        Segment(tip=(np.eye(3), (0, 0, 0.155))),
    ],
)


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        (
            [0, 0.5, 0.4, -HALF, 0, 0, 0],
            [1.86693637, 1.61923961, 1.31750403, 0.33055936, 0.20659626, 0.11629985],
        ),
        (
            [0, 0.2, 0.4, -HALF, 0, 0, 0],
            [1.86387121, 1.58435063, 1.40217971, 0.33032759, 0.2060833, 0.04650448],
        ),
        (
            [0, 0, 0.4, -HALF, 0, 0, 0],
            [1.86240139, 1.59028838, 1.42306548, 0.33047061, 0.20596667, 0],
        ),
        (np.zeros(7), [2, 1.96292166, 0.44923663, 0, 0, 0]),
    ],
    ids=["regular", "near", "shoulder", "stretched"],
)
def test_singular_values_on_the_way_into_singularities(q: list, expected: list) -> None:
    """IkSingularValueTest; the digits are an independent computation."""
    values = np.linalg.svd(frame_jacobian(SIA10, q, "tip7"), compute_uv=False)
    assert values == pytest.approx(expected, abs=6e-9)


# KUKA LWR 4 of VereshchaginTest: masses of 2 kg given in the joint's frame. The tensors are
# identified base parameters and not those of bodies: some are negative.
ALPHA = 1.5707963
LWR_TIPS = [
    craig(ALPHA, 0),
    craig(-ALPHA, 0.4),
    craig(-ALPHA, 0),
    craig(ALPHA, 0.39),
    craig(ALPHA, 0),
    craig(-ALPHA, 0),
    HERE,
]
LWR_COM = [
    (0, 0, 0),
    (0, -0.3120511, -0.0038871),
    (0, -0.0015515, 0),
    (0, 0.5216809, 0),
    (0, 0.0119891, 0),
    (0, 0.0080787, 0),
    (0, 0, 0),
]
LWR_INERTIA = [  # xx, yy, zz, yz
    (0, 0, 0.0115343, 0),
    (-0.5471572, -0.0000302, -0.5423253, 0.0018828),
    (0.0063507, 0, 0.0107804, -0.0005147),
    (-1.0436952, 0, -1.0392780, 0.0005324),
    (0.0036654, 0, 0.0060429, 0.0004226),
    (0.0010431, 0, 0.0036376, 0.0000101),
    (1e-6, 0, 0.0001203, 0),
]
ROTOR = np.array([3.19, 3.05, 1.98, 2.05, 0.787, 0.391, 0.394])
LWR = serial_model(
    "lwr",
    [
        Segment(
            tip=tip,
            mass=2.0,
            com=com,
            inertia=[[xx, 0, 0], [0, yy, yz], [0, yz, zz]],
            mass_at="joint",
        )
        for tip, com, (xx, yy, zz, yz) in zip(LWR_TIPS, LWR_COM, LWR_INERTIA, strict=True)
    ],
).with_armature(ROTOR)
LWR_QD = np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0])


def pivots(mass: np.ndarray) -> np.ndarray:
    """D_i of the articulated body algorithm: what joint i moves when those beyond it are free."""
    mass, found = mass.copy(), []
    for i in range(len(mass) - 1, -1, -1):
        found.append(mass[i, i])
        mass -= np.outer(mass[:, i], mass[i]) / mass[i, i]
    return np.array(found[::-1])


def test_vereshchagin_spatial_acceleration_of_the_tip() -> None:
    """
    VereshchaginTest: the task is (-0.5, -0.5, 0, ., ., 0.2) in root axes, compared at 1e-3.

    What KDL calls total torque is D_i qdd_i, and its accelerations are spatial ones taken at the
    tip; those of the tip as a point are far from the task.
    """
    q = [1.6, 0.0, -1.6, -1.57, 0.0, 1.57, -0.8]
    total = [2013.3541, -6073.4999, 2227.4487, 56.87456, -11.3789, -6.05957, 569.0776]
    d = pivots(mass_matrix(LWR, q))
    expected = [3.511318, 4.19593, 2.408035, 2.471266, 0.794504, 0.394769, 0.39412]
    assert d == pytest.approx(expected, abs=1e-6)
    qdd = np.array(total) / d
    spatial = frame_acceleration(LWR, q, LWR_QD, qdd, "tip7", spatial=True)
    # Gravity counts as an acceleration of the root there.
    assert spatial[[0, 1, 2, 5]] == pytest.approx([-0.5, -0.49999, -9.81, 0.19997], abs=1e-5)
    classical = frame_acceleration(LWR, q, LWR_QD, qdd, "tip7")
    assert np.abs(classical - spatial)[:3].min() > 5.0


def test_accelerations_of_the_lwr_under_torques_and_a_wrench() -> None:
    """State of FdAndVereshchaginSolversConsistencyTest; accelerations of one independent run."""
    q = [1.0, 0.0, 0.0, -1.57, 0.0, 1.57, -0.8]
    tau = np.array([50.0, -20.0, 10.0, 40.0, -60.0, 15.0, -10.0])
    rotation, _ = link_pose(LWR, q, "tip7")
    wrench = np.concatenate([rotation @ [10.0, -20.0, 30.0], rotation @ [3.0, -4.0, 5.0]])
    qdd = forward_dynamics(LWR, q, LWR_QD, tau, {"tip7": wrench})
    expected = [14.86451, 3.872539, 3.831887, 5.553982, -76.308006, 50.013557, -12.692958]
    assert qdd == pytest.approx(expected, abs=1e-6)
