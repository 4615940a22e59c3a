# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""``robodyn info``: what a robot description says, and what is doubtful about it."""

import argparse
import warnings

import numpy as np

from robodyn_ros.errors import ModelWarning
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.urdf import load_urdf


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the sub-command."""
    parser.add_argument("urdf", help="URDF file (or .xacro where xacro is installed)")


def run(arguments: argparse.Namespace) -> int:
    """Print joints, limits, masses and warnings; exit code 0."""
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always", ModelWarning)
        model = load_urdf(arguments.urdf)
    print(describe(model))
    for doubt in doubts:
        print(f"warning: {doubt.message}")
    return 0


def describe(model: RobotModel) -> str:
    """Joints with their limits, links with their masses, as text."""
    lines = [f"{model.name}: {model.n} joints, {len(model.link_names)} links, "
             f"{model.total_mass:.3f} kg, root link {model.root_link}", ""]  # fmt: skip
    width = max((len(name) for name in model.joint_names), default=5)
    columns = f"{'lower':>8s} {'upper':>8s} {'velocity':>9s} {'effort':>8s}"
    lines.append(f"{'joint':{width}s} {'type':10s} {columns}")
    limits = model.limits
    for i, name in enumerate(model.joint_names):
        values = (limits.lower[i], limits.upper[i], limits.velocity[i], limits.effort[i])
        shown = " ".join(f"{_number(v):>{w}s}" for v, w in zip(values, (8, 8, 9, 8), strict=True))
        lines.append(f"{name:{width}s} {model.joint_types[i]:10s} {shown}")
    for mimic in model.mimics:
        lines.append(f"{mimic.joint} = {mimic.multiplier:g} * {mimic.driver} + {mimic.offset:g}")
    width = max(len(name) for name in model.link_names)
    lines += ["", f"{'link':{width}s} {'mass':>9s}  moves with"]
    for i, name in enumerate(model.link_names):
        joints = model.joints_of(name)
        carrier = joints[-1] if joints else "the root (fixed)"
        lines.append(f"{name:{width}s} {model.link_parameters[i, 0]:9.4f}  {carrier}")
    return "\n".join(lines)


def _number(value: float) -> str:
    return "-" if np.isnan(value) or np.isinf(value) else f"{value:.4g}"
