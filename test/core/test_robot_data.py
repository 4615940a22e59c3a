# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""All robots of the package example-robot-data: loaded as Pinocchio does, or refused for cause."""

import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pinocchio
import pytest

from bench.pinocchio_oracle import PinocchioOracle, robot_data
from robodyn_ros import forward_kinematics, load_urdf
from robodyn_ros.errors import ModelError, ModelWarning

FOLDER = robot_data()
ROBOTS = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.urdf"))

# The tables are about the files of this version; a later one may have others.
TABLED = version("example-robot-data") == "6.0.0"
# What is wrong with those that are refused: (number of faults, what all of them say).
REFUSED = {
    # Drivers are called Left_index_q1 and so on; the mimics leave the side out.
    "alex_description/urdf/alex_psyonic_hands.urdf": (8, "_q1', which does not exist"),
    # Both legs: the product of inertia yz exceeds what the moments allow.
    "romeo_description/urdf/romeo_laas_small.urdf": (
        2,
        "HipPitch_link' <inertial>: inertia is not",
    ),
    # The file is a xacro of which only an empty <robot> is left.
    "ur_description/urdf/ur3.urdf": (1, "there is no <link>"),
}
# What is doubtful about those that load; each kind is one warning.
INERTIA = "links whose inertia no rigid body has"
STUCK = "they cannot move"
UNRATED = "counts as unknown, not checked"
MIMIC = "whose <mimic> is ignored"
BARE = "move links without mass"
DOUBTS = {
    "allegro_hand_description/urdf/allegro_left_hand.urdf": [INERTIA],
    "allegro_hand_description/urdf/allegro_right_hand.urdf": [INERTIA],
    "anymal_b_simple_description/robots/anymal-kinova.urdf": [INERTIA],
    "anymal_b_simple_description/robots/anymal.urdf": [INERTIA],
    "anymal_c_simple_description/urdf/anymal.urdf": [INERTIA],
    "b1_description/urdf/b1-z1.urdf": [INERTIA],
    "b1_description/urdf/b1.urdf": [INERTIA],
    "centauro_description/urdf/centauro.urdf": [STUCK],
    "double_pendulum_description/urdf/double_pendulum.urdf": [STUCK, UNRATED],
    "double_pendulum_description/urdf/double_pendulum_continuous.urdf": [UNRATED],
    "double_pendulum_description/urdf/double_pendulum_simple.urdf": [STUCK, UNRATED],
    "go1_description/urdf/go1.urdf": [INERTIA],
    "hyq_description/robots/hyq_no_sensors.urdf": [INERTIA],
    "iris_description/robots/iris.urdf": [UNRATED],
    "pr2_description/urdf/pr2.urdf": [INERTIA],
    "quadruped_description/urdf/quadruped.urdf": [STUCK],
    "romeo_description/urdf/romeo.urdf": [UNRATED, BARE],
    "romeo_description/urdf/romeo_small.urdf": [INERTIA],
    "talos_data/robots/talos_left_arm.urdf": [MIMIC],
    "talos_data/robots/talos_reduced.urdf": [MIMIC],
    "talos_data/robots/talos_reduced_box.urdf": [MIMIC],
    "talos_data/robots/talos_reduced_corrected.urdf": [MIMIC],
    "tiago_description/robots/tiago.urdf": [INERTIA],
    "tiago_description/robots/tiago_dual.urdf": [INERTIA],
    "tiago_description/robots/tiago_no_hand.urdf": [INERTIA],
}


@pytest.mark.parametrize("robot", sorted(set(ROBOTS) - set(REFUSED)))
def test_a_published_robot_loads_and_stands_where_pinocchio_puts_it(robot: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        model = load_urdf(FOLDER / robot)
    said = [str(w.message) for w in caught]
    if TABLED:
        expected = DOUBTS.get(robot, [])
        assert len(said) == len(expected), said
        assert all(any(kind in text for text in said) for kind in expected), said
    oracle = PinocchioOracle((FOLDER / robot).read_text(), model)
    assert model.n + len(model.mimics) == oracle.pin.nv
    q = np.random.default_rng(len(robot)).uniform(-1.5, 1.5, model.n)
    rotation, position = forward_kinematics(model, q)
    poses = np.concatenate([rotation, position[..., None]], axis=-1)
    assert poses == pytest.approx(oracle.link_poses(q), rel=0, abs=1e-10)
    mass = sum(inertia.mass for inertia in oracle.pin.inertias)
    assert model.total_mass == pytest.approx(mass, rel=1e-12)


@pytest.mark.parametrize("robot", REFUSED)
def test_the_others_are_refused_for_what_is_wrong_with_them(robot: str) -> None:
    number, words = REFUSED[robot]
    with pytest.raises(ModelError) as caught:
        load_urdf(FOLDER / robot)
    assert len(caught.value.faults) == number
    assert all(words in fault for fault in caught.value.faults)
    assert str(FOLDER / robot) in str(caught.value)


def test_pinocchio_takes_two_of_them_as_they_are() -> None:
    """It neither looks at moments of inertia nor minds a mimic without driver."""
    for robot in REFUSED:
        path = str(FOLDER / robot)
        if "ur3" in robot:
            with pytest.raises(ValueError, match="valid URDF"):
                pinocchio.buildModelFromUrdf(path)
        else:
            assert pinocchio.buildModelFromUrdf(path).nv > 0


def test_every_name_in_these_tables_is_a_robot() -> None:
    assert {Path(name) for name in (*REFUSED, *DOUBTS)} <= {Path(name) for name in ROBOTS}
