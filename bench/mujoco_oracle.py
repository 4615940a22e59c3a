# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""MuJoCo on the same URDF and state, for comparison."""

import xml.etree.ElementTree as ElementTree

import mujoco
import numpy as np

from bench.mimics import written_out
from robodyn_ros.model.robot_model import RobotModel

# MuJoCo otherwise merges fixed links away and quietly replaces inertias that it finds odd.
_AS_WRITTEN = {"fusestatic": "false", "balanceinertia": "false"}
_AS_WRITTEN |= {"boundmass": "0", "boundinertia": "0"}


class MujocoOracle:
    """
    The quantities of robodyn_ros computed by MuJoCo, in the model's joint order.

    ValueError when MuJoCo refuses the robot: it takes no inertia that no real body can have.
    """

    def __init__(self, text: str, model: RobotModel):
        self.model = model
        self.mujoco = mujoco.MjModel.from_xml_string(_bodies_alone(text))
        self.mujoco.opt.gravity[:] = model.gravity
        self.data = mujoco.MjData(self.mujoco)
        joints = [self.mujoco.joint(i).name for i in range(self.mujoco.njnt)]
        self.gain, self.offset = written_out(model, joints)

    def link_poses(self, q: np.ndarray) -> np.ndarray:
        """Poses [R p] of all links (L, 3, 4)."""
        self._place(q)
        numbers = [self._body(link) for link in self.model.link_names]
        rotation = self.data.xmat[numbers].reshape(-1, 3, 3)
        return np.concatenate([rotation, self.data.xpos[numbers][..., None]], axis=-1)

    def frame_jacobian(self, q: np.ndarray, link: str) -> np.ndarray:
        """World-aligned Jacobian at a link's origin (6, n), linear first."""
        self._place(q)
        linear, angular = np.zeros((2, 3, self.mujoco.nv))
        mujoco.mj_jacBody(self.mujoco, self.data, linear, angular, self._body(link))
        return np.concatenate([linear, angular]) @ self.gain

    def frame_jacobian_rate(self, q: np.ndarray, qd: np.ndarray, link: str) -> np.ndarray:
        """Time derivative of the Jacobian (6, n)."""
        self._move(q, qd)
        linear, angular = np.zeros((2, 3, self.mujoco.nv))
        number = self._body(link)
        point = self.data.xpos[number].copy()
        mujoco.mj_jacDot(self.mujoco, self.data, linear, angular, point, number)
        return np.concatenate([linear, angular]) @ self.gain

    def center_of_mass(self, q: np.ndarray) -> np.ndarray:
        """Centre of mass of all links (3,)."""
        self._place(q)
        return self.data.subtree_com[0].copy()

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Torques (n,)."""
        self._move(q, qd)
        self.data.qacc[:] = self.gain @ qdd
        torques = np.zeros(self.mujoco.nv)
        mujoco.mj_rne(self.mujoco, self.data, 1, torques)
        return self.gain.T @ torques

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Mass matrix (n, n)."""
        self._place(q)
        mujoco.mj_makeM(self.mujoco, self.data)
        full = np.zeros((self.mujoco.nv, self.mujoco.nv))
        mujoco.mj_fullM(self.mujoco, self.data, full)
        return self.gain.T @ full @ self.gain

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (n,), by solving with the mass matrix as MuJoCo does."""
        bias = self.inverse_dynamics(q, qd, np.zeros(self.model.n))
        return np.linalg.solve(self.mass_matrix(q), tau - bias)

    def _body(self, link: str) -> int:
        return self.mujoco.body(link).id

    def _place(self, q: np.ndarray) -> None:
        self.data.qpos[:] = self.gain @ q + self.offset
        mujoco.mj_kinematics(self.mujoco, self.data)
        mujoco.mj_comPos(self.mujoco, self.data)

    def _move(self, q: np.ndarray, qd: np.ndarray) -> None:
        self._place(q)
        self.data.qvel[:] = self.gain @ qd
        mujoco.mj_comVel(self.mujoco, self.data)


def _bodies_alone(text: str) -> str:
    """Leave out shapes, whose mesh files MuJoCo would read, and limits: they play no part here."""
    robot = ElementTree.fromstring(text)
    for limit in robot.iter("limit"):
        for end in ("lower", "upper"):
            limit.attrib.pop(end, None)
    for link in robot.iter("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(shape)
    compiler = ElementTree.SubElement(ElementTree.SubElement(robot, "mujoco"), "compiler")
    compiler.attrib.update(_AS_WRITTEN)
    return ElementTree.tostring(robot, encoding="unicode")
