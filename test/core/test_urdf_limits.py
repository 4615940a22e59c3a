# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits in a URDF: missing, partial, reversed, zero, endless, and given from elsewhere."""

import numpy as np
import pytest
from urdf_text import body, joint, link, loudly, one_link, quietly, robot

from robodyn_ros import RobotModel
from robodyn_ros.errors import ModelError, ParameterError, UnknownNameError

RANGE = 'lower="-2" upper="2"'
RATED = 'effort="30" velocity="3"'
GIVEN = {"j1": {"lower": -1.0, "upper": 1.5}}


def limited(attributes: str, kind: str = "revolute") -> str:
    """One joint with a <limit> that says so much."""
    return one_link(kind=kind, limit=f"<limit {attributes}/>")


def values(model: RobotModel) -> tuple[float, ...]:
    """Lower, upper, velocity and effort of the only joint."""
    limits = model.limits
    return tuple(float(a[0]) for a in (limits.lower, limits.upper, limits.velocity, limits.effort))


# M09.


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_without_limit_is_a_fault_that_names_joint_and_cure(kind: str) -> None:
    with pytest.raises(ModelError, match=f"'j1' is {kind} and has no <limit>: give lower"):
        RobotModel.from_urdf(one_link(kind=kind, limit=" "))


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_without_limit_loads_where_both_ends_are_given_elsewhere(kind: str) -> None:
    lower, upper, velocity, effort = values(quietly(one_link(kind=kind, limit=" "), limits=GIVEN))
    assert (lower, upper) == (-1.0, 1.5)
    assert np.isnan([velocity, effort]).all()


@pytest.mark.parametrize("given", [{"lower": -1.0}, {"upper": 1.0}, {"effort": 3.0}, {}])
def test_one_end_elsewhere_is_not_enough(given: dict[str, float]) -> None:
    with pytest.raises(ModelError, match="'j1' is revolute and has no <limit>"):
        RobotModel.from_urdf(one_link(limit=" "), limits={"j1": given})


def test_ends_left_out_are_zero_and_that_is_said() -> None:
    model, said = loudly(limited(RATED))
    assert values(model) == (0.0, 0.0, 3.0, 30.0)
    assert len(said) == 1 and "cannot move: 'j1'" in said[0]
    assert values(quietly(limited(RATED), limits=GIVEN)) == (-1.0, 1.5, 3.0, 30.0)


def test_one_end_left_out_is_zero() -> None:
    assert values(quietly(limited('lower="-1" ' + RATED)))[:2] == (-1.0, 0.0)
    with pytest.raises(ModelError, match=r"lower 1 is above upper 0 \(upper is left out"):
        RobotModel.from_urdf(limited('lower="1" ' + RATED))


def test_reversed_ends_are_a_fault_with_both_values() -> None:
    with pytest.raises(ModelError, match="'j1' <limit>: lower 2 is above upper -2$"):
        RobotModel.from_urdf(limited(f'lower="2" upper="-2" {RATED}'))


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (None, (np.nan, np.nan)),
        ('velocity="3"', (3.0, np.nan)),
        (f'lower="0" upper="0" {RATED}', (3.0, 30.0)),
        (f'lower="1" upper="-1" {RATED}', (3.0, 30.0)),
    ],
)
def test_a_continuous_joint_has_no_ends_whatever_is_written(attributes, expected) -> None:
    limit = "" if attributes is None else f"<limit {attributes}/>"
    model = quietly(one_link(kind="continuous", limit=limit))
    assert values(model) == pytest.approx((-np.inf, np.inf, *expected), nan_ok=True)
    assert model.continuous.tolist() == [True]


def test_ratings_left_out_are_unknown() -> None:
    assert values(quietly(limited(RANGE))) == pytest.approx((-2, 2, np.nan, np.nan), nan_ok=True)


# M10.


@pytest.mark.parametrize(
    ("ratings", "velocity", "effort"),
    [
        ('effort="0" velocity="0"', np.nan, np.nan),
        ('effort="-1" velocity="-1"', np.nan, np.nan),
        ('effort="0" velocity="3"', 3.0, np.nan),
        ('effort="30" velocity="-1"', np.nan, 30.0),
    ],
)
def test_ratings_of_zero_or_less_are_unknown_and_named_once(ratings, velocity, effort) -> None:
    limit = f"<limit {RANGE} {ratings}/>"
    text = robot(
        link("base"),
        *(body(f"l{i}") for i in range(3)),
        joint("j0", "base", "l0", limit=limit),
        joint("j1", "l0", "l1"),
        joint("j2", "l1", "l2", limit=limit),
    )
    model, said = loudly(text)
    assert len(said) == 1 and said[0].endswith("not checked: 'j0', 'j2'")
    assert model.limits.velocity == pytest.approx([velocity, 5, velocity], nan_ok=True)
    assert model.limits.effort == pytest.approx([effort, 100, effort], nan_ok=True)


@pytest.mark.parametrize("huge", ["1e16", "3.4028234663852886e+38", "1.7976931348623157e308"])
def test_the_largest_numbers_there_are_mean_no_limit(huge: str) -> None:
    text = limited(f'lower="-{huge}" upper="{huge}" effort="{huge}" velocity="{huge}"')
    expected = (-np.inf, np.inf, np.nan, np.nan)
    assert values(quietly(text)) == pytest.approx(expected, nan_ok=True)


def test_limits_of_followers_are_not_missed() -> None:
    text = robot(
        link("base"),
        body("l1"),
        body("l2"),
        joint("j1", "base", "l1"),
        joint("j2", "base", "l2", limit=" ", more='<mimic joint="j1"/>'),
    )
    assert quietly(text).joint_names == ("j1",)


# Overrides.


def test_overrides_replace_field_by_field() -> None:
    text = robot(
        link("base"),
        *(body(f"l{i}") for i in range(2)),
        joint("j0", "base", "l0"),
        joint("j1", "l0", "l1"),
    )
    limits = quietly(
        text, limits={"j1": {"effort": 12.0, "effort_continuous": 6.0}, "j0": {"upper": 1.0}}
    ).limits
    assert limits.effort.tolist() == [100.0, 12.0]
    assert limits.effort_continuous == pytest.approx([np.nan, 6.0], nan_ok=True)
    assert limits.upper.tolist() == [1.0, 3.2]
    assert limits.lower.tolist() == [-3.2, -3.2]
    assert limits.velocity.tolist() == [5.0, 5.0]


def test_overrides_of_what_does_not_exist_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="no joint named 'j9'; known: j1"):
        RobotModel.from_urdf(one_link(), limits={"j9": {"effort": 1.0}})
    with pytest.raises(UnknownNameError, match="no limit named 'efort'; known: .*effort"):
        RobotModel.from_urdf(one_link(), limits={"j1": {"efort": 1.0}})


def test_overrides_that_contradict_the_text_are_refused() -> None:
    with pytest.raises(ParameterError, match="limits.j1.lower"):
        RobotModel.from_urdf(one_link(), limits={"j1": {"lower": 4.0}})
