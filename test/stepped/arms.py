# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Small arms and controllers for the stepped tests; a plant apart from the code under test."""

import numpy as np

from robodyn_ros.control import ComputedTorqueController, ControllerSettings
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.specs import JointSpec, LimitSpec, LinkSpec
from robodyn_ros.trajectory import JointTrajectory, TrajectoryPoint

MS = 1_000_000
S = 1_000_000_000
L1, L2, M1, M2, G = 0.5, 0.4, 1.5, 1.0, 9.81
T0 = 1_760_000_000 * S
Q0 = (0.4, -0.7)
GAINS = {
    "feedforward": dict(law="feedforward", kp=(300.0, 120.0), kd=(40.0, 10.0)),
    "computed_torque": dict(law="computed_torque", kp=400.0, kd=40.0),
}


def two_link(velocity=8.0, payload=0.0):
    """Two point masses in the vertical x-z plane; positive angles lift the arm."""
    axis = np.array([0.0, -1.0, 0.0])
    limit = dict(lower=-3.2, upper=3.2, velocity=velocity)
    return RobotModel.from_specs(
        "two_link",
        [
            LinkSpec("base"),
            LinkSpec("upper", M1, np.array([L1, 0.0, 0.0])),
            LinkSpec("lower", M2 + payload, np.array([L2, 0.0, 0.0])),
        ],
        [
            JointSpec(
                "shoulder",
                "revolute",
                "base",
                "upper",
                axis=axis,
                limit=LimitSpec(effort=40.0, **limit),
            ),
            JointSpec(
                "elbow",
                "revolute",
                "upper",
                "lower",
                position=np.array([L1, 0.0, 0.0]),
                axis=axis,
                limit=LimitSpec(effort=15.0, **limit),
            ),
        ],
    )


def wheel():
    """Return a model with one continuous joint about the vertical: no gravity torque."""
    return RobotModel.from_specs(
        "wheel",
        [LinkSpec("base"), LinkSpec("rim", 1.0, np.zeros(3), np.eye(3))],
        [
            JointSpec(
                "turn",
                "continuous",
                "base",
                "rim",
                axis=np.array([0.0, 0.0, 1.0]),
                limit=LimitSpec(velocity=6.0),
            )
        ],
    )


def gravity_of(q):
    """Return the two-link gravity torques in closed form."""
    elbow = M2 * G * L2 * np.cos(q[0] + q[1])
    return np.array([(M1 + M2) * G * L1 * np.cos(q[0]) + elbow, elbow])


def acceleration_of(q, qd, tau):
    """Closed-form forward dynamics of the two-link arm (any robotics textbook)."""
    c, s = np.cos(q[1]), np.sin(q[1])
    m22 = M2 * L2**2
    m12 = m22 + M2 * L1 * L2 * c
    m11 = (M1 + M2) * L1**2 + m22 + 2 * M2 * L1 * L2 * c
    h = M2 * L1 * L2 * s
    bias = np.array([-h * (2 * qd[0] * qd[1] + qd[1] ** 2), h * qd[0] ** 2]) + gravity_of(q)
    b = tau - bias
    det = m11 * m22 - m12 * m12
    return np.array([m22 * b[0] - m12 * b[1], m11 * b[1] - m12 * b[0]]) / det


class Plant:
    """The two-link arm, integrated by RK4 with the effort constant over each step."""

    def __init__(self, q=(0.0, 0.0), qd=(0.0, 0.0)):
        self.q, self.qd = np.array(q, float), np.array(qd, float)

    def advance(self, tau, h):
        """One step of h seconds."""

        def f(x):
            return np.concatenate([x[2:], acceleration_of(x[:2], x[2:], tau)])

        x = np.concatenate([self.q, self.qd])
        k1 = f(x)
        k2 = f(x + 0.5 * h * k1)
        k3 = f(x + 0.5 * h * k2)
        k4 = f(x + h * k3)
        x = x + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)
        self.q, self.qd = x[:2], x[2:]


def run(controller, plant, start_ns, duration_ns, period_ns=MS, at=None, latency=0):
    """Close the loop: outputs of all steps; ``at`` maps times from the start to calls (now)."""
    at = dict(at or {})
    states, outputs = [], []
    for k in range(duration_ns // period_ns):
        now = start_ns + k * period_ns
        states.append((plant.q, plant.qd, now))
        q, qd, stamp = states[max(len(states) - 1 - latency, 0)]
        controller.update_state(q, qd, stamp)
        if k * period_ns in at:
            at[k * period_ns](now)
        out = controller.step(now)
        outputs.append(out)
        plant.advance(np.zeros(2) if out.effort is None else out.effort, period_ns * 1e-9)
    return outputs


def trajectory(*points, joints=("shoulder", "elbow")):
    """Points as (seconds, positions[, velocities[, accelerations[, effort]]])."""
    return JointTrajectory.from_points(
        joints, [TrajectoryPoint(round(p[0] * S), *p[1:]) for p in points]
    )


def controller(law="feedforward", model=None, **settings):
    model = model or two_link()
    return ComputedTorqueController(
        model, ControllerSettings.for_model(model, **{**GAINS[law], **settings})
    )


def holding(q=Q0, law="feedforward", **settings):
    """Return a controller that has held ``q`` for a while (the ramp is over at T0)."""
    c = controller(law, **settings)
    for now in range(T0 - S // 2, T0, 10 * MS):
        c.update_state(q, np.zeros(2), now)
        c.step(now)
    c.update_state(q, np.zeros(2), T0)
    c.take_messages()
    return c


def follow(c, start_ns, duration_ns, period_ns=MS, at=None):
    """Step a controller whose arm follows the reference exactly; return all outputs."""
    at, outputs = dict(at or {}), []
    for k in range(duration_ns // period_ns):
        now = start_ns + k * period_ns
        if k * period_ns in at:
            at[k * period_ns](now)
        out = c.step(now)
        c.update_state(out.q_d, out.qd_d, now)
        outputs.append(out)
    return outputs


def stack(outputs, name):
    return np.array([getattr(out, name) for out in outputs])


def motion():
    zero = (0.0, 0.0)
    return trajectory(
        (0.6, (1.1, 0.2), (0.8, 0.5), zero),
        (1.2, (1.3, 0.6), (-0.2, 0.4), zero),
        (2.0, (0.2, -0.3), zero, zero),
    )
