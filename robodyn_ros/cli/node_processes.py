# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Node processes that belong to one run: started together, ended together, none forgotten."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from robodyn_ros.errors import RobodynError

_STOP_S = 10.0


class NodeProcesses:
    """
    Starts nodes as processes of their own and ends them with SIGINT.

    The output of each goes to <folder>/<node>.log. As a context manager it belongs to the main
    thread: meanwhile SIGTERM and SIGHUP are a KeyboardInterrupt, for a process that just ended
    would leave its nodes behind.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> "NodeProcesses":
        """Begin with no process."""
        self.folder.mkdir(parents=True, exist_ok=True)
        numbers = (signal.SIGTERM, signal.SIGHUP)
        self._taken = [n for n in numbers if signal.getsignal(n) is signal.SIG_DFL]
        for number in self._taken:  # not one that nohup, for one, has ignored
            signal.signal(number, signal.default_int_handler)
        return self

    def start(self, node: str, arguments: Sequence[str]) -> None:
        """Start one node with ROS arguments."""
        command = [sys.executable, "-m", f"robodyn_ros.nodes.{node}", "--ros-args", *arguments]
        with open(self.folder / f"{node}.log", "wb") as log:
            self.processes[node] = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=dict(os.environ)
            )

    def check(self) -> None:
        """Raise RobodynError naming a node that has ended, with the end of its output."""
        for node, process in self.processes.items():
            if process.poll() is not None:
                output = (self.folder / f"{node}.log").read_text(errors="replace").strip()
                raise RobodynError(
                    f"{node} ended with exit code {process.returncode}:\n"
                    + "\n".join(output.splitlines()[-5:])
                )

    def stop(self) -> Mapping[str, int]:
        """End all with SIGINT, the deaf ones by force; their exit codes."""
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + _STOP_S
        codes = {}
        for node, process in self.processes.items():
            try:
                codes[node] = process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                codes[node] = process.wait()
        self.processes.clear()
        return codes

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave no process behind."""
        self.stop()
        for number in self._taken:
            signal.signal(number, signal.SIG_DFL)
