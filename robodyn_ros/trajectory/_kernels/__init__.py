# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled inner loops of torque check and re-timing, loaded at the first call."""

from importlib import import_module
from typing import Any

_HOME = {
    "derivative_bounds": "sampling",
    "sample_segments": "sampling",
    "torque_curvature": "torque_curvature",
    "fastest_profile": "path_sweep",
}


def __getattr__(name: str) -> Any:
    """Import the module of a kernel when it is first asked for (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
