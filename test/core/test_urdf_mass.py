# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
What a URDF text says about mass and inertia, and what it cannot say.

Efforts given as numbers come from an independent Newton-Euler recursion in world coordinates,
and from Pinocchio 4.1.0; both agree to all digits shown.
"""

import numpy as np
import pytest
from urdf_text import body, fixed, inertial, joint, link, loudly, one_link, origin, quietly, robot

from robodyn_ros import (
    RobotModel,
    forward_dynamics,
    gravity_torques,
    inverse_dynamics,
    mass_matrix,
)
from robodyn_ros.errors import ModelError, SingularModelError
from robodyn_ros.model.rotations import matrix_from_rpy

NINE_DIGITS = dict(rel=0, abs=1e-9)


# M01: the inertial frame.


def test_the_tensor_turns_with_the_inertial_frame() -> None:
    turned = inertial(1, (2, 3, 4), origin(rpy=(0, 0, np.pi / 2)))
    model = quietly(one_link(turned, axis=(1, 0, 0)))
    # Of diag(2, 3, 4) turned by a quarter about z the joint on x feels 3.
    assert inverse_dynamics(model, [0.0], [0.0], [1.0]) == pytest.approx([3.0])


def two_joints(first: str) -> str:
    """Arm whose first link is in doubt."""
    return robot(
        link("base"),
        link("l1", first),
        body("l2", 0.8, (0.004, 0.005, 0.003), (0.05, 0, 0.2)),
        joint("j1", "base", "l1", axis=(0, 1, 0), xyz=(0, 0, 0.3)),
        joint("j2", "l1", "l2", axis=(0, 0, 1), xyz=(0.4, 0, 0), rpy=(np.pi / 2, 0, 0)),
    )


COM = (0.1, 0.02, -0.03)
TURNED = two_joints(
    inertial(2, (0.21, 0.02, -0.01, 0.34, 0.03, 0.3), origin(COM, (0.4, -0.7, 1.1)))
)
# The same tensor, turned by hand.
PLAIN = two_joints(
    inertial(
        2,
        (
            0.3062307369385781,
            -0.01778737937684109,
            -0.06322841531886537,
            0.2663846130147931,
            -0.03310047495023568,
            0.2773846500466287,
        ),
        origin(COM),
    )
)


def test_inertial_rpy_turns_the_tensor_but_not_the_centre_of_mass() -> None:
    turned, plain = quietly(TURNED), quietly(PLAIN)
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 50, 2))
    assert inverse_dynamics(turned, q, qd, qdd) == pytest.approx(
        inverse_dynamics(plain, q, qd, qdd), rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize(
    ("q", "qd", "qdd", "efforts"),
    [
        ((0, 0), (0, 0), (0, 0), (-5.4936, 0.3924)),
        ((0.6, -1.1), (0, 0), (1, 0), (-3.39159521, -0.062816118)),
        ((-0.4, 0.9), (1.5, -2), (0.7, 3), (-4.6434462, 0.137704277)),
    ],
)
def test_efforts_with_a_turned_inertial_frame(q, qd, qdd, efforts) -> None:
    assert inverse_dynamics(quietly(TURNED), q, qd, qdd) == pytest.approx(efforts, **NINE_DIGITS)


def test_an_inertial_without_origin_keeps_its_numbers() -> None:
    model = quietly(one_link(inertial(1, (0.1, 0.2, 0.25)), axis=(1, 0, 0)))
    assert model.link_parameters[1] == pytest.approx([1, 0, 0, 0, 0.1, 0, 0.2, 0, 0, 0.25])


# M03: no mass.


def test_fixed_links_without_mass_are_nothing_unusual() -> None:
    text = robot(link("base"), body("l1"), link("tcp"), joint("j1", "base", "l1"),
                 fixed("l1", "tcp"))  # fmt: skip
    assert quietly(text).link_names == ("base", "l1", "tcp")


@pytest.mark.parametrize("content", ["", inertial(0, (0, 0, 0))], ids=["absent", "zero"])
def test_a_moving_link_without_mass_costs_nothing_and_is_said_once(content: str) -> None:
    text = robot(
        link("base"),
        body("l1", xyz=(0.5, 0, 0)),
        *(link(name, content) for name in ("l2", "l3")),
        joint("j1", "base", "l1"),
        joint("j2", "l1", "l2", axis=(0, 0, 1)),
        joint("j3", "l2", "l3"),
    )
    model, said = loudly(text)
    assert len(said) == 1 and "without mass" in said[0]
    assert "'j2'" in said[0] and "'j3'" in said[0] and "'j1'" not in said[0]
    q = np.array([0.2, 0.3, 0.4])
    assert gravity_torques(model, q) == pytest.approx([-0.5 * 9.81 * np.cos(0.2), 0, 0])
    assert np.isfinite(mass_matrix(model, q)).all()
    with pytest.raises(SingularModelError, match="'j2', 'j3'"):
        forward_dynamics(model, q, q, q)


def test_massless_links_in_between_and_point_masses_are_legal() -> None:
    text = robot(
        link("base"),
        link("cross"),
        body("l2", 2, (0, 0, 0), (0, 0, 0.5)),
        joint("j1", "base", "cross", axis=(1, 0, 0)),
        joint("j2", "cross", "l2", axis=(0, 1, 0)),
    )
    model = quietly(text)
    # Universal joint with 2 kg at half a metre: m l^2 about both axes.
    assert mass_matrix(model, [0.0, 0.0]) == pytest.approx(np.diag([0.5, 0.5]))
    assert forward_dynamics(model, [0.0, 0.0], [0.0, 0.0], [1.0, 1.0]) == pytest.approx([2, 2])


def test_a_driver_whose_followers_have_the_mass_moves_something() -> None:
    text = robot(
        link("base"),
        link("l1"),
        body("l2"),
        joint("j1", "base", "l1"),
        joint("j2", "base", "l2", more='<mimic joint="j1"/>'),
    )
    quietly(text)


# M04: impossible inertia.

TURN = matrix_from_rpy((0.5, 0.6, 0.7))
HIDDEN = TURN @ np.diag([0.00038, 0.00286, 0.00406]) @ TURN.T


def six(tensor: np.ndarray) -> tuple[float, ...]:
    """Entries of a tensor as a URDF lists them: ixx ixy ixz iyy iyz izz."""
    return tuple(tensor[np.triu_indices(3)].tolist())


IMPOSSIBLE = {
    "mass": (inertial(-1, (0.01, 0.01, 0.01)), "mass -1 kg is negative"),
    "moment": (inertial(1, (-0.002, 0.01, 0.01)), "principal moments -0.002, 0.01, 0.01"),
    "product": (inertial(1, (0.01, 0.05, 0, 0.01, 0, 0.015)), "principal moments -0.04"),
    # Nine numbers of a matrix row by row, pasted into the six of a URDF.
    "slip": (inertial(1, (0.02, 0.001, 0, 0.001, 0.015, 0)), "inertia is not positive"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_impossible_inertia_is_refused_with_link_value_and_condition(case: str) -> None:
    content, words = IMPOSSIBLE[case]
    with pytest.raises(ModelError) as caught:
        RobotModel.from_urdf(one_link(content))
    (fault,) = caught.value.faults
    assert fault.startswith("link 'l1' <inertial>: ") and words in fault


def test_all_impossible_links_come_at_once() -> None:
    chain = [joint(f"j{i}", f"l{i - 1}", f"l{i}") for i in range(1, 5)]
    links = [link(f"l{i}", content) for i, (content, _) in enumerate(IMPOSSIBLE.values(), 1)]
    with pytest.raises(ModelError) as caught:
        RobotModel.from_urdf(robot(link("l0"), *links, *chain))
    assert [fault[:9] for fault in caught.value.faults] == [f"link 'l{i}'" for i in range(1, 5)]


@pytest.mark.parametrize("tensor", [(0.001, 0.002, 0.008), six(HIDDEN)], ids=["plain", "turned"])
def test_the_triangle_rule_is_a_warning_and_in_strict_mode_a_fault(tensor) -> None:
    text = one_link(inertial(1, tensor))
    model, said = loudly(text)
    assert len(said) == 1 and "'l1' (principal moments" in said[0] and "triangle" in said[0]
    assert np.isfinite(inverse_dynamics(model, [0.1], [0.2], [0.3])).all()
    with pytest.raises(ModelError, match="'l1'"):
        RobotModel.from_urdf(text, strict=True)


def test_rounding_by_cad_programs_is_neither() -> None:
    quietly(one_link(inertial(1, (0.1, 0.2, 0.30000001))))


def test_many_links_alike_are_one_warning_that_names_eight() -> None:
    names = [f"l{i}" for i in range(12)]
    links = [body(name, 1, (1, 1, 3)) for name in names]
    joints = [joint(f"j{b}", a, b) for a, b in zip(names, names[1:], strict=False)]
    _, said = loudly(robot(*links, *joints))
    assert len(said) == 1 and said[0].endswith(" and 4 more")
    with pytest.raises(ModelError, match="'l11'"):
        RobotModel.from_urdf(robot(*links, *joints), strict=True)


SLIP = inertial(1e-3, (-3e-8, 4e-8, 9e-8))


@pytest.mark.parametrize("carrier", ["base", "l1"])
def test_a_slip_too_small_to_feel_on_a_fixed_part_is_a_warning(carrier: str) -> None:
    text = robot(body("base"), body("l1"), link("antenna", SLIP), joint("j1", "base", "l1"),
                 fixed(carrier, "antenna"))  # fmt: skip
    _, said = loudly(text)
    assert len(said) == 1 and "'antenna' (inertia is not positive" in said[0]


def test_the_same_slip_on_a_part_that_moves_alone_is_a_fault() -> None:
    with pytest.raises(ModelError, match="'l1'"):
        RobotModel.from_urdf(one_link(SLIP))
    # Nor does it help to be fixed to something that weighs nothing.
    text = robot(link("base"), link("l1"), link("antenna", SLIP), joint("j1", "base", "l1"),
                 fixed("l1", "antenna"))  # fmt: skip
    with pytest.raises(ModelError, match="'antenna'"):
        RobotModel.from_urdf(text)


def test_negative_mass_on_a_fixed_part_is_a_fault_whatever_it_hangs_on() -> None:
    text = robot(body("base"), body("l1"), body("part", -0.1), joint("j1", "base", "l1"),
                 fixed("l1", "part"))  # fmt: skip
    with pytest.raises(ModelError, match="'part' <inertial>: mass -0.1 kg is negative"):
        RobotModel.from_urdf(text)
