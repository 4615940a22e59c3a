# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Momentum about the centre of mass: against Pinocchio, and what keeps or changes it."""

import numpy as np
import pytest
from test_floating_base import MAKERS, STATES, TIGHT, grown, random_states

from robodyn_ros import RobotModel
from robodyn_ros.dynamics.centroidal import (
    centroidal_inertia,
    centroidal_momentum,
    centroidal_momentum_matrix,
)
from robodyn_ros.dynamics.floating_base import FloatingBase
from robodyn_ros.dynamics.integrators import rk4
from robodyn_ros.errors import ModelError
from robodyn_ros.model.specs import LinkSpec


@pytest.mark.parametrize("name", MAKERS)
def test_agrees_with_pinocchio(name: str) -> None:
    robot, oracle = MAKERS[name]()
    q, v, _ = random_states(robot)
    matrix, momentum = centroidal_momentum_matrix(robot, q), centroidal_momentum(robot, q, v)
    inertia, com = centroidal_inertia(robot, q), robot.center_of_mass(q)
    for s in range(STATES):
        expected = oracle.centroidal(q[s], v[s])
        for ours, theirs in zip((matrix, momentum, inertia, com), expected, strict=True):
            scale = np.abs(theirs).max()
            assert ours[s] == pytest.approx(theirs, rel=1e-9, abs=1e-12 * scale)


def test_linear_momentum_is_mass_times_velocity_of_the_centre() -> None:
    robot, _ = grown(2, True)
    q, v, _ = random_states(robot)
    h = 1e-6
    there, back = (robot.center_of_mass(robot.integrate(q, s * h * v)) for s in (1, -1))
    momentum = centroidal_momentum(robot, q, v)
    speed = momentum[:, :3] / robot.model.total_mass
    assert speed == pytest.approx((there - back) / (2 * h), rel=1e-7, abs=1e-8)


def test_wrenches_and_weight_are_the_rate_of_momentum() -> None:
    """d/dt momentum about the moving centre: m g and f, (p - c) x f + moment."""
    robot, _ = grown(1, False)
    q, v, torques = random_states(robot)
    torques[:, :6] = 0.0  # joint torques are inner forces: they change nothing
    link = robot.model.leaf_links[-1]
    f = np.random.default_rng(8).standard_normal((STATES, 6))
    a = robot.forward_dynamics(q, v, torques, {link: f})
    h = 1e-5
    ahead, behind = (
        centroidal_momentum(robot, robot.integrate(q, s * h * v + 0.5 * h * h * a), v + s * h * a)
        for s in (1, -1)
    )
    _, position = robot.link_pose(q, link)
    expected = f.copy()
    expected[:, :3] += robot.model.total_mass * robot.model.gravity
    expected[:, 3:] += np.cross(position - robot.center_of_mass(q), f[:, :3])
    assert (ahead - behind) / (2 * h) == pytest.approx(expected, rel=1e-6, abs=1e-5)


def test_free_flight_keeps_momentum_and_energy() -> None:
    """A tree that flies, turns and swings its joints without any torque."""
    robot, _ = grown(1, False)
    q, v, _ = (x[0] for x in random_states(robot))
    nothing, h, steps = np.zeros(robot.nv), 1e-3, 300
    before = centroidal_momentum(robot, q, v)
    center = robot.center_of_mass(q)
    energy = robot.kinetic_energy(q, v) + robot.potential_energy(q)
    for _ in range(steps):
        q, v = rk4(
            lambda q, v: robot.forward_dynamics(q, v, nothing), q, v, h, move=robot.integrate
        )
    after, t = centroidal_momentum(robot, q, v), h * steps
    mass, g = robot.model.total_mass, robot.model.gravity
    assert after[3:] == pytest.approx(before[3:], rel=1e-8, abs=1e-8)
    assert after[:3] == pytest.approx(before[:3] + mass * g * t, rel=1e-8, abs=1e-8)
    fallen = center + before[:3] / mass * t + 0.5 * g * t * t
    assert robot.center_of_mass(q) == pytest.approx(fallen, rel=1e-8, abs=1e-8)
    assert robot.kinetic_energy(q, v) + robot.potential_energy(q) == pytest.approx(
        energy, rel=1e-8
    )


def test_rotors_do_not_count_and_nothing_has_no_centre() -> None:
    robot, _ = grown(2, False)
    q, *_ = random_states(robot)
    geared = FloatingBase(robot.model.with_armature(np.full(robot.model.n, 5.0)))
    expected = centroidal_momentum_matrix(robot, q)
    assert centroidal_momentum_matrix(geared, q) == pytest.approx(expected, **TIGHT)
    empty = FloatingBase(RobotModel.from_specs("void", [LinkSpec("nothing")], []))
    with pytest.raises(ModelError, match="void has no mass"):
        centroidal_momentum_matrix(empty, empty.neutral())
