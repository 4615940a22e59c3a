# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""``robodyn bag`` from the outside: files, options, exit codes."""

import json
from pathlib import Path

import pytest
from recordings import Samples, description, swing, two_link, write_bag

from robodyn_ros.cli.main import main
from robodyn_ros.cli.shipped import robot_folder

pytest.importorskip("rosbags", reason="recordings are written and read by the rosbags library")


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("command") / "bag"
    return write_bag(folder, swing(two_link()), urdf=description())


@pytest.fixture(scope="module")
def nameless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bag(tmp_path_factory.mktemp("command") / "bag", swing(two_link()))


def figures(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict]:  # type: ignore[type-arg]
    code = main(["bag", *map(str, arguments), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_report_is_written(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bag", str(bag), "-o", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "shoulder" in out and "report.html" in out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"report.json", "report.html", "torque.png"}
    data = json.loads((tmp_path / "out" / "report.json").read_text())
    assert data["settings"]["model"] == "/robot_description"
    assert data["recording"]["samples"] == 300


def test_the_model_may_come_from_elsewhere(
    nameless: Path, bag: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bag", str(nameless)]) == 2
    assert "--urdf or --robot" in capsys.readouterr().err
    urdf = robot_folder("two_link") / "two_link.urdf"
    code, data = figures(capsys, nameless, "--urdf", urdf)
    _, inside = figures(capsys, bag)
    assert code == 0 and data["joints"] == inside["joints"]
    code, shipped = figures(capsys, nameless, "--robot", "two_link")
    assert shipped["joints"][0]["continuous_rating"] is not None
    assert shipped["joints"][0]["peak_torque"] == data["joints"][0]["peak_torque"]


def test_an_exceeded_rating_is_exit_code_1(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ratings = tmp_path / "ratings.yaml"
    ratings.write_text(
        '"/**":\n  ros__parameters:\n    limits:\n      shoulder: {effort_peak: 5.0}\n'
    )
    code, data = figures(capsys, bag, "--ratings", ratings)
    assert code == 1
    error = next(f for f in data["findings"] if f["severity"] == "error")
    assert (error["code"], error["joint"], error["limit"]) == ("peak_torque", "shoulder", 5.0)
    ratings.write_text("nothing: here\n")
    assert main(["bag", str(bag), "--ratings", str(ratings)]) == 2


def test_what_if(bag: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def peak(*options: object) -> float:
        return float(figures(capsys, bag, *options)[1]["joints"][0]["peak_torque"])

    plain = peak()
    assert peak("--payload", "forearm:1.5:0.2,0,0") > plain
    assert peak("--gravity", 0, 0, 0) < plain
    code, data = figures(capsys, bag)
    assert peak("--speed", data["largest_speed"]) > plain


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--topic", "/elsewhere"], "there are: /joint_states"),
        (["--payload", "nowhere:1.0"], "nowhere"),
        (["--prefix", "left/"], "no joint of the model"),
    ],
)
def test_wrong_options_are_one_line(
    bag: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert main(["bag", str(bag), *options]) == 2
    error = capsys.readouterr().err
    assert said in error and error.startswith("robodyn bag: ") and error.count("\n") == 1


@pytest.mark.parametrize("options", [["--speed", "0"], ["--window", "nan"], ["--payload", "a:b"]])
def test_impossible_options_show_the_usage(bag: Path, options: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["bag", str(bag), *options])
    assert ended.value.code == 2


def test_no_such_bag(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bag", str(tmp_path / "none")]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_samples_that_never_move_are_fine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    moving = swing(two_link(), 50)
    still = Samples(moving.names, moving.q * 0, moving.qd * 0, moving.effort * 0, moving.header_ns)
    path = write_bag(tmp_path / "bag", still, urdf=description())
    code, data = figures(capsys, path)
    assert code == 0 and data["comparison"][0]["delay_s"] is None
