# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotation from one orientation to another, as a rotation vector."""

import math

from robodyn_ros.dynamics._kernels.compile import jit


@jit
def orientation_error(target, current, error):
    """
    Axis times angle (3,) of target @ current.T, root axes, angle in [0, pi]; returns the angle.

    Below a right angle the axis comes from the skew part, whose length is the sine; above it from
    the symmetric part, cos I + (1 - cos) a a', which keeps all digits up to half a turn.
    """
    d00 = d01 = d02 = d10 = d11 = d12 = d20 = d21 = d22 = 0.0
    for k in range(3):
        t0, t1, t2 = target[0, k], target[1, k], target[2, k]
        c0, c1, c2 = current[0, k], current[1, k], current[2, k]
        d00 += t0 * c0
        d01 += t0 * c1
        d02 += t0 * c2
        d10 += t1 * c0
        d11 += t1 * c1
        d12 += t1 * c2
        d20 += t2 * c0
        d21 += t2 * c1
        d22 += t2 * c2
    x = 0.5 * (d21 - d12)
    y = 0.5 * (d02 - d20)
    z = 0.5 * (d10 - d01)
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (d00 + d11 + d22 - 1.0)
    angle = math.atan2(sine, cosine)
    if cosine >= 0.0:
        factor = angle / sine if sine > 1e-9 else 1.0
        error[0] = factor * x
        error[1] = factor * y
        error[2] = factor * z
        return angle
    if d00 >= d11 and d00 >= d22:
        a, b, c = d00 - cosine, 0.5 * (d01 + d10), 0.5 * (d02 + d20)
    elif d11 >= d22:
        a, b, c = 0.5 * (d01 + d10), d11 - cosine, 0.5 * (d12 + d21)
    else:
        a, b, c = 0.5 * (d02 + d20), 0.5 * (d12 + d21), d22 - cosine
    factor = angle / math.sqrt(a * a + b * b + c * c)
    if a * x + b * y + c * z < 0.0:
        factor = -factor
    error[0] = factor * a
    error[1] = factor * b
    error[2] = factor * c
    return angle


@jit
def rotation_defect(rotation):
    """Largest entry of R'R - I in size; infinite for a reflection, NaN when an entry is."""
    worst = 0.0
    for i in range(3):
        for j in range(i + 1):
            s = -1.0 if i == j else 0.0
            for k in range(3):
                s += rotation[k, i] * rotation[k, j]
            if not abs(s) <= worst:
                worst = abs(s)
    r = rotation
    determinant = (
        r[0, 0] * (r[1, 1] * r[2, 2] - r[1, 2] * r[2, 1])
        - r[0, 1] * (r[1, 0] * r[2, 2] - r[1, 2] * r[2, 0])
        + r[0, 2] * (r[1, 0] * r[2, 1] - r[1, 1] * r[2, 0])
    )
    return math.inf if determinant < 0.0 else worst
