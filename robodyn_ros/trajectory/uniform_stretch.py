# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The smallest factor by which time must be stretched, exactly.

At a stretch of k = 1 / y the torque at each pose of the path is
    tau(y) = c + b y + a y^2,
a: inertia and Coriolis torque of the motion as given, b: viscous friction, c: gravity, external
wrenches and Coulomb friction. Each limit forbids open intervals of y; the answer is the largest
y up to 1 that none of them covers. Slower is not always better, so all intervals count.
"""

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.dynamics.inverse_dynamics import Wrenches, inverse_dynamics
from robodyn_ros.dynamics.joint_effects import JointFriction, coulomb_torques, viscous_torques
from robodyn_ros.model.limits import JointLimits
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.trajectory.extrema import acceleration_peaks, velocity_peaks
from robodyn_ros.trajectory.splines import TrajectorySpline

Array = NDArray[np.float64]

_SAMPLES = 4000
_INSIDE = 1e-7  # of the rating: kept free, so that rounding does not decide


def smallest_stretch(
    model: RobotModel,
    spline: TrajectorySpline,
    limits: JointLimits,
    wrenches: Wrenches | None,
    friction: JointFriction | None,
    extra_ns: NDArray[np.int64],
) -> float | None:
    """
    Find the smallest factor >= 1 that satisfies torque, velocity and acceleration limits.

    Torques are looked at on an even grid of the motion, at all points and at the times extra_ns.
    None when there is no such factor.
    """
    q, qd, qdd = _samples(spline, extra_ns)
    rest = np.zeros(model.n)
    static = inverse_dynamics(model, q, rest, rest, wrenches)
    dynamic = inverse_dynamics(model, q, qd, qdd, wrenches) - static
    linear = np.zeros_like(static)
    if friction is not None:
        static = static + coulomb_torques(friction, qd)
        linear = viscous_torques(friction, qd)
    rating = limits.effort * (1.0 - _INSIDE)
    checked = ~np.isnan(rating) & np.isfinite(rating)
    a, b, c, most = dynamic[:, checked], linear[:, checked], static[:, checked], rating[checked]
    forbidden = np.vstack([_above(a, b, c - most), _above(-a, -b, -c - most)])
    with np.errstate(divide="ignore", invalid="ignore"):
        slow = np.nanmin(limits.velocity / velocity_peaks(spline), initial=1.0)
        soft = np.sqrt(np.nanmin(limits.acceleration / acceleration_peaks(spline), initial=1.0))
    largest = _largest_free(forbidden, min(1.0, float(slow), float(soft)))
    return None if largest <= 1e-9 else 1.0 / largest


def _samples(spline: TrajectorySpline, extra_ns: NDArray[np.int64]) -> tuple[Array, Array, Array]:
    even = np.linspace(spline.start_ns, spline.end_ns - 1, _SAMPLES).astype(np.int64)
    # just before a point the acceleration can be another one than just behind it
    times = np.concatenate([even, spline.times_ns, spline.times_ns[1:] - 1, extra_ns])
    return spline.sample_many(np.unique(np.clip(times, spline.start_ns, spline.end_ns - 1)))


def _above(a: Array, b: Array, c: Array) -> Array:
    """Intervals (K, 2) of y >= 0 on which a y^2 + b y + c > 0."""
    a, b, c = a.ravel(), b.ravel(), c.ravel()
    square = b * b - 4.0 * a * c
    root = np.sqrt(np.maximum(square, 0.0))
    half = -0.5 * (b + np.where(b >= 0.0, root, -root))
    with np.errstate(divide="ignore", invalid="ignore"):
        one, two = half / a, c / half
    low, high = np.fmin(one, two), np.fmax(one, two)
    # opening upwards: outside the roots; downwards: between them; a straight line: one side
    up, down = a > 0.0, a < 0.0
    real = square > 0.0
    line = (a == 0.0) & (b != 0.0)
    zero = np.zeros_like(a)
    inf = np.full_like(a, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = -c / b
    pieces = [
        (up & real, high, inf),
        (up & real & (low > 0.0), zero, low),
        (up & ~real, zero, inf),
        (down & real, np.maximum(low, 0.0), high),
        (line & (b > 0.0), np.maximum(crossing, 0.0), inf),
        (line & (b < 0.0), zero, crossing),
        ((a == 0.0) & (b == 0.0) & (c > 0.0), zero, inf),
    ]
    rows = [np.stack([begin[k], end[k]], axis=1) for k, begin, end in pieces]
    intervals = np.vstack(rows)
    return intervals[intervals[:, 1] > np.maximum(intervals[:, 0], 0.0)]


def _largest_free(forbidden: Array, most: float) -> float:
    """Return the largest y in (0, most] in no open interval (K, 2)."""
    free = most
    for begin, end in forbidden[np.argsort(-forbidden[:, 1])]:
        if end <= free * (1.0 + 1e-15):
            if end < free:
                break  # all others end lower still
            continue
        if begin < free:
            free = max(float(begin), 0.0)
    return free
