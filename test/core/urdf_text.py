# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""URDF texts for tests, written in a line per link and joint."""

import warnings
from collections.abc import Sequence

from robodyn_ros import RobotModel
from robodyn_ros.errors import ModelWarning


def _words(values: Sequence[float]) -> str:
    return " ".join(f"{value!r}" for value in values)


def origin(xyz: Sequence[float] = (0, 0, 0), rpy: Sequence[float] = (0, 0, 0)) -> str:
    """Pose element."""
    return f'<origin xyz="{_words(xyz)}" rpy="{_words(rpy)}"/>'


def inertial(mass: object, inertia: Sequence[object], pose: str = "") -> str:
    """Inertial element; inertia is the diagonal (3) or ixx ixy ixz iyy iyz izz (6)."""
    if len(inertia) == 3:
        inertia = (inertia[0], 0, 0, inertia[1], 0, inertia[2])
    keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    tensor = " ".join(f'{key}="{value}"' for key, value in zip(keys, inertia, strict=True))
    return f'<inertial>{pose}<mass value="{mass}"/><inertia {tensor}/></inertial>'


def link(name: str, content: str = "") -> str:
    """Link element."""
    return f'<link name="{name}">{content}</link>'


def body(
    name: str,
    mass: object = 1.0,
    inertia: Sequence[object] = (0.01, 0.01, 0.01),
    xyz: Sequence[float] = (0, 0, 0),
    rpy: Sequence[float] = (0, 0, 0),
) -> str:
    """Link with mass."""
    return link(name, inertial(mass, inertia, origin(xyz, rpy)))


LIMIT = '<limit lower="-3.2" upper="3.2" effort="100" velocity="5"/>'


def joint(
    name: str,
    parent: str,
    child: str,
    kind: str = "revolute",
    axis: Sequence[float] | None = (0, 1, 0),
    xyz: Sequence[float] = (0, 0, 0),
    rpy: Sequence[float] = (0, 0, 0),
    limit: str | None = None,
    more: str = "",
) -> str:
    """Joint element; revolute and prismatic joints have limits unless told otherwise."""
    if limit is None:
        limit = LIMIT if kind in ("revolute", "prismatic") else ""
    turned = f'<axis xyz="{_words(axis)}"/>' if axis is not None else ""
    return (
        f'<joint name="{name}" type="{kind}">{origin(xyz, rpy)}<parent link="{parent}"/>'
        f'<child link="{child}"/>{turned}{limit}{more}</joint>'
    )


def fixed(parent: str, child: str, xyz: Sequence[float] = (0, 0, 0), rpy=(0, 0, 0)) -> str:
    """Attach a link; the fixed joint is named after it."""
    return joint(f"{child}_fix", parent, child, "fixed", None, xyz, rpy)


def robot(*parts: str, name: str = "robot") -> str:
    """Whole description, an element a line."""
    return "\n".join([f'<robot name="{name}">', *parts, "</robot>"])


def one_link(content: str = inertial(1.0, (0.01, 0.01, 0.01)), **changes) -> str:
    """Write a base and one moving link 'l1' on joint 'j1'."""
    return robot(link("base"), link("l1", content), joint("j1", "base", "l1", **changes))


def quietly(text: str, **options) -> RobotModel:
    """Load a text that must give no warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        return RobotModel.from_urdf(text, **options)


def loudly(text: str, **options) -> tuple[RobotModel, list[str]]:
    """Load a text and return its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = RobotModel.from_urdf(text, **options)
    assert all(warning.category is ModelWarning for warning in caught)
    return model, [str(warning.message) for warning in caught]
