# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Lanes: a batch is computed in blocks of samples side by side.

A row of a block array holds one quantity for LANES samples, so that the processor's vector
registers are filled. The physics is written once, for scalars, and called for each lane by loops
that the compiler vectorises.
"""

import math

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit

# Measured: 64 beats 16, 32 and 128 on processors with 256 and 512 bit registers.
LANES = 64

# Below this the reduction to a quarter turn is exact in the constants that follow.
_LARGE_ANGLE = 1.0e5


@jit
def cos_sin(angle, cos, sin):
    """
    Cosine and sine of LANES angles without a branch, to about one unit in the last place.

    Cody, Waite 1980: reduction by pi/2 in three parts, then the polynomials of Sun's fdlibm.
    NaN and infinity give NaN.
    """
    large = False
    for k in range(LANES):
        x = angle[k]
        large |= abs(x) > _LARGE_ANGLE
        turns = np.floor(x * 0.6366197723675814 + 0.5)
        r = x - turns * 1.5707963267341256
        r = (r - turns * 6.077100506303966e-11) - turns * 2.0222662487959506e-21
        z = r * r
        s = 2.75573137070700676789e-06 + z * (
            -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
        )
        s = -1.66666666666666324348e-01 + z * (
            8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * s)
        )
        s = r + r * z * s
        c = -2.75573143513906633035e-07 + z * (
            2.08757232129817482790e-09 - z * 1.13596475577881948265e-11
        )
        c = 4.16666666666666019037e-02 + z * (
            -1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * c)
        )
        c = 1.0 - 0.5 * z + z * z * c
        quarter = turns - 4.0 * np.floor(turns * 0.25)
        odd = (quarter == 1.0) | (quarter == 3.0)
        a = c if odd else s
        b = s if odd else c
        sin[k] = -a if quarter >= 2.0 else a
        cos[k] = -b if (quarter == 1.0) | (quarter == 2.0) else b
    if large:
        for k in range(LANES):
            cos[k] = math.cos(angle[k])
            sin[k] = math.sin(angle[k])


@jit
def take6(a, i):
    """Read 6 rows of one lane."""
    w = LANES
    return (a[i], a[w + i], a[2 * w + i], a[3 * w + i], a[4 * w + i], a[5 * w + i])


@jit
def put6(a, i, v):
    """Write 6 rows of one lane."""
    w = LANES
    a[i] = v[0]
    a[w + i] = v[1]
    a[2 * w + i] = v[2]
    a[3 * w + i] = v[3]
    a[4 * w + i] = v[4]
    a[5 * w + i] = v[5]


@jit
def take9(a, i):
    """Read 9 rows of one lane."""
    w = LANES
    return (
        a[i],
        a[w + i],
        a[2 * w + i],
        a[3 * w + i],
        a[4 * w + i],
        a[5 * w + i],
        a[6 * w + i],
        a[7 * w + i],
        a[8 * w + i],
    )


@jit
def put9(a, i, v):
    """Write 9 rows of one lane."""
    w = LANES
    a[i] = v[0]
    a[w + i] = v[1]
    a[2 * w + i] = v[2]
    a[3 * w + i] = v[3]
    a[4 * w + i] = v[4]
    a[5 * w + i] = v[5]
    a[6 * w + i] = v[6]
    a[7 * w + i] = v[7]
    a[8 * w + i] = v[8]


@jit
def take10(a, i):
    """Read 10 rows of one lane."""
    w = LANES
    return (
        a[i],
        a[w + i],
        a[2 * w + i],
        a[3 * w + i],
        a[4 * w + i],
        a[5 * w + i],
        a[6 * w + i],
        a[7 * w + i],
        a[8 * w + i],
        a[9 * w + i],
    )


@jit
def put10(a, i, v):
    """Write 10 rows of one lane."""
    w = LANES
    a[i] = v[0]
    a[w + i] = v[1]
    a[2 * w + i] = v[2]
    a[3 * w + i] = v[3]
    a[4 * w + i] = v[4]
    a[5 * w + i] = v[5]
    a[6 * w + i] = v[6]
    a[7 * w + i] = v[7]
    a[8 * w + i] = v[8]
    a[9 * w + i] = v[9]


@jit
def take12(a, i):
    """Read 12 rows of one lane."""
    w = LANES
    return (
        a[i],
        a[w + i],
        a[2 * w + i],
        a[3 * w + i],
        a[4 * w + i],
        a[5 * w + i],
        a[6 * w + i],
        a[7 * w + i],
        a[8 * w + i],
        a[9 * w + i],
        a[10 * w + i],
        a[11 * w + i],
    )


@jit
def put12(a, i, v):
    """Write 12 rows of one lane."""
    w = LANES
    a[i] = v[0]
    a[w + i] = v[1]
    a[2 * w + i] = v[2]
    a[3 * w + i] = v[3]
    a[4 * w + i] = v[4]
    a[5 * w + i] = v[5]
    a[6 * w + i] = v[6]
    a[7 * w + i] = v[7]
    a[8 * w + i] = v[8]
    a[9 * w + i] = v[9]
    a[10 * w + i] = v[10]
    a[11 * w + i] = v[11]


@jit
def add6(a, i, v):
    """Add to 6 rows of one lane."""
    w = LANES
    a[i] += v[0]
    a[w + i] += v[1]
    a[2 * w + i] += v[2]
    a[3 * w + i] += v[3]
    a[4 * w + i] += v[4]
    a[5 * w + i] += v[5]


@jit
def take21(a, i):
    """Read 21 rows of one lane."""
    w = LANES
    return (
        a[i],
        a[w + i],
        a[2 * w + i],
        a[3 * w + i],
        a[4 * w + i],
        a[5 * w + i],
        a[6 * w + i],
        a[7 * w + i],
        a[8 * w + i],
        a[9 * w + i],
        a[10 * w + i],
        a[11 * w + i],
        a[12 * w + i],
        a[13 * w + i],
        a[14 * w + i],
        a[15 * w + i],
        a[16 * w + i],
        a[17 * w + i],
        a[18 * w + i],
        a[19 * w + i],
        a[20 * w + i],
    )


@jit
def put21(a, i, v):
    """Write 21 rows of one lane."""
    w = LANES
    a[i] = v[0]
    a[w + i] = v[1]
    a[2 * w + i] = v[2]
    a[3 * w + i] = v[3]
    a[4 * w + i] = v[4]
    a[5 * w + i] = v[5]
    a[6 * w + i] = v[6]
    a[7 * w + i] = v[7]
    a[8 * w + i] = v[8]
    a[9 * w + i] = v[9]
    a[10 * w + i] = v[10]
    a[11 * w + i] = v[11]
    a[12 * w + i] = v[12]
    a[13 * w + i] = v[13]
    a[14 * w + i] = v[14]
    a[15 * w + i] = v[15]
    a[16 * w + i] = v[16]
    a[17 * w + i] = v[17]
    a[18 * w + i] = v[18]
    a[19 * w + i] = v[19]
    a[20 * w + i] = v[20]
