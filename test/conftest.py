# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests that need ROS: a domain of their own, contexts, probes and processes."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def ros_domain() -> Iterator[int]:
    """Keep this run's nodes away from all others on the machine and the network."""
    coordinator = pytest.importorskip("domain_coordinator")
    pytest.importorskip("rclpy")
    with coordinator.domain_id() as number, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROS_DOMAIN_ID", str(number))
        patch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        yield number


@pytest.fixture
def ros_context(ros_domain: int) -> Iterator[Any]:
    """Give a running ROS context, which is shut down after the test."""
    import rclpy

    context = rclpy.Context()
    rclpy.init(context=context, args=[], domain_id=ros_domain)
    yield context
    rclpy.try_shutdown(context=context)


@pytest.fixture
def probe(ros_context: Any) -> Iterator[Any]:
    """Give a node that listens, talks and waits; see behaviours/probe.py."""
    from behaviours.probe import Probe

    with Probe(ros_context) as node:
        yield node


class NodeProcess:
    """A node running as a process of its own; its output is collected while it runs."""

    def __init__(self, node: str, arguments: list[str], code: str = ""):
        """``code`` is run in place of the node's own module, if given."""
        self.name = node
        program = ["-c", code] if code else ["-m", f"robodyn_ros.nodes.{node}"]
        self.process = subprocess.Popen(
            [sys.executable, *program, "--ros-args", *arguments],
            cwd=ROOT,
            env=dict(os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.output = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.output += line

    def wait(self, timeout: float = 20.0) -> int:
        """Wait for the end and return the exit code."""
        code = self.process.wait(timeout)
        self._reader.join(timeout)
        return code

    def end(self, by: signal.Signals = signal.SIGINT, timeout: float = 10.0) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(by)
        return self.wait(timeout)


@pytest.fixture
def start_node(ros_domain: int) -> Iterator[Callable[..., NodeProcess]]:
    """Give a function that starts a node process; what still runs after the test is killed."""
    started: list[NodeProcess] = []

    def start(node: str, *arguments: str, code: str = "") -> NodeProcess:
        started.append(NodeProcess(node, list(arguments), code))
        return started[-1]

    yield start
    for node in started:
        if node.process.poll() is None:
            node.process.kill()
            node.wait()
