# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A root link that moves freely, in a form that the algorithms for fixed roots take."""

from dataclasses import fields, replace

import numpy as np

from robodyn_ros.model import arrays as columns
from robodyn_ros.model.assembly import Skeleton, axis_to_z
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.robot_model import RobotModel

_NAMES = (*(f"root along {axis}" for axis in "xyz"), *(f"root about {axis}" for axis in "xyz"))
_TYPES = ("prismatic",) * 3 + ("continuous",) * 3


def with_free_root(model: RobotModel) -> RobotModel:
    """
    Weightless copy of a model with six joints in front of its root: q = [0 (6); joints].

    Slides along x, y, z, then turns about x, y, z, all through the root's origin. They stay at
    zero, where their rates are the root's velocity [linear; angular] in root axes and their
    torques its wrench. Since no state is kept in them they have no singular pose, and the root's
    own inertia counts. Gravity, a vector of the world, is left to the caller.
    """
    return replace(
        model,
        skeleton=_in_front(model.skeleton),
        limits=_unlimited(model.limits),
        damping=np.concatenate([np.zeros(6), model.damping]),
        friction=np.concatenate([np.zeros(6), model.friction]),
        armature=np.concatenate([np.zeros(6), model.armature]),
    ).with_gravity(np.zeros(3))


def _in_front(skeleton: Skeleton) -> Skeleton:
    rows = np.zeros((6, columns.BODY_COLUMNS))
    rows[:, columns.MULTIPLIER] = 1.0
    # A body's z is its joint's axis; the last turns about z, so its frame is the root's.
    turns = np.array([axis_to_z(axis) for axis in np.eye(3)] * 2)
    back = np.swapaxes(turns, 1, 2)
    rows[:, columns.LINK_AXES : columns.LINK_AXES + 9] = back.reshape(6, 9)
    turns[1:] = back[:-1] @ turns[1:]
    rows[:, columns.ROTATION : columns.ROTATION + 9] = turns.reshape(6, 9)
    links = np.zeros((6, columns.TOPOLOGY_COLUMNS), dtype=np.int64)
    links[:, columns.PARENT] = np.arange(-1, 5)
    links[:, columns.INDEX] = np.arange(6)
    links[:, columns.KIND] = [columns.PRISMATIC] * 3 + [columns.REVOLUTE] * 3
    shift = np.zeros(columns.TOPOLOGY_COLUMNS, dtype=np.int64)
    shift[[columns.PARENT, columns.INDEX]] = 6
    return replace(
        skeleton,
        joint_names=(*_NAMES, *skeleton.joint_names),
        joint_types=(*_TYPES, *skeleton.joint_types),
        body_names=(*_NAMES, *skeleton.body_names),
        bodies=np.concatenate([rows, skeleton.bodies]),
        topology=np.concatenate([links, skeleton.topology + shift]),
        frame_body=skeleton.frame_body + 6,  # the root was number -1
    )


def _unlimited(limits: JointLimits) -> JointLimits:
    free = JointLimits.unknown(6)
    names = [field.name for field in fields(JointLimits)]
    return JointLimits(*(np.concatenate([getattr(free, k), getattr(limits, k)]) for k in names))
