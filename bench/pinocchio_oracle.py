# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio on the same URDF and state, for comparison."""

from pathlib import Path

import numpy as np
import pinocchio as pin

from bench.mimics import written_out
from robodyn_ros.model.robot_model import RobotModel


def robot_data() -> Path:
    """Folder of the URDFs that the package example-robot-data ships."""
    parents = Path(pin.__file__).parents
    folders = (parent / "share/example-robot-data/robots" for parent in parents)
    return next(folder for folder in folders if folder.is_dir())


class PinocchioOracle:
    """The quantities of robodyn_ros computed by Pinocchio, in the model's joint order."""

    def __init__(self, text: str, model: RobotModel):
        self.model = model
        self.pin = pin.buildModelFromXML(text)
        self.pin.gravity.linear = np.array(model.gravity)
        self.data = self.pin.createData()
        self.gain, self.offset = written_out(model, list(self.pin.names)[1:])

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Pinocchio's q: continuous joints are cosine and sine there."""
        full = self.gain @ q + self.offset
        out = np.empty(self.pin.nq)
        for joint in list(self.pin.joints)[1:]:
            value = full[joint.idx_v]
            out[joint.idx_q] = value
            if joint.nq == 2:
                out[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
        return out

    def link_poses(self, q: np.ndarray) -> np.ndarray:
        """Poses [R p] of all links (L, 3, 4)."""
        pin.framesForwardKinematics(self.pin, self.data, self.configuration(q))
        poses = [self.data.oMf[self._frame(link)] for link in self.model.link_names]
        return np.array([np.column_stack([x.rotation, x.translation]) for x in poses])

    def _frame(self, link: str) -> int:
        return self.pin.getFrameId(link, pin.FrameType.BODY)

    def frame_jacobian(self, q: np.ndarray, link: str) -> np.ndarray:
        """World-aligned Jacobian at a link's origin (6, n), linear first."""
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        x = self.configuration(q)
        pin.framesForwardKinematics(self.pin, self.data, x)
        full = pin.computeFrameJacobian(self.pin, self.data, x, self._frame(link), axes)
        return full @ self.gain

    def frame_jacobian_rate(self, q: np.ndarray, qd: np.ndarray, link: str) -> np.ndarray:
        """Time derivative of the Jacobian (6, n)."""
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        x = self.configuration(q)
        pin.computeJointJacobiansTimeVariation(self.pin, self.data, x, self.gain @ qd)
        pin.updateFramePlacements(self.pin, self.data)
        frame = self._frame(link)
        return pin.getFrameJacobianTimeVariation(self.pin, self.data, frame, axes) @ self.gain

    def center_of_mass(self, q: np.ndarray) -> np.ndarray:
        """Centre of mass (3,) of all links: of the moving ones and of what Pinocchio fixes."""
        moving = pin.centerOfMass(self.pin, self.data, self.configuration(q))
        fixed, mass = self.pin.inertias[0], self.data.mass[0]
        return (mass * moving + fixed.mass * fixed.lever) / (mass + fixed.mass)

    def inverse_dynamics(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Torques (n,)."""
        x = self.configuration(q)
        return self.gain.T @ pin.rnea(self.pin, self.data, x, self.gain @ qd, self.gain @ qdd)

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Mass matrix (n, n)."""
        upper = np.triu(pin.crba(self.pin, self.data, self.configuration(q)))
        return self.gain.T @ (upper + np.triu(upper, 1).T) @ self.gain

    def forward_dynamics(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations (n,): ABA, or a solve with the reduced mass matrix when joints mimic."""
        if not self.model.mimics:
            x = self.configuration(q)
            return self.gain.T @ pin.aba(self.pin, self.data, x, self.gain @ qd, self.gain @ tau)
        bias = self.inverse_dynamics(q, qd, np.zeros(self.model.n))
        return np.linalg.solve(self.mass_matrix(q), tau - bias)

    def coriolis_matrix(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Christoffel matrix (n, n)."""
        x = self.configuration(q)
        full = pin.computeCoriolisMatrix(self.pin, self.data, x, self.gain @ qd)
        return self.gain.T @ full @ self.gain
