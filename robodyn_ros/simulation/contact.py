# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Contact of a sphere on a link with a plane, as forces that every integrator can step."""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robodyn_ros.dynamics.kinematics import frame_velocity, link_pose
from robodyn_ros.errors import ParameterError
from robodyn_ros.model.robot_model import RobotModel

Array = NDArray[np.float64]


class Touch(NamedTuple):
    """
    What a contact does in one state, or a batch of them.

    ``depth`` (...) of the sphere in the plane (m), negative: the gap. ``wrench`` (..., 6) [force;
    moment] on the robot at the link's origin, in the axes of the pose (N, N m). ``energy`` (...)
    stored in the penetration (J). ``dissipation`` (...) the power lost, never negative (W).
    """

    depth: Array
    wrench: Array
    energy: Array
    dissipation: Array


@dataclass(frozen=True)
class PlaneContact:
    """
    A sphere fixed to ``link`` against a plane, by penalty.

    Sphere: ``radius`` (m) about ``center`` (3) in the link's frame. Plane: through ``point`` (3)
    with ``normal`` (3) towards the free side, in the root frame (a free root: the world). At depth
    d the plane pushes with N = k d (1 + damping dd/dt), never pulls (Hunt, Crossley 1975): k is
    ``stiffness`` (N/m), ``damping`` is in s/m, and N does not jump at touch-down. Friction is
    within the cone of ``friction`` (coefficient): mu N u / sqrt(u^2 + s^2) against the sliding
    velocity u, with ``slip_velocity`` s (m/s). It is smooth, so a sphere that sticks creeps, at
    less than s while the load is below 0.7 mu N. A resting mass sinks in by m g / k. Explicit
    integrators need steps below 2 sqrt(m / k), for friction also below m s / (mu N).
    Raises ParameterError.
    """

    link: str
    radius: float
    stiffness: float
    damping: float = 0.0
    friction: float = 0.0
    slip_velocity: float = 1e-3
    center: tuple[float, ...] = (0.0, 0.0, 0.0)
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    normal: tuple[float, ...] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name == "link":
                continue
            value = np.array(getattr(self, field.name), dtype=float)
            vector = field.name in ("center", "point", "normal")
            if value.shape != ((3,) if vector else ()) or not np.all(np.isfinite(value)):
                wanted = "3 finite numbers" if vector else "a finite number"
                raise ParameterError(field.name, getattr(self, field.name), wanted)
            if vector:
                object.__setattr__(self, field.name, tuple(value.tolist()))
            elif value < 0.0 or (value == 0.0 and field.name in ("stiffness", "slip_velocity")):
                raise ParameterError(field.name, value.item(), "a positive number")
        length = float(np.linalg.norm(self.normal))
        if length == 0.0:
            raise ParameterError("normal", self.normal, "a direction")
        if abs(length - 1.0) > 1e-15:  # a unit vector stays as it is, bit for bit
            object.__setattr__(self, "normal", tuple(x / length for x in self.normal))

    def of_robot(self, model: RobotModel, q: ArrayLike, qd: ArrayLike) -> Touch:
        """Contact in the state q, qd (..., n); raises UnknownNameError and ShapeError."""
        rotation, position = link_pose(model, q, self.link)
        depth = self.radius - self._height(rotation, position)
        if np.all(depth <= 0.0):  # most states of most motions, so it should cost little
            none = np.zeros(depth.shape)
            return Touch(depth, np.zeros((*depth.shape, 6)), none, none)
        return self.of_link(rotation, position, frame_velocity(model, q, qd, self.link))

    def of_link(self, rotation: Array, position: Array, twist: Array) -> Touch:
        """
        Contact of a link at a pose (..., 3, 3), (..., 3), moving with a twist (..., 6).

        The twist is [linear; angular] of the link's origin in the axes of the pose, as
        ``frame_velocity`` gives it, or a Jacobian of ``FloatingBase`` times v.
        """
        center, _, normal = self._vectors
        height = self._height(rotation, position)
        depth = self.radius - height
        inside = np.maximum(depth, 0.0)
        # The force acts in the plane, below the centre of the sphere.
        arm = rotation @ center - height[..., None] * normal
        velocity = twist[..., :3] + np.cross(twist[..., 3:], arm)
        approach = -velocity @ normal
        elastic = self.stiffness * inside
        push = elastic * np.maximum(1.0 + self.damping * approach, 0.0)
        slide = velocity + approach[..., None] * normal
        speed = np.sqrt(np.sum(slide * slide, axis=-1) + self.slip_velocity**2)
        drag = self.friction * push / speed
        force = push[..., None] * normal - drag[..., None] * slide
        return Touch(
            depth,
            np.concatenate([force, np.cross(arm, force)], axis=-1),
            0.5 * elastic * inside,
            (push - elastic) * approach + drag * np.sum(slide * slide, axis=-1),
        )

    def _height(self, rotation: Array, position: Array) -> Array:
        center, point, normal = self._vectors
        height: Array = (position + rotation @ center - point) @ normal
        return height

    @cached_property
    def _vectors(self) -> tuple[Array, Array, Array]:
        return np.array(self.center), np.array(self.point), np.array(self.normal)
