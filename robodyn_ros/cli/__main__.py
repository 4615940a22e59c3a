# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Run the command line as ``python -m robodyn_ros.cli``."""

import sys

from robodyn_ros.cli.main import main

sys.exit(main())
