# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Rollouts: what they are told, what they record, and that they can be run again bit for bit."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import RobotModel, forward_dynamics, gravity_torques, load_urdf
from robodyn_ros.dynamics.integrators import integrate, rk4
from robodyn_ros.errors import (
    ModelError,
    ParameterError,
    ShapeError,
    SingularModelError,
    UnknownNameError,
)
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.model.specs import LimitSpec
from robodyn_ros.simulation.contact import PlaneContact
from robodyn_ros.simulation.rollout import INTEGRATORS, repeat, rollout
from robodyn_ros.simulation.rollout_record import Rollout, model_digest

ROOT = Path(__file__).resolve().parents[2]
PANDA = ROOT / "config/robots/panda/panda.urdf"
LIMIT = LimitSpec(-2.0, 2.0)


def planar(gravity=(0.0, 0.0, -9.81)):
    """Two thin links that swing in the vertical x-z plane."""
    links = [
        ChainLink((0, 1, 0), (0, 0, 0.5 * k), 1.0, (0, 0, 0.25), (0.02,) * 3, limit=LIMIT)
        for k in (0, 1)
    ]
    return RobotModel.from_links(links, tool=(0.0, 0.0, 0.5), gravity=gravity)


ARM = planar()
FLOOR = PlaneContact("tool", 0.05, 5e3, damping=2.0, friction=0.4, slip_velocity=0.05)
FALL = dict(q0=[0.9, 0.5], qd0=[0.0, 0.0])


def damped(t, q, qd):
    return -2.0 * qd


def test_free_motion_is_the_integrators():
    run = rollout(ARM, [0.5, -0.3], [0.2, 0.1], None, 1e-3, 0.1)
    q, qd = integrate(
        rk4,
        lambda q, qd: forward_dynamics(ARM, q, qd, np.zeros(2)),
        np.array([0.5, -0.3]),
        np.array([0.2, 0.1]),
        1e-3,
        100,
    )
    assert np.array_equal(run.q, q) and np.array_equal(run.qd, qd)
    assert run.time == pytest.approx(np.linspace(0.0, 0.1, 101))
    assert run.failures == () and run.drift.relative < 1e-9
    assert run.torque.shape == (100, 2) and not run.torque.any()


def test_a_torque_law_is_asked_once_a_step_and_held():
    asked = []

    def law(t, q, qd):
        asked.append(t)
        return [np.sin(20.0 * t), -0.5 * qd[1]]

    run = rollout(ARM, [0.5, -0.3], [0.0, 0.0], law, 0.01, 0.3)
    assert asked == pytest.approx(0.01 * np.arange(30))
    assert run.torque[:, 0] == pytest.approx(np.sin(20.0 * run.time[:-1]))
    assert run.torque[:, 1] == pytest.approx(-0.5 * run.qd[:-1, 1])
    # The work of held torques is exact, so all drift is the integrator's.
    assert abs(run.work[-1]) > 1e-3 and run.drift.relative < 1e-5
    table = rollout(ARM, [0.5, -0.3], [0.0, 0.0], run.torque, 0.01, 0.3)
    assert np.array_equal(table.q, run.q)


