# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Jacobian in link axes and its rate, accelerations of links, measures of a Jacobian."""

import numpy as np
import pinocchio as pin
import pytest
from random_models import random_tree

from bench.accuracy import random_states, read_robot
from bench.pinocchio_oracle import PinocchioOracle
from robodyn_ros import (
    ChainLink,
    RobotModel,
    frame_acceleration,
    frame_jacobian,
    frame_jacobian_rate,
    frame_velocity,
    jacobian_condition,
    link_pose,
    manipulability,
)
from robodyn_ros.errors import ParameterError, ShapeError, UnknownNameError

X, Y, Z = np.eye(3)
POINT = np.array([0.1, -0.2, 0.3])


@pytest.fixture(params=[(1, False), (3, True)], ids=str)
def case(request: pytest.FixtureRequest) -> tuple[RobotModel, np.ndarray]:
    seed, mimic = request.param
    model = random_tree(seed, mimic=mimic)
    return model, np.random.default_rng(seed).uniform(-1.5, 1.5, (3, 6, model.n))


def slope(function, q, qd, step=1e-6):
    """Rate of a function of q that moves with qd, by central differences."""
    return (function(q + step * qd) - function(q - step * qd)) / (2 * step)


def test_local_axes_are_the_link_s_own(case) -> None:
    model, (q, *_) = case
    for link in model.link_names:
        rotation, _ = link_pose(model, q, link)
        world = frame_jacobian(model, q, link, POINT)
        local = frame_jacobian(model, q, link, POINT, axes="local")
        assert rotation @ local[:, :3] == pytest.approx(world[:, :3], abs=1e-13)
        assert rotation @ local[:, 3:] == pytest.approx(world[:, 3:], abs=1e-13)
        assert np.array_equal(frame_jacobian(model, q, link, POINT, axes="world"), world)


def test_jacobian_rate_is_the_slope_of_the_jacobian(case) -> None:
    model, (q, qd, _) = case
    for link in model.link_names:
        rate = frame_jacobian_rate(model, q, qd, link, POINT)
        moved = slope(lambda x, link=link: frame_jacobian(model, x, link, POINT), q, qd)
        assert rate == pytest.approx(moved, abs=1e-8)
    assert not frame_jacobian_rate(model, q, qd, model.root_link).any()


def test_classical_acceleration_is_the_slope_of_the_velocity(case) -> None:
    model, (q, qd, qdd) = case
    link, step = model.leaf_links[-1], 1e-6
    after, before = (
        frame_velocity(model, q + t * qd + t * t / 2 * qdd, qd + t * qdd, link, POINT)
        for t in (step, -step)
    )
    acceleration = frame_acceleration(model, q, qd, qdd, link, POINT)
    assert acceleration == pytest.approx((after - before) / (2 * step), abs=1e-7)


def test_a_point_of_a_spinning_disc_accelerates_inwards_but_its_twist_is_constant() -> None:
    disc = RobotModel.from_links([ChainLink(axis=Z, mass=1.0, inertia=(1.0, 1.0, 2.0))])
    classical = frame_acceleration(disc, [0.0], [3.0], [0.0], "link1", offset=0.5 * X)
    assert classical == pytest.approx([-4.5, 0, 0, 0, 0, 0])
    spatial = frame_acceleration(disc, [0.0], [3.0], [0.0], "link1", offset=0.5 * X, spatial=True)
    assert spatial == pytest.approx(np.zeros(6), abs=1e-15)


@pytest.mark.parametrize("robot", ["panda", "tiago", "talos_reduced"])
def test_rates_and_accelerations_agree_with_pinocchio(robot: str) -> None:
    text, model = read_robot(robot)
    oracle = PinocchioOracle(text, model)
    theirs, data = oracle.pin, oracle.data
    q, qd, qdd, _ = random_states(model, 20)
    tip = max(model.link_names, key=lambda link: len(model.body_path(link)))
    frame = theirs.getFrameId(tip, pin.FrameType.BODY)
    axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    classical = frame_acceleration(model, q, qd, qdd, tip)
    spatial = frame_acceleration(model, q, qd, qdd, tip, spatial=True)
    rates = frame_jacobian_rate(model, q, qd, tip)
    local = frame_jacobian(model, q, tip, axes="local")
    for s in range(len(q)):
        x, v = oracle.configuration(q[s]), oracle.gain @ qd[s]
        pin.forwardKinematics(theirs, data, x, v, oracle.gain @ qdd[s])
        close = dict(rel=1e-12, abs=1e-11)
        point = pin.getFrameClassicalAcceleration(theirs, data, frame, axes)
        assert classical[s] == pytest.approx(point.vector, **close)
        screw = pin.getFrameAcceleration(theirs, data, frame, axes)
        assert spatial[s] == pytest.approx(screw.vector, **close)
        rate = oracle.frame_jacobian_rate(q[s], qd[s], tip)
        assert rates[s] == pytest.approx(rate, **close)
        own = pin.getFrameJacobian(theirs, data, frame, pin.ReferenceFrame.LOCAL) @ oracle.gain
        assert local[s] == pytest.approx(own, **close)


