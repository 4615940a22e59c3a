# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
The examples of Lynch, Park, Modern Robotics, and of its code (NxRLab/ModernRobotics cbd41fdf).

TRAP: the first screw axis of the code's dynamics examples has |omega| = sqrt(2), so its joint
variable is not an angle: the same arm with unit axes has q1' = sqrt(2) q1 and tau1' = tau1 /
sqrt(2). Their numbers are reproduced here by exactly this change of variable; beside them stand
the figures for unit axes (Pinocchio). Their vectors are [angular; linear], their Ftip is the
robot's on the world.
"""

import numpy as np
import pytest
from reference_models import Segment, serial_model, turn

from robodyn_ros import (
    RobotModel,
    coriolis_torques,
    forward_dynamics,
    frame_jacobian,
    gravity_torques,
    inverse_dynamics,
    link_pose,
    mass_matrix,
)
from robodyn_ros.dynamics.integrators import euler
from robodyn_ros.dynamics.inverse_dynamics import wrench_torques
from robodyn_ros.model.specs import JointSpec, LinkSpec, MimicSpec

# One unit of their first joint variable is sqrt(2) rad.
UNIT = np.array([np.sqrt(2.0), 1.0, 1.0])
Q = UNIT * 0.1
QD = UNIT * [0.1, 0.2, 0.3]
QDD = UNIT * [2.0, 1.5, 1.0]
DIGITS = dict(rel=2e-8, abs=2e-8)


def screw_model(screws: np.ndarray, tool: np.ndarray, bodies: list = ()) -> RobotModel:
    """
    Make the chain of space screws (n, 6) [w; v] with a frame "tool" at its pose (4, 4) at zero.

    At zero all link frames are parallel to the root, on their axes. A screw with a pitch is a
    turning joint followed by a sliding one that mimics it. Bodies: (mass, centre, tensor) in the
    root's axes at zero.
    """
    links, joints, parent, where = [LinkSpec("base")], [], "base", np.zeros(3)
    for i, (w, v) in enumerate(zip(screws[:, :3], screws[:, 3:], strict=True), start=1):
        name, pitch = f"link{i}", float(w @ v)
        through = np.cross(w, v) if w.any() else where
        kind, axis = ("revolute", w) if w.any() else ("prismatic", v)
        at = through - where
        if w.any() and abs(pitch) > 1e-12:
            links.append(LinkSpec(f"turned{i}"))
            joints.append(JointSpec(f"q{i}", kind, parent, f"turned{i}", np.eye(3), at, axis))
            follow = MimicSpec(f"q{i}", pitch)
            parent, kind, at, name_of = f"turned{i}", "prismatic", np.zeros(3), f"slide{i}"
        else:
            follow, name_of = None, f"q{i}"
        mass, center, tensor = bodies[i - 1] if bodies else (0.0, through, np.zeros((3, 3)))
        links.append(LinkSpec(name, mass, center - through, tensor))
        joints.append(JointSpec(name_of, kind, parent, name, np.eye(3), at, axis, mimic=follow))
        parent, where = name, through
    links.append(LinkSpec("tool"))
    joints.append(JointSpec("weld", "fixed", parent, "tool", tool[:3, :3], tool[:3, 3] - where))
    return RobotModel.from_specs("screws", links, joints, gravity=(0, 0, -9.8))


def arm() -> RobotModel:
    """Make the three-link arm of the code's dynamics examples."""
    root = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    frames = [
        (np.eye(3), np.array([0, 0, 0.089159])),
        (root, np.array([0.28, 0.13585, 0.089159])),
        (root, np.array([0.28 + 0.395, 0.13585 - 0.1197, 0.089159])),
    ]
    masses = [3.7, 8.393, 2.275]
    inertias = [
        (0.010267, 0.010267, 0.00666),
        (0.22689, 0.22689, 0.0151074),
        (0.0494433, 0.0494433, 0.004095),
    ]
    bodies = [
        (m, p, r @ np.diag(moments) @ r.T)
        for m, (r, p), moments in zip(masses, frames, inertias, strict=True)
    ]
    screws = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]])
    tip = frames[2][1] + root @ [0, 0, 0.14225]
    tool = np.block([[root, tip[:, None]], [np.zeros(3), 1.0]])
    return screw_model(screws / UNIT[:, None], tool, bodies)


ARM = arm()


def tip_wrench(q: np.ndarray) -> dict[str, np.ndarray]:
    """Wrench on the robot when it presses with Ftip = (1, 1, 1, 1, 1, 1) in the tool's axes."""
    rotation, _ = link_pose(ARM, q, "tool")
    return {"tool": -np.concatenate([rotation @ np.ones(3), rotation @ np.ones(3)])}


