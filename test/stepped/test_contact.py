# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A sphere against a plane: its force law, what it stores and loses, and that it comes to rest."""

import numpy as np
import pytest

from robodyn_ros import RobotModel, frame_jacobian, frame_velocity, link_pose
from robodyn_ros.dynamics.floating_base import FloatingBase
from robodyn_ros.dynamics.integrators import rk4
from robodyn_ros.dynamics.inverse_dynamics import wrench_torques
from robodyn_ros.errors import ParameterError, UnknownNameError
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.model.rotations import matrix_from_rpy
from robodyn_ros.model.specs import LinkSpec
from robodyn_ros.simulation.contact import PlaneContact
from robodyn_ros.simulation.rollout import INTEGRATORS, rollout

MASS, RADIUS, STIFFNESS, G = 2.0, 0.1, 2e4, 9.81
SINK = MASS * G / STIFFNESS


def slider(*axes):
    """Point mass that slides along the given axes."""
    links = [ChainLink(axis, type="prismatic") for axis in axes[:-1]]
    return RobotModel.from_links([*links, ChainLink(axes[-1], mass=MASS, type="prismatic")])


X, Y, Z = np.eye(3)
DROP = slider(Z)
PLANAR = slider(X, Z)


def still(height, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0)):
    """Pose and twist of a link whose sphere hangs at a height."""
    return np.eye(3), np.array([0.0, 0.0, height]), np.array([*velocity, *spin], dtype=float)


def test_force_law_by_hand():
    ground = PlaneContact("ball", RADIUS, STIFFNESS, damping=0.5, friction=0.3, slip_velocity=0.1)
    # 2 mm deep, sinking at 0.4 m/s, sliding at 0.3 m/s along x:
    depth, wrench, energy, dissipation = ground.of_link(*still(0.098, (0.3, 0.0, -0.4)))
    push = STIFFNESS * 0.002 * (1.0 + 0.5 * 0.4)
    drag = 0.3 * push * 0.3 / np.hypot(0.3, 0.1)
    assert depth == pytest.approx(0.002)
    # The force acts 0.098 m below the centre.
    assert wrench == pytest.approx([-drag, 0.0, push, 0.0, 0.098 * drag, 0.0])
    assert energy == pytest.approx(0.5 * STIFFNESS * 0.002**2)
    assert dissipation == pytest.approx((push - 40.0) * 0.4 + drag * 0.3)
    # It never pulls, however fast the sphere leaves.
    *_, lost = leaving = ground.of_link(*still(0.098, (0.0, 0.0, 5.0)))
    assert leaving.wrench == pytest.approx(np.zeros(6)) and lost == pytest.approx(40.0 * 5.0)


def test_in_the_air_there_is_nothing():
    ground = PlaneContact("link2", RADIUS, STIFFNESS, damping=0.5, friction=0.3)
    touch = ground.of_robot(PLANAR, np.array([[0.0, 0.11], [0.3, 0.25]]), np.ones((2, 2)))
    assert touch.depth == pytest.approx([-0.01, -0.15])
    for part in touch[1:]:
        assert not part.any()
    mixed = ground.of_robot(PLANAR, np.array([[0.0, 0.11], [0.3, 0.099]]), np.zeros((2, 2)))
    assert not mixed.wrench[0].any() and mixed.wrench[1, 2] == pytest.approx(20.0)


def arm_touching():
    """Three oblique joints whose offset ball dips into a tilted wall; states (B, 3)."""
    arm = RobotModel.from_links(
        [
            ChainLink((0, 0, 1), (0, 0, 0.3), 1.0, (0, 0, 0.1), (0.01,) * 3),
            ChainLink((0, 1, 0), (0.1, 0, 0.2), 1.0, (0.1, 0, 0), (0.01,) * 3),
            ChainLink((1, 1, 0), (0.3, 0.1, 0), 1.0, (0.1, 0, 0), (0.01,) * 3),
        ]
    )
    wall = PlaneContact(
        "link3", 0.2, 5e3, 0.4, 0.6, 0.05, (0.1, -0.05, 0.02), (0.55, 0.1, 0.5), (-2.0, 0.3, 0.5)
    )
    q, qd = np.random.default_rng(3).uniform(-0.6, 0.6, (2, 60, 3))
    inside = wall.of_robot(arm, q, qd).depth > 0.01
    assert 10 < inside.sum() < 60
    return arm, wall, q[inside], 3.0 * qd[inside]