def test_batches_equal_single_calls_and_keep_their_shape(case) -> None:
    model, states = case
    q, qd, qdd = (x.reshape(2, 3, model.n) for x in states)
    link = model.leaf_links[0]
    rate = frame_jacobian_rate(model, q, qd, link)
    acceleration = frame_acceleration(model, q, qd, qdd, link, spatial=True)
    jacobian = frame_jacobian(model, q, link, axes="local")
    assert rate.shape == jacobian.shape == (2, 3, 6, model.n) and acceleration.shape == (2, 3, 6)
    one = (q[1, 2], qd[1, 2], qdd[1, 2])
    assert np.array_equal(rate[1, 2], frame_jacobian_rate(model, *one[:2], link))
    assert acceleration[1, 2] == pytest.approx(
        frame_acceleration(model, *one, link, spatial=True), rel=1e-12, abs=1e-13
    )
    assert jacobian[1, 2] == pytest.approx(
        frame_jacobian(model, one[0], link, axes="local"), rel=1e-12, abs=1e-13
    )
    assert frame_jacobian_rate(model, q[:, :0], qd[:, :0], link).shape == (2, 0, 6, model.n)
    assert frame_acceleration(model, one[0], qd, 0.0 * qdd, link).shape == (2, 3, 6)
    assert manipulability(jacobian).shape == jacobian_condition(jacobian).shape == (2, 3)


def test_manipulability_of_the_planar_arm_in_closed_form() -> None:
    """Yoshikawa 1985: l1 l2 |sin q2|, so a stretched arm is singular."""
    arm = RobotModel.from_links([ChainLink(axis=Z), ChainLink(axis=Z, offset=X)], tool=0.8 * X)
    q = np.array([[0.3, 0.9], [0.1, -2.0], [0.7, 0.0]])
    planar = frame_jacobian(arm, q, "tool")[:, :2]
    assert manipulability(planar) == pytest.approx(0.8 * np.abs(np.sin(q[:, 1])), abs=1e-15)
    condition = jacobian_condition(planar)
    assert condition[:2] == pytest.approx(np.linalg.cond(planar[:2])) and condition[2] > 1e15


def test_manipulability_is_the_root_of_a_determinant_whatever_the_shape() -> None:
    wide = np.random.default_rng(2).standard_normal((5, 6, 7))
    tall = np.swapaxes(wide, -1, -2)
    expected = np.sqrt(np.linalg.det(wide @ tall))
    assert manipulability(wide) == pytest.approx(expected, rel=1e-12)
    assert manipulability(tall) == pytest.approx(expected, rel=1e-12)
    assert jacobian_condition(np.zeros((6, 3))) == np.inf
    assert manipulability(np.zeros((6, 3))) == 0.0


def test_one_bad_jacobian_does_not_spoil_the_batch() -> None:
    jacobians = np.random.default_rng(3).standard_normal((3, 6, 7))
    jacobians[1, 2, 3] = np.nan
    for measure in (manipulability, jacobian_condition):
        values = measure(jacobians)
        assert np.isnan(values).tolist() == [False, True, False]
        assert values[2] == measure(jacobians[2])


def test_wrong_arguments_say_what_is_wrong() -> None:
    model = random_tree(1)
    zero = np.zeros(8)
    with pytest.raises(ParameterError, match="'axes' is 'body': expected 'world' or 'local'"):
        frame_jacobian(model, zero, "l3", axes="body")  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match="qd has shape"):
        frame_jacobian_rate(model, zero, np.zeros(7), "l3")
    with pytest.raises(ShapeError, match="qdd has shape"):
        frame_acceleration(model, zero, zero, 0.0, "l3")
    with pytest.raises(ShapeError, match="qd has shape"):
        frame_velocity(model, zero, np.zeros(7), "l3")
    with pytest.raises(UnknownNameError, match="hand"):
        frame_jacobian_rate(model, zero, zero, "hand")
    with pytest.raises(ShapeError, match="jacobian has shape"):
        manipulability(np.zeros(6))
