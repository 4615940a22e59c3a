# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The fastest motion along a given path under torque, velocity and acceleration limits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.dynamics.inverse_dynamics import Wrenches, inverse_dynamics
from robodyn_ros.dynamics.joint_effects import JointFriction, coulomb_torques
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.trajectory import _kernels
from robodyn_ros.trajectory.continuity import cubic_spline_velocities
from robodyn_ros.trajectory.joint_trajectory import JointTrajectory
from robodyn_ros.trajectory.splines import TrajectorySpline

Array = NDArray[np.float64]

_FINE = 4  # samples that measure the path, per grid point
_FEWEST = 20
_FASTEST = 1e9
_SHORTEST_PAUSE_S = 1e-6


@dataclass(frozen=True, eq=False)
class Path:
    """
    A path on an even grid of its length: q (N + 1, n) and its first two derivatives by it.

    Length is that of joint space in units of the velocity limits, so ``step`` is in s. speed
    (N + 1,) is the one the motion had there, time (N + 1,) when, from its start.
    """

    q: Array
    slope: Array
    bend: Array
    step: float
    speed: Array
    time: Array


def fastest_on_path(
    model: RobotModel,
    spline: TrajectorySpline,
    limits: JointLimits,
    wrenches: Wrenches | None,
    friction: JointFriction | None,
    points: int,
    faster: bool,
) -> JointTrajectory | None:
    """
    Time-optimal trajectory through the path of ``spline``, from rest to rest.

    Nowhere faster than the given motion, its pauses kept, unless ``faster``.

    About ``points`` points with positions and velocities; interior points at which the motion
    rests stay rests. None when some place cannot be passed at any speed. Torque limits count at
    the grid points and just before the next ones; between them see ``torque_check``.
    """
    times = np.zeros(1)
    rows, rates = [spline.sample(spline.start_ns)[0][None]], [np.zeros((1, model.n))]
    rested = 0.0  # when the piece before this one ended in the given motion

    def pause(until: float) -> None:
        nonlocal times
        if not faster and until - rested > _SHORTEST_PAUSE_S:
            times = np.append(times, times[-1] + until - rested)
            rows.append(rows[-1][-1:])
            rates.append(np.zeros((1, model.n)))

    for piece in _pieces(spline, limits, points):
        speeds = _speeds(model, piece, limits, wrenches, friction, faster)
        if speeds is None:
            return None
        root = np.sqrt(speeds)
        with np.errstate(divide="ignore"):
            spent = 2.0 * piece.step / (root[1:] + root[:-1])
        if not np.isfinite(spent).all():
            return None
        pause(float(piece.time[0]))
        rested = float(piece.time[-1])
        exact = times[-1] + np.cumsum(spent)
        # Times are whole nanoseconds: go on to where the arm is then, or the accelerations
        # between points close to each other would be off.
        late = (np.round(exact * 1e9) * 1e-9 - exact)[:, None]
        pull = np.diff(speeds) / (2.0 * piece.step)
        pull = np.append(0.5 * (pull[1:] + pull[:-1]), 0.0)[:, None]
        rate = (piece.slope * root[:, None])[1:]
        change = piece.slope[1:] * pull + piece.bend[1:] * speeds[1:, None]
        change[-1] = 0.0
        times = np.concatenate([times, exact])
        rows.append(piece.q[1:] + rate * late)
        rates.append(rate + change * late)
    pause((spline.end_ns - spline.start_ns) * 1e-9)
    times_ns = np.round(times * 1e9).astype(np.int64)
    if len(times) < 2 or (np.diff(times_ns) <= 0).any():
        return None
    return JointTrajectory(model.joint_names, times_ns, np.vstack(rows), np.vstack(rates))


