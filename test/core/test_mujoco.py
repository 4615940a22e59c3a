# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Agreement with MuJoCo, which shares no code with Pinocchio, on real URDFs."""

import pytest

from bench.accuracy import ROBOTS, row, worst
from bench.mujoco_oracle import MujocoOracle

REFUSED = ("allegro", "tiago")


@pytest.mark.parametrize("robot", [robot for robot in ROBOTS if robot not in REFUSED])
def test_agrees_with_mujoco_on_random_states(robot: str) -> None:
    found = worst(robot, states=50, oracle=MujocoOracle)
    assert {"poses", "jacobian rate", "rnea", "crba", "aba"} <= found.keys()
    for function, difference in found.items():
        assert difference < 1e-9, f"{function} of {robot} is off by {difference:.1e}"


@pytest.mark.parametrize(
    ("robot", "why"), [("allegro", "A + B >= C"), ("tiago", "must have positive eigenvalues")]
)
def test_what_mujoco_refuses_is_said_in_the_table(robot: str, why: str) -> None:
    cells = row(robot, 1, MujocoOracle)
    assert len(cells) == 3 and cells[2].startswith("refused:") and why in cells[2]
