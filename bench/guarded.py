# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Random planned motions before and after ``retime``, judged by Pinocchio.

usage: python -m bench.guarded [motions per robot and payload]

Motions are as a planner makes them: rest to rest through random places, as fast as the velocity
and acceleration limits allow, a point each 0.1 s. The judge is independent: Pinocchio's torques
along the controller's interpolation, 10,000 samples a second.
"""

import dataclasses
import statistics
import sys
import time

import numpy as np
import pinocchio as pin
import yaml

import robodyn_ros as rd
from bench.pinocchio_oracle import PinocchioOracle
from robodyn_ros.cli.shipped import robot_folder
from robodyn_ros.model.limits import JointLimits

ROBOTS = {"panda": "panda_hand_tcp", "ur5e": "tool0"}
PAYLOADS = (0.0, 1.0, 2.0, 3.0)
COM = (0.0, 0.0, 0.05)
PERIOD, RATE = 0.1, 10_000


def robot(name: str) -> tuple[str, rd.RobotModel, JointLimits]:
    """Read URDF text, model, and limits with the ratings of the robot's YAML (else 10 rad/s^2)."""
    folder = robot_folder(name)
    text = (folder / f"{name}.urdf").read_text()
    model = rd.RobotModel.from_urdf(text)
    given = yaml.safe_load((folder / f"{name}.yaml").read_text())["/**"]["ros__parameters"]
    rows = [given["limits"][joint] for joint in model.joint_names]
    limits = dataclasses.replace(
        model.limits,
        effort=np.array([row["effort_peak"] for row in rows]),
        acceleration=np.array([row.get("acceleration", 10.0) for row in rows]),
    )
    return text, model, limits


def plan(limits: JointLimits, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Make times (T,), positions, velocities and accelerations (T, n) of a random motion."""
    places = rng.uniform(
        np.maximum(limits.lower, -np.pi), np.minimum(limits.upper, np.pi),
        (rng.integers(2, 5), len(limits.lower)),
    )  # fmt: skip
    # a Bezier curve through space: smooth, and within the hull of its places
    degree = len(places) - 1
    curve = [np.polynomial.Polynomial([0.0])] * len(limits.lower)
    s = np.polynomial.Polynomial([0.0, 1.0])
    for i, place in enumerate(places):
        weight = float(np.prod([(degree - k) / (k + 1) for k in range(i)]))
        share = weight * s**i * (1.0 - s) ** (degree - i)
        curve = [c + float(x) * share for c, x in zip(curve, place, strict=True)]
    law = np.polynomial.Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])  # rest to rest
    motion = [c(law) for c in curve]
    fine = np.linspace(0.0, 1.0, 400)
    speed = np.array([np.abs(m.deriv()(fine)).max() for m in motion])
    pull = np.array([np.abs(m.deriv(2)(fine)).max() for m in motion])
    duration = max(
        float((speed / limits.velocity).max()), float(np.sqrt((pull / limits.acceleration).max()))
    )
    times = np.append(np.arange(0.0, duration - 0.5 * PERIOD, PERIOD), duration)
    u = times / duration
    rows = (np.column_stack([m.deriv(k)(u) for m in motion]) / duration**k for k in range(3))
    return times, *rows


def interpolated(
    times: np.ndarray, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray | None
) -> tuple[np.ndarray, ...]:
    """Motion at 10 kHz as joint_trajectory_controller interpolates: cubic, or quintic."""
    at = np.linspace(0.0, times[-1], int(times[-1] * RATE) + 2)
    i = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    h = (times[i + 1] - times[i])[:, None]
    t = at[:, None] - times[i][:, None]
    p, v, d = q[i], qd[i], q[i + 1] - q[i]
    w = qd[i + 1]
    if qdd is None:
        c2, c3 = (3 * d / h - 2 * v - w) / h, (v + w - 2 * d / h) / h**2
        c4 = c5 = 0.0 * c2
    else:
        a, b = qdd[i], qdd[i + 1]
        c2 = 0.5 * a
        c3 = (20 * d - (8 * w + 12 * v) * h - (3 * a - b) * h**2) / (2 * h**3)
        c4 = (-30 * d + (14 * w + 16 * v) * h + (3 * a - 2 * b) * h**2) / (2 * h**4)
        c5 = (12 * d - 6 * (w + v) * h + (b - a) * h**2) / (2 * h**5)
    return (
        p + t * (v + t * (c2 + t * (c3 + t * (c4 + t * c5)))),
        v + t * (2 * c2 + t * (3 * c3 + t * (4 * c4 + t * 5 * c5))),
        2 * c2 + t * (6 * c3 + t * (12 * c4 + t * 20 * c5)),
    )


def largest_use(
    oracle: PinocchioOracle, motion: tuple[np.ndarray, ...], peak: np.ndarray
) -> float:
    """Largest |torque| / rating over all joints and samples."""
    torques = (
        pin.rnea(oracle.pin, oracle.data, oracle.configuration(q), qd, qdd)
        for q, qd, qdd in zip(*motion, strict=True)
    )
    return max(float((np.abs(tau) / peak).max()) for tau in torques)


def main() -> None:
    """Print a row for each robot and payload."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    print("robot  payload motions   over before  worst   slowed down  refused   over after  worst"
          "   duration x median / max   retime ms")  # fmt: skip
    for name, tip in ROBOTS.items():
        text, model, limits = robot(name)
        for mass in PAYLOADS:
            rng = np.random.default_rng(0)
            oracle = PinocchioOracle(text, model)
            if mass > 0.0:
                frame = oracle.pin.frames[oracle.pin.getFrameId(tip)]
                load = pin.Inertia(mass, np.array(COM), np.zeros((3, 3)))
                oracle.pin.appendBodyToJoint(frame.parentJoint, load, frame.placement)
                oracle.data = oracle.pin.createData()
            payload = (tip, mass, COM) if mass > 0.0 else None
            before, after, factors, spent, refused = [], [], [], [], 0
            for _ in range(count):
                times, q, qd, qdd = plan(limits, rng)
                ns = np.round(times * 1e9).astype(np.int64)
                planned = rd.JointTrajectory(model.joint_names, ns, q, qd, qdd)
                before.append(
                    largest_use(oracle, interpolated(ns * 1e-9, q, qd, qdd), limits.effort)
                )
                begin = time.perf_counter()
                result = rd.retime(model, planned, limits, None, payload)
                spent.append(1e3 * (time.perf_counter() - begin))
                if not result.success:
                    refused += 1
                    continue
                factors.append(result.factor)
                t = result.trajectory
                assert t.velocities is not None
                executed = interpolated(
                    t.times_ns * 1e-9, t.positions, t.velocities, t.accelerations
                )
                after.append(largest_use(oracle, executed, limits.effort))
            over = sum(use > 1.0 for use in before)
            slowed = sum(factor > 1.0 for factor in factors)
            still = sum(use > 1.0 for use in after)
            print(
                f"{name:6s} {mass:4.0f} kg {count:7d} {over:13d} {max(before):6.2f} {slowed:13d} "
                f"{refused:8d} {still:12d} {max(after, default=0.0):6.4f} "
                f"{statistics.median(factors):15.3f} / {max(factors):5.3f} "
                f"{statistics.median(spent):15.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
