# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What a solver has to know about the joints that move one link; computed once per link."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.ik._kernels import layout
from robodyn_ros.ik.reach import Reach, reach_of
from robodyn_ros.ik.seeds import Array, restart_spans, strides
from robodyn_ros.model.arrays import INDEX, KIND, MULTIPLIER, PRISMATIC
from robodyn_ros.model.robot_model import RobotModel

# Step of a turning joint (rad) beyond which the linear model of the arm says nothing.
_LONGEST_TURN = 0.8


@dataclass(frozen=True, eq=False)
class Chain:
    """
    The joints between the root and a link, as the search reads them.

    ``constants`` are the model's bodies, topology and the path to the link; ``columns`` (m,) the
    entries of q that may move, ``joints`` (m, 7) a row for each (see ``_kernels/layout.py``);
    ``length`` (m) makes positions comparable with angles; ``middle`` (n,) is the default seed.
    """

    constants: tuple[Array, NDArray[np.int64], NDArray[np.int64]]
    offset: Array
    columns: NDArray[np.int64]
    joints: Array
    lower: Array
    upper: Array
    middle: Array
    length: float
    reach: Reach

    def __post_init__(self) -> None:
        """Make the arrays read-only, which to the compiled kernels is part of their type."""
        for array in (self.columns, self.joints, self.middle):
            array.setflags(write=False)

    def without(self, locked: Iterable[int]) -> "Chain":
        """Leave out entries of q that must stay as the seed has them."""
        kept = ~np.isin(self.columns, list(locked))
        return replace(self, columns=self.columns[kept], joints=self.joints[kept])


_chains: WeakKeyDictionary[RobotModel, dict[str, Chain]] = WeakKeyDictionary()


def chain_to(model: RobotModel, link: str) -> Chain:
    """Chain of a link of a model, kept for the next request. Raises UnknownNameError."""
    known = _chains.get(model)
    if known is None:
        known = _chains[model] = {}
    if link not in known:
        known[link] = _build(model, link)
    return known[link]


def _build(model: RobotModel, link: str) -> Chain:
    arrays, limits = model.arrays, model.limits
    path = model.body_path(link)
    offset = arrays.frame_offset[model.link_index(link)]
    reach = reach_of(arrays, path, limits)
    length = reach.farthest + float(np.linalg.norm(offset[9:]))
    if not 0.0 < length < math.inf:
        length = 1.0
    columns = np.array([model.joint_index(name) for name in model.joints_of(link)], dtype=np.int64)
    lower, upper = limits.lower[columns], limits.upper[columns]
    slides = ~model.revolute[columns]
    rows = np.empty((len(columns), layout.JOINT_COLUMNS))
    rows[:, layout.LOWER] = lower
    rows[:, layout.UPPER] = upper
    rows[:, layout.TURN] = np.where(_turns(model)[columns], 2.0 * math.pi, 0.0)
    rows[:, layout.SPAN] = restart_spans(lower, upper, rows[:, layout.TURN], length)
    rows[:, layout.UNIT] = np.where(slides, length, 1.0)
    rows[:, layout.LONGEST] = np.where(slides, math.inf, _LONGEST_TURN)
    rows[:, layout.STRIDE] = strides(len(columns))
    return Chain(
        (arrays.bodies, arrays.topology, path),
        offset,
        columns,
        rows,
        limits.lower,
        limits.upper,
        limits.mid,
        length,
        reach,
    )


def _turns(model: RobotModel) -> NDArray[np.bool_]:
    """
    Which entries of q (n,) leave the robot as it was after a full turn.

    Not a slide, and not a joint whose followers slide or make only part of the turn.
    """
    bodies, topology = model.arrays.bodies, model.arrays.topology
    multiplier = bodies[:, MULTIPLIER]
    broken = (topology[:, KIND] == PRISMATIC) | (multiplier != np.round(multiplier))
    turns = np.ones(model.n, dtype=bool)
    turns[topology[broken, INDEX]] = False
    return turns
