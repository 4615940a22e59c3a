# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The simulated arm: physics against closed forms, drives, friction, stops, brakes and clocks."""

import numpy as np
import pytest

from robodyn_ros.dynamics.energy import kinetic_energy, potential_energy
from robodyn_ros.dynamics.inverse_dynamics import gravity_torques
from robodyn_ros.errors import ParameterError, SingularModelError
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.specs import JointSpec, LimitSpec, LinkSpec
from robodyn_ros.simulation import ArmSimulator, SimulatorSettings

NAN = float("nan")
SECOND = 1_000_000_000
MS = 1_000_000
T0 = 1_700_000_000 * SECOND
Y, Z = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
INTEGRATORS = ("semi_implicit", "rk4")


def one_joint(mass, com_x, inertia, axis, limit, gravity=(0.0, 0.0, -9.81)):
    links = [LinkSpec("base"), LinkSpec("l", mass, np.array([com_x, 0.0, 0.0]), inertia)]
    joints = [JointSpec("j", "revolute", "base", "l", axis=axis, limit=limit)]
    return RobotModel.from_specs("one_joint", links, joints, gravity)


def pendulum():
    """Effort = 0.502 qdd - 9.81 cos q; hangs at q = pi/2; limits: +-3 rad, 20 rad/s, 12 N m."""
    tensor = np.diag([0.001, 0.002, 0.002])
    return one_joint(2.0, 0.5, tensor, Y, LimitSpec(-3.0, 3.0, 20.0, 12.0))


def light():
    """Make a link of 2e-4 kg m^2 about a vertical axis; limits: +-3 rad, 100 rad/s, 50 N m."""
    return one_joint(0.1, 0.0, 2e-4 * np.eye(3), Z, LimitSpec(-3.0, 3.0, 100.0, 50.0))


def double_pendulum():
    links = [
        LinkSpec("base"),
        LinkSpec("a", 1.0, np.array([0.25, 0, 0]), np.diag([0.001, 0.02, 0.02])),
        LinkSpec("b", 0.5, np.array([0.2, 0, 0]), np.diag([0.0005, 0.008, 0.008])),
    ]
    joints = [
        JointSpec("q1", "continuous", "base", "a", position=Z, axis=Y),
        JointSpec("q2", "continuous", "a", "b", position=np.array([0.5, 0, 0]), axis=Y),
    ]
    return RobotModel.from_specs("double_pendulum", links, joints)


def simulator(model, q=None, qd=None, effort=None, **settings):
    """Start a simulator; an effort given is a command that holds for ever."""
    if effort is not None:
        settings.setdefault("command_timeout_ns", None)
    sim = ArmSimulator(model, SimulatorSettings(**settings))
    if q is not None:
        sim.reset(q, qd)
    assert sim.advance(T0) == 0
    if effort is not None:
        assert sim.command(effort, T0)
    return sim


def texts(sim):
    return [text for _, text in sim.take_messages()]


# Physics.


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_small_swing_has_the_right_period_and_no_hidden_damping(integrator):
    # 2 pi sqrt(J / m g l) (1 + A^2 / 16) = 1.42223 s at A = 0.1 rad
    sim = simulator(pendulum(), [np.pi / 2 - 0.1], effort=[0.0], integrator=integrator)
    swing = []
    for k in range(1, 29_500):
        sim.advance(T0 + k * MS)
        swing.append(sim.q[0] - np.pi / 2)
    swing = np.array(swing)
    up = np.flatnonzero((swing[:-1] < 0) & (swing[1:] >= 0))
    crossings = up + swing[up] / (swing[up] - swing[up + 1])
    assert len(crossings) >= 20
    assert np.diff(crossings).mean() * 1e-3 == pytest.approx(1.42223, rel=1e-4)
    assert abs(swing[-1500:]).max() == pytest.approx(0.1, rel=1e-3)


def test_large_swing_follows_the_exact_motion():
    # mathematical pendulum (length 1), start 1 rad from hanging: exact state at 10 s by elliptic
    # functions
    model = one_joint(1.0, 1.0, 1e-12 * np.eye(3), Y, LimitSpec())
    sim = simulator(model, [np.pi / 2 + 1.0], effort=[0.0], max_catch_up_ns=20 * SECOND)
    assert sim.advance(T0 + 10 * SECOND) == 10_000
    assert sim.q[0] - np.pi / 2 == pytest.approx(-0.46325276873, abs=1e-8)
    assert sim.qd[0] == pytest.approx(2.63654951355, abs=1e-8)