def test_friction_stays_in_its_cone_and_opposes_sliding():
    arm, wall, q, qd = arm_touching()
    touch = wall.of_robot(arm, q, qd)
    normal = np.array(wall.normal)
    force = touch.wrench[:, :3]
    push = force @ normal
    drag = force - push[:, None] * normal
    rotation, position = link_pose(arm, q, "link3")
    point = (
        position + rotation @ np.array(wall.center) - (wall.radius - touch.depth)[:, None] * normal
    )
    # The wrench is that of a force in the plane, below the centre.
    assert (point - np.array(wall.point)) @ normal == pytest.approx(np.zeros(len(q)), abs=1e-12)
    moment = np.cross(point - position, force)
    assert touch.wrench[:, 3:] == pytest.approx(moment, abs=1e-9)
    # Velocity of the body there, from a Jacobian of its own.
    for k in range(len(q)):
        arm_point = rotation[k].T @ (point[k] - position[k])
        velocity = frame_jacobian(arm, q[k], "link3", offset=arm_point)[:3] @ qd[k]
        sliding = velocity - velocity @ normal * normal
        assert np.linalg.norm(drag[k]) <= wall.friction * push[k] * (1.0 + 1e-12)
        assert np.cross(drag[k], sliding) == pytest.approx(np.zeros(3), abs=1e-9)
        assert drag[k] @ sliding <= 0.0
        torques = frame_jacobian(arm, q[k], "link3", offset=arm_point)[:3].T @ force[k]
        assert wrench_torques(arm, q[k], {"link3": touch.wrench[k]}) == pytest.approx(torques)


def test_power_is_what_is_stored_and_lost():
    arm, wall, q, qd = arm_touching()
    touch = wall.of_robot(arm, q, qd)
    h = 1e-6
    ahead, behind = (wall.of_robot(arm, q + s * h * qd, qd).energy for s in (1, -1))
    power = np.sum(touch.wrench * frame_velocity(arm, q, qd, "link3"), axis=-1)
    stored = (ahead - behind) / (2 * h)
    assert power == pytest.approx(-stored - touch.dissipation, rel=1e-5, abs=1e-5)
    assert touch.dissipation.min() >= 0.0 and touch.dissipation.max() > 1.0


def test_the_plane_may_stand_anywhere():
    turn, shift = matrix_from_rpy([0.4, -1.1, 2.0]), np.array([0.3, -2.0, 0.7])
    flat = PlaneContact("ball", RADIUS, STIFFNESS, 0.5, 0.3, center=(0.02, 0.0, 0.01))
    turned = PlaneContact(
        "ball", RADIUS, STIFFNESS, 0.5, 0.3, center=flat.center, point=shift, normal=turn @ Z
    )
    rotation, position, twist = still(0.08, (0.3, 0.1, -0.4), (1.0, 2.0, 3.0))
    expected = flat.of_link(rotation, position, twist)
    halves = turn @ twist.reshape(2, 3, 1)
    got = turned.of_link(turn @ rotation, turn @ position + shift, halves.ravel())
    assert got.depth == pytest.approx(expected.depth)
    assert got.wrench.reshape(2, 3) == pytest.approx(expected.wrench.reshape(2, 3) @ turn.T)
    assert got.dissipation == pytest.approx(expected.dissipation)


@pytest.mark.parametrize("integrator", [name for name in INTEGRATORS if name != "euler"])
def test_a_dropped_ball_comes_to_rest_at_its_weight_over_the_stiffness(integrator):
    ground = PlaneContact("link1", RADIUS, STIFFNESS, damping=4.0)
    run = rollout(DROP, [0.15], [0.0], None, 1e-3, 2.5, integrator, ground)
    assert run.ended is None
    assert run.depth[-1, 0] == pytest.approx(SINK, rel=0.01)
    assert abs(run.qd[-1, 0]) < 1e-2
    # Energy only leaves: what is stored at the end is less than at the start, and at no time more.
    stored = run.kinetic + run.potential + run.elastic
    assert stored.max() <= stored[0] * (1.0 + 2e-3)
    assert run.penetration[0] < RADIUS


