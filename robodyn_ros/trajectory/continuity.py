# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Velocities that make a cubic spline through given positions continuous in acceleration."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def cubic_spline_velocities(times: Array, positions: Array, first: Array, last: Array) -> Array:
    """
    Find the knot velocities (K, n) of the C2 cubic spline through all knots.

    times (K,) in s, strictly increasing; positions (K, n); first, last (n,) the velocities at
    both ends. Source: de Boor, A Practical Guide to Splines, chapter IV, eq. (8) with both end
    slopes given.
    """
    velocities = np.zeros_like(positions)
    velocities[0], velocities[-1] = first, last
    if len(times) > 2:
        h = np.diff(times)[:, None]
        slope = np.diff(positions, axis=0) / h
        before, after = h[:-1], h[1:]
        lower, upper = after / (before + after), before / (before + after)
        rhs = 3.0 * (lower * slope[:-1] + upper * slope[1:])
        rhs[0] -= lower[0] * first
        rhs[-1] -= upper[-1] * last
        lower[0] = upper[-1] = 0.0
        velocities[1:-1] = solve_tridiagonal(lower, np.full_like(lower, 2.0), upper, rhs)
    return velocities


def solve_tridiagonal(lower: Array, diagonal: Array, upper: Array, rhs: Array) -> Array:
    """
    Solve a diagonally dominant tridiagonal system by cyclic reduction.

    lower, diagonal, upper (K, 1) with lower[0] = upper[-1] = 0; rhs (K, n). Whole arrays only:
    a sweep row by row would block a control loop for a tenth of a second at 20 000 points.
    Source: Golub, Van Loan, Matrix Computations, section on cyclic reduction (scalar blocks).
    """
    size = len(rhs)
    if size == 1:
        return rhs / diagonal
    if size % 2 == 0:
        # every odd row needs an even row on both sides: add the row "x = 0"
        zero = np.zeros((1, 1))
        lower, upper = np.vstack([lower, zero]), np.vstack([upper, zero])
        diagonal = np.vstack([diagonal, zero + 1.0])
        rhs = np.vstack([rhs, np.zeros((1, rhs.shape[1]))])
    above, below = slice(0, -2, 2), slice(2, None, 2)
    up = -lower[1::2] / diagonal[above]
    down = -upper[1::2] / diagonal[below]
    x = np.empty_like(rhs)
    x[1::2] = solve_tridiagonal(
        up * lower[above],
        diagonal[1::2] + up * upper[above] + down * lower[below],
        down * upper[below],
        rhs[1::2] + up * rhs[above] + down * rhs[below],
    )
    x[0::2] = rhs[0::2]
    x[below] -= lower[below] * x[1::2]
    x[above] -= upper[above] * x[1::2]
    x[0::2] /= diagonal[0::2]
    return x[:size]
