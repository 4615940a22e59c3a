# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
A free root as six joints in front of a fixed one that stay at zero (``model.free_root``).

q (7 + n) is the root's position, its quaternion x y z w and the joints; v (6 + n) the root's
velocity [linear; angular] in root axes and the joints' rates. The rates of the six are the root's
velocity; their accelerations are more than its rate of change.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit

ROOT_RATES, ROOT_POSE = 6, 7


@jit
def root_bias(gravity, q, v):
    """
    Give what the accelerations of the six root joints exceed the rates of change of v by.

    Linear: w x v, since v is in axes that turn, less gravity in root axes. Angular: the turns
    about y and z carry on the axes of those before them, -(w1 x) x (w2 y), and so on.
    """
    vx, vy, vz, wx, wy, wz = v[0], v[1], v[2], v[3], v[4], v[5]
    x, y, z, w = q[3], q[4], q[5], q[6]
    s = 2.0 / (x * x + y * y + z * z + w * w)
    gx, gy, gz = gravity[0], gravity[1], gravity[2]
    return (
        wy * vz - wz * vy
        - (gx + s * (-(y * y + z * z) * gx + (x * y + z * w) * gy + (x * z - y * w) * gz)),
        wz * vx - wx * vz
        - (gy + s * ((x * y - z * w) * gx - (x * x + z * z) * gy + (y * z + x * w) * gz)),
        wx * vy - wy * vx
        - (gz + s * ((x * z + y * w) * gx + (y * z - x * w) * gy - (x * x + y * y) * gz)),
        -wy * wz,
        wx * wz,
        -wx * wy,
    )  # fmt: skip


@jit
def root_as_joints(gravity, q, v):
    """Values (B, 6 + n) of all joints, and what their accelerations exceed dv/dt by."""
    joints, excess = np.zeros_like(v), np.zeros_like(v)
    for s in range(v.shape[0]):
        joints[s, ROOT_RATES:] = q[s, ROOT_POSE:]
        bias = root_bias(gravity, q[s], v[s])
        for i in range(ROOT_RATES):
            excess[s, i] = bias[i]
    return joints, excess
