# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The fastest speed profile along a path: one sweep backwards, one forwards.

Pham and Pham, "A new approach to time-optimal path parameterization based on reachability
analysis" (2018). On a grid of path positions, x is the squared path speed and u the path
acceleration, constant from one grid point to the next: x_next = x + 2 d u. Every limit is
    low <= a u + b x + c <= high
at a grid point, and again at the next one with its own a, b, c.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit

_TINY = 1e-12


@jit
def fastest_profile(a, b, c, low, high, cap, step):
    """
    Squared speeds (N + 1,) from rest to rest, and the grid point where it is impossible or -1.

    a, b, c (N + 1, m), low, high (m,); cap (N + 1,) bounds x; step is the grid's.
    """
    points, m = a.shape
    most = np.zeros(points)  # largest x from which the end can be reached
    rows = np.empty((4 * m + 4, 3))
    x = np.zeros(points)
    for i in range(points - 2, -1, -1):
        count = limits_at(a, b, c, low, high, step, i, most[i + 1], rows)
        most[i] = largest_x(rows[:count], cap[i])
        if most[i] < 0.0:
            return x, i
    for i in range(points - 1):
        count = limits_at(a, b, c, low, high, step, i, most[i + 1], rows)
        least_u, most_u = between(rows[:count], x[i])
        if least_u > most_u:
            # equal but for rounding: the profile runs along a limit
            most_u = 0.5 * (least_u + most_u)
        x[i + 1] = min(max(x[i] + 2.0 * step * most_u, 0.0), most[i + 1])
    return x, -1


@jit
def limits_at(a, b, c, low, high, step, i, most, rows):
    """Write all limits at grid point i as rows p u + r x <= s; return how many."""
    count = 0
    for j in range(a.shape[1]):
        for k in range(2):
            at = i + k
            p = a[at, j] + (2.0 * step * b[at, j] if k else 0.0)
            r, offset = b[at, j], c[at, j]
            if high[j] < np.inf:
                rows[count, 0], rows[count, 1], rows[count, 2] = p, r, high[j] - offset
                count += 1
            if low[j] > -np.inf:
                rows[count, 0], rows[count, 1], rows[count, 2] = -p, -r, offset - low[j]
                count += 1
    rows[count, 0], rows[count, 1], rows[count, 2] = 2.0 * step, 1.0, most
    rows[count + 1, 0], rows[count + 1, 1], rows[count + 1, 2] = -2.0 * step, -1.0, 0.0
    return count + 2


@jit
def between(rows, x):
    """Smallest and largest u that all rows allow at x."""
    least, most = -np.inf, np.inf
    for k in range(rows.shape[0]):
        p, rest = rows[k, 0], rows[k, 2] - rows[k, 1] * x
        if p > _TINY:
            most = min(most, rest / p)
        elif p < -_TINY:
            least = max(least, rest / p)
    return least, most


@jit
def largest_x(rows, cap):
    """
    Largest x in [0, cap] for which some u fulfils all rows p u + r x <= s; -1 when there is none.

    Seidel's incremental algorithm for a linear programme in two variables: while a row holds at
    the best point so far nothing changes; else the best point lies on that row.
    """
    u, x = 0.0, cap
    for k in range(rows.shape[0]):
        p, r, s = rows[k, 0], rows[k, 1], rows[k, 2]
        if p * u + r * x <= s + _TINY * (1.0 + abs(s)):
            continue
        norm = p * p + r * r
        if norm <= _TINY * _TINY:
            return -1.0
        # points of the row's border: (u0, x0) + t (r, -p)
        u0, x0 = p * s / norm, r * s / norm
        first, last = -np.inf, np.inf
        for i in range(-2, k):
            if i == -2:
                slope, room = -p, cap - x0  # x <= cap
            elif i == -1:
                slope, room = p, x0  # -x <= 0
            else:
                slope = rows[i, 0] * r - rows[i, 1] * p
                room = rows[i, 2] - rows[i, 0] * u0 - rows[i, 1] * x0
            if slope > _TINY:
                last = min(last, room / slope)
            elif slope < -_TINY:
                first = max(first, room / slope)
            elif room < -_TINY * (1.0 + abs(rows[i, 2] if i >= 0 else cap)):
                return -1.0
        if first > last + _TINY * (1.0 + abs(last)):
            return -1.0
        # x = x0 - t p: towards the smaller t when p > 0
        t = first if p > 0.0 else last
        if t == -np.inf or t == np.inf:
            t = (
                last
                if first == -np.inf and last < np.inf
                else (0.0 if first == -np.inf else first)
            )
        u, x = u0 + t * r, x0 - t * p
    return x
