# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Chains described as a plain list of links."""

import numpy as np
import pytest
from urdf_text import body, fixed, joint, link, robot

from robodyn_ros import RobotModel, gravity_torques, inverse_dynamics, joint_positions, link_pose
from robodyn_ros.errors import ModelError
from robodyn_ros.model.chain import ChainLink, chain_specs
from robodyn_ros.model.rotations import matrix_from_rpy
from robodyn_ros.model.specs import LimitSpec

Y = (0.0, 1.0, 0.0)
BODY = dict(mass=2.0, com=(0.1, 0.02, -0.03), inertia=(0.01, 0.02, 0.025))


def test_names_and_the_tool_come_from_the_position_in_the_list() -> None:
    links, joints = chain_specs(
        [ChainLink(Y, **BODY), ChainLink(Y, (0.4, 0, 0))], tool=(0.3, 0, 0)
    )
    assert [x.name for x in links] == ["base", "link1", "link2", "tool"]
    assert [(x.name, x.type, x.parent, x.child) for x in joints] == [
        ("joint1", "revolute", "base", "link1"),
        ("joint2", "revolute", "link1", "link2"),
        ("tool_joint", "fixed", "link2", "tool"),
    ]


def test_without_a_tool_there_is_no_tool_link() -> None:
    links, joints = chain_specs([ChainLink(Y)])
    assert [x.name for x in links] == ["base", "link1"] and len(joints) == 1


def test_the_same_arm_as_urdf() -> None:
    limit = LimitSpec(-3.2, 3.2, 5.0, 100.0)
    turn = (0.3, -0.2, 0.5)
    chain = RobotModel.from_links(
        [
            ChainLink((0, 0, 2.0), (0, 0, 0.3), **BODY, limit=limit),
            ChainLink(
                (1, 1, 0), (0.4, 0, 0), 0.8, (0.05, 0, 0.2),
                [[0.004, 0.001, 0], [0.001, 0.005, 0], [0, 0, 0.003]],
                rotation=matrix_from_rpy(turn), limit=limit,
            ),
            ChainLink((0, 0, -1), (0, 0, 0.2), 0.5, type="prismatic", limit=limit),
        ],
        tool=(0.1, 0.2, 0.3),
    )  # fmt: skip
    text = robot(
        link("base"),
        body("link1", 2.0, BODY["inertia"], BODY["com"]),
        body("link2", 0.8, (0.004, 0.001, 0, 0.005, 0, 0.003), (0.05, 0, 0.2)),
        body("link3", 0.5, (0, 0, 0)),
        link("tool"),
        joint("joint1", "base", "link1", axis=(0, 0, 1), xyz=(0, 0, 0.3)),
        joint("joint2", "link1", "link2", axis=(0.5**0.5, 0.5**0.5, 0), xyz=(0.4, 0, 0), rpy=turn),
        joint("joint3", "link2", "link3", "prismatic", (0, 0, -1), (0, 0, 0.2)),
        fixed("link3", "tool", (0.1, 0.2, 0.3)),
    )
    written = RobotModel.from_urdf(text)
    q, qd, qdd = np.random.default_rng(0).uniform(-1, 1, (3, 10, 3))
    assert chain.link_names == written.link_names
    assert inverse_dynamics(chain, q, qd, qdd) == pytest.approx(
        inverse_dynamics(written, q, qd, qdd), rel=1e-12
    )
    for ours, theirs in zip(
        link_pose(chain, q, "tool"), link_pose(written, q, "tool"), strict=True
    ):
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-14)
    assert chain.limits.upper == pytest.approx(written.limits.upper)
    assert chain.limits.effort == pytest.approx(100.0)


def test_the_tool_does_not_depend_on_the_centre_of_mass() -> None:
    q = np.array([0.3])
    for com in ((0, 0, 0), (0.9, 0.8, 0.7)):
        model = RobotModel.from_links([ChainLink(Y, mass=1.0, com=com)], tool=(0.8, 0, 0))
        tip = joint_positions(model, q)[-1]
        assert tip == pytest.approx([0.8 * np.cos(0.3), 0, -0.8 * np.sin(0.3)])


