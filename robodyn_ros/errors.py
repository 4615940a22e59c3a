# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the package: each one carries the data a caller needs to react, and names the cure."""

from collections.abc import Iterable, Sequence


class RobodynError(Exception):
    """Base of every error this package raises on purpose."""


class ModelError(RobodynError):
    """A robot description that cannot be a robot; ``faults`` lists everything found wrong."""

    def __init__(self, what: str, faults: Sequence[str] = ()):
        self.what = what
        self.faults = tuple(faults)
        super().__init__("\n  - ".join([what + (":" if faults else ""), *self.faults]))


class ModelWarning(UserWarning):
    """Something in a robot description that is legal but doubtful."""


class UnknownNameError(RobodynError):
    """A joint, link, frame or group name that the model does not have."""

    def __init__(self, kind: str, name: str, known: Iterable[str]):
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        super().__init__(f"no {kind} named '{name}'; known: {', '.join(self.known) or 'none'}")


class ShapeError(RobodynError):
    """An array argument of the wrong shape or with values that are not finite."""


class SingularModelError(ModelError):
    """Forward dynamics asked of a model whose mass matrix cannot be inverted."""


class TrajectoryError(RobodynError):
    """A trajectory that must not be executed: which point, joint, value and limit."""

    def __init__(
        self,
        message: str,
        *,
        point: int | None = None,
        joint: str | None = None,
        value: float | None = None,
        limit: float | None = None,
    ):
        self.point = point
        self.joint = joint
        self.value = value
        self.limit = limit
        super().__init__(message)


class ParameterError(RobodynError):
    """A parameter of the wrong type, size or range."""

    def __init__(self, name: str, value: object, expected: str):
        self.name = name
        self.value = value
        self.expected = expected
        super().__init__(f"parameter '{name}' is {value!r}: expected {expected}")


class ConvergenceError(RobodynError):
    """An implicit step that Newton's method did not solve; ``residual`` is what was left."""

    def __init__(self, method: str, iterations: int, residual: float):
        self.method = method
        self.iterations = iterations
        self.residual = residual
        super().__init__(
            f"{method}: not solved within {iterations} Newton iterations, accelerations are "
            f"{residual:.3g} off: take a smaller step, or allow more iterations"
        )


class BagError(RobodynError):
    """A recording that cannot be read, or has nothing in it that can be analysed."""