def _pieces(spline: TrajectorySpline, limits: JointLimits, points: int) -> list[Path]:
    """Cut the path at its rests and measure each piece."""
    unit = np.where(np.isfinite(limits.velocity), limits.velocity, 1.0)
    speeds = np.abs(spline.coefficients[:, 1] / spline.durations[:, None]).max(axis=1)
    resting = np.flatnonzero(speeds <= 1e-9 * speeds.max(initial=0.0))
    cuts = [0, *resting[resting > 0].tolist(), len(speeds)]
    fine = max(_FEWEST, _FINE * points // max(len(speeds), 1))
    stretches = []
    for first, last in zip(cuts[:-1], cuts[1:], strict=True):
        segment = np.repeat(np.arange(first, last), fine)
        u = np.tile(np.arange(fine) / fine, last - first)
        segment, u = np.append(segment, last - 1), np.append(u, 1.0)
        q = _kernels.sample_segments(spline.coefficients, spline.durations, segment, u)[0]
        steps = np.linalg.norm(np.diff(q, axis=0) / unit, axis=1)
        if steps.sum() > 1e-12:
            stretches.append((segment, u, np.concatenate([[0.0], np.cumsum(steps)])))
    total = sum(length[-1] for *_, length in stretches)
    begin = (spline.times_ns[:-1] - spline.start_ns) * 1e-9
    paths = []
    for segment, u, length in stretches:
        count = max(_FEWEST, round(points * length[-1] / total))
        grid = np.linspace(0.0, length[-1], count + 1)
        fresh = np.append(True, np.diff(length) > 0.0)
        place = np.interp(grid, length[fresh], (segment + u)[fresh])
        whole = np.clip(np.floor(place).astype(np.intp), segment[0], segment[-1])
        q, qd, _ = _kernels.sample_segments(
            spline.coefficients, spline.durations, whole, place - whole
        )
        speed = np.linalg.norm(qd / unit, axis=1)
        time = begin[whole] + (place - whole) * spline.durations[whole]
        paths.append(_path(q, float(length[-1] / count), speed, time))
    return paths


def _path(q: Array, step: float, speed: Array, time: Array) -> Path:
    """Lay a C2 cubic spline through points at even distances."""
    first: Array = (-3.0 * q[0] + 4.0 * q[1] - q[2]) / (2.0 * step)
    last: Array = (3.0 * q[-1] - 4.0 * q[-2] + q[-3]) / (2.0 * step)
    at = step * np.arange(len(q), dtype=np.float64)
    slope = cubic_spline_velocities(at, q, first, last)
    difference = np.diff(q, axis=0) / step
    bend = np.empty_like(q)
    bend[:-1] = (6.0 * difference - 4.0 * slope[:-1] - 2.0 * slope[1:]) / step
    bend[-1] = (2.0 * slope[-2] + 4.0 * slope[-1] - 6.0 * difference[-1]) / step
    return Path(q, slope, bend, step, speed, time)


def _speeds(
    model: RobotModel,
    path: Path,
    limits: JointLimits,
    wrenches: Wrenches | None,
    friction: JointFriction | None,
    faster: bool,
) -> Array | None:
    """Squared path speeds (N + 1,) at the grid points; None when there are none."""
    q, slope, bend = path.q, path.slope, path.bend
    rest = np.zeros_like(q)
    holding = inverse_dynamics(model, q, rest, rest, wrenches)
    a = inverse_dynamics(model, q, rest, slope, wrenches) - holding
    b = inverse_dynamics(model, q, slope, bend, wrenches) - holding
    c = holding
    effort = limits.effort
    if friction is not None:
        c = c + coulomb_torques(friction, slope)
        # viscous friction grows with the root of x: bound it by what the velocity limits allow
        fastest = np.where(np.isfinite(limits.velocity), limits.velocity, 0.0)
        effort = effort - friction.viscous * fastest
    torque, hard = np.isfinite(effort), np.isfinite(limits.acceleration)
    rows = [part[:, torque] for part in (a, b, c)]
    rows = [
        np.ascontiguousarray(np.hstack([row, extra[:, hard]]))
        for row, extra in zip(rows, (slope, bend, rest), strict=True)
    ]
    high = np.concatenate([effort[torque], limits.acceleration[hard]])
    with np.errstate(divide="ignore", invalid="ignore"):
        fastest_rate = np.where(np.isnan(limits.velocity), np.inf, limits.velocity)
        cap = np.nanmin((fastest_rate / np.abs(slope)) ** 2, axis=1, initial=_FASTEST)
    if not faster:
        cap = np.minimum(cap, path.speed**2)
    speeds, where = _kernels.fastest_profile(*rows, -high, high, cap, path.step)
    return None if where >= 0 else speeds
