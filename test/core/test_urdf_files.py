# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Files, encodings, and XML that is no robot or means harm."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest
from urdf_text import body, fixed, joint, link, one_link, robot

from robodyn_ros import RobotModel, link_pose, load_urdf
from robodyn_ros.errors import ModelError

SHIPPED = Path(__file__).parents[2] / "config" / "robots"


def refusal(text: str | bytes) -> str:
    """Message for a text that must not load."""
    with pytest.raises(ModelError) as caught:
        RobotModel.from_urdf(text)
    return str(caught.value)


# What is no URDF.


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no element found at line 1"),
        ("robot.urdf", "load_urdf reads files"),
        ("   \n\t ", "load_urdf reads files"),
        ("{'robot': 1}", "load_urdf reads files"),
        ("<robot name='r'>\n<link name='a'>\n</robot>", "mismatched tag at line 3"),
        ("\n\n<robot name='r'>\n<link name='a'>\n</robot>", "mismatched tag at line 5"),
        ("<robot name='r'><link name='a'/>", "line 1"),
        ("<robot name='r' name='s'/>", "duplicate attribute"),
        ("<robot/><robot/>", "junk after document element"),
        ("<sdf version='1.9'><model/></sdf>", "the root element is <sdf>, not <robot>"),
        ("<mujoco/>", "the root element is <mujoco>"),
        ("<Robot name='r'><link name='a'/></Robot>", "the root element is <Robot>"),
        ("<robot name='r'/>", "there is no <link>"),
        ("<robot name='r'><links><link name='a'/></links></robot>", "there is no <link>"),
        ("\ud800<robot/>", "not XML"),
        ("<robot name='\x00'/>", "not well-formed"),
    ],
)
def test_texts_that_are_no_urdf_are_refused_with_reason(text: str, words: str) -> None:
    assert words in refusal(text)


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE robot [<!ENTITY a "b">]>',
        '<!DOCTYPE robot SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE robot [<!ENTITY % x SYSTEM "http://127.0.0.1/x"> %x;]>',
        "<!DOCTYPE robot>",
    ],
)
def test_document_types_are_refused_before_anything_is_fetched_or_expanded(doctype: str) -> None:
    assert "<!DOCTYPE" in refusal(f"<?xml version='1.0'?>{doctype}{one_link()}")


def test_a_bomb_of_entities_costs_nothing() -> None:
    lines = ['<!ENTITY e0 "lol">']
    lines += [f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12)]
    start = time.perf_counter()
    refusal(f"<!DOCTYPE robot [{''.join(lines)}]><robot name='&e11;'/>")
    assert time.perf_counter() - start < 0.5


def test_unknown_entities_are_refused() -> None:
    assert "undefined entity" in refusal("<robot name='&harm;'><link name='a'/></robot>")


@pytest.mark.parametrize(
    ("text", "macro"),
    [
        ('<robot><xacro:arm/><link name="a"/></robot>', "<xacro:arm>"),
        ('<robot><link name="${prefix}a"/></robot>', "${prefix}a"),
        (one_link().replace('xyz="0 1 0"', 'xyz="0 ${1} 0"'), "0 ${1} 0"),
    ],
)
def test_xacro_that_is_not_expanded_is_one_fault_with_the_cure(text: str, macro: str) -> None:
    message = refusal(text)
    assert f"- {macro} is not expanded: run xacro" in message
    assert message.count("\n") == 1


def test_expressions_of_others_are_no_xacro() -> None:
    text = one_link().replace("</robot>", '<gazebo><plugin a="${HOME}"/></gazebo></robot>')
    assert RobotModel.from_urdf(text).n == 1


# Encodings.

NAMED = one_link().replace('name="robot"', 'name="Größe"')


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_bytes_say_their_encoding(encoding: str) -> None:
    declared = {"utf-8-sig": "utf-8"}.get(encoding, encoding)
    text = f'<?xml version="1.0" encoding="{declared}"?>\n{NAMED}'
    assert RobotModel.from_urdf(text.encode(encoding)).name == "Größe"


@pytest.mark.parametrize("declared", ["utf-8", "utf-16", "latin-1", "shift_jis", "nonsense"])
def test_a_str_is_decoded_already_whatever_it_declares(declared: str) -> None:
    text = f'<?xml version="1.0" encoding="{declared}"?>{NAMED}'
    assert RobotModel.from_urdf(text).name == "Größe"
    assert RobotModel.from_urdf("\ufeff" + text).name == "Größe"


@pytest.mark.parametrize(
    "data",
    [
        NAMED.encode("latin-1"),
        f"<?xml version='1.0' encoding='nonsense'?>{NAMED}".encode(),
        f"<?xml version='1.0' encoding='shift_jis'?>{NAMED}".encode(),
        f"<?xml version='1.0' encoding='hex'?>{NAMED}".encode(),
        NAMED.encode("utf-16")[:-1],
        bytes(range(256)),
    ],
)
def test_bytes_that_are_not_what_they_say_are_refused(data: bytes) -> None:
    assert refusal(data).startswith("not ")


