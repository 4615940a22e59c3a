# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Agreement with Pinocchio on real URDFs: chains, trees, grippers, mimic joints."""

import pytest

from bench.accuracy import ROBOTS, worst


@pytest.mark.parametrize("robot", ROBOTS)
def test_agrees_with_pinocchio_on_200_random_states(robot: str) -> None:
    for function, difference in worst(robot, states=200).items():
        assert difference < 1e-9, f"{function} of {robot} is off by {difference:.1e}"
