# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint limits: unknown stays unknown, single fields change, nonsense is refused."""

from dataclasses import fields

import numpy as np
import pytest

from robodyn_ros.errors import ParameterError, ShapeError, UnknownNameError
from robodyn_ros.model.limits import JointLimits

NAMES = ("a", "b")
FIELDS = [f.name for f in fields(JointLimits)]
RATINGS = FIELDS[2:]


def limits() -> JointLimits:
    """Two joints with all fields known."""
    return JointLimits(*(np.array([lower, 2.0]) for lower in (-1.0, 1.0, 1.5, 8.0, 40, 20, 900)))


def test_what_nobody_stated_is_unknown() -> None:
    unknown = JointLimits.unknown(2)
    assert unknown.lower.tolist() == [-np.inf] * 2 and unknown.upper.tolist() == [np.inf] * 2
    for name in RATINGS:
        assert np.isnan(getattr(unknown, name)).all()


def test_limits_cannot_be_changed_in_place_nor_from_outside() -> None:
    lower = np.zeros(2)
    kept = JointLimits(lower, *(np.ones(2) for _ in FIELDS[1:]))
    lower[0] = -5.0
    assert kept.lower[0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        kept.lower[0] = 1.0


@pytest.mark.parametrize("wrong", [np.ones(3), np.ones((2, 1)), 1.0])
def test_fields_of_different_sizes_are_refused(wrong) -> None:
    with pytest.raises(ShapeError, match="limits of 2 joints: effort has shape"):
        JointLimits(*(np.ones(2) if name != "effort" else wrong for name in FIELDS))


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [1.25, 2, np.float32(1.5), np.int64(3)])
def test_one_field_of_one_joint_changes_and_nothing_else(field: str, value) -> None:
    before = limits()
    # Joint b has 2 in all fields; its upper limit leaves room for any new lower one.
    before = before.replace(NAMES, {"b": {"upper": 9.0, "lower": -9.0}})
    after = before.replace(NAMES, {"b": {field: value}})
    for name in FIELDS:
        expected = getattr(before, name).copy()
        if name == field:
            expected[1] = value
        assert np.array_equal(getattr(after, name), expected), name


def test_nothing_to_replace_is_the_same() -> None:
    for overrides in ({}, {"a": {}}):
        after = limits().replace(NAMES, overrides)
        assert all(np.array_equal(getattr(after, n), getattr(limits(), n)) for n in FIELDS)


@pytest.mark.parametrize("field", RATINGS)
def test_a_rating_can_become_unknown_again(field: str) -> None:
    after = limits().replace(NAMES, {"a": {field: np.nan}})
    assert np.isnan(getattr(after, field)[0]) and getattr(after, field)[1] == 2.0


def test_a_position_can_become_endless() -> None:
    after = limits().replace(NAMES, {"a": {"lower": -np.inf, "upper": np.inf}})
    assert after.lower[0] == -np.inf and after.upper[0] == np.inf


NO_LIMIT = [(field, value) for field in FIELDS for value in ("5", None, True, [1.0])]
NO_LIMIT += [(field, np.nan) for field in ("lower", "upper")]
NO_LIMIT += [(field, value) for field in RATINGS for value in (-1.0, 0.0)]


@pytest.mark.parametrize(("field", "value"), NO_LIMIT)
def test_values_that_are_no_limit_are_refused_with_joint_and_field(field: str, value) -> None:
    with pytest.raises(ParameterError, match=f"limits.a.{field}") as caught:
        limits().replace(NAMES, {"a": {field: value}})
    assert caught.value.value is value


def test_unknown_joints_and_fields_list_the_known() -> None:
    with pytest.raises(UnknownNameError, match="no joint named 'c'; known: a, b"):
        limits().replace(NAMES, {"c": {"effort": 1.0}})
    with pytest.raises(UnknownNameError, match="no limit named 'effort_peak'; known: lower"):
        limits().replace(NAMES, {"a": {"effort_peak": 1.0}})


def test_lower_above_upper_is_refused_after_all_replacements() -> None:
    with pytest.raises(ParameterError, match=r"limits.a.lower.*at most upper \(1\)"):
        limits().replace(NAMES, {"a": {"lower": 1.5}})
    after = limits().replace(NAMES, {"a": {"lower": 1.5, "upper": 2.0}})
    assert (after.lower[0], after.upper[0]) == (1.5, 2.0)


@pytest.mark.parametrize(
    ("lower", "upper", "middle"),
    [(-1, 3, 1), (-np.inf, np.inf, 0), (2, np.inf, 2), (-np.inf, -2, -2), (-np.inf, 5, 0)],
)
def test_the_middle_of_a_range_lies_in_it(lower: float, upper: float, middle: float) -> None:
    unknown = JointLimits.unknown(1)
    assert unknown.replace(("a",), {"a": {"lower": lower, "upper": upper}}).mid == [middle]
