# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The robots in config/robots: right figures, complete parameter files."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest
import yaml

from robodyn_ros import (
    RobotModel,
    gravity_torques,
    inverse_dynamics,
    kinetic_energy,
    link_pose,
    mass_matrix,
)

FOLDER = Path(__file__).parents[2] / "config" / "robots"
ROBOTS = ["panda", "two_link", "ur5e"]
NODES = ["fk_publisher", "ik_server", "computed_torque", "torque_monitor", "arm_simulator"]

# Pinocchio 4.1.0 on the figures that the files name as their sources; the Panda without hand.
REFERENCE: dict[str, dict[str, Any]] = {
    "panda": {
        "links": ("panda_link0", "panda_link8"),
        "q": [0.1, 0.2, 0.3, -1.4, 0.5, 1.6, 0.7],
        "qd": [0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7],
        "qdd": [1.0, -0.5, 0.25, -1.0, 0.75, 2.0, -3.0],
        "position": [0.5556257877909352, 0.26781027629733595, 0.6111742793633919],
        "torques": [
            2.001736457351548,
            -30.905144056795844,
            3.2924086350027073,
            18.5968517637852,
            0.8109474543167486,
            1.3681090213811484,
            -0.06638615681057865,
        ],
        "kinetic energy": 0.18053092027302267,
    },
    "ur5e": {
        "links": ("base_link_inertia", "wrist_3_link"),
        "q": [0.1, -1.2, 1.3, -0.4, 0.5, 0.6],
        "qd": [0.1, -0.2, 0.3, -0.4, 0.5, -0.6],
        "qdd": [1.0, -0.5, 0.25, -1.0, 0.75, 2.0],
        "position": [-0.5941961128153979, -0.2814338482922679, 0.4383262189694884],
        "torques": [
            1.8253065492740979,
            -35.55675870779913,
            -19.41158987895788,
            -0.7789461919779017,
            0.1211098977677024,
            0.00015105263405397175,
        ],
        "kinetic energy": 0.04077272294950662,
    },
}
# The makers' torque limits: Franka Control Interface, limits for Panda (joint 4 is one of the
# strong ones); Universal Robots, "max. joint torques".
PEAK = {
    "panda": [87.0] * 4 + [12.0] * 3,
    "ur5e": [150.0] * 3 + [28.0] * 3,
    "two_link": [40.0, 12.0],
}


def urdf(robot: str, without: str = "") -> str:
    """Text of the robot's URDF; without the links whose names begin with ``without``."""
    root = ElementTree.parse(FOLDER / robot / f"{robot}.urdf").getroot()
    for element in list(root):
        link = element.find("child") if element.tag == "joint" else element
        name = "" if link is None else link.get("link", link.get("name", ""))
        if without and name.startswith(without):
            root.remove(element)
    return ElementTree.tostring(root, encoding="unicode")


@cache
def model_of(robot: str) -> RobotModel:
    """Build the model of a shipped robot."""
    return RobotModel.from_urdf(urdf(robot))


def parameters(robot: str, node: str = "") -> dict[str, Any]:
    """Read the block of one node, or the shared one."""
    blocks = yaml.safe_load((FOLDER / robot / f"{robot}.yaml").read_text())
    return blocks[f"/**/{node}" if node else "/**"]["ros__parameters"]