def test_bounces_without_damping_keep_their_height_and_with_it_lose_some():
    heights = {}
    for damping in (0.0, 0.2):
        ground = PlaneContact("link1", RADIUS, STIFFNESS, damping=damping)
        run = rollout(DROP, [0.3], [0.0], None, 2.5e-4, 1.2, "rk4", ground)
        up = (run.qd[1:-1, 0] > 0.0) & (run.qd[2:, 0] <= 0.0)
        heights[damping] = run.q[1:-1, 0][up] - RADIUS
        assert run.drift.relative < 1e-3
        assert (np.diff(run.dissipated) >= 0.0).all()
    assert len(heights[0.0]) >= 2
    assert heights[0.0] == pytest.approx(np.full(len(heights[0.0]), 0.2), rel=1e-3)
    assert (np.diff([0.2, *heights[0.2]]) < -0.01).all()


def test_sliding_stops_after_the_textbook_distance():
    # v^2 / (2 mu g), the block already at its rest depth
    ground = PlaneContact("link2", RADIUS, STIFFNESS, damping=4.0, friction=0.3)
    run = rollout(PLANAR, [0.0, RADIUS - SINK], [1.0, 0.0], None, 2.5e-4, 0.4, "rk4", ground)
    assert run.q[-1, 0] == pytest.approx(1.0 / (2.0 * 0.3 * G), rel=5e-3)
    assert abs(run.qd[-1, 0]) < 1e-4
    assert run.dissipated[-1] == pytest.approx(0.5 * MASS, rel=5e-3)


@pytest.mark.parametrize(("friction", "sticks"), [(0.55, True), (0.4, False)])
def test_an_incline_holds_a_block_or_not(friction, sticks):
    # tilted by atan(1/2): friction above 0.5 holds
    tilt = np.arctan(0.5)
    hill = PlaneContact(
        "link2", RADIUS, STIFFNESS, 4.0, friction, 1e-3, normal=(np.sin(tilt), 0.0, np.cos(tilt))
    )
    depth = MASS * G * np.cos(tilt) / STIFFNESS
    start = (RADIUS - depth) * np.array([np.sin(tilt), np.cos(tilt)])
    run = rollout(PLANAR, start, [0.0, 0.0], None, 2e-4, 0.4, "rk4", hill)
    speed = np.linalg.norm(run.qd[-1])
    if sticks:  # it creeps, at load / sqrt(mu^2 - load^2) of the slip velocity
        assert speed == pytest.approx(1e-3 * 0.5 / np.sqrt(0.55**2 - 0.5**2), rel=0.02)
    else:
        expected = G * (np.sin(tilt) - 0.4 * np.cos(tilt)) * 0.4
        assert speed == pytest.approx(expected, rel=0.02)


def test_a_free_body_rests_on_the_plane_too():
    """A ball that is its own root, thrown with spin, ends up lying still and rolling nowhere."""
    inertia = 0.4 * MASS * RADIUS**2
    robot = FloatingBase(
        RobotModel.from_specs(
            "ball", [LinkSpec("ball", MASS, np.zeros(3), inertia * np.eye(3))], []
        )
    )
    ground = PlaneContact("ball", RADIUS, STIFFNESS, damping=4.0, friction=0.5, slip_velocity=0.01)

    def f(q, v):
        twist = robot.frame_jacobian(q, "ball") @ v
        touch = ground.of_link(*robot.link_pose(q, "ball"), twist)
        return robot.forward_dynamics(q, v, np.zeros(6), {"ball": touch.wrench})

    q, v = robot.neutral(), np.zeros(6)
    q[2], v[0] = RADIUS - SINK, 1.0
    for _ in range(800):
        q, v = rk4(f, q, v, 5e-4, move=robot.integrate)
    assert RADIUS - q[2] == pytest.approx(SINK, rel=0.01)
    # Sliding turns into rolling with 5/7 of the speed (a bowling ball).
    world = robot.frame_jacobian(q, "ball") @ v
    assert world[0] == pytest.approx(5.0 / 7.0, rel=0.01)
    assert world[4] * RADIUS == pytest.approx(world[0], rel=0.02)


def test_wrong_settings_are_named():
    for name, value in (
        ("radius", -0.1),
        ("stiffness", 0.0),
        ("damping", -1.0),
        ("friction", np.nan),
        ("slip_velocity", 0.0),
        ("center", (0.0, 1.0)),
        ("point", (0.0, np.inf, 0.0)),
        ("normal", (0.0, 0.0, 0.0)),
    ):
        settings = {"link": "link1", "radius": 0.1, "stiffness": 1e4, name: value}
        with pytest.raises(ParameterError, match=f"parameter '{name}'"):
            PlaneContact(**settings)
    with pytest.raises(UnknownNameError, match="no link named 'foot'"):
        PlaneContact("foot", 0.1, 1e4).of_robot(DROP, [0.0], [0.0])
