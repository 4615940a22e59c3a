# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Rollouts beside MuJoCo's on the same robot with the same steps."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from bench.mujoco_oracle import MujocoOracle
from robodyn_ros import RobotModel, link_pose
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.simulation.contact import PlaneContact
from robodyn_ros.simulation.rollout import rollout

ROOT = Path(__file__).resolve().parents[2]
FREE = mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT
MASS, RADIUS, STIFFNESS, G = 2.0, 0.1, 2e4, 9.81


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("rk4", mujoco.mjtIntegrator.mjINT_RK4),
        ("semi_implicit_euler", mujoco.mjtIntegrator.mjINT_EULER),
    ],
)
@pytest.mark.parametrize("robot", ["panda", "ur5e"])
def test_free_motion_is_the_same(robot, ours, theirs):
    """Half a second of falling under random torques that are held for 1 ms each."""
    text = (ROOT / f"config/robots/{robot}/{robot}.urdf").read_text()
    model = RobotModel.from_urdf(text)
    oracle = MujocoOracle(text, model)
    twin = oracle.mujoco
    twin.opt.disableflags |= FREE
    twin.dof_damping[:] = twin.dof_frictionloss[:] = 0.0
    twin.opt.integrator, twin.opt.timestep = theirs, 1e-3
    start, torques = model.limits.mid, np.random.default_rng(1).uniform(-5, 5, (500, model.n))
    data, theirs_q = mujoco.MjData(twin), [start]
    data.qpos[:] = oracle.gain @ start
    for torque in torques:
        data.qfrc_applied[:] = oracle.gain @ torque
        mujoco.mj_step(twin, data)
        theirs_q.append(oracle.gain.T @ data.qpos)
    run = rollout(model, start, np.zeros(model.n), torques, 1e-3, 0.5, ours)
    assert run.ended is None and np.ptp(run.q, axis=0).max() > 0.5
    assert run.q == pytest.approx(np.array(theirs_q), abs=1e-10)


# MuJoCo's contact as a plain spring and damper: with an impedance d near 0 its force on a mass is
# (1 - d) times k r + b v, for solref = (-k / m, -b / m).
BALL = """
<mujoco>
  <option timestep="{step}" integrator="RK4" gravity="0 0 -9.81" cone="elliptic"/>
  <worldbody>
    <geom type="plane" size="5 5 1" priority="1" condim="3" friction="{friction} 0 0"
      solref="{spring} {damper}" solimp="0.001 0.001 0.001"/>
    {bodies}
  </worldbody>
</mujoco>
"""
SLIDING = """
<body>
  <joint type="slide" axis="1 0 0"/> <joint type="slide" axis="0 0 1"/>
  <geom type="sphere" size="0.1" mass="2"/>
</body>
"""
PLANAR = RobotModel.from_links(
    [
        ChainLink((1, 0, 0), type="prismatic"),
        ChainLink((0, 0, 1), mass=MASS, type="prismatic"),
    ]
)
# Two links that swing in the vertical plane, with a ball at the end.
ARM = """
<body pos="0 0 0.8">
  <joint type="hinge" axis="0 1 0"/>
  <inertial pos="0.25 0 0" mass="1" diaginertia="0.02 0.02 0.02"/>
  <body pos="0.5 0 0">
    <joint type="hinge" axis="0 1 0"/>
    <inertial pos="0.25 0 0" mass="1" diaginertia="0.02 0.02 0.02"/>
    <geom type="sphere" size="0.1" pos="0.5 0 0" mass="0"/>
  </body>
</body>
"""
TWO_LINKS = RobotModel.from_links(
    [
        ChainLink((0, 1, 0), (0, 0, 0.8), 1.0, (0.25, 0, 0), (0.02,) * 3),
        ChainLink((0, 1, 0), (0.5, 0, 0), 1.0, (0.25, 0, 0), (0.02,) * 3),
    ],
    tool=(0.5, 0, 0),
)


def theirs(bodies, q, qd, step, seconds, damping=0.0, friction=0.0, mass=MASS, drag=0.0):
    """Positions (K + 1, n) by MuJoCo; ``drag`` is a torque against the joint rates."""
    text = BALL.format(
        step=step, friction=friction, spring=-STIFFNESS / mass, damper=-damping / mass,
        bodies=bodies,
    )  # fmt: skip
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, qd
    states = [data.qpos.copy()]
    for _ in range(round(seconds / step)):
        data.qfrc_applied[:] = -drag * data.qvel
        mujoco.mj_step(model, data)
        states.append(data.qpos.copy())
    return np.array(states)


def test_elastic_bounces_are_the_same():
    floor = PlaneContact("link2", RADIUS, STIFFNESS)
    ours = rollout(PLANAR, [0.0, 0.3], [0.2, 0.0], None, 5e-4, 1.0, "rk4", floor)
    expected = theirs(SLIDING, [0.0, 0.3], [0.2, 0.0], 5e-4, 1.0)
    assert ours.penetration[0] > 0.01
    assert ours.q == pytest.approx(expected, abs=5e-5)
    assert ours.drift.relative < 1e-3


def test_sliding_and_rest_are_the_same_up_to_the_laws_of_friction_and_damping():
    floor = PlaneContact("link2", RADIUS, STIFFNESS, damping=4.0, friction=0.3)
    ours = rollout(PLANAR, [0.0, 0.1], [1.0, 0.0], None, 2.5e-4, 0.6, "rk4", floor)
    expected = theirs(SLIDING, [0.0, 0.1], [1.0, 0.0], 1e-3, 0.6, damping=100.0, friction=0.3)
    assert ours.q[-1, 0] == pytest.approx(expected[-1, 0], rel=0.01)
    sink = MASS * G / STIFFNESS
    assert RADIUS - ours.q[-1, 1] == pytest.approx(sink, rel=0.01)
    assert RADIUS - expected[-1, 1] == pytest.approx(sink, rel=0.01)


def test_an_arm_that_falls_on_its_hand_moves_alike():
    """A smooth floor: the hand lands and slides outward while the elbow sinks."""
    drag, q, still = 2.0, [0.2, 0.4], [0.0, 0.0]
    floor = PlaneContact("tool", RADIUS, STIFFNESS, damping=2.0)
    ours = rollout(TWO_LINKS, q, still, lambda t, q, qd: -drag * qd, 1e-3, 1.0, "newmark", floor)
    expected = theirs(ARM, q, still, 1e-3, 1.0, damping=50.0, mass=1.0, drag=drag)
    assert ours.penetration[0] > 5e-3 and ours.failures == ()
    stored = ours.kinetic + ours.potential + ours.elastic
    assert stored.max() <= stored[0] + 1e-6
    assert ours.q == pytest.approx(expected, abs=0.03)
    assert ours.q[-1] == pytest.approx(expected[-1], abs=2e-3)
    _, tool = link_pose(TWO_LINKS, ours.q[-1], "tool")
    assert tool[2] == pytest.approx(RADIUS, abs=1e-3)