def test_limits_left_out_are_unknown_not_zero() -> None:
    limits = RobotModel.from_links([ChainLink(Y)]).limits
    assert limits.lower[0] == -np.inf and limits.upper[0] == np.inf
    assert np.isnan([limits.effort[0], limits.velocity[0]]).all()


def test_arrays_lists_and_integers_are_alike() -> None:
    plain = ChainLink([0, 2, 0], [0, 0, 1], 2, [1, 0, 0], [1, 1, 1])
    arrays = ChainLink(np.array([0, 1.0, 0]), np.array([0, 0, 1.0]), 2.0, (1.0, 0, 0), np.eye(3))
    q = np.array([0.4])
    torques = [gravity_torques(RobotModel.from_links([x]), q) for x in (plain, arrays)]
    assert torques[0] == pytest.approx(torques[1], rel=1e-15)
    # 2 kg at 1 m, raised or lowered by q about y: -m g x cos q.
    assert torques[0][0] == pytest.approx(-2 * 9.81 * np.cos(0.4))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (dict(axis=(0, 0, 0)), ["'link1'", "axis", "zero"]),
        (dict(axis=(0, 1)), ["axis", "3 finite numbers"]),
        (dict(axis="up"), ["axis", "3 finite numbers", "up"]),
        (dict(axis=None), ["axis", "3 finite numbers"]),
        (dict(offset=(0, np.nan, 0)), ["offset", "3 finite numbers"]),
        (dict(offset=[[1, 2], [3]]), ["offset"]),
        (dict(com=5.0), ["com", "3 finite numbers"]),
        (dict(mass=-0.5), ["mass -0.5", "negative"]),
        (dict(mass=np.nan), ["mass", "finite"]),
        (dict(mass="heavy"), ["mass", "heavy"]),
        (dict(mass=(1, 2)), ["mass"]),
        (dict(inertia=(1, -1, 1)), ["not positive", "-1"]),
        (dict(inertia=np.zeros((2, 2))), ["inertia", "(3, 3)"]),
        (dict(inertia=[[1, 0, 0], [0.5, 1, 0], [0, 0, 1]]), ["symmetric"]),
        (dict(rotation=2 * np.eye(3)), ["rotation"]),
        (dict(rotation=np.diag([1, 1, -1])), ["rotation"]),
        (dict(rotation="none"), ["rotation"]),
        (dict(rotation=np.zeros((3, 3))), ["rotation"]),
        (dict(type="ball"), ["type 'ball'", "prismatic"]),
        (dict(type="fixed"), ["type 'fixed'"]),
        (dict(limit=LimitSpec(1.0, -1.0)), ["lower 1", "upper -1"]),
        (dict(limit=LimitSpec(np.nan, 1.0)), ["lower nan"]),
        (dict(name="base"), ["'base'", "twice"]),
        (dict(name="link2"), ["'link2'", "twice"]),
        (dict(name="tool"), ["'tool'", "twice"]),
    ],
)
def test_each_fault_names_the_link_and_the_value(changes: dict, words: list[str]) -> None:
    wrong = ChainLink(**{"axis": Y, **changes})
    with pytest.raises(ModelError) as caught:
        chain_specs([wrong, ChainLink(Y)], tool=(0, 0, 0))
    assert len(caught.value.faults) == 1, caught.value.faults
    for word in words:
        assert word in str(caught.value)


def test_all_faults_come_in_one_error() -> None:
    with pytest.raises(ModelError) as caught:
        chain_specs([ChainLink((0, 0, 0)), ChainLink(Y, mass=-1)], tool=(0, 0))
    assert ["link1" in f or "link2" in f or "tool" in f for f in caught.value.faults] == [True] * 3


def test_an_empty_list_is_no_chain() -> None:
    with pytest.raises(ModelError, match="at least one link"):
        chain_specs([])
