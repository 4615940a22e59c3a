# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The ``robodyn`` command: sub-commands and exit codes.

Exit code 0: done. 1: done, but something the command looks for was found wrong. 2: could not be
done; one line on standard error says why. 130: interrupted. 141: the reader of the output is gone
(``robodyn ... | head``).
"""

import argparse
import os
import sys
from collections.abc import Sequence

from robodyn_ros.cli import bag, demo, info
from robodyn_ros.errors import RobodynError

COMMANDS = {
    "info": (info, "joints, limits and masses of a robot description"),
    "bag": (bag, "the torque that a recorded motion took, against ratings and measurement"),
    "demo": (demo, "a simulated arm under computed torque, over real ROS 2 topics"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command and return its exit code."""
    parser = argparse.ArgumentParser(prog="robodyn", description="Rigid-body dynamics for ROS 2.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=module.__doc__)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    chosen = parser.parse_args(arguments)
    try:
        code = int(chosen.run(chosen))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # what is still in the buffer has nobody to go to; Python would complain about it at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (RobodynError, OSError) as error:
        print(f"robodyn {chosen.command}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"\nrobodyn {chosen.command}: interrupted", file=sys.stderr)
        return 130
