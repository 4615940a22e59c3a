# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Compiled inner loops of the dynamics; loaded at the first call, not at import.

Everything here works on plain arrays (see ``robodyn_ros.model.arrays``) and checks nothing: the
public functions one folder up do. Numba compiles the kernels when it is installed; without it
the same code runs as plain Python.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "jit": "compile",
    "link_poses": "placement",
    "link_poses_vector": "placement",
    "poses_and_jacobians": "jacobian",
    "jacobian_vector": "jacobian",
    "pose_vector": "jacobian",
    "jacobian_rates": "jacobian_rate",
    "rnea": "recursive_newton_euler",
    "rnea_vector": "recursive_newton_euler",
    "gravity_vector": "recursive_newton_euler",
    "crba": "composite_body",
    "crba_vector": "composite_body",
    "aba": "articulated_body",
    "aba_vector": "articulated_body",
    "root_as_joints": "floating",
    "moved_configurations": "root_motion",
    "coriolis": "coriolis",
    "coriolis_vector": "coriolis",
    "regressors": "regressor",
    "regressor_vector": "regressor",
    "rnea_derivatives": "derivatives",
    "rnea_derivatives_vector": "derivatives",
}


def __getattr__(name: str) -> Any:
    """Import the module of a kernel when it is first asked for (PEP 562)."""
    if name not in _HOME:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
