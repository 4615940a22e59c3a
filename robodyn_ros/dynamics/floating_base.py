# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
A robot whose root link moves freely: legged machines, flying and swimming ones, arms in orbit.

Configuration q (..., 7 + n): position of the root link's origin in the world, its quaternion
x y z w (any length but 0), the n joints. Velocity v (..., 6 + n): [linear; angular] velocity of
the root link in its own axes, then the joint rates; a = dv/dt, component by component. A
generalised force (..., 6 + n) is [force; moment] on the root link at its origin in its axes, then
the joint torques. All as Pinocchio's free-flyer. Gravity is the model's, in the world here.

M(q) a + h(q, v) = force + sum J^T f, where the first six rows of ``force`` are zero for a robot
that nothing holds: what the joints cannot do, contacts f must.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics import _kernels
from robodyn_ros.dynamics.borders import Array
from robodyn_ros.dynamics.center_of_mass import center_of_mass, mass_moment
from robodyn_ros.dynamics.forward_dynamics import forward_dynamics, mass_matrix
from robodyn_ros.dynamics.inverse_dynamics import (
    Wrenches,
    inverse_dynamics,
    wrench_torques,
)
from robodyn_ros.dynamics.kinematics import (
    Kinematics,
    forward_kinematics,
    frame_jacobian,
    link_pose,
)
from robodyn_ros.dynamics.root_pose import twist_between
from robodyn_ros.errors import ShapeError
from robodyn_ros.model.free_root import with_free_root
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.rotations import matrix_from_quaternion


class MassBlocks(NamedTuple):
    """[[root, coupling], [coupling^T, joints]]: (..., 6, 6), (..., 6, n) and (..., n, n)."""

    root: Array
    coupling: Array
    joints: Array


