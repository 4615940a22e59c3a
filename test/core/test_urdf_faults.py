# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Every fault of a text is found, named with what it is about, and listed in one error."""

import pytest
from urdf_text import LIMIT, body, fixed, inertial, joint, link, loudly, one_link, robot

from robodyn_ros import RobotModel
from robodyn_ros.errors import ModelError, UnknownNameError

GOOD = one_link().replace(
    "</joint>", '<dynamics damping="0.1" friction="0.2"/><mimic joint="j0"/></joint>'
).replace("</robot>", joint("j0", "base", "l0") + body("l0") + "</robot>")  # fmt: skip


def faults(text: str | bytes) -> tuple[str, ...]:
    """Faults of a text that must not load."""
    with pytest.raises(ModelError) as caught:
        RobotModel.from_urdf(text)
    return caught.value.faults


def test_the_text_that_the_faults_are_put_into_is_good() -> None:
    assert loudly(GOOD)[1] == []


# Numbers.

BROKEN = ["", " ", "nan", "inf", "-inf", "1e999", "1,5", "0x10", "1_000", "1 2", "one", "1.0f",
          "${r}x", "٣", "--1", "1e", "."]  # fmt: skip
SCALARS = {
    'mass value="1.0"': "link 'l1' <inertial> <mass> value=",
    'iyz="0"': "link 'l1' <inertial> <inertia> iyz=",
    'lower="-3.2"': "joint 'j1' <limit> lower=",
    'velocity="5"': "joint 'j1' <limit> velocity=",
    'damping="0.1"': "joint 'j1' <dynamics> damping=",
    'friction="0.2"': "joint 'j1' <dynamics> friction=",
    'mimic joint="j0" multiplier="2"': "joint 'j1' <mimic> multiplier=",
    'mimic joint="j0" offset="2"': "joint 'j1' <mimic> offset=",
}


@pytest.mark.parametrize("place", SCALARS)
@pytest.mark.parametrize("number", [b for b in BROKEN if "$" not in b])
def test_broken_numbers_are_shown_with_their_place(place: str, number: str) -> None:
    text = GOOD.replace('mimic joint="j0"', place) if place.startswith("mimic") else GOOD
    value = place.split('"')[-2]
    broken = text.replace(place, place.replace(f'"{value}"', f'"{number}"'), 1)
    assert faults(broken) == (f'{SCALARS[place]}"{number}" is not a finite number',)


VECTORS = {
    '<origin xyz="0 0 0" rpy="0 0 0"/><parent': "joint 'j1' <origin> xyz",
    '<axis xyz="0 1 0"/>': "joint 'j1' <axis> xyz",
}


@pytest.mark.parametrize("place", VECTORS)
@pytest.mark.parametrize("value", ["", "0 1", "0 0 0 1", "0 1 nan", "0,1,0", "0 1 1,5", "a b c"])
def test_vectors_are_three_numbers(place: str, value: str) -> None:
    broken = GOOD.replace(place, place.replace(place.split('"')[1], value, 1), 1)
    assert faults(broken) == (f'{VECTORS[place]}="{value}" is not 3 finite numbers',)


@pytest.mark.parametrize("number", ["1e13", "-1e300"])
def test_numbers_that_would_overflow_in_products_are_refused(number: str) -> None:
    (fault,) = faults(GOOD.replace('xyz="0 0 0"', f'xyz="0 {number} 0"', 1))
    assert f'xyz="0 {number} 0" is beyond anything real' in fault
    (fault,) = faults(GOOD.replace('multiplier="2"', "").replace(
        'mimic joint="j0"', f'mimic joint="j0" offset="{number}"'))  # fmt: skip
    assert f'offset="{number}" is beyond anything real' in fault


@pytest.mark.parametrize("number", ["1", "+1.", "1e0", "0.1E+1", " 1 ", "\t1\n"])
def test_numbers_may_be_written_in_many_ways(number: str) -> None:
    text = GOOD.replace('mass value="1.0"', f'mass value="{number}"')
    assert RobotModel.from_urdf(text).total_mass == 2.0