@pytest.mark.parametrize(("integrator", "drift"), [("rk4", 1e-6), ("semi_implicit", 0.1)])
def test_double_pendulum_keeps_its_energy(integrator, drift):
    # falls from horizontal: 5.886 J of swing; chaotic, so the energy is compared, not the path
    model = double_pendulum()
    sim = simulator(model, effort=[0.0, 0.0], integrator=integrator)
    energy = []
    for k in range(1, 1001):
        sim.advance(T0 + k * 10 * MS)
        energy.append(kinetic_energy(model, sim.q, sim.qd) + potential_energy(model, sim.q))
    assert np.ptp(energy) < drift * 5.886
    assert np.abs(sim.qd).max() > 1.0


def test_gravity_torque_holds_any_pose():
    model = double_pendulum()
    q = np.array([0.4, -1.1])
    sim = simulator(model, q, effort=gravity_torques(model, q))
    sim.advance(T0 + 40 * MS)
    np.testing.assert_allclose(sim.q, q, atol=1e-12)
    np.testing.assert_allclose(sim.qdd, 0.0, atol=1e-9)
    np.testing.assert_allclose(sim.effort, gravity_torques(model, q))


def test_acceleration_is_that_of_the_last_substep():
    sim = simulator(pendulum(), [0.0], effort=[0.0], integrator="semi_implicit")
    sim.advance(T0 + MS)
    assert sim.qdd[0] == pytest.approx(9.81 / 0.502)
    assert sim.qd[0] == pytest.approx(9.81 / 0.502 * 1e-3)
    assert sim.q[0] == pytest.approx(9.81 / 0.502 * 1e-6)


# Drives.


def test_effort_is_cut_at_the_limit_and_said_once():
    sim = simulator(pendulum(), [0.0], effort=[-50.0])
    for k in range(1, 21):
        sim.advance(T0 + k * MS)
    assert sim.effort[0] == -12.0 and sim.saturated[0]
    assert sim.qdd[0] == pytest.approx((9.81 - 12.0) / 0.502, rel=1e-3)
    assert texts(sim) == ["joint 'j' saturates: effort cut to -12"]
    assert sim.counters["saturations"] == 1
    sim.command([0.0], T0 + 20 * MS)
    sim.advance(T0 + 21 * MS)
    assert not sim.saturated[0]


def test_unstable_sampled_loop_stays_finite_and_inside_the_limits():
    # kd dt / J = 5: no integrator can save this loop
    sim = simulator(light(), [0.5], effort=[0.0])
    lines, cut = [], 0
    for k in range(1, 1001):
        sim.command(1000.0 * (0.0 - sim.q) + 1.0 * (0.0 - sim.qd), T0 + (k - 1) * MS)
        sim.advance(T0 + k * MS)
        assert np.isfinite([sim.q, sim.qd, sim.qdd, sim.effort]).all()
        assert abs(sim.q[0]) <= 3.0 and abs(sim.qd[0]) <= 100.0 and abs(sim.effort[0]) <= 50.0
        lines += texts(sim)
        cut += int(sim.saturated[0])
    assert cut > 900
    assert len([line for line in lines if "saturates" in line]) == 1


def test_governor_holds_the_velocity_limit():
    sim = simulator(light(), effort=[0.5], velocity_limit=[2.0], viscous=0.0)
    sim.advance(T0 + 50 * MS)
    assert sim.qd[0] == 2.0 and sim.governed[0]
    (text,) = texts(sim)
    assert "velocity limit" in text
    free = simulator(light(), effort=[0.005], velocity_limit=[NAN], effort_limit=[NAN])
    free.advance(T0 + 50 * MS)
    assert free.qd[0] == pytest.approx(0.005 / 2e-4 * 0.05)


