# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Random robots for property tests: trees of revolute, prismatic and mimic joints."""

import numpy as np

from robodyn_ros import RobotModel
from robodyn_ros.model.rotations import matrix_from_rpy
from robodyn_ros.model.specs import JointSpec, LimitSpec, LinkSpec, MimicSpec


def random_inertia(rng: np.random.Generator) -> np.ndarray:
    """Make a tensor a real body can have: from second moments, so the triangle rule holds."""
    a = rng.standard_normal((3, 3))
    moments = 0.01 * a @ a.T + 0.002 * np.eye(3)
    return np.trace(moments) * np.eye(3) - moments


def random_specs(
    seed: int, joints: int = 8, mimic: bool = False
) -> tuple[list[LinkSpec], list[JointSpec]]:
    """Make a tree with oblique, negative and coordinate axes and fixed links in between."""
    rng = np.random.default_rng(seed)
    links = [LinkSpec("base", 3.0, rng.uniform(-0.1, 0.1, 3), random_inertia(rng))]
    specs = []
    for i in range(joints):
        links.append(
            LinkSpec(f"l{i}", rng.uniform(0.5, 3), rng.uniform(-0.1, 0.1, 3), random_inertia(rng))
        )
        axis = rng.standard_normal(3)
        axis = [axis / np.linalg.norm(axis), np.eye(3)[i % 3], -np.eye(3)[i % 3]][i % 3]
        follows = MimicSpec(f"j{i - 2}", -0.5, 0.1) if mimic and i in (4, 6) else None
        specs.append(
            JointSpec(
                f"j{i}",
                "prismatic" if i % 4 == 1 else "revolute",
                f"l{int(rng.integers(max(0, i - 2), i))}" if i else "base",
                f"l{i}",
                matrix_from_rpy(rng.uniform(-2, 2, 3)),
                rng.uniform(-0.3, 0.3, 3),
                axis,
                LimitSpec(-1.5, 1.5, 2.0, 50.0),
                follows,
            )
        )
        if i % 3 == 2:
            links.append(LinkSpec(f"f{i}", 0.4, rng.uniform(-0.1, 0.1, 3), random_inertia(rng)))
            turn = matrix_from_rpy(rng.uniform(-2, 2, 3))
            specs.append(
                JointSpec(f"fix{i}", "fixed", f"l{i}", f"f{i}", turn, rng.uniform(-0.1, 0.1, 3))
            )
    return links, specs


def random_tree(seed: int, joints: int = 8, mimic: bool = False) -> RobotModel:
    """Make the model of ``random_specs`` under gravity from a random side."""
    gravity = np.random.default_rng(seed + 1000).uniform(-9.81, 9.81, 3)
    links, specs = random_specs(seed, joints, mimic)
    return RobotModel.from_specs(f"tree{seed}", links, specs, gravity=gravity)
