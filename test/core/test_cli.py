# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line without ROS: what it prints and how it ends."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import link_pose, load_urdf
from robodyn_ros.cli import info, shipped
from robodyn_ros.cli.main import main
from robodyn_ros.cli.own_domain import own_domain
from robodyn_ros.cli.shipped import robot_folder

DOUBTFUL = """<robot name="one"><link name="base"/>
<link name="arm"><inertial><origin xyz="0 0 0.1"/><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="lift" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="0" velocity="0"/></joint></robot>"""


def test_info_tells_joints_links_and_masses(capsys: pytest.CaptureFixture[str]) -> None:
    path = robot_folder("panda") / "panda.urdf"
    assert main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    joint = next(line for line in out.splitlines() if line.startswith("panda_joint4"))
    assert joint.split() == ["panda_joint4", "revolute", "-3.072", "-0.0698", "2.175", "87"]
    assert "7 joints" in out and "panda_hand" in out and "warning" not in out


def test_info_for_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = robot_folder("panda") / "panda.urdf"
    assert main(["info", "--json", str(path)]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["joints"][3] == {
        "name": "panda_joint4", "type": "revolute",
        "lower": -3.0718, "upper": -0.0698, "velocity": 2.175, "effort": 87.0,
    }  # fmt: skip
    links = {link["name"]: link for link in facts["links"]}
    fixed = ["panda_link7", "panda_link8", "panda_hand", "panda_hand_tcp"]
    fixed += [name for name in links if "finger" in name]
    merged = sum(links[name]["mass"] for name in fixed)
    assert links["panda_link7"]["mass_moved"] == pytest.approx(merged)
    assert merged > links["panda_link7"]["mass"]
    assert links["panda_hand"]["mass_moved"] is None
    assert facts["mass"] == pytest.approx(sum(link["mass"] for link in links.values()))
    # no configuration comes farther than it says, and the stretched arm comes close
    model = load_urdf(path)
    reach = next(r for r in facts["reach"] if r["link"] == "panda_hand_tcp")
    q = np.random.default_rng(0).uniform(model.limits.lower, model.limits.upper, (5000, model.n))
    away = np.linalg.norm(link_pose(model, q, reach["link"])[1] - reach["around"], axis=1)
    assert 0.6 * reach["farthest"] < away.max() <= reach["farthest"]
    assert facts["warnings"] == []
    doubtful = tmp_path / "one.urdf"
    doubtful.write_text(DOUBTFUL)
    assert main(["info", "--json", str(doubtful)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["joints"][0]["effort"] is None and "'lift'" in told["warnings"][0]


def test_info_passes_doubts_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.urdf"
    path.write_text(DOUBTFUL)
    assert main(["info", str(path)]) == 0
    out = capsys.readouterr().out
    assert "warning:" in out and "'lift'" in out
    assert next(x for x in out.splitlines() if x.startswith("lift")).split()[-2:] == ["-", "-"]


@pytest.mark.parametrize("text", [None, "<robot", "<robot name='x'><link/></robot>"])
def test_what_cannot_be_read_is_one_message_and_exit_code_2(
    text: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.urdf"
    if text is not None:
        path.write_text(text)
    assert main(["info", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("robodyn info: ") and "broken.urdf" in captured.err
    assert "Traceback" not in captured.err


def test_unknown_commands_show_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["fly"])
    assert end.value.code == 2
    assert "usage: robodyn" in capsys.readouterr().err


def test_a_reader_that_leaves_early_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "robodyn_ros.cli", "info"]
    urdf = robot_folder("panda") / "panda.urdf"
    ended = subprocess.run(
        [*command, str(urdf)], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_two_runs_at_once_have_domains_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "3")
    monkeypatch.delenv("ROS_AUTOMATIC_DISCOVERY_RANGE", raising=False)
    with own_domain() as first, own_domain() as second:
        assert first != second
        assert os.environ["ROS_DOMAIN_ID"] == str(second)
        assert os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert os.environ["ROS_DOMAIN_ID"] == "3"
    assert "ROS_AUTOMATIC_DISCOVERY_RANGE" not in os.environ


def test_a_domain_with_a_participant_is_left_alone() -> None:
    """Its first participant has port 7400 + 250 * domain + 10 (RTPS 2.5, section 9.6.2.3)."""
    with own_domain() as domain:
        pass
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as participant:
        participant.bind(("", 7410 + 250 * domain))
        with own_domain() as other:
            assert other != domain


def test_an_interrupt_is_one_line_and_exit_code_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(info, "run", interrupted)
    assert main(["info", "some.urdf"]) == 130
    assert capsys.readouterr().err == "\nrobodyn info: interrupted\n"


def test_an_installation_without_ros_finds_its_robots(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installed = tmp_path / "lib/python3.12/site-packages/robodyn_ros/cli/shipped.py"
    robots = tmp_path / "share/robodyn_ros/config/robots"
    (robots / "mine").mkdir(parents=True)
    monkeypatch.setattr(shipped, "__file__", str(installed))
    assert shipped.robots_folder() == robots
    assert shipped.robot_names() == ["mine"]
