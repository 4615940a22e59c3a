# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""From recorded motion to numbers, tables and pictures."""
