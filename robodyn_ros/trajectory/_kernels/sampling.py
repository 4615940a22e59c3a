# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Polynomial segments at many places."""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit


@jit
def sample_segments(coefficients, durations, segment, u):
    """
    Position, velocity and acceleration, each (T, n), at u (T,) of segments (T,).

    coefficients (S, 6, n) of u^k, durations (S,).
    """
    count, n = segment.shape[0], coefficients.shape[2]
    q, qd, qdd = np.empty((count, n)), np.empty((count, n)), np.empty((count, n))
    for i in range(count):
        c, h, x = coefficients[segment[i]], durations[segment[i]], u[i]
        for j in range(n):
            c1, c2, c3, c4, c5 = c[1, j], c[2, j], c[3, j], c[4, j], c[5, j]
            q[i, j] = c[0, j] + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))))
            first = c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))
            second = 2.0 * c2 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))
            qd[i, j] = first / h
            qdd[i, j] = second / (h * h)
    return q, qd, qdd


@jit
def derivative_bounds(coefficients, durations, to_bernstein):
    """
    Bounds (S, 5, n) of |q| and its first four time derivatives on every segment.

    to_bernstein (6, 6, 6): row d turns the powers of a polynomial of degree d into Bernstein
    coefficients, between the smallest and largest of which the polynomial stays.
    """
    segments, _, n = coefficients.shape
    bounds = np.zeros((segments, 5, n))
    c = np.empty(6)
    for s in range(segments):
        for j in range(n):
            c[:] = coefficients[s, :, j]
            for order in range(5):
                degree = 5 - order
                most = 0.0
                for row in range(degree + 1):
                    value = 0.0
                    for k in range(row + 1):
                        value += to_bernstein[degree, row, k] * c[k]
                    most = max(most, abs(value))
                bounds[s, order, j] = most
                for k in range(degree):
                    c[k] = c[k + 1] * (k + 1) / durations[s]
    return bounds