def test_quaternions_are_alone_and_not_zero() -> None:
    both = GOOD.replace('rpy="0 0 0"', 'rpy="0 0 0" quat_xyzw="0 0 0 1"', 1)
    assert "both rpy and quat_xyzw" in faults(both)[0]
    zero = GOOD.replace('rpy="0 0 0"', 'quat_xyzw="0 0 0 0"', 1)
    assert "quat_xyzw is zero" in faults(zero)[0]
    short = GOOD.replace('rpy="0 0 0"', 'quat_xyzw="0 0 1"', 1)
    assert "is not 4 finite numbers" in faults(short)[0]


# Elements and attributes.

MISSING = {
    '<mass value="1.0"/>': ("", "link 'l1' <inertial> has no <mass>"),
    'mass value="1.0"': ("mass", "link 'l1' <inertial> <mass> has no value"),
    ' ixy="0"': ("", "link 'l1' <inertial> <inertia> has no ixy"),
    '<parent link="base"/>': ("", "joint 'j1' has no <parent link=...>"),
    'child link="l1"': ("child", "joint 'j1' has no <child link=...>"),
    'name="j1" type="revolute"': ('name="j1"', "joint 'j1' has no type: use one of revolute"),
    "revolute": ("floating", "joint 'j1' has type 'floating': use one of revolute"),
    'type="revolute"': ('type="planar"', "joint 'j1' has type 'planar': use one of revolute"),
    'axis xyz="0 1 0"': ('axis xyz="0 0 0"', "joint 'j1' <axis> is zero: it needs a direction"),
    'damping="0.1"': ('damping="-0.1"', "joint 'j1' <dynamics>: damping -0.1 and friction 0.2"),
    'mimic joint="j0"': ("mimic", "joint 'j1' <mimic> has no joint=..."),
    'parent link="base"': ('parent link="b"', "joint 'j1' <parent>: no link named 'b'"),
    'child link="l1"/>': ('child link="L1"/>', "joint 'j1' <child>: no link named 'L1'"),
    'link name="l1"': ("link", "<link> number 2 has no name"),
    'joint name="j1"': ('joint name=" "', "<joint> number 1 has no name"),
    'joint name="j0"': ('joint name="j1"', "joint 'j1' is there twice"),
    'link name="l0"': ('link name="base"', "link 'base' is there twice"),
}


@pytest.mark.parametrize("place", MISSING)
def test_missing_and_wrong_parts_are_named(place: str) -> None:
    assert place in GOOD
    new, words = MISSING[place]
    assert any(fault.startswith(words) for fault in faults(GOOD.replace(place, new, 1)))


def test_a_name_that_cannot_be_read_causes_no_fault_that_follows_from_it() -> None:
    assert len(faults(GOOD.replace('parent link="base"', 'parent link="b"', 1))) == 1
    assert len(faults(GOOD.replace('child link="l1"', "child", 1))) == 1


def test_an_inertial_without_inertia() -> None:
    text = one_link('<inertial><mass value="1"/></inertial>')
    assert faults(text) == ("link 'l1' <inertial> has no <inertia>",)


def test_all_faults_come_at_once() -> None:
    text = robot(
        link("base"),
        link("a", inertial(-1, (1, 1, 1))),
        link("b", inertial("heavy", (1, 1, "nan"))),
        link("c"),
        joint("ja", "base", "a", limit=LIMIT.replace("-3.2", "4")),
        joint("jb", "a", "b", more='<mimic joint="nobody"/>', axis=(0, 0, 0)),
        joint("jb2", "base", "b", "ball"),
        joint("jc", "c", "c", limit=" "),
    )
    found = faults(text)
    for words in (
        "link 'a' <inertial>: mass -1 kg is negative",
        "link 'b' <inertial> <mass> value",
        "link 'b' <inertial> <inertia> izz",
        "joint 'ja' <limit>: lower 4 is above upper 3.2",
        "joint 'jb' <axis> is zero",
        "joint 'jb' mimics 'nobody', which does not exist",
        "joint 'jb2' has type 'ball'",
        "joint 'jc' is revolute and has no <limit>",
        "link 'b' is the child of two joints, 'jb' and 'jb2'",
        "the joints form a loop through links 'c'",
    ):
        assert sum(fault.startswith(words) for fault in found) == 1, (words, found)
    assert len(found) == 10


