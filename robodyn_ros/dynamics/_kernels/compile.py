# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The one place that knows whether Numba is there."""

import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
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
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
    try:
        compiled = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither this folder nor the user's cache can be written
        _warn_without_cache()
        return numba.njit(**options)(function)
    # Numba looks at a kernel's own file only: without this an edit in one file would leave stale
    # copies of its functions inside the cached kernels of the others.
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        index._source_stamp = _source_digest()
    return compiled


@cache
def _warn_without_cache() -> None:
    """Say once why every start is slow."""
    warnings.warn(
        "compiled kernels cannot be kept: each start compiles them anew, which takes up to half "
        "a minute (cure: NUMBA_CACHE_DIR=<a folder that can be written>)",
        RuntimeWarning,
        stacklevel=3,
    )


@cache
def _source_digest() -> str:
    """Digest of everything that kernels are made of."""
    package = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for path in sorted([*package.glob("*/_kernels/*.py"), package / "model" / "arrays.py"]):
        digest.update(path.read_bytes())
    return digest.hexdigest()
