# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A simulated arm: forward dynamics, drives with limits, joint friction, stops and brakes."""

from robodyn_ros.simulation.arm_simulator import ArmSimulator
from robodyn_ros.simulation.settings import SimulatorSettings

__all__ = ["ArmSimulator", "SimulatorSettings"]
