# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""One damped least-squares step of the joints that are free to move."""

import math

from robodyn_ros.dynamics._kernels.compile import jit

_ROWS = 6


@jit
def damped_step(jacobian, free, error, damping, matrix, step):
    """
    Step (m,) = J' (J J' + damping I)^-1 error over the columns that are ``free``; others 0.

    ``jacobian`` (m, 6) has a row per joint; ``matrix`` (6, 6) is work space; ``error`` is
    overwritten. The damping must be above 0.
    """
    m = step.shape[0]
    for i in range(_ROWS):
        for j in range(i + 1):
            s = damping if i == j else 0.0
            for c in range(m):
                if free[c]:
                    s += jacobian[c, i] * jacobian[c, j]
            matrix[i, j] = s
    solve_positive_definite(matrix, damping, error)
    for c in range(m):
        s = 0.0
        if free[c]:
            for i in range(_ROWS):
                s += jacobian[c, i] * error[i]
        step[c] = s


@jit
def solve_positive_definite(matrix, least, vector):
    """
    Cholesky: factor the lower triangle in place and solve for ``vector`` in place.

    No eigenvalue is below ``least``, so no pivot can be: what is, is rounding.
    """
    for j in range(_ROWS):
        s = matrix[j, j]
        for k in range(j):
            s -= matrix[j, k] * matrix[j, k]
        pivot = math.sqrt(max(s, least))
        matrix[j, j] = pivot
        for i in range(j + 1, _ROWS):
            s = matrix[i, j]
            for k in range(j):
                s -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = s / pivot
    for i in range(_ROWS):
        s = vector[i]
        for k in range(i):
            s -= matrix[i, k] * vector[k]
        vector[i] = s / matrix[i, i]
    for i in range(_ROWS - 1, -1, -1):
        s = vector[i]
        for k in range(i + 1, _ROWS):
            s -= matrix[k, i] * vector[k]
        vector[i] = s / matrix[i, i]
