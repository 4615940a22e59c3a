# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The torque of whole trajectories against ratings, between the points too."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from reference_models import serial_model

from robodyn_ros import (
    JointFriction,
    JointTrajectory,
    RobotModel,
    check_torques,
    gravity_torques,
    load_urdf,
)
from robodyn_ros.cli.shipped import robot_folder
from robodyn_ros.errors import ParameterError, TrajectoryError, UnknownNameError
from robodyn_ros.trajectory.splines import TrajectorySpline
from robodyn_ros.trajectory.torque_peaks import TorqueSampler

PENDULUM = """<robot name="pendulum"><link name="base"/>
<link name="bob"><inertial><origin xyz="1 0 0"/><mass value="1"/>
<inertia ixx="0.002" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.002"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="12" velocity="10"/></joint></robot>"""


def pendulum(length: float = 1.0, mass: float = 1.0, inertia: float = 0.002) -> str:
    text = PENDULUM.replace("1 0 0", f"{length} 0 0").replace(
        'mass value="1"', f'mass value="{mass}"'
    )
    return text.replace("0.002", str(inertia))


# J = 0.502 kg m^2 about the joint and m g l = 9.81 N m: two of the three could be chosen
LIFT_TEXT = pendulum(length=0.5, mass=2.0, inertia=0.002)
MODEL = RobotModel.from_urdf(LIFT_TEXT)


def rest_to_rest(*points: tuple[float, float], model: RobotModel = MODEL) -> JointTrajectory:
    """(time in s, position): at rest in every point, quintic between them."""
    times = [round(t * 1e9) for t, _ in points]
    q = np.array([[p] * model.n for _, p in points])
    return JointTrajectory(model.joint_names, np.array(times), q, 0 * q, 0 * q)


def rated(model: RobotModel, **values: float) -> RobotModel:
    changed = {name: values for name in model.joint_names}
    return model.with_limits(model.limits.replace(model.joint_names, changed))


@pytest.fixture(scope="module")
def panda() -> RobotModel:
    return load_urdf(robot_folder("panda") / "panda.urdf")