def leaves(block: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Walk through all values of nested maps and lists."""
    if isinstance(block, dict | list):
        for key, value in block.items() if isinstance(block, dict) else enumerate(block):
            yield from leaves(value, f"{path}.{key}")
    else:
        yield path, block


def test_every_robot_folder_is_tested() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == ROBOTS


@pytest.mark.parametrize("robot", REFERENCE)
def test_motion_takes_the_reference_torques(robot: str) -> None:
    expected = REFERENCE[robot]
    model = RobotModel.from_urdf(urdf(robot, without="panda_hand"))
    q, qd, qdd = (np.array(expected[name]) for name in ("q", "qd", "qdd"))
    torques = inverse_dynamics(model, q, qd, qdd)
    np.testing.assert_allclose(torques, expected["torques"], rtol=1e-9, atol=1e-12)
    assert kinetic_energy(model, q, qd) == pytest.approx(expected["kinetic energy"], rel=1e-9)


@pytest.mark.parametrize("robot", REFERENCE)
def test_flange_is_at_the_reference_position(robot: str) -> None:
    expected = REFERENCE[robot]
    base, flange = expected["links"]
    rotation, origin = link_pose(model_of(robot), expected["q"], base)
    _, position = link_pose(model_of(robot), expected["q"], flange)
    np.testing.assert_allclose(rotation.T @ (position - origin), expected["position"], rtol=1e-9)


def test_two_link_is_the_textbook_arm() -> None:
    """Closed form of two point masses, 1.5 kg at 0.5 m and 1.0 kg at 0.4 m."""
    model = model_of("two_link")
    q, qd, qdd = [0.4, -0.7], [1.2, 0.9], [0.3, -0.5]
    np.testing.assert_allclose(
        inverse_dynamics(model, q, qd, qdd), [15.596712972254135, 3.577096220641493], rtol=1e-12
    )
    np.testing.assert_allclose(
        mass_matrix(model, q),
        [[1.0909368749137955, 0.31296843745689773], [0.31296843745689773, 0.16]],
        rtol=1e-12,
    )
    _, tip = link_pose(model, q, "tip")
    height = 0.5 * np.sin(0.4) + 0.4 * np.sin(-0.3)
    np.testing.assert_allclose(tip[2], height, rtol=1e-12)


@pytest.mark.parametrize("robot", ROBOTS)
def test_whole_robot_agrees_with_pinocchio(robot: str) -> None:
    ours, theirs = model_of(robot), pinocchio.buildModelFromXML(urdf(robot))
    data = theirs.createData()
    tip = parameters(robot)["tip_link"]
    assert list(ours.joint_names) == list(theirs.names)[1:]
    rng = np.random.default_rng(7)
    for _ in range(20):
        q, qd, qdd = rng.uniform(-2.0, 2.0, (3, ours.n))
        torques = pinocchio.rnea(theirs, data, q, qd, qdd)
        np.testing.assert_allclose(
            inverse_dynamics(ours, q, qd, qdd), torques, rtol=1e-9, atol=1e-9 * abs(torques).max()
        )
        pinocchio.framesForwardKinematics(theirs, data, q)
        pose = data.oMf[theirs.getFrameId(tip)]
        rotation, position = link_pose(ours, q, tip)
        np.testing.assert_allclose(rotation, pose.rotation, atol=1e-12)
        np.testing.assert_allclose(position, pose.translation, atol=1e-12)


@pytest.mark.parametrize("robot", ROBOTS)
def test_parameter_file_names_this_robot(robot: str) -> None:
    model, shared = model_of(robot), parameters(robot)
    assert shared["joints"] == list(model.joint_names)
    assert shared["base_link"] == model.root_link
    package, _, path = shared["urdf_file"].removeprefix("package://").partition("/")
    assert package == "robodyn_ros"
    assert (FOLDER.parents[1] / path).samefile(FOLDER / robot / f"{robot}.urdf")
    np.testing.assert_array_equal(shared["gravity"], model.gravity)
    solver = parameters(robot, "ik_server")
    assert list(solver["groups"]) == solver["group_names"]
    chains = [shared, *solver["groups"].values()]
    for link in (chain[end] for chain in chains for end in ("base_link", "tip_link")):
        assert link in model.link_names


@pytest.mark.parametrize("robot", ROBOTS)
def test_every_joint_has_its_gains_ratings_and_start(robot: str) -> None:
    joints = set(model_of(robot).joint_names)
    assert parameters(robot)["limits"].keys() == joints
    assert parameters(robot, "arm_simulator")["initial_positions"].keys() == joints
    gains = parameters(robot, "computed_torque")["gains"]
    assert gains.keys() == joints
    for gain in gains.values():
        assert gain.keys() == {"p", "d"}
        # critical damping: no overshoot
        assert gain["d"] ** 2 >= 4.0 * gain["p"] > 0.0


@pytest.mark.parametrize("robot", ROBOTS)
def test_ratings_are_the_published_ones(robot: str) -> None:
    model, limits = model_of(robot), parameters(robot)["limits"]
    peak = [limits[joint]["effort_peak"] for joint in model.joint_names]
    assert peak == PEAK[robot] == model.limits.effort.tolist()
    for rating in limits.values():
        assert 0.0 < rating["effort_continuous"] <= rating["effort_peak"]
        assert rating["thermal_time_constant"] > 0.0


@pytest.mark.parametrize("robot", ROBOTS)
def test_start_pose_can_be_held_for_ever(robot: str) -> None:
    model, limits = model_of(robot), parameters(robot)["limits"]
    start = parameters(robot, "arm_simulator")["initial_positions"]
    q = np.array([start[joint] for joint in model.joint_names])
    assert np.all((model.limits.lower < q) & (q < model.limits.upper))
    continuous = [limits[joint]["effort_continuous"] for joint in model.joint_names]
    assert np.all(np.abs(gravity_torques(model, q)) < continuous)


@pytest.mark.parametrize("robot", ROBOTS)
def test_no_number_would_be_read_as_an_integer(robot: str) -> None:
    """ROS refuses an integer where a parameter is declared with a decimal number."""
    for node in ["", *NODES]:
        for path, value in leaves(parameters(robot, node)):
            assert isinstance(value, str | float | bool), f"{node}{path}: {value!r}"


@pytest.mark.parametrize("robot", ROBOTS)
def test_visuals_are_plain_shapes_in_defined_colours(robot: str) -> None:
    root = ElementTree.fromstring(urdf(robot))
    colours = {material.get("name") for material in root.findall("material")}
    visuals = root.findall("link/visual")
    assert visuals
    for visual in visuals:
        assert [shape.tag for shape in visual.find("geometry")] != []
        assert {shape.tag for shape in visual.find("geometry")} <= {"box", "cylinder", "sphere"}
        assert visual.find("material").get("name") in colours
