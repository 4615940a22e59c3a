# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Inertia of bodies, against integration, textbook values and each other."""

import numpy as np
import pytest
from random_models import random_inertia

from robodyn_ros.model.inertia import (
    box_inertia,
    combine,
    cylinder_inertia,
    inertia_faults,
    inertial_parameters_of,
    mass_com_inertia,
    parallel_axis,
    rod_inertia,
    rotate_inertia,
    sphere_inertia,
)
from robodyn_ros.model.rotations import matrix_from_rpy


def grid_of(inside, half: float, steps: int = 60) -> np.ndarray:
    """Points (k, 3) of a regular grid that lie in a body."""
    line = (np.arange(steps) + 0.5) / steps * 2 * half - half
    points = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    return points[inside(points)]


def of_points(mass: float, points: np.ndarray) -> np.ndarray:
    """Tensor of equal point masses about the origin: sum m (p.p 1 - p p^T)."""
    squares = (points * points).sum()
    return mass / len(points) * (squares * np.eye(3) - points.T @ points)


SHAPES = {
    "box": (
        box_inertia(3.0, (0.4, 1.0, 1.6)),
        lambda p: np.all(np.abs(p) < np.array([0.2, 0.5, 0.8]), axis=1),
    ),
    "ball": (sphere_inertia(3.0, 0.9), lambda p: (p * p).sum(axis=1) < 0.81),
    "cylinder": (
        cylinder_inertia(3.0, 0.5, 1.6),
        lambda p: ((p[:, :2] ** 2).sum(axis=1) < 0.25) & (np.abs(p[:, 2]) < 0.8),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_are_what_summing_their_points_gives(shape: str) -> None:
    tensor, inside = SHAPES[shape]
    summed = of_points(3.0, grid_of(inside, 1.0))
    assert tensor == pytest.approx(summed, rel=2e-2, abs=1e-9)


def test_a_rod_along_any_axis_is_a_row_of_points() -> None:
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    points = np.outer((np.arange(2000) + 0.5) / 2000 * 0.8 - 0.4, axis)
    assert rod_inertia(1.5, 0.8, axis) == pytest.approx(of_points(1.5, points), rel=1e-6)
    # m l^2 / 12 across, nothing along.
    assert rod_inertia(12.0, 1.0) == pytest.approx(np.diag([1.0, 1.0, 0.0]))


def test_a_thin_rod_about_its_end_has_a_third_of_m_l_squared() -> None:
    about_end = parallel_axis(rod_inertia(2.0, 0.6), 2.0, (0, 0, 0.3))
    assert about_end == pytest.approx(np.diag([0.24, 0.24, 0.0]))


def test_shifting_is_the_same_from_either_end_and_adds_a_point_mass() -> None:
    tensor = random_inertia(np.random.default_rng(0))
    d = np.array([0.3, -0.2, 0.5])
    shifted = parallel_axis(tensor, 2.5, d)
    assert np.array_equal(shifted, parallel_axis(tensor, 2.5, -d))
    assert shifted - tensor == pytest.approx(of_points(2.5, d[None]))


def test_turning_moves_the_points_not_the_axes() -> None:
    """R I R^T, not R^T I R and not R I: points turned by R have that tensor."""
    rotation = matrix_from_rpy((0.4, -0.7, 1.1))
    points = np.random.default_rng(1).standard_normal((20, 3)) * (1.0, 0.4, 0.1)
    turned = rotate_inertia(of_points(2.0, points), rotation)
    assert turned == pytest.approx(of_points(2.0, points @ rotation.T))
    assert not np.allclose(turned, rotate_inertia(of_points(2.0, points), rotation.T))


def test_packing_and_unpacking_ten_parameters() -> None:
    rng = np.random.default_rng(2)
    tensor, com = random_inertia(rng), np.array([0.1, 0.02, -0.03])
    parameters = inertial_parameters_of(2.0, com, tensor)
    about_origin = parallel_axis(tensor, 2.0, com)
    expected = [2.0, 0.2, 0.04, -0.06, *(about_origin[i] for i in
                [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)])]  # fmt: skip
    assert parameters == pytest.approx(expected)
    mass, again, inertia = mass_com_inertia(parameters)
    assert (mass, again, inertia) == (2.0, pytest.approx(com), pytest.approx(tensor))


def test_unpacking_nothing_divides_by_nothing() -> None:
    with np.errstate(all="raise"):
        mass, com, inertia = mass_com_inertia(np.zeros(10))
    assert mass == 0.0 and not com.any() and not inertia.any()


def test_combined_bodies_are_their_points_together() -> None:
    rng = np.random.default_rng(3)
    clouds = [(m, rng.standard_normal((9, 3)) + rng.standard_normal(3)) for m in (0.5, 2.0, 1.0)]
    bodies = []
    for mass, points in clouds:
        com = points.mean(axis=0)
        bodies.append((mass, com, of_points(mass, points - com)))
    mass, com, inertia = combine(bodies)
    assert mass == pytest.approx(3.5)
    assert com == pytest.approx(sum(m * p.mean(axis=0) for m, p in clouds) / 3.5)
    assert inertia == pytest.approx(sum(of_points(m, p - com) for m, p in clouds))


def test_combining_one_body_or_none() -> None:
    tensor = random_inertia(np.random.default_rng(4))
    mass, com, inertia = combine([(1.5, (0.1, 0.2, 0.3), tensor)])
    assert mass == 1.5 and com == pytest.approx((0.1, 0.2, 0.3))
    assert inertia == pytest.approx(tensor)
    assert combine([])[0] == 0.0


# Six transcription slips of case M04.
NEGATIVE_MASS = (-1.0, np.diag([0.01, 0.01, 0.01]))
NEGATIVE_MOMENT = (1.0, np.diag([-0.002, 0.01, 0.01]))
LARGE_PRODUCT = (1.0, np.array([[0.01, 0.05, 0], [0.05, 0.01, 0], [0, 0, 0.015]]))
LONG_DIAGONAL = (1.0, np.diag([0.001, 0.002, 0.008]))
TURNED = matrix_from_rpy((0.5, 0.6, 0.7))
HIDDEN_BY_AXES = (1.0, TURNED @ np.diag([0.00038, 0.00286, 0.00406]) @ TURNED.T)
ROW_MAJOR_SLIP = (1.0, np.array([[0.02, 0.001, 0.0], [0.001, 0.001, 0.015], [0.0, 0.015, 0.0]]))


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (NEGATIVE_MASS, "mass -1"),
        (NEGATIVE_MOMENT, "-0.002"),
        (LARGE_PRODUCT, "-0.04"),
        (ROW_MAJOR_SLIP, "not positive"),
        ((np.nan, np.eye(3)), "finite"),
        ((1.0, np.diag([1.0, np.inf, 1.0])), "finite"),
        ((1.0, np.array([[1.0, 0.2, 0], [0.1, 1.0, 0], [0, 0, 1.0]])), "symmetric"),
        ((1.0, np.ones(3)), "3 x 3"),
    ],
)
def test_impossible_bodies_are_errors_that_show_the_value(body, word: str) -> None:
    errors, warnings = inertia_faults(*body)
    assert len(errors) == 1 and word in errors[0]
    assert not warnings


