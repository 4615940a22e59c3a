# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Transforms from each link to its parent, joint by joint as they are measured; no ROS in here."""

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.dynamics.kinematics import Kinematics, forward_kinematics
from robodyn_ros.message_log import Line, MessageLog
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.rotations import quaternion_from_matrix
from robodyn_ros.state.joint_states import JointStateIntake

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

_CONFLICT = 1e-3  # rad or m between a measured follower and what its driver says
_NEVER = -(1 << 62)  # ns before any stamp, and far enough from overflow


class LinkTransforms:
    """
    Position (M, 3) and quaternion x y z w (M, 4) of each link in its parent link's frame.

    ``moving`` and ``fixed`` list (parent, child) of the links behind moving and fixed joints.
    Each joint stands alone: what was not measured is left out, and nothing else with it. A
    follower counts as measured when it was within a second before its driver; otherwise it is
    computed from the driver.
    """

    def __init__(self, model: RobotModel, without_mimics: RobotModel):
        """Prepare; ``without_mimics`` is the same robot with every joint independent."""
        skeleton = model.skeleton
        self._free = without_mimics
        self._log = MessageLog()
        followers = [mimic.joint for mimic in model.mimics]
        slots = {name: i for i, name in enumerate((*model.joint_names, *followers))}
        names, parents = model.link_names, skeleton.link_parents
        bodies = [skeleton.frame_body[i] for i in range(len(names))]
        moving = [i for i in range(1, len(names)) if bodies[i] != bodies[parents[i]]]
        fixed = [i for i in range(1, len(names)) if bodies[i] == bodies[parents[i]]]
        self.moving = [(names[parents[i]], names[i]) for i in moving]
        self.fixed = [(names[parents[i]], names[i]) for i in fixed]
        self._child = np.array(moving, dtype=np.intp)
        self._parent = np.array([parents[i] for i in moving], dtype=np.intp)
        self._fixed_child = np.array(fixed, dtype=np.intp)
        self._fixed_parent = np.array([parents[i] for i in fixed], dtype=np.intp)
        # the joint in front of each moving link, and of each joint of the free model
        self._slot = np.array([slots[skeleton.body_names[bodies[i]]] for i in moving], dtype=int)
        self._free_slot = np.array([slots[name] for name in without_mimics.joint_names], dtype=int)
        self._driver = np.array([slots[m.driver] for m in model.mimics], dtype=int)
        self._multiplier = np.array([m.multiplier for m in model.mimics])
        self._offset = np.array([m.offset for m in model.mimics])
        self._follower = np.arange(model.n, len(slots))
        self._names = tuple(slots)
        self._due_ns = np.full(len(slots), _NEVER)

    def fixed_transforms(self) -> tuple[Array, Array]:
        """Return the transforms of the fixed links."""
        poses = forward_kinematics(self._free, np.zeros(self._free.n))
        return _relative(poses, self._fixed_parent, self._fixed_child)

    def restart(self) -> None:
        """Forget when each joint was last published: time restarted."""
        self._due_ns[:] = _NEVER

    def due(self, intake: JointStateIntake, stamp_ns: int, period_ns: int) -> Indices:
        """
        Return the joints (followers behind them) that the last message set and whose turn it is.

        At most one in ``period_ns`` on the average, per joint and exact to the nanosecond.
        """
        updated = intake.updated
        if self._follower.size:
            updated = self._with_computed_followers(intake, updated)
        if period_ns == 0:
            return updated
        due_ns = self._due_ns[updated]
        ready = updated[stamp_ns >= due_ns]
        due_ns = self._due_ns[ready]
        # keep the beat while messages come about in time, else begin a new one
        keeps = stamp_ns - due_ns < period_ns
        self._due_ns[ready] = np.where(keeps, due_ns, stamp_ns) + period_ns
        return ready

    def poses(self, intake: JointStateIntake) -> Kinematics:
        """Poses of all links, with 0 for joints that were never measured."""
        values = np.concatenate([intake.position, intake.follower_position])
        if self._follower.size:
            values[self._follower] = self._follower_values(intake)
        values = values[self._free_slot]
        return forward_kinematics(self._free, np.where(np.isnan(values), 0.0, values))

    def behind(self, joints: Indices) -> Indices:
        """Return the rows of ``moving`` that the given joints move against their parents."""
        chosen = np.zeros(self._due_ns.size, dtype=bool)
        chosen[joints] = True
        return np.flatnonzero(chosen[self._slot])

    def transforms(self, poses: Kinematics, rows: Indices) -> tuple[Array, Array]:
        """Position and quaternion of some rows of ``moving``."""
        return _relative(poses, self._parent[rows], self._child[rows])

    def take_messages(self) -> list[Line]:
        """Return what is to be logged since the last call."""
        return self._log.take()

    def _computed(self, intake: JointStateIntake) -> Array:
        return self._multiplier * intake.position[self._driver] + self._offset

    def _measured(self, intake: JointStateIntake) -> NDArray[np.bool_]:
        """Which followers are measured themselves, not long before their drivers."""
        stamps = intake.follower_stamp_ns
        return (stamps > 0) & (stamps >= intake.stamp_ns[self._driver] - 1_000_000_000)

    def _follower_values(self, intake: JointStateIntake) -> Array:
        computed, measured = self._computed(intake), intake.follower_position
        mine = self._measured(intake)
        for k in np.flatnonzero(mine & (np.abs(measured - computed) > _CONFLICT)):
            name, driver = self._names[self._follower[k]], self._names[self._driver[k]]
            self._log.once(
                "warn",
                ("conflict", name),
                f"joint '{name}' is measured at {measured[k]:.4g} where '{driver}', which it "
                f"mimics, says {computed[k]:.4g}: the measured value is published",
            )
        return np.where(mine, measured, computed)

    def _with_computed_followers(self, intake: JointStateIntake, updated: Indices) -> Indices:
        driven = np.isin(self._driver, updated) & ~self._measured(intake)
        return np.union1d(updated, self._follower[driven])


def relative_pose(poses: Kinematics, base: int, link: int) -> tuple[Array, Array]:
    """Position (3,) and quaternion x y z w (4,) of one link in the frame of another."""
    back = poses.rotation[base].T
    offset = back @ (poses.position[link] - poses.position[base])
    return offset, quaternion_from_matrix(back @ poses.rotation[link])


def _relative(poses: Kinematics, parent: Indices, child: Indices) -> tuple[Array, Array]:
    back = np.swapaxes(poses.rotation[parent], -1, -2)
    offset = back @ (poses.position[child] - poses.position[parent])[..., None]
    return offset[..., 0], quaternion_from_matrix(back @ poses.rotation[child])
