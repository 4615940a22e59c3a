# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The one place that knows whether Numba is there."""

import warnings
from collections.abc import Callable
from typing import Any

try:
    import numba
except ImportError:
    COMPILED = False
    warnings.warn(
        "Numba is not installed: dynamics run as plain Python, about 100 times slower "
        "(cure: pip install numba, or apt install python3-numba)",
        RuntimeWarning,
        stacklevel=2,
    )
else:
    COMPILED = True


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """
    Compile a kernel (cached on disk, GIL released); the function itself without Numba.

    Of the fast-math rules only contraction to fused multiply-add is allowed: it changes the last
    digit, never how NaN and infinity behave.
    """
    if not COMPILED:
        return function
    return numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})(function)
