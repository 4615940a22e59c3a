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
        "Numba is not installed: dynamics run as plain Python, 10 times slower for one state and "
        "1000 times for batches (cure: pip install numba)",
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
    return _compiled(function) if COMPILED else function


def jit_sample(
    vectors: int, *results: int, constants: int = 0
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """
    Compile a kernel of one sample, for calls that cost little.

    It takes the packed model, so many more matrices of ``constants``, so many ``vectors``, and
    arrays to be filled, by their numbers of dimensions: an array that a kernel returns costs as
    much as everything else about the call. Anything but contiguous float64 is a TypeError, which
    is cheaper than to look at each array first; lengths are the kernel's business
    (``require_length``).
    """

    def compile_sample(function: Callable[..., Any]) -> Callable[..., Any]:
        if not COMPILED:
            return function
        given = [_array(2)] * (1 + constants) + [_array(1)] * vectors
        return _compiled(function, [(*given, *[_array(d, False) for d in results])])

    return compile_sample


def _array(dimensions: int, readonly: bool = True) -> Any:
    return numba.types.Array(numba.float64, dimensions, "C", readonly=readonly)


def _compiled(function: Callable[..., Any], *signatures: Any) -> Callable[..., Any]:
    njit: Any = numba.njit
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
    try:
        compiled: Any = njit(*signatures, cache=True, **options)(function)
    except RuntimeError:  # neither this folder nor the user's cache can be written
        _warn_without_cache()
        plain: Callable[..., Any] = njit(*signatures, **options)(function)
        return plain
    # Numba looks at a kernel's own file only: without this an edit in one file would leave stale
    # copies of its functions inside the cached kernels of the others.
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        index._source_stamp = _source_digest()
    kernel: Callable[..., Any] = compiled
    return kernel


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


@jit
def require_length(n, *vectors):
    """Raise ValueError unless all vectors have n entries."""
    for vector in vectors:
        if vector.shape[0] != n:
            raise ValueError("lengths differ")