@pytest.mark.parametrize(
    ("name", "ours", "theirs", "unit_axes"),
    [
        (
            "InverseDynamics",
            lambda: inverse_dynamics(ARM, Q, QD, QDD, tip_wrench(Q)),
            [74.69616155, -33.06766016, -3.23057314],
            [52.8181623626, -33.0676601585, -3.2305731379],
        ),
        (
            "VelQuadraticForces",
            lambda: coriolis_torques(ARM, Q, QD),
            [0.26453118, -0.05505157, -0.00689132],
            [0.1870517916, -0.0550515683, -0.0068913201],
        ),
        (
            "GravityForces",
            lambda: gravity_torques(ARM, Q),
            [28.40331262, -37.64094817, -5.4415892],
            [20.0841749605, -37.6409481718, -5.4415892],
        ),
        (
            "EndEffectorForces",
            lambda: -wrench_torques(ARM, Q, tip_wrench(Q)),
            [1.40954608, 1.85771497, 1.392409],
            None,
        ),
    ],
)
def test_torques(name: str, ours, theirs: list, unit_axes: list | None) -> None:
    assert UNIT * ours() == pytest.approx(theirs, **DIGITS)
    if unit_axes:
        assert ours() == pytest.approx(unit_axes, rel=1e-9, abs=1e-10)


def test_mass_matrix() -> None:
    theirs = [[22.5433380, -0.307146754, -0.00718426391],
              [-0.307146754, 1.96850717, 0.432157368],
              [-0.00718426391, 0.432157368, 0.191630858]]  # fmt: skip
    unit_axes = [[11.2716690178, -0.2171855527, -0.0050800417],
                 [-0.2171855527, 1.9685071663, 0.4321573683],
                 [-0.0050800417, 0.4321573683, 0.1916308575]]  # fmt: skip
    mass = mass_matrix(ARM, Q)
    assert UNIT[:, None] * mass * UNIT == pytest.approx(np.array(theirs), rel=1e-8)
    assert mass == pytest.approx(np.array(unit_axes), rel=1e-9, abs=1e-10)


def test_forward_dynamics() -> None:
    tau = np.array([0.5, 0.6, 0.7]) / UNIT
    qdd = forward_dynamics(ARM, Q, QD, tau, tip_wrench(Q))
    assert qdd / UNIT == pytest.approx([-0.97392907, 25.58466784, -32.91499212], **DIGITS)
    unit_axes = [-1.3773436955, 25.5846678403, -32.9149921248]
    assert qdd == pytest.approx(unit_axes, rel=1e-9)


def test_computed_torque() -> None:
    """Kp 1.3, Ki 1.2, Kd 1.1 act as accelerations; the present error counts into the integral."""
    error = 1.0 - np.full(3, 0.1)
    rate_error = np.array([2.0, 1.2, 2.0]) - [0.1, 0.2, 0.3]
    qdd = 0.1 + 1.3 * error + 1.2 * (0.2 + error) + 1.1 * rate_error
    tau = UNIT * inverse_dynamics(ARM, Q, QD, UNIT * qdd)
    assert tau == pytest.approx([133.00525246, -29.94223324, -3.03276856], **DIGITS)


def test_euler_step_moves_with_the_old_velocity() -> None:
    q, qd = euler(
        lambda q, qd: np.array([2.0, 1.5, 1.0]), np.full(3, 0.1), np.array([0.1, 0.2, 0.3]), 0.1
    )
    assert q == pytest.approx([0.11, 0.12, 0.13]) and qd == pytest.approx([0.3, 0.35, 0.4])


def test_forward_dynamics_trajectory() -> None:
    """Explicit Euler in 8 steps per 0.1 s, torques of the code's example, pressing all along."""
    torques = np.array([
        [3.63, -6.58, -5.57], [3.74, -5.55, -5.5], [4.31, -0.68, -5.19], [5.18, 5.63, -4.31],
        [5.85, 8.17, -2.59], [5.78, 2.79, -1.7], [4.99, -5.3, -1.19], [4.08, -9.41, 0.07],
        [3.56, -10.1, 0.97],
    ])  # fmt: skip
    expected = np.array([
        [0.1, 0.1, 0.1],
        [0.106431381, 0.2625997005, -0.2266494749],
        [0.1019795376, 0.7158129651, -1.2252163193],
        [0.0801044015, 1.3393088409, -2.2807413247],
        [0.028216498, 2.1195737591, -3.0754429711],
        [-0.0712385528, 2.877266658, -3.8328968434],
        [-0.2013646649, 3.3978579958, -4.83821609],
        [-0.3238009228, 3.7333853457, -5.9869574679],
        [-0.4152326156, 3.8588331694, -7.011305585],
        [-0.4638099003, 3.6317879301, -7.6319005161],
    ])  # fmt: skip
    q, qd = UNIT * 0.1, UNIT * [0.1, 0.2, 0.3]
    found = [q / UNIT]
    for tau in torques / UNIT:
        for _ in range(8):
            q, qd = euler(
                lambda q, qd, tau=tau: forward_dynamics(ARM, q, qd, tau, tip_wrench(q)),
                q,
                qd,
                0.1 / 8,
            )
        found.append(q / UNIT)
    assert np.array(found) == pytest.approx(expected, abs=1e-9)
    assert qd / UNIT == pytest.approx([-0.1455668986, -4.5714998486, -3.4313511419], abs=1e-9)


