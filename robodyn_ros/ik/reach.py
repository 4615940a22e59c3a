# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""How near and how far from its first joint a chain can put a point: a proof, not a guess."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.model.arrays import (
    INDEX,
    KIND,
    MULTIPLIER,
    OFFSET,
    POSITION,
    PRISMATIC,
    ROTATION,
    ModelArrays,
)
from robodyn_ros.model.limits import JointLimits


class Reach(NamedTuple):
    """
    Bounds from the triangle inequality over the segments between joints.

    ``base`` (x, y, z) is where the first joint is in the root frame, ``farthest`` the sum of the
    greatest segment lengths (m), ``rigid`` the greatest sum of one segment's least and greatest
    length: what exceeds ``farthest`` of it no other segments can fold back.
    """

    base: tuple[float, ...]
    farthest: float
    rigid: float

    def excludes(self, point: list[float], tool: float, tolerance: float) -> bool:
        """Whether no joint vector puts a tool of that length within the tolerance of a point."""
        distance = math.dist(self.base, point)
        farthest = self.farthest + tool
        nearest = max(self.rigid, 2.0 * tool) - farthest
        margin = tolerance + 1e-12 * farthest
        return distance > farthest + margin or distance < nearest - margin


def reach_of(arrays: ModelArrays, path: NDArray[np.int64], limits: JointLimits) -> Reach:
    """Reach of the last body's origin on a path; ``farthest`` is infinite on an endless slide."""
    base = (0.0, 0.0, 0.0)
    farthest, rigid = 0.0, 0.0
    for place, b in enumerate(path):
        row = arrays.bodies[b]
        start, axis = row[POSITION : POSITION + 3], row[ROTATION + 2 : ROTATION + 9 : 3]
        low = high = 0.0
        if arrays.topology[b, KIND] == PRISMATIC:
            driver = arrays.topology[b, INDEX]
            ends = row[MULTIPLIER] * np.array([limits.lower[driver], limits.upper[driver]])
            low, high = np.sort(ends + row[OFFSET])
        if place == 0 and math.isfinite(high - low):
            # The first joint's place is known: the whole of it but for its own slide.
            middle = 0.5 * (low + high)
            base = tuple((start + middle * axis).tolist())
            least, most = 0.0, high - middle
        else:
            nearest_slide = min(max(-float(start @ axis), low), high)
            least = float(np.linalg.norm(start + nearest_slide * axis))
            most = max(_length(start, axis, low), _length(start, axis, high))
        farthest += most
        rigid = max(rigid, least + most)
    return Reach(base, farthest, rigid)


def _length(start: NDArray[np.float64], axis: NDArray[np.float64], slide: float) -> float:
    return float(np.linalg.norm(start + slide * axis)) if math.isfinite(slide) else math.inf
