# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Damped least squares in the texts' form: the worked two-link example, and full poses."""

import numpy as np
import pytest

from robodyn_ros import RobotModel, link_pose
from robodyn_ros.errors import ParameterError, ShapeError, UnknownNameError
from robodyn_ros.ik import damped_least_squares
from robodyn_ros.ik.pose_error import pose_error
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.model.rotations import rotation_about, rotation_vector

X, Y, Z = np.eye(3)

# The worked example of the source text: links of 1.0 and 0.8 m in the plane, from q = 0.
TARGET = (None, (0.5, 1.0, 0.0))
EXACT = (0.340174723503, 1.817026935231)


@pytest.fixture(scope="module")
def two_link() -> RobotModel:
    return RobotModel.from_links([ChainLink(Z), ChainLink(Z, (1.0, 0.0, 0.0))], tool=(0.8, 0, 0))


@pytest.mark.parametrize(
    ("damping", "iterations"), [(0.01, 12), (0.1, 7), (0.2, 6), (0.5, 13), (1.0, 34)]
)
def test_worked_example_takes_the_stated_iterations(two_link, damping, iterations) -> None:
    result = damped_least_squares(two_link, "tool", TARGET, np.zeros(2), damping)
    assert result.success
    assert result.iterations == iterations
    assert len(result.errors) == iterations + 1
    reached = link_pose(two_link, result.q, "tool")[1]
    assert np.linalg.norm(reached - TARGET[1]) < 1e-4


def test_worked_example_errors_and_joint_values(two_link) -> None:
    result = damped_least_squares(two_link, "tool", TARGET, np.zeros(2), 0.1)
    stated = [1.640, 1.024, 1.917, 0.554, 0.151, 0.0101, 2.17e-4, 5.24e-6]
    assert result.errors == pytest.approx(stated, rel=5e-3)
    assert result.q == pytest.approx([0.3401708994, 1.817034228], abs=1e-9)
    slower = damped_least_squares(two_link, "tool", TARGET, np.zeros(2), 0.5)
    assert slower.errors[-2:] == pytest.approx([1.124e-4, 4.29e-5], rel=1e-3)
    assert slower.q == pytest.approx([0.3402061129, 1.8169673511], abs=1e-9)
    assert slower.q == pytest.approx(EXACT, abs=1e-4)


def test_worked_example_first_step(two_link) -> None:
    result = damped_least_squares(two_link, "tool", TARGET, np.zeros(2), 0.1, max_iterations=1)
    assert not result.success
    assert result.iterations == 1
    assert result.q == pytest.approx([0.4627249357, 0.205655527], abs=1e-9)


def test_little_damping_may_end_a_turn_away(two_link) -> None:
    result = damped_least_squares(two_link, "tool", TARGET, np.zeros(2), 0.01)
    assert result.q[1] == pytest.approx(8.1002122773, abs=1e-9)


def test_full_pose_converges_quadratically_near_the_answer() -> None:
    bones = [ChainLink(axis, (0.1, 0.0, 0.3)) for axis in (Z, Y, Y, X, Y, X)]
    arm = RobotModel.from_links(bones, tool=(0.2, 0.0, 0.0))
    q = np.array([0.3, -0.5, 0.9, 0.2, 0.7, -0.4])
    target = link_pose(arm, q, "tool")
    result = damped_least_squares(arm, "tool", target, q + 0.2, damping=1e-3, tolerance=1e-9)
    assert result.success
    assert result.q == pytest.approx(q, abs=1e-6)
    assert result.iterations <= 8


def test_orientation_error_is_the_shortest_turn() -> None:
    rng = np.random.default_rng(3)
    origin = np.zeros(3)
    for angle in (0.0, 1e-10, 1e-4, 1.0, np.pi / 2, 3.0, np.pi - 1e-7, np.pi):
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        start = rotation_about(axis[::-1], 0.4)
        end = rotation_about(axis, angle) @ start
        error = pose_error(start, origin, end, origin)[3:]
        assert np.linalg.norm(error) == pytest.approx(angle, abs=1e-12)
        assert rotation_vector(end @ start.T) == pytest.approx(error, abs=1e-7)
        if 0.0 < angle < np.pi:
            assert error == pytest.approx(angle * axis, abs=1e-9)
        else:
            again = rotation_about(axis, np.linalg.norm(error))
            assert again @ start == pytest.approx(end, abs=1e-12)


def test_says_what_is_wrong_with_its_arguments(two_link) -> None:
    with pytest.raises(ParameterError, match="damping"):
        damped_least_squares(two_link, "tool", TARGET, np.zeros(2), damping=0.0)
    with pytest.raises(ShapeError, match="2 joints: joint1, joint2"):
        damped_least_squares(two_link, "tool", TARGET, np.zeros(3))
    with pytest.raises(UnknownNameError, match="link named 'hand'"):
        damped_least_squares(two_link, "hand", TARGET, np.zeros(2))
