# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Trees with a gripper: mimic joints folded into their drivers, branches that all count.

Efforts and poses given as numbers come from an independent Newton-Euler recursion in world
coordinates, and from Pinocchio 4.1.0; both agree to all digits shown.
"""

import numpy as np
import pytest
from urdf_text import body, fixed, joint, link, quietly, robot

from robodyn_ros import RobotModel, gravity_torques, link_pose, mass_matrix
from robodyn_ros.errors import ModelError
from robodyn_ros.model.assembly import Mimic
from robodyn_ros.model.specs import JointSpec, LinkSpec, MimicSpec

NINE_DIGITS = dict(rel=0, abs=1e-9)

# M11: a chain of mimics with offsets; the knuckle follows a follower.
FOLLOWS_LEFT = '<mimic joint="finger_left_joint" multiplier="-1.0" offset="0.002"/>'
FOLLOWS_RIGHT = '<mimic joint="finger_right_joint" multiplier="10.0" offset="0.1"/>'


def gripper(knuckle: str = "knuckle_joint", mimics: bool = True) -> str:
    """Arm of two joints with hand, two fingers, a knuckle and two tool frames."""
    finger = (3e-5, 3e-5, 1e-5)
    return robot(
        link("base"),
        body("l1", 2, (0.02, 0.02, 0.004), (0, 0, 0.15)),
        joint("shoulder", "base", "l1", xyz=(0, 0, 0.1)),
        body("l2", 1, (0.01, 0.01, 0.002), (0, 0, 0.1)),
        joint("elbow", "l1", "l2", xyz=(0, 0, 0.3)),
        body("hand", 0.5, (0.001, 0.001, 0.0008), (0, 0, 0.04)),
        fixed("l2", "hand", (0, 0, 0.25), (0, 0, 0.3)),
        body("finger_left", 0.08, finger, (0, 0.01, 0.03)),
        joint("finger_left_joint", "hand", "finger_left", "prismatic", xyz=(0, 0, 0.08)),
        body("finger_right", 0.08, finger, (0, -0.01, 0.03)),
        joint("finger_right_joint", "hand", "finger_right", "prismatic", xyz=(0, 0, 0.08),
              more=FOLLOWS_LEFT * mimics),
        body("knuckle", 0.03, (1e-5, 1e-5, 1e-5), (0.02, 0, 0)),
        joint(knuckle, "hand", "knuckle", xyz=(0.03, 0, 0.02), more=FOLLOWS_RIGHT * mimics),
        link("tool_left"),
        fixed("hand", "tool_left", (0, 0.02, 0.12)),
        link("tool_right"),
        fixed("hand", "tool_right", (0, -0.02, 0.12)),
    )  # fmt: skip


SAMPLES = {
    (0.0, 0.0, 0.0): (
        (-0.01355349, -0.01355349, 0.058436716),
        {
            "finger_left": (0, 0, 0.73),
            "finger_right": (-0.00059104, 0.001910673, 0.73),
            "knuckle": (0.028660095, 0.008865606, 0.67),
            "tool_left": (-0.005910404, 0.01910673, 0.77),
            "tool_right": (0.005910404, -0.01910673, 0.77),
        },
    ),
    (0.5, 0.8, 0.03): (
        (-6.736974755, -2.941520976, 0.02519077),
        {
            "finger_left": (0.459430323, 0.028660095, 0.460091909),
            "finger_right": (0.464015299, -0.026749422, 0.443576356),
            "knuckle": (0.411654913, 0.008865606, 0.407883783),
            "tool_left": (0.498763164, 0.01910673, 0.467944353),
            "tool_right": (0.501925216, -0.01910673, 0.456554317),
        },
    ),
    (1.2, -0.4, 0.05): (
        (-9.575881235, -2.197235364, 0.053044913),
        {
            "finger_left": (0.50604469, 0.047766824, 0.449220201),
            "finger_right": (0.526222, -0.045856151, 0.428444866),
            "knuckle": (0.493265551, 0.008865606, 0.376258644),
            "tool_left": (0.540915661, 0.01910673, 0.470728673),
            "tool_right": (0.549151298, -0.01910673, 0.462248944),
        },
    ),
}
# Efforts of finger_left_joint, finger_right_joint and knuckle_joint, each for itself.
UNFOLDED = [(0, 0, -0.005843672), (0.223472517, 0.223472517, -0.002519077),
            (0.166372279, 0.166372279, -0.005304491)]  # fmt: skip


@pytest.mark.parametrize("knuckle", ["knuckle_joint", "a_knuckle_joint"])
@pytest.mark.parametrize("q", SAMPLES)
def test_followers_move_and_weigh_through_the_whole_chain(q, knuckle: str) -> None:
    model = quietly(gripper(knuckle))
    efforts, positions = SAMPLES[q]
    assert model.joint_names == ("shoulder", "elbow", "finger_left_joint")
    assert gravity_torques(model, q) == pytest.approx(efforts, **NINE_DIGITS)
    for name, expected in positions.items():
        assert link_pose(model, q, name)[1] == pytest.approx(expected, **NINE_DIGITS), name


def test_mimics_say_their_driver_at_the_end_of_the_chain() -> None:
    right, knuckle = quietly(gripper()).mimics
    assert right == Mimic("finger_right_joint", "finger_left_joint", -1.0, 0.002)
    assert (knuckle.joint, knuckle.driver) == ("knuckle_joint", "finger_left_joint")
    # 10 (-q + 0.002) + 0.1
    assert (knuckle.multiplier, knuckle.offset) == (-10.0, pytest.approx(0.12))


@pytest.mark.parametrize(("q", "alone"), zip(SAMPLES, UNFOLDED, strict=True))
def test_a_driver_bears_its_own_effort_and_its_followers_times_the_multiplier(q, alone) -> None:
    free = quietly(gripper(mimics=False))
    left = q[2]
    full = [*q, -left + 0.002, 10 * (-left + 0.002) + 0.1]
    efforts = gravity_torques(free, full)
    assert efforts[2:] == pytest.approx(alone, **NINE_DIGITS)
    folded = gravity_torques(quietly(gripper()), q)
    assert folded[2] == pytest.approx(efforts[2] - efforts[3] - 10 * efforts[4])
    assert folded[:2] == pytest.approx(efforts[:2])
    # Likewise the mass matrix: G^T M G with q_all = G q + offset.
    gain = np.zeros((5, 3))
    gain[[0, 1, 2, 3, 4], [0, 1, 2, 2, 2]] = 1, 1, 1, -1, -10
    full_mass = mass_matrix(free, full)
    assert mass_matrix(quietly(gripper()), q) == pytest.approx(gain.T @ full_mass @ gain)


def test_a_mimic_without_numbers_is_one_to_one_and_may_follow_a_continuous_joint() -> None:
    text = robot(
        link("base"), body("a"), body("b"),
        joint("ja", "base", "a", "continuous"),
        joint("jb", "base", "b", "continuous", more='<mimic joint="ja"/>'),
    )  # fmt: skip
    model = quietly(text)
    assert model.mimics == (Mimic("jb", "ja", 1.0, 0.0),)
    for a, b in zip(link_pose(model, [7.5], "a"), link_pose(model, [7.5], "b"), strict=True):
        assert np.array_equal(a, b)


def test_everything_per_joint_is_sized_by_the_independent_ones() -> None:
    model = quietly(gripper())
    assert model.n == 3 and len(model.joint_types) == 3
    for array in (model.limits.lower, model.limits.effort, model.damping, model.friction,
                  model.continuous, model.revolute):  # fmt: skip
        assert array.shape == (3,)
    assert model.total_mass == pytest.approx(3.69)


# M14: branches.


@pytest.mark.parametrize("q", SAMPLES)
def test_all_branches_count_whatever_tip_is_looked_at(q) -> None:
    """Without finger branches shoulder and elbow would be off by more than 0.01 N m."""
    model = quietly(gripper())
    assert model.leaf_links == (
        "finger_left", "finger_right", "knuckle", "tool_left", "tool_right",
    )  # fmt: skip
    assert model.joints_of("tool_left") == model.joints_of("tool_right") == ("shoulder", "elbow")
    assert model.joints_of("knuckle") == ("shoulder", "elbow", "finger_left_joint")
    assert not model.is_serial
    ignored = {0.0: (0.0, 0.0), 0.5: (-5.843237, -2.315864), 1.2: (-8.581607, -1.724129)}
    difference = gravity_torques(model, q)[:2] - ignored[q[0]]
    assert np.abs(difference).min() > 0.01


# M10, B05: damping and friction are data.


def losses(damping: float, friction: float) -> str:
    return f'<dynamics damping="{damping}" friction="{friction}"/>'


def test_damping_and_friction_are_kept_and_never_used_unasked() -> None:
    def arm(extra: str) -> RobotModel:
        return quietly(robot(link("base"), body("a"), body("b"), joint("ja", "base", "a"),
                             joint("jb", "a", "b", more=extra)))  # fmt: skip

    rough, smooth = arm(losses(0.4, 0.5)), arm("")
    assert rough.damping.tolist() == [0.0, 0.4]
    assert rough.friction.tolist() == [0.0, 0.5]
    assert not smooth.damping.any() and not smooth.friction.any()
    assert np.array_equal(rough.arrays.bodies, smooth.arrays.bodies)
    q = np.array([0.3, 0.4])
    assert np.array_equal(gravity_torques(rough, q), gravity_torques(smooth, q))


def test_losses_of_followers_are_felt_at_the_driver_as_the_same_power() -> None:
    text = robot(
        link("base"), body("a"), body("b"),
        joint("ja", "base", "a", more=losses(0.1, 0.2)),
        joint("jb", "base", "b",
              more='<mimic joint="ja" multiplier="-3"/>' + losses(0.01, 0.02)),
    )  # fmt: skip
    model = quietly(text)
    # d qd^2 + d' (3 qd)^2, f |qd| + f' |3 qd|
    assert model.damping == pytest.approx([0.1 + 9 * 0.01])
    assert model.friction == pytest.approx([0.2 + 3 * 0.02])


# Records that nobody checked before.


def test_records_that_are_no_tree_are_refused() -> None:
    a, b = LinkSpec("a", 1.0), LinkSpec("b", 1.0)
    with pytest.raises(ModelError, match="exactly one root link; found a, b"):
        RobotModel.from_specs("r", [a, b], [])
    with pytest.raises(ModelError, match="none .the joints form a loop"):
        RobotModel.from_specs("r", [a], [JointSpec("j", "fixed", "a", "a")])
    with pytest.raises(ModelError, match="'j' names link 'c', which does not exist"):
        RobotModel.from_specs("r", [a], [JointSpec("j", "fixed", "a", "c")])
    twice = [JointSpec(name, "fixed", "a", "b") for name in ("j", "k")]
    with pytest.raises(ModelError, match="'b' is reached twice"):
        RobotModel.from_specs("r", [a, b], twice)


def test_a_chain_of_multipliers_that_overflows_is_refused() -> None:
    links = [LinkSpec(f"l{i}", 1.0) for i in range(41)]
    joints = [JointSpec(f"j{i}", "continuous", "l0", f"l{i}",
                        mimic=MimicSpec(f"j{i - 1}", 1e12, 1.0) if i > 1 else None)
              for i in range(1, 41)]  # fmt: skip
    with pytest.raises(ModelError, match="multiplier that is not finite"):
        RobotModel.from_specs("r", links, joints)
