# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Let a plain ``.venv/bin/python`` find the ROS libraries and packages in ``.venv``.

The set-up copies this file into the environment, where a .pth line imports it whenever
Python starts. The dynamic linker reads LD_LIBRARY_PATH only when a process begins, so a
process without it replaces itself, once; its children inherit the variable.
"""

import glob
import os
import sys


def extend(variable, folders):
    """Add the missing folders to a path variable; tell whether any was missing."""
    present = [entry for entry in os.environ.get(variable, "").split(os.pathsep) if entry]
    missing = [folder for folder in folders if folder not in present]
    # Real packages of a sourced ROS go before ours; wheels of another environment do not.
    paths = present + missing if "ROS_DISTRO" in os.environ else missing + present
    os.environ[variable] = os.pathsep.join(paths)
    return bool(missing)


def main():
    """Extend the environment of this process and, where the linker needs it, start it anew."""
    here = os.path.dirname(os.path.abspath(__file__))
    libraries = [os.path.join(sys.prefix, "lib"), *sorted(glob.glob(f"{here}/ros_*.libs"))]
    extend("AMENT_PREFIX_PATH", [sys.prefix])
    # The ROS wheels would start the process once more for the same purpose.
    os.environ["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] = "1"
    if extend("LD_LIBRARY_PATH", libraries) and sys.executable:
        os.execv(sys.executable, sys.orig_argv)


if sys.prefix != sys.base_prefix:
    main()