# Friction.


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_heavy_damping_on_a_light_link_is_stable(integrator):
    # J = 2e-4, damping 8: an explicit step would have the gain -39
    sim = simulator(light(), [0.0], [1.0], effort=[0.0], viscous=8.0, integrator=integrator)
    before = 1.0
    for k in range(1, 11):
        sim.advance(T0 + k * MS)
        assert 0.0 <= sim.qd[0] < before
        before = sim.qd[0]
    assert sim.qd[0] < 1e-3
    assert abs(sim.q[0] - 2.5e-5) < 1.2e-3


def test_viscous_friction_decays_as_it_should():
    sim = simulator(light(), [0.0], [1.0], effort=[0.0], viscous=2e-4)  # time constant 1 s
    for k in range(1, 101):
        sim.advance(T0 + k * 10 * MS)
    assert sim.qd[0] == pytest.approx(np.exp(-1.0), rel=1e-3)
    assert sim.q[0] == pytest.approx(1.0 - np.exp(-1.0), rel=1e-3)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_dry_friction_sticks_exactly_and_lets_go_at_its_limit(integrator):
    settings = {"coulomb": 3.0, "integrator": integrator}
    sim = simulator(pendulum(), [0.0], effort=[-9.81 + 2.99], **settings)
    for k in range(1, 201):
        sim.advance(T0 + k * 10 * MS)
        assert sim.qd[0] == 0.0 and sim.q[0] == 0.0 and sim.qdd[0] == 0.0
    sim.command([-9.81 + 3.01], T0 + 2 * SECOND)
    sim.advance(T0 + 2 * SECOND + 40 * MS)
    assert sim.qd[0] > 0.0


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_dry_friction_stops_a_coasting_joint_without_chatter(way):
    # J qdd = -0.001: from 1 rad/s to rest in 0.2 s after 0.1 rad
    sim = simulator(light(), [0.0], [way], effort=[0.0], coulomb=1e-3)
    speeds = []
    for k in range(1, 301):
        sim.advance(T0 + k * MS)
        speeds.append(way * sim.qd[0])
    assert np.all(np.diff(speeds) <= 0.0) and np.all(np.array(speeds[201:]) == 0.0)
    assert speeds[99] == pytest.approx(0.5, abs=1e-9)
    assert way * sim.q[0] == pytest.approx(0.1, abs=1e-3)


def test_friction_of_one_joint_does_not_hold_the_other():
    model = double_pendulum()
    sim = simulator(model, [0.0, 0.0], effort=[0.0, 0.0], coulomb=[100.0, 0.0])
    for k in range(1, 101):
        sim.advance(T0 + k * MS)
        assert sim.q[0] == 0.0 and sim.qd[0] == 0.0
    # the second link alone: J = 0.008 + 0.5 * 0.2^2 = 0.028, m g l = 0.981
    assert sim.qd[1] == pytest.approx(0.981 / 0.028 * 0.1, rel=0.02)


def test_energy_never_grows_with_friction_and_stops():
    model = double_pendulum()
    sim = simulator(model, [0.0, 0.0], effort=[0.0, 0.0], coulomb=0.02, viscous=0.01)
    energy = [0.0 + potential_energy(model, sim.q)]
    for k in range(1, 301):
        sim.advance(T0 + k * 10 * MS)
        energy.append(kinetic_energy(model, sim.q, sim.qd) + potential_energy(model, sim.q))
    assert np.all(np.diff(energy) < 1e-4)
    assert energy[-1] < energy[0] - 1.0


# Stops.


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_stop_is_hard_and_inelastic(integrator):
    sim = simulator(pendulum(), [-2.9], [-5.0], effort=[0.0], integrator=integrator)
    hit = False
    for k in range(1, 101):
        sim.advance(T0 + k * MS)
        assert sim.q[0] >= -3.0
        if sim.at_limit[0] and not hit:
            hit = True
            sim.advance(T0 + (k + 1) * MS)
            assert sim.qd[0] >= 0.0 and sim.qd[0] < 0.05  # no bounce
    assert hit and sim.counters["stops_hit"] >= 1
    assert "joint 'j' hit its stop at -3 with velocity -5.3" in texts(sim)[0]


def test_joint_rests_on_its_stop_and_leaves_it():
    model = pendulum()
    sim = simulator(model, [-3.0], effort=[-12.0])
    sim.advance(T0 + 40 * MS)
    assert sim.q[0] == -3.0 and sim.qd[0] == 0.0 and sim.at_limit[0]
    sim.command([12.0], T0 + 40 * MS)
    sim.advance(T0 + 80 * MS)
    assert sim.q[0] > -3.0 and sim.qd[0] > 0.0 and not sim.at_limit[0]


