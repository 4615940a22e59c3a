# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The parameters of every node as a page: python -m robodyn_ros.nodes.parameter_tables.

docs/parameters.md is what this prints; a test says so.
"""

from robodyn_ros.nodes.arm_simulator import ArmSimulatorParameters
from robodyn_ros.nodes.bringup import BringupParameters
from robodyn_ros.nodes.computed_torque import ComputedTorqueParameters
from robodyn_ros.nodes.fk_publisher import FkPublisherParameters
from robodyn_ros.nodes.ik_server import GroupsParameters, IkServerParameters
from robodyn_ros.nodes.model_source import LimitParameters, ModelParameters
from robodyn_ros.nodes.parameters import Entry, entries
from robodyn_ros.nodes.torque_monitor import TorqueMonitorParameters
from robodyn_ros.nodes.trajectory_guard import TrajectoryGuardParameters

OF_ALL = (ModelParameters, LimitParameters)
OF_NODE: dict[str, tuple[type, ...]] = {
    "fk_publisher": (FkPublisherParameters,),
    "ik_server": (IkServerParameters, GroupsParameters),
    "computed_torque": (ComputedTorqueParameters,),
    "torque_monitor": (TorqueMonitorParameters,),
    "trajectory_guard": (TrajectoryGuardParameters,),
    "arm_simulator": (ArmSimulatorParameters,),
    "bringup": (BringupParameters,),
}

_INTRODUCTION = """\
# Parameters of the nodes

Printed by `python -m robodyn_ros.nodes.parameter_tables` from the declarations in the code.

Whole numbers are taken where a number is meant, and `[]` where a list is meant. A value that does
not fit ends the node with one line that names parameter, value and what was expected; an entry
such as `limits.<joint>...` for a joint that the robot does not have does so too. Other names that
a node does not know are passed over, because files are shared by nodes; one that looks like a
misspelt name of its own is a warning. Parameters marked *live* can be set while the node runs; a
refused value leaves the old one. A list in a parameter file must not mix whole and decimal
numbers: rcl itself refuses the file then.

On the command line, `-p name:=value` loses to a block of the node in the parameter file;
`-p node:name:=value` wins.
"""


def page() -> str:
    """Return all tables as Markdown."""
    parts = [_INTRODUCTION, _table("Every node but bringup: the robot", OF_ALL)]
    parts += [_table(node, classes) for node, classes in OF_NODE.items()]
    return "\n".join(parts)


def _table(title: str, classes: tuple[type, ...]) -> str:
    rows = [
        f"## {title}",
        "",
        "| parameter | default | allowed | what it is |",
        "|---|---|---|---|",
    ]
    rows += [_row(entry) for cls in classes for entry in entries(cls)]
    return "\n".join(rows) + "\n"


def _row(entry: Entry) -> str:
    spec = entry.spec
    default = list(spec.default) if spec.is_list else spec.default
    shown = "not set" if default is None else "empty" if default in ("", []) else f"`{default}`"
    live = "" if spec.read_only else ", *live*"
    return f"| `{entry.name}` | {shown} | {spec.expected}{live} | {spec.description} |"


if __name__ == "__main__":
    print(page(), end="")