def wave(model: RobotModel, points: int, seconds: float, seed: int, share: float = 0.4):
    """Make a smooth motion around the middle of all ranges, with all fields."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, seconds, points)[:, None]
    rate, phase = rng.uniform(1.0, 3.0, model.n), rng.uniform(0.0, 6.0, model.n)
    size = share * 0.5 * (model.limits.upper - model.limits.lower)
    q = model.limits.mid + size * np.sin(rate * t + phase)
    qd, qdd = size * rate * np.cos(rate * t + phase), -size * rate**2 * np.sin(rate * t + phase)
    return JointTrajectory(model.joint_names, np.round(t[:, 0] * 1e9).astype(int), q, qd, qdd)


@pytest.mark.parametrize(
    ("points", "peak"),
    [(((0.0, 0.0), (0.4, -1.2)), 31.5159), (((0.0, -1.2), (0.8, 1.2)), 16.3534)],
)
def test_peaks_lie_between_the_points(points, peak: float) -> None:
    report = check_torques(MODEL, rest_to_rest(*points))
    joint = report.joints[0]
    assert joint.peak == pytest.approx(peak, abs=1e-4)
    at_points = np.abs(gravity_torques(MODEL, np.array([[q] for _, q in points]))).max()
    assert at_points < 10.0 < joint.peak
    assert not report.ok and "point 1" in report.violations[0]
    assert joint.margin == pytest.approx(12.0 - peak, abs=2e-3)
    assert joint.first_time < joint.peak_time


def test_a_swing_helped_by_gravity_takes_little() -> None:
    t = np.append(np.arange(0.0, 0.489898, 0.005), 0.489898)[:, None]
    swing = JointTrajectory(
        ("j",), np.round(t[:, 0] * 1e9).astype(int), -0.9 + 7.5 * t**2, 15 * t, 15 + 0 * t
    )
    assert check_torques(MODEL, swing).joints[0].peak == pytest.approx(2.28, abs=1e-3)


@pytest.mark.parametrize(("points", "seconds"), [(12, 3.0), (60, 3.0), (3, 1.0)])
def test_no_torque_exceeds_the_certified_peak(
    panda: RobotModel, points: int, seconds: float
) -> None:
    trajectory = wave(panda, points, seconds, seed=points)
    report = check_torques(panda, trajectory, tolerance=1e-5)
    path = robot_folder("panda") / "panda.urdf"
    oracle = pinocchio.buildModelFromUrdf(str(path))
    data = oracle.createData()
    spline = TrajectorySpline(trajectory)
    motion = spline.sample_many(np.arange(0, spline.end_ns, 100_000))
    tau = np.abs([pinocchio.rnea(oracle, data, *row) for row in zip(*motion, strict=True)])
    for i, joint in enumerate(report.joints):
        # ours is the supremum: never below a sample, and by no more than it says above them
        assert joint.peak + joint.rest >= tau[:, i].max() - 1e-9
        assert joint.peak <= tau[:, i].max() + 2e-4 * joint.peak_rating
        assert 0.0 <= joint.rest <= 1e-5 * joint.peak_rating * 1.000001


@pytest.mark.parametrize("robot", ["panda", "ur5e", "two_link"])
@pytest.mark.parametrize("wrench", [False, True])
def test_torque_never_bends_faster_than_the_bound(robot: str, wrench: bool) -> None:
    model = load_urdf(robot_folder(robot) / f"{robot}.urdf")
    model = model.with_armature(np.full(model.n, 0.1))
    wrenches = {model.link_names[-1]: [10.0, -20.0, 30.0, 1.0, 2.0, 3.0]} if wrench else None
    spline = TrajectorySpline(wave(model, 9, 2.0, seed=7))
    sampler = TorqueSampler(model, spline, wrenches)
    bound, _ = sampler.curvature()
    for segment in range(len(spline.durations)):
        u = np.linspace(0.0, 1.0, 2001)
        *_, tau = sampler.at(np.full(len(u), segment), u)
        bend = np.diff(tau, 2, axis=0) / (spline.durations[segment] / 2000) ** 2
        assert (np.abs(bend).max(axis=0) <= bound[segment] * (1 + 1e-6) + 1e-3).all()


def test_bounds_hold_for_sliding_and_mimicking_joints() -> None:

    text = """<robot name="gantry"><link name="base"/>
    <link name="a"><inertial><origin xyz="0.1 0.2 0"/><mass value="3"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
    <link name="b"><inertial><origin xyz="0.3 0 0.1"/><mass value="2"/>
    <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
    <link name="c"><inertial><origin xyz="0 0 0.2"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
    <joint name="turn" type="revolute"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>
    <limit lower="-2" upper="2" effort="100" velocity="5"/></joint>
    <joint name="slide" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.4"/><limit lower="-1" upper="1" effort="100" velocity="5"/></joint>
    <joint name="follow" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="100" velocity="5"/>
    <mimic joint="turn" multiplier="-0.5" offset="0.3"/></joint></robot>"""
    model = RobotModel.from_urdf(text)
    spline = TrajectorySpline(wave(model, 6, 1.5, seed=2, share=0.9))
    sampler = TorqueSampler(model, spline)
    bound, _ = sampler.curvature()
    for segment in range(len(spline.durations)):
        *_, tau = sampler.at(np.full(2001, segment), np.linspace(0.0, 1.0, 2001))
        bend = np.diff(tau, 2, axis=0) / (spline.durations[segment] / 2000) ** 2
        assert (np.abs(bend).max(axis=0) <= bound[segment] * (1 + 1e-6) + 1e-3).all()


def test_the_start_segment_is_part_of_the_motion() -> None:
    trajectory = rest_to_rest((0.4, -1.2))
    standing = check_torques(MODEL, trajectory)
    assert standing.joints[0].peak == pytest.approx(9.81 * np.cos(1.2), abs=1e-4)
    moving = check_torques(MODEL, trajectory, start_state=([0.0], [0.0], [0.0]))
    assert moving.joints[0].peak == pytest.approx(31.5159, abs=1e-4)


def test_terms_add_up_and_the_largest_is_named(panda: RobotModel) -> None:
    report = check_torques(
        panda, wave(panda, 20, 2.0, seed=3), payload=("panda_hand", 2.0, (0.0, 0.0, 0.1)),
        friction=JointFriction(0.5, 0.3),
    )  # fmt: skip
    for joint in report.joints:
        assert set(joint.terms) == {"gravity", "inertia", "Coriolis", "payload", "friction"}
        assert abs(sum(joint.terms.values())) == pytest.approx(joint.peak, rel=0.02)
    slow = check_torques(panda, wave(panda, 20, 60.0, seed=3, share=0.1))
    assert slow.joints[1].dominating == "gravity"


def test_a_payload_takes_more(panda: RobotModel) -> None:
    trajectory = wave(panda, 20, 2.0, seed=4)
    bare = check_torques(panda, trajectory)
    loaded = check_torques(panda, trajectory, payload=("panda_hand", 3.0, (0.0, 0.0, 0.1)))
    assert loaded.joints[1].peak > bare.joints[1].peak + 5.0
    with pytest.raises(UnknownNameError, match="panda_hand"):
        check_torques(panda, trajectory, payload=("nothing", 1.0, (0, 0, 0)))


def test_unknown_ratings_are_not_checked_and_said_so() -> None:
    limits = MODEL.limits.replace(("j",), {"j": {"effort": float("nan")}})
    report = check_torques(MODEL, rest_to_rest((0.0, 0.0), (0.4, -1.2)), limits)
    assert report.unchecked == ("j",) and report.ok and not report.joints[0].checked
    assert report.joints[0].peak == pytest.approx(31.5159, abs=1e-2)


def test_velocity_steps_have_no_torque() -> None:
    line = JointTrajectory(("j",), np.array([0, 10**9, 2 * 10**9]), [[0.0], [0.5], [0.6]])
    report = check_torques(MODEL, line, positions_only="linear")
    assert report.velocity_steps == ("j",) and not report.peak_ok
    assert "no bound" in report.violations[0]
    assert not check_torques(MODEL, line).velocity_steps


def test_continuous_ratings_count_over_a_cycle_and_as_heat() -> None:
    model = rated(MODEL, effort=40.0, effort_continuous=8.0, thermal_time_constant=30.0)
    trajectory = rest_to_rest((0.0, 0.0), (0.4, -1.2))
    once = check_torques(model, trajectory)
    assert once.ok and 0.0 < once.joints[0].heat < 0.2
    hot = check_torques(model, trajectory, initial_heat=1.0)
    assert hot.peak_ok and not hot.continuous_ok and "too hot" in hot.violations[0]
    holding = 9.81 * np.cos(1.2)
    over = check_torques(model, trajectory, cycle=0.5)
    long = check_torques(model, trajectory, cycle=20.0)
    assert not over.continuous_ok and "cycle of 0.5 s" in over.violations[-1]
    square = once.joints[0].rms ** 2 * 0.4 + holding**2 * 19.6
    assert long.joints[0].rms == pytest.approx(np.sqrt(square / 20.0), rel=1e-3)
    carried = check_torques(model, trajectory, initial_heat=[once.joints[0].end_heat])
    assert carried.joints[0].end_heat > once.joints[0].end_heat


def test_friction_counts_at_its_worst_around_standstill() -> None:
    trajectory = rest_to_rest((0.0, 0.0), (1.0, 0.0))
    still = check_torques(MODEL, trajectory, friction=JointFriction(0.0, 1.5))
    assert still.joints[0].peak == pytest.approx(9.81, abs=1e-6)
    moving = rest_to_rest((0.0, 0.0), (4.0, 0.1))
    assert check_torques(MODEL, moving, friction=JointFriction(0.0, 1.5)).joints[
        0
    ].peak == pytest.approx(9.81 + 1.5, abs=0.1)


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"times_ns": np.array([0, 0])}, TrajectoryError, "not later"),
        ({"joint_names": ("other",)}, TrajectoryError, "'other' is not one of: j"),
        ({"positions": [[0.0], [np.nan]]}, TrajectoryError, "point 1, joint 'j'"),
    ],
)
def test_trajectories_nobody_can_follow_are_refused(change, error, said: str) -> None:
    with pytest.raises(error, match=said):
        check_torques(MODEL, replace(rest_to_rest((0.0, 0.0), (1.0, 1.0)), **change))


def test_wrong_arguments_are_named() -> None:
    trajectory = rest_to_rest((0.0, 0.0), (1.0, 1.0))
    empty = JointTrajectory(("j",), np.zeros(0, dtype=int), np.zeros((0, 1)))
    with pytest.raises(TrajectoryError, match="no points"):
        check_torques(MODEL, empty)
    with pytest.raises(ParameterError, match="cycle"):
        check_torques(MODEL, trajectory, cycle=0.5)
    with pytest.raises(ParameterError, match="initial_heat"):
        check_torques(MODEL, trajectory, initial_heat=-1.0)
    with pytest.raises(ParameterError, match="tolerance"):
        check_torques(MODEL, trajectory, tolerance=0.0)


def test_a_robot_without_mass_or_joints_is_fine() -> None:
    light = serial_model("light", [])
    trajectory = JointTrajectory((), np.array([0, 10**9]), np.zeros((2, 0)))
    assert check_torques(light, trajectory).ok
