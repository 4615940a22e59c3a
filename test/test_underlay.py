# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The interfaces are those of the released packages, so that nodes of both sides talk.

A RIHS01 hash covers the names, types and order of all fields, nested ones included; ROS 2
compares it on the wire. Those in type_hashes.txt were computed from the interface files of
the released tf2_msgs 0.36.4, object_recognition_msgs 2.0.0, moveit_msgs 2.6.0 and
control_msgs 5.8.0. Constants are no part of a hash: those in use are listed below.
"""

import importlib
import json
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")
packages = pytest.importorskip("ament_index_python.packages")

HASHES = Path(__file__).with_name("type_hashes.txt")
PAIRS = [line.split() for line in HASHES.read_text().splitlines()]

CONSTANTS = {
    "moveit_msgs.msg.MoveItErrorCodes": {
        "SUCCESS": 1,
        "FAILURE": 99999,
        "INVALID_MOTION_PLAN": -2,
        "TIMED_OUT": -6,
        "START_STATE_INVALID": -26,
        "GOAL_STATE_INVALID": -27,
        "INVALID_GROUP_NAME": -15,
        "INVALID_GOAL_CONSTRAINTS": -16,
        "INVALID_ROBOT_STATE": -17,
        "INVALID_LINK_NAME": -18,
        "FRAME_TRANSFORM_FAILURE": -21,
        "COLLISION_CHECKING_UNAVAILABLE": -22,
        "ROBOT_STATE_STALE": -23,
        "NO_IK_SOLUTION": -31,
    },
    "control_msgs.action.FollowJointTrajectory.Result": {
        "SUCCESSFUL": 0,
        "INVALID_GOAL": -1,
        "INVALID_JOINTS": -2,
        "OLD_HEADER_TIMESTAMP": -3,
        "PATH_TOLERANCE_VIOLATED": -4,
        "GOAL_TOLERANCE_VIOLATED": -5,
    },
    "control_msgs.msg.JointComponentTolerance": {"X_AXIS": 1, "TRANSLATION": 4, "ROTATION": 5},
    "moveit_msgs.msg.OrientationConstraint": {"XYZ_EULER_ANGLES": 0, "ROTATION_VECTOR": 1},
    "moveit_msgs.msg.CollisionObject": {"ADD": b"\0", "REMOVE": b"\1", "MOVE": b"\3"},
}


def resolve(name):
    """Find the class that a dotted name stands for."""
    package, kind, *attributes = name.split(".")
    found = importlib.import_module(f"{package}.{kind}")
    for attribute in attributes:
        found = getattr(found, attribute)
    return found


@pytest.mark.parametrize(("name", "digest"), PAIRS, ids=[name for name, _ in PAIRS])
def test_type_is_the_released_one(name, digest):
    package = name.split("/")[0]
    share = Path(packages.get_package_share_directory(package))
    description = json.loads(share.parent.joinpath(f"{name}.json").read_text())
    hashes = {entry["type_name"]: entry["hash_string"] for entry in description["type_hashes"]}
    assert hashes[name] == f"RIHS01_{digest}"
    assert resolve(name.replace("/", "."))


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_the_released_ones(name):
    cls = resolve(name)
    assert {key: getattr(cls, key) for key in CONSTANTS[name]} == CONSTANTS[name]
