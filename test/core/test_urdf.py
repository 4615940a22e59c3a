# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
What a URDF text means: axes, frames, order.

Efforts and poses given as numbers come from an independent Newton-Euler recursion in world
coordinates, and from Pinocchio 4.1.0; both agree to all digits shown.
"""

import numpy as np
import pytest
from urdf_text import (
    LIMIT,
    body,
    fixed,
    inertial,
    joint,
    link,
    loudly,
    one_link,
    origin,
    quietly,
    robot,
)

from robodyn_ros import RobotModel, gravity_torques, link_pose
from robodyn_ros.errors import ModelError
from robodyn_ros.model.rotations import quaternion_from_matrix

NINE_DIGITS = dict(rel=0, abs=1e-9)

# M07: axes.

AXES = robot(
    link("base"),
    body("a", 1.0, (0.01, 0.012, 0.008), (0.1, 0, 0.05)),
    joint("long", "base", "a", axis=(0, 1.7, 0), xyz=(0, 0, 0.2), rpy=(0.3, 0, 0)),
    body("b", 0.8, (0.006, 0.001, 0, 0.007, 0, 0.004), (0, 0.05, 0.1)),
    joint("none", "a", "b", axis=None, xyz=(0.25, 0, 0), rpy=(0, 0.4, 0)),
    body("c", 0.6, (0.003, 0.003, 0.002), (0.02, 0, -0.1)),
    joint("slide", "b", "c", "prismatic", (0, 0, -2), (0, 0, 0.3), (0, 0, 0.7)),
    body("d", 0.3, (0.001, 0.001, 0.0015), (0.05, -0.02, 0.03)),
    joint("oblique", "c", "d", "continuous", (1, 1, 0), (0, 0, -0.1)),
    link("tip"),
    fixed("d", "tip", (0.2, 0, 0)),
)


@pytest.mark.parametrize(
    ("q", "xyz", "xyzw", "efforts"),
    [
        (
            (0, 0, 0, 0),
            (0.46877693, 0.086254265, 0.357152337),
            (0.204938215, 0.134308376, 0.360177883, 0.900129702),
            (-6.1135799, -0.324031626, -7.768841723, -0.163131244),
        ),
        (
            (0.5, -0.8, 0.25, 1.0),
            (0.106469176, 0.06880265, -0.115832281),
            (0.005525955, 0.797956743, 0.278141256, 0.534669937),
            (-4.55194105, 0.382840413, -5.524571846, -0.041314759),
        ),
        (
            (-1, 0.3, 0.4, 7.0),
            (0.36871501, 0.179839971, 0.337650818),
            (0.288488211, -0.060340242, 0.426582055, 0.855079738),
            (-2.909417189, 0.864258378, -5.879452298, -0.126141884),
        ),
    ],
)
def test_axes_are_directions_whatever_their_length(q, xyz, xyzw, efforts) -> None:
    model, _ = loudly(AXES)
    rotation, position = link_pose(model, q, "tip")
    assert position == pytest.approx(xyz, **NINE_DIGITS)
    quaternion = quaternion_from_matrix(rotation)
    assert abs(quaternion @ np.array(xyzw)) == pytest.approx(1.0, **NINE_DIGITS)
    assert gravity_torques(model, q) == pytest.approx(efforts, **NINE_DIGITS)


def test_lengths_of_axes_are_mentioned_once_with_their_joints() -> None:
    _, said = loudly(AXES)
    assert len(said) == 1
    for word in ("'long' (length 1.7)", "'slide' (length 2)", "'oblique' (length 1.414)"):
        assert word in said[0]
    assert "'none'" not in said[0]
    quietly(one_link(axis=(0, 0.9999, 0)))  # rounded by an exporter


def test_a_quarter_on_a_prismatic_joint_is_a_quarter_metre() -> None:
    model, _ = loudly(AXES)
    rotation, before = link_pose(model, [0.4, 0.3, 0.0, 0.0], "c")
    _, after = link_pose(model, [0.4, 0.3, 0.25, 0.0], "c")
    assert rotation.T @ (after - before) == pytest.approx([0, 0, -0.25])


def test_a_negative_axis_mirrors_motion_and_effort_but_not_limits() -> None:
    def twin(sign: int, lower: float, upper: float) -> RobotModel:
        limit = f'<limit lower="{lower}" upper="{upper}" effort="50" velocity="2"/>'
        content = inertial(1, (0.01, 0.01, 0.01), origin((0.3, 0, 0)))
        return quietly(one_link(content, axis=(0, sign, 0), limit=limit))

    negative, positive = twin(-1, -0.5, 2.0), twin(1, -2.0, 0.5)
    for a, b in zip(link_pose(negative, [0.7], "l1"), link_pose(positive, [-0.7], "l1"),
                    strict=True):  # fmt: skip
        assert a == pytest.approx(b, abs=1e-15)
    assert gravity_torques(negative, [0.7]) == pytest.approx([2.250930557], **NINE_DIGITS)
    assert gravity_torques(positive, [-0.7]) == pytest.approx([-2.250930557], **NINE_DIGITS)
    assert (negative.limits.lower, negative.limits.upper) == ([-0.5], [2.0])
    assert (positive.limits.lower, positive.limits.upper) == ([-2.0], [0.5])


# Frames.


def test_rpy_turns_about_fixed_axes_roll_first() -> None:
    text = robot(link("a"), link("b"), fixed("a", "b", (1, 2, 3), (0.1, 0.2, 0.3)))
    rotation, position = link_pose(quietly(text), [], "b")
    (cr, cp, cy), (sr, sp, sy) = np.cos([0.1, 0.2, 0.3]), np.sin([0.1, 0.2, 0.3])
    roll = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    pitch = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    yaw = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    assert rotation == pytest.approx(yaw @ pitch @ roll, abs=1e-15)
    assert position == pytest.approx([1, 2, 3])


def test_quaternions_of_newer_urdf_are_normalised() -> None:
    text = robot(link("a"), link("b"), fixed("a", "b")).replace(
        'rpy="0 0 0"', 'quat_xyzw="0 0 2 2"'
    )
    rotation, _ = link_pose(quietly(text), [], "b")
    assert rotation == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), abs=1e-15)


def test_what_is_not_kinematics_is_skipped() -> None:
    noise = (
        '<visual><origin xyz="far away"/><geometry><box size="1 1"/></geometry></visual>'
        '<collision name="x"><geometry><mesh filename="package://a/b.dae"/></geometry></collision>'
    )
    text = one_link(inertial(1, (1, 1, 1)) + noise).replace(
        "</robot>",
        '<transmission name="t"><joint name="j1"/></transmission><gazebo reference="l1">'
        '<mu1>nan</mu1></gazebo><material name="m"/><!-- <link/> --></robot>',
    )
    assert quietly(text).link_names == ("base", "l1")


def test_joints_come_depth_first_with_children_as_listed() -> None:
    text = robot(
        joint("right", "torso", "r1"),
        joint("right_2", "r1", "r2"),
        joint("left", "torso", "l1"),
        joint("waist", "base", "torso"),
        *(body(name) for name in ("r2", "l1", "torso", "r1", "base")),
    )
    model = quietly(text)
    assert model.joint_names == ("waist", "right", "right_2", "left")
    assert model.link_names == ("base", "torso", "r1", "r2", "l1")


def test_the_first_of_several_elements_counts_and_that_is_said() -> None:
    model, said = loudly(one_link(more=LIMIT.replace("100", "7") + '<axis xyz="0 0 1"/>'))
    assert model.limits.effort[0] == 100.0
    assert len(said) == 1 and "joint 'j1' <axis>, joint 'j1' <limit>" in said[0]


def test_a_robot_needs_no_joint() -> None:
    model = quietly(robot(body("rock")))
    assert model.n == 0 and model.joint_names == () and model.total_mass == 1.0


def test_a_nameless_robot_loads_with_a_word() -> None:
    model, said = loudly("<robot><link name='a'/></robot>")
    assert model.name == "robot" and len(said) == 1 and "without a name" in said[0]


def test_strict_turns_doubts_into_faults() -> None:
    with pytest.raises(ModelError) as caught:
        RobotModel.from_urdf(AXES, strict=True)
    assert len(caught.value.faults) == 1 and "'oblique'" in caught.value.faults[0]
    assert RobotModel.from_urdf(one_link(), strict=True).n == 1
