# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
bringup: any of the nodes in one process, each with its own name and block in the YAML.

They share one executor: the callbacks are short, and threads would only wait for each other.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from rclpy.node import Node

from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.nodes.parameters import declare, texts
from robodyn_ros.nodes.runner import run
from robodyn_ros.nodes.wiring import WIRING

# In the order they are made: fk_publisher may bring the robot description of the others.
CLASSES = {
    "fk_publisher": "FkPublisher",
    "ik_server": "IkServer",
    "computed_torque": "ComputedTorque",
    "torque_monitor": "TorqueMonitor",
    "trajectory_guard": "TrajectoryGuard",
    "arm_simulator": "ArmSimulator",
}


@dataclass(frozen=True)
class BringupParameters:
    """Parameters of bringup."""

    nodes: tuple[str, ...] = texts(
        ("fk_publisher", "ik_server", "computed_torque", "torque_monitor"),
        "nodes to run, among " + ", ".join(CLASSES),
    )


class Bringup(Node):
    """Makes the nodes; they are spun and ended together with this one."""

    def __init__(self, arguments: Sequence[str] = (), **node_options: Any):
        """``arguments``: the ROS arguments of the process, which hold for all nodes."""
        super().__init__("bringup", **node_options)
        names = declare(self, BringupParameters).nodes
        unknown = [name for name in names if name not in CLASSES]
        if unknown or not names or len(set(names)) < len(names):
            expected = f"some of {', '.join(CLASSES)}, each once"
            raise ParameterError("nodes", list(names), expected)
        self.members: list[Any] = []
        for name in CLASSES:
            if name in names:
                self.members.append(self._make(name, arguments))

    def _make(self, name: str, arguments: Sequence[str]) -> Node:
        # remappings on the command line come first and win
        wiring = ["-r", ":=".join(WIRING[name])] if name in WIRING else []
        make = getattr(import_module(f"robodyn_ros.nodes.{name}"), CLASSES[name])
        try:
            # global arguments would give every node the name of a __node:=... among them
            return make(
                context=self.context,
                use_global_arguments=False,
                cli_args=["--ros-args", *arguments, *wiring],
            )
        except RobodynError as error:
            raise RobodynError(f"{name}: {error}") from error

    def shutdown(self) -> None:
        """End the nodes one by one."""
        for member in self.members:
            if hasattr(member, "shutdown"):
                member.shutdown()
        for member in self.members:
            member.destroy_node()


def shared_arguments(argv: Sequence[str]) -> list[str]:
    """ROS arguments that hold for every node: all but those that give one node a name."""
    inside = False
    kept: list[str] = []
    for argument in argv:
        if argument in ("--ros-args", "--"):
            inside = argument == "--ros-args"
        elif inside and argument.startswith(("__node:=", "__name:=")):
            kept.pop()  # the -r or --remap in front
        elif inside:
            kept.append(argument)
    return kept


def main(args: Sequence[str] | None = None) -> int:
    """Run the nodes."""
    make: Callable[[], Node] = partial(
        Bringup, arguments=shared_arguments(sys.argv[1:] if args is None else args)
    )
    return run(make, args)


if __name__ == "__main__":
    raise SystemExit(main())
