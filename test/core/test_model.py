# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The model: fixed links merged, mimics folded, mounts, branches, payloads.

Efforts and poses given as numbers come from an independent Newton-Euler recursion in world
coordinates, and from Pinocchio 4.1.0; both agree to all digits shown.
"""

import numpy as np
import pytest
from urdf_text import body, fixed, inertial, joint, link, loudly, origin, quietly, robot

from robodyn_ros import (
    RobotModel,
    forward_kinematics,
    gravity_torques,
    inverse_dynamics,
    link_pose,
)
from robodyn_ros.errors import ModelError, ShapeError, UnknownNameError
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.rotations import quaternion_from_matrix

NINE_DIGITS = dict(rel=0, abs=1e-9)
UP = np.pi / 2

# M02: one moving link with flange, sensor and tool fixed to it.

TRAILING = robot(
    link("base"),
    body("l1", 2, (0.002, 0.02, 0.02), (0.25, 0, 0)),
    link("flange"),
    body("sensor", 0.3, (0.0002, 0.0002, 0.0003), (0, 0, 0.02)),
    body("tool", 0.7, (0.002, 0.003, 0.0015), (0, 0.05, 0.1), (0.2, 0, 0)),
    joint("j1", "base", "l1"),
    fixed("l1", "flange", (0.5, 0, 0), (0, 0, UP)),
    fixed("flange", "sensor", (0, 0.1, 0)),
    fixed("sensor", "tool", (0, 0, 0.04), (0, UP, 0)),
)
# The same as one link, lumped by hand.
LUMPED = robot(
    link("base"),
    link(
        "l1",
        inertial(
            3.0,
            (
                0.011362129078835497,
                -0.004608730423398157,
                -0.0023966666666666676,
                0.03195553758783117,
                -0.002006666666666667,
                0.03700833333333334,
            ),
            origin((0.28833333333333333, 0.02333333333333333, 0.011333333333333334)),
        ),
    ),
    joint("j1", "base", "l1"),
)
STATES = [(0.0, 0.0, 0.0), (0.5, 0.0, 1.0), (-1.2, 2.0, -3.0)]  # q, qd, qdd
EMPTY_HANDED = [-8.48565, -7.325016856, -3.609216375]


def efforts(model: RobotModel) -> np.ndarray:
    """Effort of the only joint at the three states."""
    return inverse_dynamics(model, *np.array(STATES).T[..., None])[:, 0]


def test_links_fixed_to_each_other_are_one_body() -> None:
    trailing, lumped = quietly(TRAILING), quietly(LUMPED)
    assert efforts(trailing) == pytest.approx(EMPTY_HANDED, **NINE_DIGITS)
    q, qd, qdd = np.random.default_rng(0).uniform(-3, 3, (3, 100, 1))
    assert inverse_dynamics(trailing, q, qd, qdd) == pytest.approx(
        inverse_dynamics(lumped, q, qd, qdd), rel=1e-12, abs=1e-13
    )
    assert trailing.total_mass == pytest.approx(3.0)
    assert trailing.link_parameters[:, 0].tolist() == [0, 2, 0, 0.3, 0.7]


def test_fixed_links_keep_their_frames() -> None:
    model = quietly(TRAILING)
    assert model.link_names == ("base", "l1", "flange", "sensor", "tool")
    assert model.joint_names == ("j1",)
    rotation, position = link_pose(model, [0.0], "tool")
    assert position == pytest.approx([0.4, 0, 0.04])
    assert quaternion_from_matrix(rotation) == pytest.approx([-0.5, 0.5, 0.5, 0.5])
    assert model.parent_link("tool") == "sensor"
    assert model.joints_of("tool") == ("j1",)
    assert model.leaf_links == ("tool",)


# M06: inertia of the root.


def test_the_root_has_mass_but_no_say_in_joint_efforts() -> None:
    heavy = quietly(TRAILING.replace('<link name="base"></link>', body("base", 20)))
    assert heavy.total_mass == pytest.approx(23.0)
    assert np.array_equal(efforts(heavy), efforts(quietly(TRAILING)))
    dummy = TRAILING.replace(
        '<link name="base"></link>', link("world") + fixed("world", "base") + body("base", 20)
    )
    assert np.array_equal(efforts(quietly(dummy)), efforts(heavy))
    assert quietly(dummy).total_mass == pytest.approx(23.0)


# M13: payload.

TENSOR = 0.001 * np.eye(3)


def test_a_payload_adds_to_the_tool_and_leaves_without_a_trace() -> None:
    before = quietly(TRAILING)
    loaded = before.with_payload("tool", 1.5, (0, 0, 0.12), TENSOR)
    expected = [-14.37165, -12.529257688, -5.923655912]
    assert efforts(loaded) == pytest.approx(expected, **NINE_DIGITS)
    assert loaded.total_mass == pytest.approx(4.5)
    again = loaded.with_payload("tool", 1.5, (0, 0, 0.12), TENSOR)
    assert np.array_equal(efforts(again), efforts(loaded))
    for after in (loaded.without_payload(), loaded.with_payload("tool", 0.0, (0, 0, 0))):
        assert np.array_equal(after.arrays.bodies, before.arrays.bodies)
        assert not after.payloads
    assert np.array_equal(efforts(before), efforts(quietly(TRAILING)))


def test_payloads_of_different_names_add_up_in_any_order() -> None:
    model = quietly(TRAILING)
    one = model.with_payload("tool", 1.0, (0, 0, 0.1)).with_payload("l1", 2.0, (0, 0, 0), name="b")
    other = model.with_payload("l1", 2.0, (0, 0, 0), name="b").with_payload("tool", 1, (0, 0, 0.1))
    assert efforts(one) == pytest.approx(efforts(other), rel=1e-14)
    assert efforts(one.without_payload("b")) == pytest.approx(
        efforts(model.with_payload("tool", 1.0, (0, 0, 0.1)))
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tool", -1.0, (0, 0, 0)), "mass -1 kg is negative"),
        (("tool", np.nan, (0, 0, 0)), "finite"),
        (("tool", 1.0, (0, 0)), "com needs 3 finite numbers"),
        (("tool", 1.0, (0, 0, np.inf)), "com needs 3 finite numbers"),
        (("tool", 1.0, (0, 0, 0), -TENSOR), "not positive"),
        (("tool", 1.0, (0, 0, 0), np.ones(3)), "inertia 3 x 3"),
        (("tool", "heavy", (0, 0, 0)), "not made of numbers"),
        (("tool", 1.0, "here"), "not made of numbers"),
    ],
)
def test_impossible_payloads_are_refused(arguments, words: str) -> None:
    with pytest.raises(ModelError, match=f"payload 'payload'(.|\n)*{words}"):
        quietly(TRAILING).with_payload(*arguments)


def test_payloads_hang_on_links_that_exist_and_leave_if_they_are_there() -> None:
    model = quietly(TRAILING)
    with pytest.raises(UnknownNameError, match="'tol'; known: base, l1, flange, sensor, tool"):
        model.with_payload("tol", 1.0, (0, 0, 0))
    with pytest.raises(UnknownNameError, match="no payload named 'box'; known: payload"):
        model.with_payload("tool", 1.0, (0, 0, 0)).without_payload("box")


# M12: mounts.

ARM = (
    body("base_link", 5, (0.02, 0.02, 0.02), (0, 0, 0.05)),
    body("l1", 2, (0.01, 0.01, 0.005), (0, 0, 0.1)),
    body("l2", 1.5, (0.003, 0.02, 0.02), (0.2, 0, 0)),
    body("l3", 0.8, (0.001, 0.008, 0.008), (0.15, 0, 0)),
    link("tcp"),
    joint("j1", "base_link", "l1", axis=(0, 0, 1), xyz=(0, 0, 0.1)),
    joint("j2", "l1", "l2", xyz=(0, 0, 0.2)),
    joint("j3", "l2", "l3", xyz=(0.4, 0, 0)),
    fixed("l3", "tcp", (0.3, 0, 0)),
)
MOUNTS = {
    "floor": (
        (0, 0, 0),
        (0, 0, -9.81),
        [(0, -7.2594, -1.1772), (0, -6.309217744, -0.971585086)],
        [(1.2, 0, 1.5), (0.957860316, 0.385650424, 1.522377473)],
    ),
    "wall": (
        (0, UP, 0),
        (9.81, 0, 0),
        [(0, 0, 0), (4.064509663, -1.721862364, 0.508388399)],
        [(0.8, 0, 0.5), (0.822377473, 0.385650424, 0.742139684)],
    ),
    "ceiling": (
        (np.pi, 0, 0),
        (0, 0, 9.81),
        [(0, 7.2594, 1.1772), (0, 6.309217744, 0.971585086)],
        [(1.2, 0, 0.9), (0.957860316, -0.385650424, 0.877622527)],
    ),
    "tilted": (
        (np.pi / 6, 0, np.pi / 4),
        (0, -4.905, -9.81 * np.cos(np.pi / 6)),
        [(3.6297, -6.286824816, -1.019485105), (2.41277795, -4.738790513, -1.055522187)],
        [(1.101040764, 0.38890873, 1.459807621), (0.701572093, 0.445940174, 1.672012293)],
    ),
}
POSES = [(0.0, 0.0, 0.0), (0.7, -0.5, 1.1)]


@pytest.mark.parametrize("mount", MOUNTS)
def test_gravity_is_a_vector_in_the_root_frame(mount: str) -> None:
    rpy, gravity, torques, tips = MOUNTS[mount]
    world = quietly(robot(link("world"), *ARM, fixed("world", "base_link", (0.5, 0, 1.2), rpy)))
    assert gravity_torques(world, POSES) == pytest.approx(np.array(torques), **NINE_DIGITS)
    assert link_pose(world, POSES, "tcp")[1] == pytest.approx(np.array(tips), **NINE_DIGITS)
    based = quietly(robot(*ARM), gravity=gravity)
    assert gravity_torques(based, POSES) == pytest.approx(np.array(torques), **NINE_DIGITS)
    later = quietly(robot(*ARM)).with_gravity(gravity)
    assert np.array_equal(gravity_torques(later, POSES), gravity_torques(based, POSES))


def test_gravity_may_be_integers_or_nothing() -> None:
    model = quietly(robot(*ARM), gravity=[0, 0, -9])
    assert model.gravity.tolist() == [0.0, 0.0, -9.0]
    assert not gravity_torques(model.with_gravity((0, 0, 0)), POSES).any()


@pytest.mark.parametrize(
    "gravity",
    [(0, -9.81), (0, 0, 0, -9.81), -9.81, (0, 0, np.nan), "down", None, ((0, 0, -9.81),)],
)
def test_gravity_of_another_size_is_refused(gravity) -> None:
    with pytest.raises(ShapeError, match="gravity needs 3 finite numbers"):
        RobotModel.from_urdf(robot(*ARM), gravity=gravity)


# Names, copies, no joints.


def test_unknown_names_list_the_known_ones() -> None:
    model = quietly(robot(*ARM))
    assert [model.joint_index(name) for name in model.joint_names] == [0, 1, 2]
    with pytest.raises(UnknownNameError, match="no joint named 'j4'; known: j1, j2, j3"):
        model.joint_index("j4")
    with pytest.raises(UnknownNameError, match="no link named 'tip'; known: base_link, l1"):
        model.link_index("tip")


def test_limits_of_another_size_are_refused() -> None:
    model = quietly(robot(*ARM))
    with pytest.raises(ShapeError, match="limits are for 2 joints, the model has 3"):
        model.with_limits(JointLimits.unknown(2))
    assert np.isnan(model.with_limits(JointLimits.unknown(3)).limits.effort).all()
    assert model.limits.effort.tolist() == [100.0] * 3


def test_nothing_in_a_model_can_be_written() -> None:
    model = quietly(robot(*ARM))
    for array in (*model.arrays, model.gravity, model.damping, model.link_parameters,
                  model.limits.lower):  # fmt: skip
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_branch_can_be_a_robot_of_its_own() -> None:
    branch = quietly(robot(*ARM), root="l1")
    assert branch.joint_names == ("j2", "j3") and branch.root_link == "l1"
    torques = gravity_torques(quietly(robot(*ARM)), POSES[1])
    assert gravity_torques(branch, POSES[1][1:]) == pytest.approx(torques[1:])


@pytest.mark.parametrize("batch", [(), (4,), (100,)])
def test_a_robot_without_joints_has_poses_and_no_torques(batch: tuple[int, ...]) -> None:
    model, _ = loudly(robot(body("a"), body("b"), fixed("a", "b", (1, 2, 3))))
    q = np.zeros((*batch, 0))
    expected = np.broadcast_to([[0, 0, 0], [1, 2, 3]], (*batch, 2, 3))
    assert forward_kinematics(model, q).position == pytest.approx(expected)
    assert inverse_dynamics(model, q, q, q).shape == (*batch, 0)