def test_the_error_shows_the_robot_and_all_faults() -> None:
    with pytest.raises(ModelError) as caught:
        RobotModel.from_urdf(one_link().replace("1.0", "x").replace("0.01", "y"))
    assert str(caught.value).startswith("robot 'robot' cannot be used:\n  - link 'l1'")
    assert all(fault in str(caught.value) for fault in caught.value.faults)
    assert len(caught.value.faults) == 4


# The tree.


def chain(*pairs: tuple[str, str]) -> str:
    """Robot with a fixed joint per pair of links."""
    names = dict.fromkeys(name for pair in pairs for name in pair)
    joints = [joint(f"{a}_{b}", a, b, "fixed", None) for a, b in pairs]
    return robot(*(body(name) for name in names), *joints)


def test_several_roots_are_listed() -> None:
    assert faults(chain(("a", "b"), ("c", "d"))) == (
        "2 links have no parent, one must be the root: 'a', 'c'",
    )


def test_a_loop_is_named_without_what_hangs_on_it() -> None:
    (fault,) = faults(chain(("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")))
    assert fault.startswith("the joints form a loop through links")
    assert all(f"'{name}'" in fault for name in "abc") and "'d'" not in fault
    # A loop beside a sound tree: nothing else is wrong with it.
    (fault,) = faults(chain(("r", "s"), ("x", "y"), ("y", "x")))
    assert "'r'" not in fault and "'x'" in fault and "'y'" in fault


def test_a_link_on_itself_is_a_loop() -> None:
    assert faults(chain(("r", "s"), ("x", "x"))) == ("the joints form a loop through links 'x'",)


def test_a_link_with_two_parents_is_named_with_both_joints() -> None:
    assert faults(chain(("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))) == (
        "link 'd' is the child of two joints, 'b_d' and 'c_d'",
    )


def test_an_unknown_root_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="no link named 'nowhere'; known: base, l1"):
        RobotModel.from_urdf(one_link(), root="nowhere")


# Mimics.


def mimicking(**drivers: str) -> str:
    """Robot with a joint per name that mimics the named one; 'free' moves and 'stiff' does not."""
    joints = [joint("free", "base", "l_free"), joint("stiff", "base", "l_stiff", "fixed", None)]
    joints += [
        joint(name, "base", f"l_{name}", more=f'<mimic joint="{driver}"/>')
        for name, driver in drivers.items()
    ]
    names = ("base", "l_free", "l_stiff", *(f"l_{name}" for name in drivers))
    return robot(*(body(name) for name in names), *joints)


@pytest.mark.parametrize(
    ("drivers", "expected"),
    [
        ({"a": "ghost"}, ["joint 'a' mimics 'ghost', which does not exist"]),
        ({"a": "stiff"}, ["joint 'a' mimics 'stiff', which is fixed"]),
        ({"a": "a"}, ["mimic joints form a circle: a -> a"]),
        ({"a": "b", "b": "a"}, ["mimic joints form a circle: a -> b -> a"]),
        ({"x": "a", "a": "b", "b": "a"}, ["mimic joints form a circle: a -> b -> a"]),
        ({"x": "a", "a": "ghost"}, ["joint 'a' mimics 'ghost', which does not exist"]),
        ({"a": "b", "b": "a", "c": "ghost"}, ["joint 'c' mimics 'ghost', which does not exist",
                                              "mimic joints form a circle: a -> b -> a"]),
    ],
)  # fmt: skip
def test_mimics_that_lead_nowhere(drivers: dict[str, str], expected: list[str]) -> None:
    assert list(faults(mimicking(**drivers))) == expected


def test_a_mimic_of_a_joint_outside_the_chosen_branch_is_refused() -> None:
    text = robot(*(body(n) for n in "abc"), joint("j1", "a", "b"),
                 joint("j2", "b", "c", more='<mimic joint="j1"/>'))  # fmt: skip
    with pytest.raises(ModelError, match="'j2' mimics 'j1', outside root 'b'"):
        RobotModel.from_urdf(text, root="b")


def test_the_mimic_of_a_joint_that_does_not_move_is_ignored_with_a_word() -> None:
    text = one_link().replace(
        "</robot>",
        link("tip")
        + fixed("l1", "tip").replace("</joint>", '<mimic joint="j1"/></joint></robot>'),
    )
    model, said = loudly(text)
    assert not model.mimics
    assert len(said) == 1 and said[0].endswith("<mimic> is ignored: 'tip_fix'")
