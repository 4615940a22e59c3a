# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""How the nodes of one arm belong together: the one remapping that each of these needs."""

WIRING = {
    "torque_monitor": ("commanded_effort", "computed_torque/required_effort"),
    "arm_simulator": ("effort_command", "computed_torque/effort"),
}
