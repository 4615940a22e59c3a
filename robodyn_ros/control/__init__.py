# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Control: torques that make the joints follow a motion."""

from robodyn_ros.control.computed_torque import ComputedTorqueController
from robodyn_ros.control.output import ControlOutput
from robodyn_ros.control.settings import ControlLaw, ControllerSettings

__all__ = ["ComputedTorqueController", "ControlLaw", "ControlOutput", "ControllerSettings"]
