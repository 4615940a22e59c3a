# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The life of a node process: start, spin, end on a signal; the same for every executable."""

import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import rclpy
from rclpy.context import Context
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from robodyn_ros.errors import RobodynError
from robodyn_ros.nodes.parameters import misspelt

_SPIN_S = 0.2  # longest sleep of an idle executor, so that it notices the end
_JOIN_S = 3.0
_MAKING_S = 1.0


def make_executor(context: Context | None = None) -> Any:
    """
    Return the executor of a node process: driven by events where this rclpy has one.

    It takes a third of the CPU time of the executors in Python, and timers a tenth of the jitter.
    """
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:  # an older rclpy
        return SingleThreadedExecutor(context=context)
    return EventsExecutor(context=context)


def spin(executor: Any, ended: Callable[[], bool]) -> None:
    """Spin until ``ended()``, or until the context is shut down from elsewhere."""
    try:
        while not ended() and executor.context.ok():
            executor.spin_once(timeout_sec=_SPIN_S)
    except ExternalShutdownException:
        return


def warn_of_misspellings(node: Node) -> None:
    """Log parameters that were set and that nobody will read."""
    for given, meant in misspelt(node):
        node.get_logger().warning(f"parameter '{given}' is not known; is '{meant}' meant?")


def run(make_node: Callable[[], Node], args: Sequence[str] | None = None) -> int:
    """
    Run one node until SIGINT or SIGTERM and return the exit code of the process.

    The main thread only waits for signals and a second one spins, so that the node can still
    publish after the signal: its ``shutdown()``, if it has one, is called once spinning has
    ended and before the connection to ROS is closed, also after a callback failed. Nodes in its
    ``members`` are spun along, those marked ``apart`` in threads of their own.
    0: ended by a signal; 1: a wrong parameter or model (one line on stderr) or a failed callback.
    """
    process = _Process(make_node)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, process.end)
    try:
        rclpy.init(
            args=None if args is None else list(args),
            signal_handler_options=SignalHandlerOptions.NO,
        )
    except RuntimeError as error:  # arguments or a file of parameters that rcl cannot read
        print(f"[ERROR] {error}", file=sys.stderr)
        return 1
    process.thread.start()
    process.ended.wait()
    return process.finish()


class _Process:
    """A node made and spun in a thread of its own; ``ended`` asks it to stop."""

    def __init__(self, make_node: Callable[[], Node]):
        self.make_node = make_node
        self.node: Node | None = None
        self.error: BaseException | None = None
        self.signalled = False
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._live, name="spin", daemon=True)

    def end(self, *_: object) -> None:
        """Take a signal."""
        self.signalled = True
        self.ended.set()

    def _live(self) -> None:
        """Make the node and spin it and its members until the end."""
        helpers: list[threading.Thread] = []
        try:
            self.node = node = self.make_node()
            together = [node]
            for member in getattr(node, "members", ()):
                if getattr(member, "apart", False):
                    helpers.append(threading.Thread(target=self._spin, args=([member],)))
                else:
                    together.append(member)
            for each in (node, *getattr(node, "members", ())):
                warn_of_misspellings(each)
            for helper in helpers:
                helper.start()
            # What lives as long as the process need not be looked at again and again; it also
            # makes the end quick, which a launch system grants five seconds.
            gc.collect()
            gc.freeze()
            self._spin(together)
        except RobodynError as error:
            self.error = error
        except BaseException as error:
            # a node that is still being made fails when a signal closes ROS under it
            if self.node is not None or not self.signalled:
                self.error = error
        finally:
            self.ended.set()
            for helper in helpers:
                helper.join(_JOIN_S)

    def _spin(self, nodes: Sequence[Node]) -> None:
        """Spin nodes until the end; a failing callback is the end of all."""
        try:
            executor = make_executor()
            for node in nodes:
                executor.add_node(node)
            spin(executor, self.ended.is_set)
            executor.shutdown()
        except BaseException as error:
            self.error = error
        finally:
            self.ended.set()

    def finish(self) -> int:
        """Stop spinning, let the node say its last word and close; returns the exit code."""
        if self.node is None:
            rclpy.try_shutdown()  # wakes a node that waits for its robot description
            self.thread.join(_MAKING_S)
            if self.signalled and self.thread.is_alive():
                # It has said nothing yet that has to be taken back, and loading may take longer
                # than a launch system waits before it kills.
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(0)
        self.thread.join(2 * _JOIN_S)
        if self.node is not None:
            shutdown = getattr(self.node, "shutdown", None)
            if shutdown is not None:
                shutdown()
            self.node.destroy_node()
        rclpy.try_shutdown()
        if isinstance(self.error, RobodynError):
            print(f"[ERROR] {self.error}", file=sys.stderr)
        elif self.error is not None:
            traceback.print_exception(self.error)
        return 0 if self.error is None else 1