def test_pose_by_product_of_exponentials() -> None:
    """FKinSpace and FKinBody: joint 2 slides, joint 3 has a pitch of 0.1 m per rad."""
    home = np.array([[-1, 0, 0, 0], [0, 1, 0, 6], [0, 0, -1, 2], [0, 0, 0, 1]])
    screws = np.array([[0, 0, 1, 4, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, -1, -6, 0, -0.1]])
    model = screw_model(screws, home)
    rotation, position = link_pose(model, np.array([np.pi / 2, 3.0, np.pi]), "tool")
    assert rotation == pytest.approx(np.array([[0, 1, 0], [1, 0, 0], [0, 0, -1]]), abs=1e-15)
    assert position == pytest.approx([-5, 4, 1.68584073], abs=1e-8)


def test_jacobians_of_screws_with_pitch() -> None:
    """JacobianSpace is the twist at the root's origin, JacobianBody the one at the tool's."""
    screws = np.array([[0, 0, 1, 0, 0.2, 0.2], [1, 0, 0, 2, 0, 3],
                       [0, 1, 0, 0, 2, 1], [1, 0, 0, 0.2, 0.3, 0.4]])  # fmt: skip
    model, q = screw_model(screws, np.eye(4)), [0.2, 1.1, 0.1, 1.2]
    body = np.array([
        [-0.04528405, 0.99500417, 0, 1],
        [0.74359313, 0.09304865, 0.36235775, 0],
        [-0.66709716, 0.03617541, -0.93203909, 0],
        [2.32586047, 1.66809, 0.56410831, 0.2],
        [-1.44321167, 2.94561275, 1.43306521, 0.3],
        [-2.06639565, 1.82881722, -1.58868628, 0.4],
    ])  # fmt: skip
    local = frame_jacobian(model, q, "tool", axes="local")
    assert np.roll(local, 3, axis=0) == pytest.approx(body, **DIGITS)
    space = np.array([
        [0, 0.98006658, -0.09011564, 0.95749426],
        [0, 0.19866933, 0.4445544, 0.28487557],
        [1, 0, 0.89120736, -0.04528405],
        [0, 1.95218638, -2.21635216, -0.51161537],
        [0.2, 0.43654132, -2.43712573, 2.77535713],
        [0.2, 2.96026613, 3.23573065, 2.22512443],
    ])  # fmt: skip
    rotation, position = link_pose(model, q, "tool")
    at_root = frame_jacobian(model, q, "tool", offset=-rotation.T @ position)
    assert np.roll(at_root, 3, axis=0) == pytest.approx(space, **DIGITS)


def test_universal_robot_of_the_book() -> None:
    """Section 4.1.2, example 4.5: UR5 with joint 2 at -90 and joint 5 at 90 degrees."""
    w1, w2, l1, l2, h1, h2 = 0.109, 0.082, 0.425, 0.392, 0.089, 0.095
    at_zero = np.array([[-1, 0, 0], [0, 0, 1], [0, 1, 0]]), (0.0, w2, -h2)
    y = (0, 1, 0)
    model = serial_model(
        "ur5",
        [
            Segment(axis=(0, 0, 1)),
            Segment((np.eye(3), (0, 0, h1)), axis=y),
            Segment((np.eye(3), (l1, 0, 0)), axis=y),
            Segment((np.eye(3), (l2, 0, 0)), axis=y),
            Segment((np.eye(3), (0, w1, 0)), axis=(0, 0, -1)),
            Segment((np.eye(3), (0, 0, -h2)), (at_zero[0], (0, w2, 0)), axis=y),
        ],
    )
    rotation, position = link_pose(model, np.zeros(6), "tip6")
    assert rotation == pytest.approx(at_zero[0])
    assert position == pytest.approx([l1 + l2, w1 + w2, h1 - h2])
    rotation, position = link_pose(model, [0, -np.pi / 2, 0, 0, np.pi / 2, 0], "tip6")
    assert rotation == pytest.approx(turn(z=np.pi / 2), abs=1e-15)
    assert position == pytest.approx([0.095, 0.109, 0.988], abs=1e-15)
