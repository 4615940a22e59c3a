# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes under test in the process of the test, spun along with a probe."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def make_node(probe: Any) -> Callable[..., Any]:
    """Give a function that makes a node from a URDF and parameters, and spins it."""
    from rclpy.parameter import Parameter

    def make(cls: type, urdf: str, **parameters: Any) -> Any:
        namespace = parameters.pop("namespace", "")
        parameters = {"robot_description": urdf, **parameters}
        node = cls(
            context=probe.context,
            namespace=namespace,
            use_global_arguments=False,
            parameter_overrides=[
                Parameter(name.replace("__", "."), value=value)
                for name, value in parameters.items()
            ],
        )
        return probe.spin_along(node)

    return make
