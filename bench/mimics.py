# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Mimic joints written out: other libraries keep each moving joint as a coordinate of its own."""

from collections.abc import Sequence

import numpy as np

from robodyn_ros.model.robot_model import RobotModel


def written_out(model: RobotModel, joints: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """
    Gain (N, n) and offset (N,) with q_all = gain q + offset, for N joints in another order.

    The torques of the independent joints are gain^T tau_all, the mass matrix gain^T M gain, ...
    """
    followers = {m.joint: (m.driver, m.multiplier, m.offset) for m in model.mimics}
    gain, offset = np.zeros((len(joints), model.n)), np.zeros(len(joints))
    for row, name in enumerate(joints):
        driver, multiplier, offset[row] = followers.get(name, (name, 1.0, 0.0))
        gain[row, model.joint_index(driver)] = multiplier
    return gain, offset