def test_gravity_torques_hold_an_arm_still():
    run = rollout(ARM, [0.5, -0.3], [0.0, 0.0], lambda t, q, qd: gravity_torques(ARM, q), 0.01, 1)
    assert run.q == pytest.approx(np.tile([0.5, -0.3], (101, 1)), abs=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_every_run_can_be_repeated_to_the_same_bits(integrator, tmp_path):
    options = {"gamma": 0.6, "beta": 0.3025} if integrator == "newmark" else {}
    run = rollout(
        ARM, **FALL, torque=damped, step=1e-3, duration=0.4, integrator=integrator,
        contact=FLOOR, seed=7, noise=[0.3, 0.1], options=options,
    )  # fmt: skip
    assert run.ended is None and run.penetration[0] > 1e-3
    again = repeat(run, ARM)
    assert np.array_equal(again.q, run.q) and np.array_equal(again.qd, run.qd)
    run.save(tmp_path / "run.npz")
    loaded = Rollout.load(tmp_path / "run.npz")
    assert loaded.summary() == run.summary() == repeat(loaded, ARM).summary()
    for name in ("q", "qd", "torque", "kinetic", "depth", "dissipated"):
        assert np.array_equal(getattr(loaded, name), getattr(run, name))


REPEAT = """
import sys
import numpy as np
from robodyn_ros import load_urdf
from robodyn_ros.simulation.rollout import repeat
from robodyn_ros.simulation.rollout_record import Rollout

record = Rollout.load(sys.argv[1])
again = repeat(record, load_urdf(sys.argv[2]))
assert np.array_equal(again.q, record.q) and np.array_equal(again.qd, record.qd)
print(len(again.q), "states alike")
"""


def test_another_process_repeats_a_run_from_its_file(tmp_path):
    model = load_urdf(PANDA)
    floor = PlaneContact("panda_hand_tcp", 0.02, 1e4, 1.0, 0.5, 0.02, point=(0.0, 0.0, 0.3))
    run = rollout(
        model, model.limits.mid, np.zeros(7), None, 1e-3, 0.4, contact=floor, seed=3, noise=0.5
    )
    assert run.penetration[0] > 0.0
    run.save(tmp_path / "record")
    done = subprocess.run(
        [sys.executable, "-c", REPEAT, tmp_path / "record", PANDA],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.stdout == "401 states alike\n", done.stderr


def test_the_seed_decides_the_noise():
    runs = [
        rollout(ARM, **FALL, torque=damped, step=1e-2, duration=2.0, seed=seed, noise=0.2)
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(runs[0].q, runs[1].q)
    assert not np.array_equal(runs[0].q, runs[2].q)
    drawn = runs[0].torque + 2.0 * runs[0].qd[:-1]
    assert drawn.std() == pytest.approx(0.2, rel=0.15) and abs(drawn.mean()) < 0.05


def test_the_record_knows_its_model():
    run = rollout(ARM, **FALL, torque=None, step=1e-3, duration=0.01)
    assert run.model_hash == model_digest(planar()), "the same description, built anew"
    for other in (
        planar(gravity=(0.0, 0.0, -9.8)),
        ARM.with_payload("tool", 0.1, (0, 0, 0)),
        ARM.with_armature([0.0, 1e-6]),
    ):
        with pytest.raises(ModelError, match="made with another model.*hash"):
            repeat(run, other)


def test_the_file_tells_what_it_is(tmp_path):
    run = rollout(ARM, **FALL, torque=damped, step=1e-3, duration=0.3, contact=FLOOR, seed=5)
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        told = json.loads(str(file["summary"]))
    assert told["format"] == "robodyn_ros rollout 1"
    assert (told["integrator"], told["step"], told["seed"]) == ("rk4", 1e-3, 5)
    assert told["model_hash"] == model_digest(ARM) and told["q0"] == FALL["q0"]
    assert told["contacts"][0]["stiffness"] == 5e3 and told["failures"] == []
    assert told["penetration"] == pytest.approx([run.depth.max()])
    assert told["energy_drift_relative"] == pytest.approx(run.drift.relative)
    assert told["limit_violation"] == [0.0, 0.0]
    (tmp_path / "text").write_text("not a rollout")
    np.savez(tmp_path / "other.npz", q=np.zeros(3))
    for name in ("text", "other.npz"):
        with pytest.raises(ParameterError, match="a rollout's .npz file"):
            Rollout.load(tmp_path / name)


def labels(run):
    return [failure.label for failure in run.failures]


def test_a_torque_that_is_no_number_ends_the_run():
    def law(t, q, qd):
        return [np.nan if t > 0.055 else 0.0, 1.0]

    run = rollout(ARM, **FALL, torque=law, step=0.01, duration=1.0)
    assert labels(run) == ["torque_not_finite"] and "nan" in run.ended.detail
    assert len(run.q) == 7 and np.all(np.isfinite(run.q)) and len(run.torque) == 7
    assert labels(repeat(run, ARM)) == ["torque_not_finite"]


def test_a_step_too_long_for_the_contact_is_labelled(tmp_path):
    hard = PlaneContact("tool", 0.05, 1e9, point=(0.0, 0.0, 0.4))
    run = rollout(ARM, **FALL, torque=None, step=0.02, duration=2.0, contact=hard)
    assert labels(run) == ["diverged", "deep_penetration"]
    assert np.all(np.isfinite(run.q)) and np.all(np.isfinite(run.drift))
    run.save(tmp_path / "run.npz")
    again = repeat(Rollout.load(tmp_path / "run.npz"), ARM)
    assert again.failures == run.failures and np.array_equal(again.q, run.q)


def test_newton_that_gives_up_is_labelled():
    run = rollout(
        ARM, **FALL, torque=None, step=0.05, duration=1.0, integrator="implicit_euler",
        options={"max_iterations": 1, "tolerance": 1e-14},
    )  # fmt: skip
    assert labels(run) == ["not_converged"] and "implicit_euler" in run.ended.detail
    assert len(run.q) == 1


def test_limits_depth_and_energy_are_checked_but_not_enforced():
    run = rollout(ARM, [1.0, 0.5], [3.0, 0.0], None, 1e-3, 0.5)
    assert "position_limit" in labels(run)
    assert run.limit_violation[0] == pytest.approx(run.q[:, 0].max() - 2.0)
    assert "joint 'joint1'" in run.failures[0].detail
    soft = PlaneContact("tool", 0.05, 20.0)
    run = rollout(ARM, **FALL, torque=damped, step=1e-3, duration=1.0, contact=soft)
    assert "deep_penetration" in labels(run) and run.penetration[0] > 0.05
    swing = rollout(ARM, [3.0, 0.0], [0.0, 0.0], None, 5e-3, 2.0, "euler")
    assert "energy_gain" in labels(swing)
    swing = rollout(ARM, [3.0, 0.0], [0.0, 0.0], None, 5e-3, 2.0, "rk4")
    assert "energy_gain" not in labels(swing)


def test_wrong_arguments_are_named():
    def start(*changes, **more):
        arguments = {**FALL, "torque": None, "step": 0.01, "duration": 0.1, **more}
        return rollout(ARM, **arguments)

    for more, text in (
        ({"integrator": "leapfrog"}, "'integrator' is 'leapfrog'.*one of euler"),
        ({"step": 0.0}, "'step'"),
        ({"step": np.nan}, "'step'"),
        ({"duration": -1.0}, "'duration'"),
        ({"duration": 0.105}, "'duration'.*whole number of steps"),
        ({"q0": [0.0, np.nan]}, "'q0'.*finite"),
        ({"noise": np.inf}, "'noise'"),
        ({"options": {"gamma": 0.5}}, "'gamma'.*rk4 takes no options"),
        ({"integrator": "newmark", "options": {"gama": 0.5}}, "'gama'.*gamma and beta"),
        ({"integrator": "newmark", "options": {"gamma": 2.0}}, "'gamma'"),
    ):
        with pytest.raises(ParameterError, match=text):
            start(**more)
    for more, text in (
        ({"qd0": [0.0]}, "qd0 has shape"),
        ({"torque": np.zeros((3, 2))}, "torque has shape .3, 2.: expected .10, 2."),
        ({"torque": lambda t, q, qd: [0.0]}, r"torque\(t, q, qd\) has shape"),
        ({"noise": [0.1, 0.2, 0.3]}, "noise has shape"),
    ):
        with pytest.raises(ShapeError, match=text):
            start(**more)
    with pytest.raises(UnknownNameError, match="no link named 'foot'"):
        start(contact=PlaneContact("foot", 0.1, 1e4))
    with pytest.raises(SingularModelError):
        bare = RobotModel.from_links([ChainLink((0, 0, 1))])
        rollout(bare, [0.0], [0.0], None, 0.1, 0.1)
