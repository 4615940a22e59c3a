# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Inertia of rigid bodies: shapes, shifting, turning, and whether a body can have it."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

# A principal moment this far below zero is rounding and not a fault: relative to the largest, or
# to the mass at a radius of gyration of a micrometre.
_ROUNDING = 1e-12
# CAD programs print about seven digits; symmetry and triangle rule are checked with that in mind.
_PRINTED = 1e-6
# xx, xy, yy, xz, yz, zz
_LOWER = np.tril_indices(3)


def parallel_axis(inertia: ArrayLike, mass: float, offset: ArrayLike) -> Array:
    """
    Tensor (3, 3) about a point, from the one about the centre of mass.

    ``offset`` (3,) in m is either point seen from the other: I + m (d.d 1 - d d^T), the
    parallel-axis theorem (Featherstone 2008, equation 2.62).
    """
    d = np.asarray(offset, dtype=float)
    return np.asarray(inertia, dtype=float) + mass * (d @ d * np.eye(3) - np.outer(d, d))


def rotate_inertia(inertia: ArrayLike, rotation: ArrayLike) -> Array:
    """Tensor (3, 3) in other axes: R I R^T, where R turns the old axes into the new."""
    r = np.asarray(rotation, dtype=float)
    return r @ np.asarray(inertia, dtype=float) @ r.T


def box_inertia(mass: float, size: ArrayLike) -> Array:
    """Tensor (3, 3) about the centre of a uniform box with edges (3,) in m."""
    squares = np.asarray(size, dtype=float) ** 2
    return mass / 12.0 * np.diag(squares.sum() - squares)


def rod_inertia(mass: float, length: float, axis: ArrayLike = (0.0, 0.0, 1.0)) -> Array:
    """Tensor (3, 3) about the centre of a thin rod along a unit axis (3,)."""
    u = np.asarray(axis, dtype=float)
    return mass * length**2 / 12.0 * (np.eye(3) - np.outer(u, u))


def sphere_inertia(mass: float, radius: float) -> Array:
    """Tensor (3, 3) about the centre of a uniform ball."""
    return 0.4 * mass * radius**2 * np.eye(3)


def cylinder_inertia(mass: float, radius: float, length: float) -> Array:
    """Tensor (3, 3) about the centre of a uniform cylinder along z."""
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    return np.diag([across, across, 0.5 * mass * radius**2])


def inertial_parameters_of(mass: float, com: ArrayLike, inertia: ArrayLike) -> Array:
    """Pack [m, m c, I about the origin: xx, xy, yy, xz, yz, zz] from mass, com and I about it."""
    c = np.asarray(com, dtype=float)
    about_origin = parallel_axis(inertia, mass, c)
    return np.concatenate([[mass], mass * c, about_origin[_LOWER]])


def mass_com_inertia(parameters: ArrayLike) -> tuple[float, Array, Array]:
    """
    Unpack ten inertial parameters: mass, centre of mass (3,), tensor (3, 3) about it.

    Without mass there is no such centre: the origin is taken.
    """
    m, mx, my, mz, xx, xy, yy, xz, yz, zz = np.asarray(parameters, dtype=float).tolist()
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if m == 0.0:
        return m, np.zeros(3), tensor
    com = np.array([mx, my, mz]) / m
    return m, com, parallel_axis(tensor, -m, com)


def inertia_about_com(parameters: ArrayLike) -> tuple[float, Array]:
    """Mass and tensor (3, 3) about the centre of mass from ten inertial parameters."""
    mass, _, tensor = mass_com_inertia(parameters)
    return mass, tensor


def combine(bodies: Iterable[tuple[float, ArrayLike, ArrayLike]]) -> tuple[float, Array, Array]:
    """Mass, centre of mass and tensor about it of bodies given so, all in the same axes."""
    total = np.zeros(10)
    for body in bodies:
        total += inertial_parameters_of(*body)
    return mass_com_inertia(total)


def inertia_faults(mass: float, inertia: ArrayLike) -> tuple[list[str], list[str]]:
    """
    Say why no body can have this mass and tensor about its centre: (errors, warnings).

    A mass below zero or a principal moment below zero is impossible. Principal moments where one
    exceeds the sum of the others (the triangle rule) are impossible too, but so common in
    published robots, and so harmless for inverse dynamics, that they are a warning.
    """
    tensor = np.asarray(inertia, dtype=float)
    if tensor.shape != (3, 3):
        return [f"inertia is 3 x 3, not of shape {tensor.shape}"], []
    if not (np.isfinite(mass) and np.all(np.isfinite(tensor))):
        return [f"mass {mass:g} and inertia must be finite numbers"], []
    if np.abs(tensor - tensor.T).max() > _PRINTED * np.abs(tensor).max():
        return ["inertia is not symmetric"], []
    errors, warnings = [], []
    if mass < 0.0:
        errors.append(f"mass {mass:g} kg is negative")
    moments = np.linalg.eigvalsh(tensor)
    rounding = _ROUNDING * max(np.abs(moments).max(), abs(mass))
    shown = ", ".join(
        f"{moment:.6g}" for moment in np.where(np.abs(moments) < rounding, 0, moments)
    )
    if moments[0] < -rounding:
        errors.append(f"inertia is not positive: principal moments {shown}")
    elif moments[0] + moments[1] < moments[2] * (1.0 - _PRINTED) - rounding:
        warnings.append(f"principal moments {shown} break the triangle rule")
    return errors, warnings
