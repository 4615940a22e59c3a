# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What a robot description says, link by link and joint by joint, before it becomes arrays."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOVING_TYPES = ("revolute", "continuous", "prismatic")
JOINT_TYPES = (*MOVING_TYPES, "fixed")
# No length, mass or inertia of a robot is larger (SI units), and products of such numbers are
# still finite.
LARGEST = 1e12


def _zeros3() -> Array:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class LinkSpec:
    """A rigid body: mass (kg), centre of mass (m) and inertia about it (kg m^2), in link axes."""

    name: str
    mass: float = 0.0
    com: Array = field(default_factory=_zeros3)
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(frozen=True)
class LimitSpec:
    """Limits of one joint in SI units; NaN (position: +-inf) where the description is silent."""

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.nan
    effort: float = np.nan


@dataclass(frozen=True)
class MimicSpec:
    """q_follower = multiplier * q_joint + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class JointSpec:
    """A joint: pose of its frame in the parent link (rotation, position) and its unit axis."""

    name: str
    type: str
    parent: str
    child: str
    rotation: Array = field(default_factory=lambda: np.eye(3))
    position: Array = field(default_factory=_zeros3)
    axis: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    limit: LimitSpec = LimitSpec()
    mimic: MimicSpec | None = None
    damping: float = 0.0
    friction: float = 0.0
