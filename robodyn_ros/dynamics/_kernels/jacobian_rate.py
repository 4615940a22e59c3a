# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Time derivative of the geometric Jacobian of one frame."""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.dynamics._kernels.jacobian import turning_column
from robodyn_ros.dynamics._kernels.placement import attach_frame, place_body
from robodyn_ros.model.arrays import INDEX, KIND, MULTIPLIER, REVOLUTE


@jit
def cross(x, y, z, dx, dy, dz):
    """Cross product of two vectors."""
    return y * dz - z * dy, z * dx - x * dz, x * dy - y * dx


@jit
def move_path(bodies, topology, path, q, qd, rotation, origin, turn, velocity):
    """Pose, angular velocity and velocity of the origin of every body of a path, root axes."""
    wx, wy, wz, vx, vy, vz, ox, oy, oz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for b in path:
        place_body(bodies, topology, q, b, rotation, origin)
        dx, dy, dz = cross(wx, wy, wz, origin[b, 0] - ox, origin[b, 1] - oy, origin[b, 2] - oz)
        vx, vy, vz = vx + dx, vy + dy, vz + dz
        rate = bodies[b, MULTIPLIER] * qd[topology[b, INDEX]]
        x, y, z = rate * rotation[b, 0, 2], rate * rotation[b, 1, 2], rate * rotation[b, 2, 2]
        if topology[b, KIND] == REVOLUTE:
            wx, wy, wz = wx + x, wy + y, wz + z
        else:
            vx, vy, vz = vx + x, vy + y, vz + z
        ox, oy, oz = origin[b, 0], origin[b, 1], origin[b, 2]
        turn[b, 0], turn[b, 1], turn[b, 2] = wx, wy, wz
        velocity[b, 0], velocity[b, 1], velocity[b, 2] = vx, vy, vz


@jit
def rate_column(gain, revolute, axis, w, arm, away):
    """Rate of one column: its joint's axis turns with w, its arm to the frame grows by away."""
    x, y, z = gain * axis[0], gain * axis[1], gain * axis[2]
    tx, ty, tz = cross(w[0], w[1], w[2], x, y, z)
    if not revolute:
        return tx, ty, tz, 0.0, 0.0, 0.0
    column = turning_column(1.0, tx, ty, tz, arm[0], arm[1], arm[2])
    gx, gy, gz = cross(x, y, z, away[0], away[1], away[2])
    return column[0] + gx, column[1] + gy, column[2] + gz, tx, ty, tz


@jit
def jacobian_rates(bodies, topology, path, offset, q, qd, rates):
    """
    Time derivative (B, 6, n) of the Jacobian of ``poses_and_jacobians``, for q, qd (B, n).

    A column [z x (p - o); z] by the product rule: z_dot = w x z, and p and o move apart.
    """
    count = bodies.shape[0]
    rotation, origin = np.empty((count, 3, 3)), np.empty((count, 3))
    turn, velocity = np.empty((count, 3)), np.empty((count, 3))
    frame_rotation, frame_origin = np.empty((3, 3)), np.empty(3)
    arm, away = np.empty(3), np.empty(3)
    rates[:] = 0.0
    if path.shape[0] == 0:
        return
    last = path[path.shape[0] - 1]
    for s in range(q.shape[0]):
        move_path(bodies, topology, path, q[s], qd[s], rotation, origin, turn, velocity)
        attach_frame(offset, last, rotation, origin, frame_rotation, frame_origin)
        w, lever = turn[last], frame_origin - origin[last]
        sway = cross(w[0], w[1], w[2], lever[0], lever[1], lever[2])
        for b in path:
            for i in range(3):
                arm[i] = frame_origin[i] - origin[b, i]
                away[i] = velocity[last, i] + sway[i] - velocity[b, i]
            revolute = topology[b, KIND] == REVOLUTE
            axis = rotation[b, :, 2]
            entries = rate_column(bodies[b, MULTIPLIER], revolute, axis, turn[b], arm, away)
            for i in range(6):
                rates[s, i, topology[b, INDEX]] += entries[i]