@dataclass(frozen=True, eq=False)
class FloatingBase:
    """
    A RobotModel whose root link is free; methods take q and v as the head of this file says.

    Leading axes are a batch and broadcast. Wrenches are as in ``inverse_dynamics``: on the robot,
    at the origins of links, but in WORLD axes. Methods raise ShapeError and UnknownNameError.
    """

    model: RobotModel

    @property
    def nq(self) -> int:
        """Length of a configuration: 7 + n."""
        return 7 + self.model.n

    @property
    def nv(self) -> int:
        """Length of a velocity: 6 + n."""
        return 6 + self.model.n

    @cached_property
    def _jointed(self) -> RobotModel:
        return with_free_root(self.model)

    # Configurations.

    def neutral(self) -> Array:
        """Root at the world's origin, not turned, joints at zero (nq,)."""
        q = np.zeros(self.nq)
        q[6] = 1.0
        return q

    def integrate(self, q: ArrayLike, displacement: ArrayLike) -> Array:
        """
        Move q by a displacement (..., nv), that is at velocity displacement / h for h seconds.

        The root moves on a screw, exactly, and joints add up; returns a configuration (..., nq)
        with its quaternion at unit length.
        """
        lead, rows = self._rows(q=q, displacement=displacement)
        return _kernels.moved_configurations(*rows).reshape(*lead, self.nq)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """Displacement (..., nv) that ``integrate`` takes from q0 to q1."""
        lead, (q0, q1) = self._rows(q0=q0, q1=q1)
        twist = twist_between(q0[:, :7], q1[:, :7])
        return np.concatenate([twist, q1[:, 7:] - q0[:, 7:]], axis=-1).reshape(*lead, self.nv)

    # Kinematics, in the world.

    def forward_kinematics(self, q: ArrayLike) -> Kinematics:
        """Poses of all links in the world: (..., L, 3, 3) and (..., L, 3)."""
        q = self._configuration(q)
        turn = matrix_from_quaternion(q[..., 3:7])
        rotation, position = forward_kinematics(self.model, q[..., 7:])
        turned = np.einsum("...ij,...lj->...li", turn, position)
        return Kinematics(turn[..., None, :, :] @ rotation, q[..., None, :3] + turned)

    def link_pose(self, q: ArrayLike, link: str) -> tuple[Array, Array]:
        """Rotation (..., 3, 3) and position (..., 3) of one link in the world."""
        q = self._configuration(q)
        turn = matrix_from_quaternion(q[..., 3:7])
        rotation, position = link_pose(self.model, q[..., 7:], link)
        return turn @ rotation, q[..., :3] + np.einsum("...ij,...j->...i", turn, position)

    def frame_jacobian(self, q: ArrayLike, link: str, offset: ArrayLike | None = None) -> Array:
        """
        Jacobian (..., 6, nv) of a link's origin, or of its point ``offset`` (3,): [v; w] = J v.

        Linear rows first, world axes.
        """
        q = self._configuration(q)
        jacobian = frame_jacobian(self._jointed, self._joints(q), link, offset)
        return _turn_halves(matrix_from_quaternion(q[..., 3:7]), jacobian)

    def center_of_mass(self, q: ArrayLike) -> Array:
        """Centre of mass (..., 3) in the world; ModelError when nothing has mass."""
        q = self._configuration(q)
        center = center_of_mass(self.model, q[..., 7:])
        turn = matrix_from_quaternion(q[..., 3:7])
        return q[..., :3] + np.einsum("...ij,...j->...i", turn, center)

    # Dynamics.

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, wrenches: Wrenches | None = None
    ) -> Array:
        """
        Generalised force (..., nv) of a motion: M a + h - sum J^T f.

        Its first six entries are the wrench that the root link still needs from outside.
        Recursive Newton-Euler, O(n) (Featherstone 2008, section 5.3).
        """
        lead, rows = self._rows(q=q, v=v, a=a)
        joints, rates, excess = self._as_joints(lead, *rows[:2])
        motion = rows[2].reshape(rates.shape) + excess
        force = inverse_dynamics(self._jointed, joints, rates, motion)
        return force - self.wrench_forces(q, wrenches) if wrenches else force

    def bias(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Force at zero acceleration: h(q, v), Coriolis, centrifugal and weight; (..., nv)."""
        return self.inverse_dynamics(q, v, np.zeros(self.nv))

    def gravity_forces(self, q: ArrayLike) -> Array:
        """Force that holds the robot still; (..., nv)."""
        return self.inverse_dynamics(q, np.zeros(self.nv), np.zeros(self.nv))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Inertia M(q) (..., nv, nv), symmetric; it does not depend on the root's pose."""
        return mass_matrix(self._jointed, self._joints(self._configuration(q)))

    def mass_blocks(self, q: ArrayLike) -> MassBlocks:
        """M(q) in the blocks of root and joints."""
        mass = self.mass_matrix(q)
        return MassBlocks(mass[..., :6, :6], mass[..., :6, 6:], mass[..., 6:, 6:])

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, force: ArrayLike, wrenches: Wrenches | None = None
    ) -> Array:
        """
        Accelerations a (..., nv) under a generalised force: inverse of inverse_dynamics.

        As ``forward_dynamics`` of a fixed root (Featherstone 2008, section 9.4). Raises
        SingularModelError naming what moves no inertia.
        """
        lead, rows = self._rows(q=q, v=v, force=force)
        joints, rates, excess = self._as_joints(lead, *rows[:2])
        total = rows[2].reshape(rates.shape)
        if wrenches:
            total = total + self.wrench_forces(q, wrenches)
        return forward_dynamics(self._jointed, joints, rates, total) - excess

    def wrench_forces(self, q: ArrayLike, wrenches: Mapping[str, ArrayLike]) -> Array:
        """Generalised force (..., nv) of wrenches on links in world axes: sum of J^T f."""
        q = self._configuration(q)
        back = np.swapaxes(matrix_from_quaternion(q[..., 3:7]), -1, -2)
        turned = {}
        for link, wrench in wrenches.items():
            f = np.asarray(wrench, dtype=float)
            if f.shape[-1:] != (6,):
                raise ShapeError(f"wrench on link '{link}' has shape {f.shape}: last axis is 6")
            turned[link] = _turn_halves(back, f[..., None])[..., 0]
        return wrench_torques(self._jointed, self._joints(q), turned)

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> Array:
        """T = v^T M(q) v / 2 in J, shape (...)."""
        v = self._array("v", v)
        return 0.5 * np.einsum("...i,...ij,...j->...", v, self.mass_matrix(q), v)

    def potential_energy(self, q: ArrayLike) -> Array:
        """V = - sum m g . r in J, shape (...); zero at the world's origin."""
        q = self._configuration(q)
        turn = matrix_from_quaternion(q[..., 3:7])
        moment = np.einsum("...ij,...j->...i", turn, mass_moment(self.model, q[..., 7:]))
        moment += self.model.total_mass * q[..., :3]
        return -np.einsum("...i,i->...", moment, self.model.gravity)

    # Borders.

    def _as_joints(self, lead: tuple[int, ...], q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Values and rates of all joints, and the excess of their accelerations over dv/dt."""
        joints, excess = _kernels.root_as_joints(self.model.gravity, q, v)
        shape = (*lead, self.nv)
        return joints.reshape(shape), v.reshape(shape), excess.reshape(shape)

    def _configuration(self, q: ArrayLike) -> Array:
        return self._array("q", q)

    def _joints(self, q: Array) -> Array:
        return np.concatenate([np.zeros((*q.shape[:-1], 6)), q[..., 7:]], axis=-1)

    def _array(self, name: str, value: ArrayLike) -> Array:
        array = np.asarray(value, dtype=np.float64)
        size = self.nq if name in ("q", "q0", "q1") else self.nv
        if array.ndim == 0 or array.shape[-1] != size:
            raise ShapeError(
                f"{name} has shape {array.shape}, but {self.model.name} has a free root and "
                f"{self.model.n} joints: the last axis must be {size}"
            )
        return array

    def _rows(self, **values: ArrayLike) -> tuple[tuple[int, ...], list[Array]]:
        """Arguments, broadcast against each other, as rows (B, nq or nv) that kernels take."""
        arrays = [self._array(name, value) for name, value in values.items()]
        lead = arrays[0].shape[:-1]
        if any(array.shape[:-1] != lead for array in arrays):
            try:
                lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
            except ValueError:
                shapes = ", ".join(f"{k} {a.shape}" for k, a in zip(values, arrays, strict=True))
                raise ShapeError(f"batch shapes do not fit each other: {shapes}") from None
            arrays = [np.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays]
        count = prod(lead)
        rows = [np.ascontiguousarray(a).reshape(count, a.shape[-1]) for a in arrays]
        return lead, [row if row.flags.writeable else row.copy() for row in rows]


def _turn_halves(rotation: Array, columns: Array) -> Array:
    """Turn the linear and the angular half of columns (..., 6, k)."""
    halves = columns.reshape(*columns.shape[:-2], 2, 3, columns.shape[-1])
    turned = rotation[..., None, :, :] @ halves
    return turned.reshape(*turned.shape[:-3], 6, columns.shape[-1])