def test_every_reason_is_given() -> None:
    errors, _ = inertia_faults(-1.0, np.diag([-1.0, 1.0, 1.0]))
    assert len(errors) == 2


@pytest.mark.parametrize("body", [LONG_DIAGONAL, HIDDEN_BY_AXES], ids=["diagonal", "hidden"])
def test_broken_triangle_rule_is_a_warning_with_the_principal_moments(body) -> None:
    errors, warnings = inertia_faults(*body)
    assert not errors
    assert len(warnings) == 1
    for moment in np.linalg.eigvalsh(body[1]):
        assert f"{moment:.3g}" in warnings[0]


def test_the_diagonal_alone_would_not_have_shown_it() -> None:
    a, b, c = sorted(np.diag(HIDDEN_BY_AXES[1]))
    assert a + b > c


@pytest.mark.parametrize(
    "body",
    [
        (0.0, np.zeros((3, 3))),
        (2.0, np.zeros((3, 3))),  # point mass
        (2.0, rod_inertia(2.0, 0.5)),  # the rule holds as an equality
        (2.0, rotate_inertia(rod_inertia(2.0, 0.5), TURNED)),
        (1.0, np.diag([0.1, 0.2, 0.3 * (1 + 1e-7)])),  # rounded to seven digits
        (1.0, np.diag([-1e-15, 0.1, 0.1])),  # rounding of an eigenvalue
        (1e-6, 1e-12 * np.eye(3)),
        (1e6, 1e6 * np.eye(3)),
    ],
)
def test_possible_bodies_pass(body) -> None:
    assert inertia_faults(*body) == ([], [])