def test_blank_lines_before_the_declaration_do_no_harm() -> None:
    text = f'\n  \n<?xml version="1.0"?>\n{one_link()}'
    assert RobotModel.from_urdf(text).n == RobotModel.from_urdf(text.encode()).n == 1


# Files.


def test_a_file_loads_by_path_or_by_name() -> None:
    path = SHIPPED / "panda" / "panda.urdf"
    for place in (path, str(path)):
        assert load_urdf(place).joint_names[0] == "panda_joint1"


def test_options_reach_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(one_link(limit=" "))
    limits = {"j1": {"lower": -1.0, "upper": 1.0}}
    model = load_urdf(path, gravity=(0, 0, -1.6), limits=limits)
    assert model.gravity.tolist() == [0, 0, -1.6]
    assert model.limits.lower.tolist() == [-1.0]
    assert load_urdf(SHIPPED / "panda" / "panda.urdf", root="panda_link3").n < 6


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for place, reason in ((tmp_path / "none.urdf", "No such file"), (tmp_path, "directory")):
        with pytest.raises(ModelError, match=f"{place} cannot be read: .*{reason}"):
            load_urdf(place)


def test_faults_in_a_file_come_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "bad.urdf"
    path.write_text(one_link().replace("1.0", "nan"))
    with pytest.raises(ModelError) as caught:
        load_urdf(path)
    assert str(caught.value).startswith(f"{path}: robot 'robot' cannot be used:\n")
    assert len(caught.value.faults) == 1
    path.write_bytes(b"")
    with pytest.raises(ModelError, match=f"^{path}: not well-formed"):
        load_urdf(path)


XACRO = """<robot name="macro" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.5"/>
  <xacro:property name="l" value="$(arg length)"/>
  <link name="a"/><link name="b"/>
  <joint name="j" type="fixed"><origin xyz="${2*l} 0 0"/><parent link="a"/><child link="b"/>
  </joint>
</robot>"""


def test_xacro_files_are_expanded(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(XACRO)
    for arguments, x in ((None, 1.0), ({"length": "0.7"}, 1.4)):
        model = load_urdf(path, xacro_arguments=arguments)
        assert model.name == "macro"
        assert link_pose(model, np.zeros(0), "b")[1] == pytest.approx([x, 0, 0])


@pytest.mark.parametrize("harm", [("2*l", "2*m"), ("</robot>", ""), ("<link", "<xacro:include"),
                                  ("$(arg length)", "$(arg width)")])  # fmt: skip
def test_xacro_that_does_not_expand_is_a_model_error(tmp_path: Path, harm) -> None:
    pytest.importorskip("xacro")
    path = tmp_path / "arm.xacro"
    path.write_text(XACRO.replace(*harm))
    with pytest.raises(ModelError, match=f"xacro could not expand {path}: .+"):
        load_urdf(path)
    with pytest.raises(ModelError, match="none.xacro cannot be read: No such file"):
        load_urdf(tmp_path / "none.xacro")


def test_without_xacro_the_error_says_how_to_get_on(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    path = tmp_path / "arm.xacro"
    path.write_text(XACRO)
    with pytest.raises(ModelError, match="needs xacro: install ros-.*or expand it yourself"):
        load_urdf(path)


# Size.


def test_a_thousand_links_in_a_row_take_no_time_and_no_stack() -> None:
    pairs = [(f"l{i}", f"l{i + 1}") for i in range(1000)]
    bodies = [body(name) for pair in pairs for name in pair[1:]]
    moving = [joint(f"j{b}", a, b, xyz=(0, 0, 0.01)) for a, b in pairs]
    start = time.perf_counter()
    # Listed from the tip, which is the harder order.
    model = RobotModel.from_urdf(robot(body("l0"), *bodies[::-1], *moving[::-1]))
    assert time.perf_counter() - start < 5.0
    assert model.n == 1000 and model.link_names[-1] == "l1000"
    assert link_pose(model, np.zeros(1000), "l1000")[1] == pytest.approx([0, 0, 10])


def test_long_loops_and_long_mimic_chains_take_no_time_either() -> None:
    names = [f"l{i}" for i in range(1000)]
    start = time.perf_counter()
    loop = [fixed(a, b) for a, b in zip(names, names[1:] + names[:1], strict=True)]
    assert "form a loop" in refusal(robot(link("root"), *(body(n) for n in names), *loop))
    followers = [
        joint(f"j{i}", "l0", f"l{i}", more=f'<mimic joint="j{i - 1}"/>' if i > 1 else "")
        for i in range(1, 1000)
    ]
    model = RobotModel.from_urdf(robot(*(body(n) for n in names), *followers))
    assert model.n == 1 and len(model.mimics) == 998
    assert time.perf_counter() - start < 10.0


def test_deep_nesting_is_no_danger() -> None:
    deep = "<a>" * 100_000 + "</a>" * 100_000
    assert RobotModel.from_urdf(one_link().replace("</robot>", deep + "</robot>")).n == 1
