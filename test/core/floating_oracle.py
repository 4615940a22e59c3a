# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Pinocchio with a free-flyer root on the same robot; mimic joints are written out."""

from collections.abc import Sequence

import numpy as np
import pinocchio as pin

from robodyn_ros import RobotModel
from robodyn_ros.model.specs import JointSpec, LinkSpec


def pinocchio_tree(links: Sequence[LinkSpec], joints: Sequence[JointSpec]) -> pin.Model:
    """Build Pinocchio's model of a tree described by records, root link first, free root."""
    model = pin.Model()
    named = {link.name: link for link in links}
    root = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
    carriers = {links[0].name: (root, pin.SE3.Identity())}

    def attach(name: str) -> None:
        link, (joint, placement) = named[name], carriers[name]
        inertia = pin.Inertia(link.mass, link.com, link.inertia)
        model.appendBodyToJoint(joint, inertia, placement)
        model.addBodyFrame(name, joint, placement, 0)

    attach(links[0].name)
    for joint in joints:
        carrier, placement = carriers[joint.parent]
        placement = placement * pin.SE3(joint.rotation, joint.position)
        if joint.type == "fixed":
            carriers[joint.child] = (carrier, placement)
        else:
            kinds = {"prismatic": pin.JointModelPrismaticUnaligned}
            kind = kinds.get(joint.type, pin.JointModelRevoluteUnaligned)
            number = model.addJoint(carrier, kind(joint.axis), placement, joint.name)
            carriers[joint.child] = (number, pin.SE3.Identity())
        attach(joint.child)
    return model


class FloatingOracle:
    """The quantities of FloatingBase computed by Pinocchio, in the robot's joint order."""

    def __init__(self, pinocchio: pin.Model, model: RobotModel):
        self.pin, self.model = pinocchio, model
        self.pin.gravity.linear = np.array(model.gravity)
        self.data = self.pin.createData()
        followers = {m.joint: (m.driver, m.multiplier, m.offset) for m in model.mimics}
        self.gain = np.zeros((self.pin.nv, 6 + model.n))
        self.gain[:6, :6] = np.eye(6)
        self.offset = np.zeros(self.pin.nv)
        for name, joint in zip(list(self.pin.names)[2:], list(self.pin.joints)[2:], strict=True):
            driver, multiplier, offset = followers.get(name, (name, 1.0, 0.0))
            self.gain[joint.idx_v, 6 + model.joint_index(driver)] = multiplier
            self.offset[joint.idx_v] = offset

    def configuration(self, q: np.ndarray) -> np.ndarray:
        """Pinocchio's q: continuous joints are cosine and sine there."""
        joints = self.gain[6:, 6:] @ q[7:] + self.offset[6:]
        out = np.empty(self.pin.nq)
        out[:7] = q[:7]
        for joint in list(self.pin.joints)[2:]:
            value = joints[joint.idx_v - 6]
            out[joint.idx_q] = value
            if joint.nq == 2:
                out[joint.idx_q : joint.idx_q + 2] = np.cos(value), np.sin(value)
        return out

    def frame(self, link: str) -> int:
        """Pinocchio's number of a link."""
        return self.pin.getFrameId(link, pin.FrameType.BODY)

    def link_poses(self, q: np.ndarray) -> np.ndarray:
        """Poses [R p] of all links in the world (L, 3, 4)."""
        pin.framesForwardKinematics(self.pin, self.data, self.configuration(q))
        poses = [self.data.oMf[self.frame(link)] for link in self.model.link_names]
        return np.array([np.column_stack([x.rotation, x.translation]) for x in poses])

    def frame_jacobian(self, q: np.ndarray, link: str) -> np.ndarray:
        """World-aligned Jacobian at a link's origin (6, nv)."""
        axes, x = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED, self.configuration(q)
        full = pin.computeFrameJacobian(self.pin, self.data, x, self.frame(link), axes)
        return full @ self.gain

    def inverse_dynamics(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Generalised force (nv,)."""
        full = pin.rnea(self.pin, self.data, self.configuration(q), self.gain @ v, self.gain @ a)
        return self.gain.T @ full

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """Mass matrix (nv, nv)."""
        upper = np.triu(pin.crba(self.pin, self.data, self.configuration(q)))
        return self.gain.T @ (upper + np.triu(upper, 1).T) @ self.gain

    def forward_dynamics(self, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Accelerations (nv,); only without mimic joints."""
        assert not self.model.mimics
        back = np.linalg.inv(self.gain)  # a permutation
        x = self.configuration(q)
        return back @ pin.aba(self.pin, self.data, x, self.gain @ v, self.gain @ force)

    def centroidal(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """Momentum matrix (6, nv), momentum (6,) and inertia (6, 6), centre of mass (3,)."""
        data, x = self.data, self.configuration(q)
        pin.ccrba(self.pin, data, x, self.gain @ v)
        inertia = data.Ig.matrix()
        return data.Ag @ self.gain, data.hg.vector, inertia, data.com[0].copy()
