# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The demo as a user runs it, and that it fails when something is wrong."""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("rclpy")

from robodyn_ros.cli import demo  # noqa: E402

pytestmark = [pytest.mark.ros_process, pytest.mark.usefixtures("ros_domain")]

ROOT = Path(__file__).resolve().parents[2]


def test_the_demo_runs_to_its_end(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "robodyn_ros.cli", "demo", "--robot", "two_link"]
    done = subprocess.run(
        [*command, "--output", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    table = {line[0]: line[1:] for line in lines if line and line[0] in ("shoulder", "elbow")}
    assert set(table) == {"shoulder", "elbow"}
    for row in table.values():
        assert float(row[-2]) < 1e-3, "tracking error RMS"
    assert "shoulder: effort" in done.stdout and "above peak 40" in done.stdout
    assert (tmp_path / "two_link" / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_a_missed_threshold_is_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "TRACKING_RMS", 0.0)
    assert demo.run(argparse.Namespace(robot="two_link", output=tmp_path)) == 1
    assert "FAILED: shoulder: tracking error" in capsys.readouterr().err


def test_a_node_that_dies_is_exit_code_1_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    start = demo.NodeProcesses.start

    def broken(self: demo.NodeProcesses, node: str, arguments: list[str]) -> None:
        wrong = ["-p", "ramp_time:=-1.0"] if node == "computed_torque" else []
        start(self, node, [*arguments, *wrong])

    monkeypatch.setattr(demo.NodeProcesses, "start", broken)
    assert demo.run(argparse.Namespace(robot="two_link", output=tmp_path)) == 1
    error = capsys.readouterr().err
    assert "FAILED: computed_torque ended with exit code 1" in error and "ramp_time" in error


def test_an_ended_demo_leaves_no_node_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "robodyn_ros.cli", "demo", "--robot", "two_link"]
    demo_process = subprocess.Popen(
        [*command, "--output", str(tmp_path)], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    children = Path(f"/proc/{demo_process.pid}/task/{demo_process.pid}/children")
    deadline = time.monotonic() + 60.0
    while len(nodes := children.read_text().split()) < 5:
        assert time.monotonic() < deadline and demo_process.poll() is None
        time.sleep(0.05)
    demo_process.send_signal(signal.SIGTERM)
    _, error = demo_process.communicate(timeout=30.0)
    assert demo_process.returncode == 130
    assert error == "\nrobodyn demo: interrupted\n"
    assert not [node for node in nodes if os.path.exists(f"/proc/{node}")]