# Commands and brakes.


def test_before_the_first_command_the_arm_does_not_fall():
    sim = simulator(pendulum())
    assert sim.advance(T0 + 40 * MS) == 40
    assert sim.mode == "braked" and sim.q[0] == 0.0 and sim.qd[0] == 0.0 and sim.effort[0] == 0.0
    assert sim.stamp_ns == T0 + 40 * MS
    assert texts(sim) == []


@pytest.mark.parametrize(
    ("effort", "told"), [([NAN], "'?j'?"), ([float("inf")], "j"), ([1.0, 2.0], "2 efforts for 1")]
)
def test_malformed_commands_are_refused_and_the_last_one_stays(effort, told):
    sim = simulator(pendulum(), [0.0])
    assert sim.command([-9.81], T0)
    for k in range(50):
        assert not sim.command(effort, T0 + k * MS)
    sim.advance(T0 + 50 * MS)
    assert sim.effort[0] == -9.81 and sim.mode == "driven"
    assert sim.counters["commands_refused"] == 50
    (text,) = texts(sim)
    assert "refused" in text and told.strip("'?") in text
    sim.advance(T0 + 100 * MS)
    sim.advance(T0 + 110 * MS)
    assert sim.mode == "braked"  # refused commands do not feed the watchdog


@pytest.mark.parametrize(
    ("fallback", "mode"), [("brake", "braked"), ("gravity", "gravity"), ("zero", "zero")]
)
def test_when_commands_cease(fallback, mode):
    # -9.81 N m at 100 Hz for 0.5 s, then silence; the timeout is 100 ms
    sim = simulator(pendulum(), [0.0], on_timeout=fallback)
    for k in range(50):
        sim.command([-9.0], T0 + 10 * k * MS)
        sim.advance(T0 + 10 * (k + 1) * MS)
    assert sim.mode == "driven" and sim.qd[0] > 0.5
    last = T0 + 490 * MS
    for k in range(2, 11):
        sim.advance(last + 10 * k * MS)
    assert sim.mode == "driven"
    sim.advance(last + 102 * MS)
    assert sim.mode == mode
    (text,) = texts(sim)
    assert "100 ms" in text and mode in text and sim.counters["command_timeouts"] == 1
    q, qd = sim.q.copy(), sim.qd.copy()
    sim.advance(last + 112 * MS)
    if fallback == "brake":
        assert sim.qd[0] == 0.0 and sim.q[0] == q[0] and sim.effort[0] == 0.0
    elif fallback == "gravity":
        assert sim.qd[0] == pytest.approx(qd[0], rel=1e-3)
        assert sim.effort[0] == pytest.approx(gravity_torques(sim.model, sim.q)[0], rel=0.01)
    else:
        assert sim.effort[0] == 0.0 and sim.qd[0] > qd[0]
    sim.command([-9.81], last + 112 * MS)
    sim.advance(last + 114 * MS)
    assert sim.mode == "driven" and sim.effort[0] == -9.81


# Time.


def test_whole_substeps_with_their_own_stamps():
    sim = simulator(pendulum(), [0.0], effort=[0.0])
    assert sim.advance(T0 + 2_700_000) == 2
    assert sim.stamp_ns == T0 + 2 * MS
    assert sim.advance(T0 + 2_900_000) == 0 and sim.advance(T0 + 2_900_000) == 0
    assert sim.advance(T0 + 3 * MS) == 1


def test_result_does_not_depend_on_how_often_it_is_called():
    ends = []
    for pause in (1, 7, 50):
        sim = simulator(double_pendulum(), effort=[1.0, -0.5], coulomb=0.05)
        for t in range(pause, 351, pause):
            sim.advance(T0 + t * MS)
        ends.append(np.concatenate([sim.q, sim.qd]))
    np.testing.assert_array_equal(ends[0], ends[1])
    np.testing.assert_array_equal(ends[0], ends[2])


