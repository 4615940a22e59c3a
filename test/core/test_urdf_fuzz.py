# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Damaged descriptions become a sound model or a ModelError: no other error, no NaN."""

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest

from bench.pinocchio_oracle import robot_data
from robodyn_ros import RobotModel, gravity_torques
from robodyn_ros.errors import ModelError, ModelWarning

SHIPPED = Path(__file__).parents[2] / "config" / "robots"
TEXTS = {
    "arm": SHIPPED / "panda" / "panda.urdf",
    "arm and gripper": robot_data() / "panda_description" / "urdf" / "panda.urdf",  # mimics
}
ROUNDS = 24
VALUES = ["", "0", "-1", "nan", "1e308", "-1e308", "1e-320", "1e12", "1e400", "0 0 0", "1 2"]
VALUES += ["1e12 1e12 1e12", "0.5 -0.25 3", "1e-200 0 0", "fixed", "prismatic", "\u0663"]


def stripped(path: Path) -> Element:
    """Root without visuals and collisions: most damage would go there and do nothing."""
    root = ElementTree.parse(path).getroot()
    for part in root.iter():
        for skipped in [e for e in part if e.tag in ("visual", "collision", "gazebo")]:
            part.remove(skipped)
    return root


ROOTS = {name: stripped(path) for name, path in TEXTS.items()}


def drop(root: Element, rng: random.Random) -> None:
    parent = rng.choice([e for e in root.iter() if len(e)])
    parent.remove(rng.choice(list(parent)))


def double(root: Element, rng: random.Random) -> None:
    parent = rng.choice([e for e in root.iter() if len(e)])
    parent.insert(rng.randrange(len(parent)), rng.choice(list(parent)))


def move(root: Element, rng: random.Random) -> None:
    giver = rng.choice([e for e in root.iter() if len(e)])
    part = rng.choice(list(giver))
    giver.remove(part)
    taker = rng.choice(list(root.iter()))
    taker.append(part)


def with_attributes(root: Element) -> list[Element]:
    return [e for e in root.iter() if e.attrib]


def empty(root: Element, rng: random.Random) -> None:
    element = rng.choice(with_attributes(root))
    element.set(rng.choice(list(element.attrib)), "")


def forget(root: Element, rng: random.Random) -> None:
    element = rng.choice(with_attributes(root))
    del element.attrib[rng.choice(list(element.attrib))]


def set_value(root: Element, rng: random.Random) -> None:
    element = rng.choice(with_attributes(root))
    element.set(rng.choice(list(element.attrib)), rng.choice(VALUES))


def set_number(root: Element, rng: random.Random) -> None:
    """Put other numbers where numbers are, which is what finds overflows."""
    numeric = ("origin", "axis", "mass", "inertia", "limit", "mimic", "dynamics")
    for _ in range(3):
        element = rng.choice([e for e in with_attributes(root) if e.tag in numeric])
        key = rng.choice(list(element.attrib))
        words = element.get(key, "").split()
        words[rng.randrange(len(words))] = f"{rng.choice((-1, 1)) * 10.0 ** rng.randint(-15, 12)}"
        element.set(key, " ".join(words))


def swap(root: Element, rng: random.Random) -> None:
    """Exchange values of two attributes of the same kind: names, links, numbers."""
    element = rng.choice(with_attributes(root))
    key = rng.choice(list(element.attrib))
    other = rng.choice([e for e in with_attributes(root) if key in e.attrib])
    one, two = element.get(key, ""), other.get(key, "")
    element.set(key, two)
    other.set(key, one)


def cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def scatter(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(rng.randint(1, 5)):
        damaged[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(damaged)


def repeat(data: bytes, rng: random.Random) -> bytes:
    a, b = sorted(rng.randrange(len(data)) for _ in range(2))
    return data[:b] + data[a:b] + data[b:]


STRUCTURAL = [drop, double, move, empty, forget, set_value, set_number, swap]
TEXTUAL = [cut, scatter, repeat]


def survives(data: bytes) -> bool:
    """Whether a model came out, which then is sound; any error but ModelError fails the test."""
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            model = RobotModel.from_urdf(data)
            arrays = (*model.arrays, model.link_parameters, model.damping, model.friction)
    except ModelError as error:
        assert str(error).strip()
        return False
    assert all(np.isfinite(array).all() for array in arrays)
    assert not np.isnan([model.limits.lower, model.limits.upper]).any()
    assert (model.limits.lower <= model.limits.upper).all()
    assert np.isfinite(gravity_torques(model, np.zeros(model.n))).all()
    return True


@pytest.mark.filterwarnings("ignore", category=ModelWarning)
@pytest.mark.parametrize("damage", [*STRUCTURAL, *TEXTUAL], ids=lambda f: f.__name__)
@pytest.mark.parametrize("robot", ROOTS)
def test_damage_is_survived_or_refused(robot: str, damage: Callable) -> None:
    rng = random.Random(f"{robot} {damage.__name__}")
    whole = ElementTree.tostring(ROOTS[robot])
    assert survives(whole)
    for _ in range(ROUNDS):
        if damage in TEXTUAL:
            survives(damage(whole, rng))
            continue
        root = ElementTree.fromstring(whole)
        damage(root, rng)
        survives(ElementTree.tostring(root))


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_noise_is_refused(size: int) -> None:
    rng = random.Random(size)
    for _ in range(20):
        assert not survives(rng.randbytes(size))


def test_the_damage_is_neither_always_harmless_nor_always_fatal() -> None:
    rng = random.Random(0)
    outcomes = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        for _ in range(30):
            root = ElementTree.fromstring(ElementTree.tostring(ROOTS["arm"]))
            set_number(root, rng)
            outcomes.add(survives(ElementTree.tostring(root)))
    assert outcomes == {True, False}
