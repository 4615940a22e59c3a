# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The arrays a kernel reads: one row per moving body, frames turned so that every axis is z.

A body is what moves with one joint: its link and every link fixed to it. Its frame sits at the
joint, turned so that the joint axis is z; kernels then rotate about z or slide along z and need
no general axis. Bodies stand in topological order (parents first).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Columns of a body row.
ROTATION = 0  # 9, row-major: body frame at joint value zero, in the parent body's frame
POSITION = 9  # 3: its origin there (m)
MASS = 12
MOMENT = 13  # 3: mass * centre of mass, in the body frame
INERTIA = 16  # 6: about the body origin: xx, xy, yy, xz, yz, zz
MULTIPLIER = 22  # joint value = multiplier * q[index] + offset (1 and 0 unless it mimics)
OFFSET = 23
ARMATURE = 24  # reflected rotor inertia felt at q[index]; 0 where the joint mimics
LINK_AXES = 25  # 9, row-major: axes of the link that the joint moves, in the body frame
BODY_COLUMNS = 34

# Columns of a topology row.
PARENT = 0  # index of the parent body, -1 for the root
INDEX = 1  # entry of q that moves it
KIND = 2
TOPOLOGY_COLUMNS = 3

# Columns of the last row of ``packed``, after gravity.
ENTRIES = 3  # length of q

REVOLUTE = 0
PRISMATIC = 1


class ModelArrays(NamedTuple):
    """
    Read-only constants of a model, as kernels take them.

    ``bodies`` (N, 34) and ``topology`` (N, 3) per moving body, ``gravity`` (3,) in the root
    frame; per link ``frame_body`` (L,), the body it moves with (-1: the root), and
    ``frame_offset`` (L, 12), its rotation (row-major) and position in that body's frame.
    ``packed`` (N + 1, 37) repeats bodies, topology and, in the last row, gravity and n, ``frames``
    (L, 13) offsets and bodies of the links: kernels of one sample take them, because handing over
    an array costs as much as computing a body.
    """

    bodies: NDArray[np.float64]
    topology: NDArray[np.int64]
    gravity: NDArray[np.float64]
    frame_body: NDArray[np.int64]
    frame_offset: NDArray[np.float64]
    packed: NDArray[np.float64]
    frames: NDArray[np.float64]