def test_a_long_pause_is_skipped_not_made_up_for():
    sim = simulator(pendulum(), [0.0], effort=[0.0])
    assert sim.advance(T0 + SECOND) == 50
    assert sim.stamp_ns == T0 + SECOND and sim.lag_ns == 950 * MS
    assert sim.qd[0] == pytest.approx(9.81 / 0.502 * 0.05, rel=0.01)
    (text,) = texts(sim)
    assert "950 ms" in text


def test_clock_in_large_ticks_and_paused():
    # /clock at 100 Hz: 10 steps per tick; before the first tick the time is 0
    sim = ArmSimulator(pendulum())
    assert sim.advance(0) == 0 and sim.stamp_ns == 0
    assert sim.advance(10 * MS) == 0
    for tick in range(2, 5):
        assert sim.advance(tick * 10 * MS) == 10
        assert sim.advance(tick * 10 * MS) == 0
        assert sim.stamp_ns == tick * 10 * MS


def test_small_step_back_of_the_clock_keeps_the_motion():
    sim = simulator(pendulum(), [0.0])
    sim.command([-5.0], T0)
    sim.advance(T0 + 50 * MS)
    q, qd = sim.q.copy(), sim.qd.copy()
    assert sim.advance(T0 + 30 * MS) == 0
    np.testing.assert_array_equal(sim.q, q)
    assert sim.advance(T0 + 31 * MS) == 1 and sim.stamp_ns == T0 + 31 * MS
    assert sim.qd[0] > qd[0] and sim.mode == "driven"
    sim.advance(T0 + 79 * MS)
    sim.advance(T0 + 82 * MS)  # the command is 102 ms old although the clock says 82
    assert sim.mode == "braked"


def test_clock_far_back_starts_the_world_again():
    sim = simulator(pendulum(), [0.5])
    sim.command([-5.0], T0)
    sim.advance(T0 + 50 * MS)
    assert sim.advance(10 * SECOND) == 0
    assert sim.q[0] == 0.0 and sim.mode == "braked" and sim.stamp_ns == 10 * SECOND
    assert sim.advance(10 * SECOND + 5 * MS) == 5 and sim.q[0] == 0.0
    assert "went back" in texts(sim)[0]


# Construction.


def test_model_without_inertia_is_refused_by_name():
    links = [LinkSpec("base"), LinkSpec("a", 1.0, np.array([0.1, 0, 0])), LinkSpec("empty")]
    joints = [
        JointSpec("j1", "continuous", "base", "a", axis=Y),
        JointSpec("loose", "continuous", "a", "empty", axis=Z),
    ]
    with pytest.raises(SingularModelError, match="loose"):
        ArmSimulator(RobotModel.from_specs("bad", links, joints))


def test_starts_inside_the_limits():
    model = one_joint(1.0, 0.5, np.zeros((3, 3)), Y, LimitSpec(-3.0, -0.07))
    assert ArmSimulator(model).q[0] == -0.07
    with pytest.raises(ParameterError, match="initial_positions.j.*-0.07"):
        ArmSimulator(model, SimulatorSettings(initial_position=[0.0]))
    with pytest.raises(ParameterError, match="initial_position"):
        ArmSimulator(model, SimulatorSettings(initial_position=[NAN]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"step_ns": 0},
        {"command_timeout_ns": 0},
        {"integrator": "magic"},
        {"on_timeout": "hope"},
        {"max_catch_up_ns": 10},
        {"viscous": -1.0},
        {"coulomb": NAN},
        {"viscous": [1.0, 2.0]},
        {"effort_limit": [0.0]},
        {"velocity_limit": [-1.0]},
    ],
)
def test_settings_that_make_no_sense(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        ArmSimulator(pendulum(), SimulatorSettings(**wrong))


@pytest.mark.parametrize("effort", [1e9, 1e308])
def test_absurd_effort_leaves_no_nan_behind(effort):
    sim = simulator(double_pendulum(), [0.3, 0.4], effort=[effort, 0.0])
    sim.advance(T0 + 10 * MS)
    assert np.isfinite([sim.q, sim.qd, sim.qdd, sim.effort]).all()
    np.testing.assert_array_equal(sim.q, [0.3, 0.4])
    assert sim.mode == "braked" and sim.counters["diverged"] == 1
    assert "diverged" in " ".join(texts(sim))
