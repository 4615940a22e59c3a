# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Velocity after a step with joint friction and stops."""

from robodyn_ros.dynamics._kernels.compile import jit

_SWEEPS = 1000
_TOLERANCE = 1e-12


@jit
def settle_velocity(matrix, impulse, dry, low, high, velocity):
    """
    Minimise v'Av/2 - b'v + sum dry |v| with low <= v <= high, in place; returns the sweeps.

    A (n, n) symmetric positive definite, b = impulse, dry >= 0. ``velocity`` is the guess and
    becomes the answer. Coordinate descent: the other joints held, one joint's minimum is known in
    closed form, and it is exactly 0 where the friction holds.
    """
    n = velocity.shape[0]
    for sweep in range(_SWEEPS):
        change = 0.0
        size = 0.0
        for i in range(n):
            push = impulse[i]
            for j in range(n):
                if j != i:
                    push -= matrix[i, j] * velocity[j]
            if push > dry[i]:
                v = (push - dry[i]) / matrix[i, i]
            elif push < -dry[i]:
                v = (push + dry[i]) / matrix[i, i]
            else:
                v = 0.0
            v = min(max(v, low[i]), high[i])
            change = max(change, abs(v - velocity[i]))
            size = max(size, abs(v))
            velocity[i] = v
        if change <= _TOLERANCE * size:
            return sweep + 1
    return _SWEEPS
