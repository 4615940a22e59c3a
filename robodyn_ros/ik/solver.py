# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics to rely on: inside the limits, repeatable, and honest when there is none."""

import math
from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.dynamics.kinematics import frame_offset
from robodyn_ros.errors import ParameterError
from robodyn_ros.ik import _kernels
from robodyn_ros.ik._kernels import layout
from robodyn_ros.ik.chain import Chain, chain_to
from robodyn_ros.ik.pose_error import Array, Target, checked_target
from robodyn_ros.ik.result import IKResult, Reason
from robodyn_ros.ik.seeds import checked_seed
from robodyn_ros.model.robot_model import RobotModel

# What one radian counts against an error of one chain length.
_ORIENTATION_WEIGHT = 0.3

# How far outside its limits a joint may be locked: it is then put on the limit.
_ROUNDING = 1e-9

# Restarts when there is no solution: enough for a fair nearest miss.
_HOPELESS = 10

# Iterations before the first look at the clock; doubled while they take less than this (s).
_FIRST_BUDGET = 64
_QUICK = 1e-3


def solve_ik(
    model: RobotModel,
    link: str,
    target: Target,
    seed: ArrayLike | None = None,
    *,
    timeout: float = 0.05,
    position_tolerance: float = 1e-6,
    orientation_tolerance: float = 1e-6,
    max_iterations: int = 60,
    max_restarts: int = 200,
    candidates: int = 3,
    locked: Sequence[str] = (),
    offset: ArrayLike | Target | None = None,
) -> IKResult:
    """
    Find joint values that put a link at a target, near the seed and inside the limits.

    ``target`` is (R, p) in the root frame, R (3, 3), p (3,) in m; R None asks for the position
    only. ``seed`` (n,) is clamped to the limits; without one, mid-range. A solution reached from
    the seed is taken; otherwise up to ``candidates`` solutions are gathered from restarts at
    fixed, evenly spread points and the one with the smallest largest joint change is taken.
    Joints that turn without end, or by more than a turn, are answered less than half a turn from
    the seed where the limits allow. Joints named in ``locked`` and those that do not move the
    link stay at the seed. ``offset`` is the point (3,) or pose (R, p) in the link's frame that
    has to reach the target.

    The tolerances are distances (m) and angles (rad). ``timeout`` (s), ``max_iterations`` of an
    attempt and ``max_restarts`` bound the effort; only the first depends on the machine.

    Raises UnknownNameError, ShapeError (seed, target) and ParameterError. A target without a
    solution is not an error: see ``IKResult.reason``.
    """
    _check_positive(
        timeout=timeout,
        position_tolerance=position_tolerance,
        orientation_tolerance=orientation_tolerance,
        max_iterations=max_iterations,
        candidates=candidates,
    )
    if not max_restarts >= 0:
        raise ParameterError("max_restarts", max_restarts, "0 or a number above")
    chain = chain_to(model, link)
    rotation, position = checked_target(target)
    start = chain.middle if seed is None else checked_seed(model, seed)
    if locked:
        chain = _locked(model, chain, locked, start)
    frame = chain.offset if offset is None else _tool_frame(model, link, offset)

    goal = np.zeros(layout.GOAL_ENTRIES)
    if rotation is not None:
        goal[:9] = rotation.reshape(9)
        goal[layout.ORIENTATION_WEIGHT] = _ORIENTATION_WEIGHT
    goal[layout.POSITION : layout.POSITION + 3] = position
    goal[layout.POSITION_WEIGHT] = 1.0 / chain.length
    goal[layout.POSITION_TOLERANCE] = position_tolerance
    goal[layout.ORIENTATION_TOLERANCE] = orientation_tolerance
    vectors = np.empty((layout.VECTORS, model.n))
    vectors[:] = np.minimum(np.maximum(start, chain.lower), chain.upper)
    tool = math.hypot(*frame[9:].tolist())
    hopeless = len(chain.columns) == 0 or chain.reach.excludes(
        position.tolist(), tool, position_tolerance
    )
    counters = np.zeros(layout.COUNTERS, dtype=np.int64)
    counters[layout.MAX_ITERATIONS] = max_iterations
    counters[layout.MAX_RESTARTS] = min(max_restarts, _HOPELESS) if hopeless else max_restarts
    counters[layout.CANDIDATES] = candidates
    scores = np.empty(layout.SCORES)
    finished = _search(
        (*chain.constants, frame, chain.columns, chain.joints, goal, vectors, counters, scores),
        timeout,
    )

    success = bool(counters[layout.FOUND])
    reason: Reason = "converged"
    if not success:
        _kernels.unwind(chain.columns, chain.joints, vectors[layout.SEED], vectors[layout.BEST])
        if hopeless:
            reason = "out_of_reach"
        elif not finished:
            reason = "time"
        else:
            reason = "limits" if counters[layout.BLOCKED] else "iterations"
    return IKResult(
        vectors[layout.BEST].copy(),
        success,
        reason,
        float(scores[layout.POSITION_ERROR]),
        float(scores[layout.ORIENTATION_ERROR]),
        int(counters[layout.ITERATIONS]),
        int(counters[layout.ATTEMPT]),
    )


_ready = False


def _search(arguments: tuple[Any, ...], timeout: float) -> bool:
    """Run the search on its arrays; False when the time (s) was over before it was finished."""
    global _ready
    search = _kernels.search
    if not _ready:
        # Compiles, or loads what was compiled before: not to be counted as solving time.
        search(*arguments, 0)
        _ready = True
    budget = _FIRST_BUDGET
    before = perf_counter()
    deadline = before + timeout
    while search(*arguments, budget) == layout.RUNNING:
        now = perf_counter()
        if now >= deadline:
            return False
        if now - before < _QUICK:
            budget *= 2
        before = now
    return True


def _locked(model: RobotModel, chain: Chain, names: Sequence[str], start: Array) -> Chain:
    """Chain without the locked joints. Raises ParameterError when one is outside its limits."""
    entries = [model.joint_index(name) for name in names]
    for name, i in zip(names, entries, strict=True):
        if not chain.lower[i] - _ROUNDING <= start[i] <= chain.upper[i] + _ROUNDING:
            limits = f"a joint whose seed is inside [{chain.lower[i]:g}, {chain.upper[i]:g}]"
            raise ParameterError("locked", f"{name} at {start[i]:g}", limits)
    return chain.without(entries)


def _tool_frame(model: RobotModel, link: str, offset: ArrayLike | Target) -> Array:
    """Pose (12,) of a point (3,) or pose (R, p) of a link in the body that carries the link."""
    if isinstance(offset, tuple) and len(offset) == 2:
        rotation, point = checked_target(offset, "offset")
    else:
        rotation, point = checked_target((None, offset), "offset")
    frame = frame_offset(model, link, point)
    if rotation is not None:
        frame = frame.copy()
        frame[:9] = (frame[:9].reshape(3, 3) @ rotation).reshape(9)
        frame.setflags(write=False)
    return frame


def _check_positive(**given: float) -> None:
    for name, value in given.items():
        if not value > 0:
            raise ParameterError(name, value, "a number above 0")
