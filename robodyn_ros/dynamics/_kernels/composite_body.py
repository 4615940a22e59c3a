# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Mass matrix by the Composite Rigid Body Algorithm.

Walker, Orin 1982; Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.2. Root axes,
each composite about its own body origin, so that passing one to the parent is a shift only.
"""

import numpy as np

from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.dynamics._kernels.inertia import add_shifted, turn_inertia
from robodyn_ros.dynamics._kernels.placement import place_bodies
from robodyn_ros.model.arrays import INDEX, KIND, MULTIPLIER, PARENT, REVOLUTE


@jit
def crba_row(bodies, topology, q, rotation, origin, composite, mass):
    """One state: mass (n, n); rotation, origin and composite (N, 10) are work space."""
    count = bodies.shape[0]
    place_bodies(bodies, topology, q, rotation, origin)
    for b in range(count):
        turn_inertia(bodies[b], rotation[b], composite[b])
    mass[:, :] = 0.0
    for b in range(count - 1, -1, -1):
        c = composite[b]
        x, y, z = rotation[b, 0, 2], rotation[b, 1, 2], rotation[b, 2, 2]
        # Wrench about the origin of b that gives everything beyond joint b a unit acceleration.
        if topology[b, KIND] == REVOLUTE:
            fx = y * c[3] - z * c[2]
            fy = z * c[1] - x * c[3]
            fz = x * c[2] - y * c[1]
            nx = c[4] * x + c[5] * y + c[7] * z
            ny = c[5] * x + c[6] * y + c[8] * z
            nz = c[7] * x + c[8] * y + c[9] * z
        else:
            fx, fy, fz = c[0] * x, c[0] * y, c[0] * z
            nx = c[2] * z - c[3] * y
            ny = c[3] * x - c[1] * z
            nz = c[1] * y - c[2] * x
        a = b
        while a >= 0:
            x, y, z = rotation[a, 0, 2], rotation[a, 1, 2], rotation[a, 2, 2]
            if topology[a, KIND] == REVOLUTE:
                entry = x * nx + y * ny + z * nz
            else:
                entry = x * fx + y * fy + z * fz
            entry *= bodies[a, MULTIPLIER] * bodies[b, MULTIPLIER]
            i, j = topology[a, INDEX], topology[b, INDEX]
            mass[i, j] += entry
            if a != b:
                mass[j, i] += entry
            parent = topology[a, PARENT]
            if parent >= 0:
                rx = origin[a, 0] - origin[parent, 0]
                ry = origin[a, 1] - origin[parent, 1]
                rz = origin[a, 2] - origin[parent, 2]
                if a == b:
                    add_shifted(c, rx, ry, rz, composite[parent])
                nx += ry * fz - rz * fy
                ny += rz * fx - rx * fz
                nz += rx * fy - ry * fx
            a = parent


@jit
def crba(bodies, topology, q):
    """Mass matrices (B, n, n) for q (B, n)."""
    count = bodies.shape[0]
    rotation = np.empty((count, 3, 3))
    origin = np.empty((count, 3))
    composite = np.empty((count, 10))
    mass = np.empty((q.shape[0], q.shape[1], q.shape[1]))
    for s in range(q.shape[0]):
        crba_row(bodies, topology, q[s], rotation, origin, composite, mass[s])
    return mass
