# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What must hold for every robot and state, whatever the numbers are."""

from typing import Any

import numpy as np
import pytest
from random_models import random_specs, random_tree

from bench.accuracy import ROBOTS, random_states, read_robot
from robodyn_ros import (
    RobotModel,
    bias_torques,
    coriolis_matrix,
    coriolis_torques,
    forward_dynamics,
    forward_kinematics,
    frame_jacobian,
    frame_velocity,
    gravity_torques,
    inverse_dynamics,
    kinetic_energy,
    link_pose,
    load_urdf,
    mass_matrix,
    potential_energy,
)
from robodyn_ros.cli.shipped import robot_folder
from robodyn_ros.dynamics.forward_dynamics import singular_joints
from robodyn_ros.dynamics.inverse_dynamics import wrench_torques
from robodyn_ros.errors import ShapeError, SingularModelError, UnknownNameError
from robodyn_ros.model.rotations import matrix_from_rpy, rotation_vector
from robodyn_ros.model.specs import JointSpec, LimitSpec, LinkSpec

STATES = 20
TREES = {"tree 1": False, "tree 2": False, "tree 3": True, "tree 4": True}  # with mimic joints?
SHIPPED = ("panda", "ur5e", "two_link")


def near(expected: Any, tolerance: float = 1e-11) -> Any:
    """Equal within a tolerance relative to the largest entry, or to 1."""
    largest = np.abs(expected).max(initial=1.0)
    return pytest.approx(expected, rel=tolerance, abs=tolerance * float(largest))


@pytest.fixture(params=[*TREES, *SHIPPED, *(f"real {name}" for name in ROBOTS)])
def case(request: pytest.FixtureRequest) -> tuple[RobotModel, np.ndarray]:
    """Random trees, the shipped robots and ten published ones, with q, qd, qdd and tau."""
    name = request.param
    if name in TREES:
        seed = int(name[-1])
        model = random_tree(seed, mimic=TREES[name])
        assert bool(model.mimics) == TREES[name]
        return model, np.random.default_rng(seed).uniform(-1.5, 1.5, (4, STATES, model.n))
    if name in SHIPPED:
        model = load_urdf(robot_folder(name) / f"{name}.urdf")
    else:
        model = read_robot(name.removeprefix("real "))[1]
    return model, np.array(random_states(model, STATES))


def test_mass_matrix_is_symmetric_positive_and_made_of_unit_accelerations(case) -> None:
    model, (q, *_) = case
    mass = mass_matrix(model, q)
    assert np.array_equal(mass, np.swapaxes(mass, -1, -2))
    assert np.linalg.eigvalsh(mass).min() > 0.0
    weightless = model.with_gravity((0.0, 0.0, 0.0))
    columns = inverse_dynamics(weightless, q[:, None], np.zeros(model.n), np.eye(model.n))
    assert mass == near(columns)


def test_mass_matrix_is_the_sum_over_links_of_jacobians_and_inertias(case) -> None:
    model, (q, *_) = case
    total = np.zeros((model.n, model.n))
    for link, (m, mx, my, mz, xx, xy, yy, xz, yz, zz) in zip(
        model.link_names, model.link_parameters, strict=True
    ):
        c = np.array([mx, my, mz]) / (m or 1.0)  # massless links ship with some robots
        about_com = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        about_com -= m * (c @ c * np.eye(3) - np.outer(c, c))
        jacobian = frame_jacobian(model, q[0], link, offset=c)
        rotation, _ = link_pose(model, q[0], link)
        turned = rotation @ about_com @ rotation.T
        total += m * jacobian[:3].T @ jacobian[:3] + jacobian[3:].T @ turned @ jacobian[3:]
    assert mass_matrix(model, q[0]) == near(total)


def test_forward_dynamics_inverts_inverse_dynamics(case) -> None:
    model, (q, qd, qdd, tau) = case
    assert forward_dynamics(model, q, qd, inverse_dynamics(model, q, qd, qdd)) == near(qdd, 1e-9)
    solved = np.linalg.solve(mass_matrix(model, q), (tau - bias_torques(model, q, qd))[..., None])
    assert forward_dynamics(model, q, qd, tau) == near(solved[..., 0], 1e-9)


def test_coriolis_matrix_is_christoffel(case) -> None:
    model, (q, qd, *_) = case
    matrix = coriolis_matrix(model, q, qd)
    torque = np.einsum("...ij,...j->...i", matrix, qd)
    assert torque == near(coriolis_torques(model, q, qd))
    step = 1e-6
    rate = (mass_matrix(model, q + step * qd) - mass_matrix(model, q - step * qd)) / (2 * step)
    assert rate == near(matrix + np.swapaxes(matrix, -1, -2), 1e-6)
    # Entry by entry from the definition, derivatives of the mass matrix by central differences.
    n, x, v = model.n, q[0], qd[0]
    slopes = [
        (mass_matrix(model, x + step * e) - mass_matrix(model, x - step * e)) / (2 * step)
        for e in np.eye(n)
    ]
    d = np.array(slopes)  # d[k, i, j] = dM_ij / dq_k
    christoffel = 0.5 * (np.einsum("kij,k->ij", d, v) + np.einsum("jik,k->ij", d, v))
    christoffel -= 0.5 * np.einsum("ijk,k->ij", d, v)
    assert matrix[0] == near(christoffel, 1e-6)


def test_torque_splits_into_inertia_coriolis_and_gravity(case) -> None:
    model, (q, qd, qdd, _) = case
    inertia = np.einsum("...ij,...j->...i", mass_matrix(model, q), qdd)
    parts = inertia + coriolis_torques(model, q, qd) + gravity_torques(model, q)
    assert inverse_dynamics(model, q, qd, qdd) == near(parts)


def test_gravity_is_the_slope_of_potential_energy(case) -> None:
    model, (q, *_) = case
    step = 1e-5
    up, down = (potential_energy(model, q[:, None] + s * step * np.eye(model.n)) for s in (1, -1))
    assert gravity_torques(model, q) == near((up - down) / (2 * step), 1e-7)


def test_power_equals_the_change_of_energy(case) -> None:
    model, (q, qd, qdd, _) = case
    power = np.sum(inverse_dynamics(model, q, qd, qdd) * qd, axis=-1)
    h = 1e-5

    def energy(t: float) -> np.ndarray:
        x, v = q + t * qd + 0.5 * t * t * qdd, qd + t * qdd
        return kinetic_energy(model, x, v) + potential_energy(model, x)

    assert power == near((energy(h) - energy(-h)) / (2 * h), 1e-6)


def test_jacobian_is_the_slope_of_the_pose(case) -> None:
    model, (q, qd, *_) = case
    link, point, step = model.leaf_links[-1], np.array([0.1, -0.2, 0.3]), 1e-6
    before, after = (link_pose(model, q + s * step * qd, link) for s in (-1, 1))
    moved = [p + r @ point for r, p in (before, after)]
    linear = (moved[1] - moved[0]) / (2 * step)
    turned = rotation_vector(after[0] @ np.swapaxes(before[0], -1, -2)) / (2 * step)
    velocity = frame_velocity(model, q, qd, link, offset=point)
    assert velocity == near(np.concatenate([linear, turned], -1), 1e-7)


def test_external_wrenches_act_on_the_robot(case) -> None:
    model, (q, qd, qdd, _) = case
    link = model.leaf_links[-1]
    # A weight hung on the link is a downward force of the environment on the robot.
    mass, point = 0.8, np.array([0.05, 0.1, -0.15])
    rotation, _ = link_pose(model, q, link)
    force = mass * np.broadcast_to(model.gravity, (STATES, 3))
    wrench = np.concatenate([force, np.cross(rotation @ point, force)], axis=-1)
    loaded = gravity_torques(model.with_payload(link, mass, point), q)
    still = np.zeros(model.n)
    assert inverse_dynamics(model, q, still, still, {link: wrench}) == near(loaded)
    tau = inverse_dynamics(model, q, qd, qdd, {link: wrench})
    assert forward_dynamics(model, q, qd, tau, {link: wrench}) == near(qdd, 1e-9)
    assert wrench_torques(model, q, {link: wrench}) == near(
        inverse_dynamics(model, q, qd, qdd) - tau, 1e-9
    )


def test_batch_equals_single_calls_and_keeps_its_shape(case) -> None:
    model, (q, qd, qdd, tau) = case
    shaped = [x.reshape(4, 5, model.n) for x in (q, qd, qdd, tau)]
    for function, count in (
        (inverse_dynamics, 3),
        (forward_dynamics, 3),
        (mass_matrix, 1),
        (coriolis_matrix, 2),
        (gravity_torques, 1),
    ):
        batch = function(model, *shaped[:count])
        assert batch.shape[:2] == (4, 5)
        single = function(model, *(x[3] for x in (q, qd, qdd)[:count]))
        assert batch[0, 3] == near(single, 1e-12)
    rotation, position = forward_kinematics(model, shaped[0])
    for i, link in enumerate(model.link_names):
        r, p = link_pose(model, q[7], link)
        assert rotation[1, 2, i] == near(r)
        assert position[1, 2, i] == near(p)
    empty = inverse_dynamics(model, q[:0], qd[:0], qdd[:0])
    assert empty.shape == (0, model.n)
    assert inverse_dynamics(model, q, qd[0], 0.0 * qdd[0]).shape == q.shape


def test_inputs_stay_untouched_and_may_be_read_only_or_strided(case) -> None:
    model, (q, qd, qdd, _) = case
    expected = inverse_dynamics(model, q, qd, qdd)
    frozen = q.copy()
    frozen.setflags(write=False)
    fortran = np.asfortranarray(qd)
    whole = [[int(1e3 * x) for x in row] for row in qdd]
    assert np.array_equal(inverse_dynamics(model, frozen, fortran, qdd), expected)
    assert inverse_dynamics(model, frozen, fortran, whole).shape == expected.shape
    assert np.array_equal(frozen, q)


def test_a_turned_mount_equals_turned_gravity() -> None:
    links, joints = random_specs(5)
    turn, q = (
        matrix_from_rpy([0.52, -0.3, 0.79]),
        np.random.default_rng(5).uniform(-1, 1, (3, 4, 8)),
    )
    mount = JointSpec("mount", "fixed", "world", "base", turn, np.array([0.3, -0.2, 1.0]))
    mounted = RobotModel.from_specs("mounted", [LinkSpec("world"), *links], [mount, *joints])
    based = RobotModel.from_specs(
        "based", links, joints, gravity=turn.T @ np.array([0.0, 0.0, -9.81])
    )
    assert inverse_dynamics(mounted, *q) == near(inverse_dynamics(based, *q))
    flat = RobotModel.from_specs("flat", links, joints)
    assert not np.allclose(inverse_dynamics(flat, *q), inverse_dynamics(based, *q))
    branch = RobotModel.from_specs(
        "branch", [LinkSpec("world"), *links], [mount, *joints], root="base"
    )
    assert inverse_dynamics(branch, *q) == near(inverse_dynamics(flat, *q))


def test_sibling_branches_do_not_couple() -> None:
    """Y-shaped planar tree; closed form of the KDL tree test, values of an independent run."""
    inertia = np.diag([0.0, 0.0, 0.05])
    links = [
        LinkSpec("base"),
        LinkSpec("s1", 1.0, np.array([0.5, 0, 0]), inertia),
        LinkSpec("s2", 1.0, np.array([0.25, 0, 0]), inertia),
        LinkSpec("s3", 1.0, np.array([0.25, 0, 0]), inertia),
    ]
    z, limit = np.array([0.0, 0.0, 1.0]), LimitSpec(-3, 3)
    joints = [
        JointSpec("a", "revolute", "base", "s1", np.eye(3), np.zeros(3), z, limit),
        JointSpec("b", "revolute", "s1", "s2", np.eye(3), np.array([0.5, 0, 0]), z, limit),
        JointSpec("c", "revolute", "s1", "s3", np.eye(3), np.array([1.0, 0, 0]), z, limit),
    ]
    model = RobotModel.from_specs("y", links, joints, gravity=(0.0, -9.8, 0.0))
    q, qd, qdd = [0.3, -0.5, 0.7], [1.1, -0.4, 0.6], [0.2, 0.3, -0.1]
    assert inverse_dynamics(model, q, qd, qdd) == pytest.approx(
        [22.647430863047, 2.406839567044, 1.568108609131], rel=1e-11
    )
    mass = mass_matrix(model, q)
    assert mass[0] == pytest.approx([2.376816734115, 0.222197820236, 0.303710546821], rel=1e-11)
    assert mass[1, 2] == 0.0 and mass[2, 1] == 0.0
    assert mass[1, 1] == pytest.approx(0.1125) and mass[2, 2] == pytest.approx(0.1125)


def test_wrong_shapes_and_names_say_what_is_wrong() -> None:
    model = random_tree(6)
    with pytest.raises(ShapeError, match="qd has shape .7,., but tree6 has 8 joints"):
        inverse_dynamics(model, np.zeros(8), np.zeros(7), np.zeros(8))
    with pytest.raises(ShapeError, match="q has shape"):
        mass_matrix(model, 0.0)
    with pytest.raises(ShapeError, match=r"batch shapes.*q \(2, 8\).*qd \(3, 8\)"):
        bias_torques(model, np.zeros((2, 8)), np.zeros((3, 8)))
    with pytest.raises(UnknownNameError, match="no link named 'hand'; known: base"):
        link_pose(model, np.zeros(8), "hand")


def test_forward_dynamics_refuses_a_joint_that_moves_no_mass() -> None:
    z, limit = np.array([0.0, 0.0, 1.0]), LimitSpec(-3, 3)
    links = [LinkSpec("base"), LinkSpec("arm", 1.0, np.array([0.5, 0, 0])), LinkSpec("tip")]
    joints = [
        JointSpec("lift", "revolute", "base", "arm", np.eye(3), np.zeros(3), z, limit),
        JointSpec("twist", "revolute", "arm", "tip", np.eye(3), np.ones(3), z, limit),
    ]
    model = RobotModel.from_specs("bare", links, joints)
    assert singular_joints(model) == ("twist",)
    assert np.all(np.isfinite(inverse_dynamics(model, *np.ones((3, 2)))))
    with pytest.raises(SingularModelError, match="'twist'"):
        forward_dynamics(model, np.zeros(2), np.zeros(2), np.zeros(2))
    # A point mass at the tip, off both axes, is enough.
    loaded = model.with_payload("tip", 0.2, (0.1, 0.0, 0.0))
    assert singular_joints(loaded) == ()
    assert np.all(np.isfinite(forward_dynamics(loaded, np.zeros(2), np.zeros(2), np.zeros(2))))


def test_detaching_a_payload_restores_the_model_bit_for_bit() -> None:
    model = random_tree(7)
    link = model.leaf_links[0]
    loaded = model.with_payload(link, 1.5, (0, 0, 0.12), name="box")
    again = loaded.with_payload(link, 1.5, (0, 0, 0.12), name="box")
    assert np.array_equal(loaded.arrays.bodies, again.arrays.bodies), "same name replaces"
    assert loaded.total_mass == pytest.approx(model.total_mass + 1.5)
    bare = again.without_payload("box")
    assert np.array_equal(bare.arrays.bodies, model.arrays.bodies)
    nothing = loaded.with_payload(link, 0.0, (0, 0, 0), name="box")
    assert np.array_equal(nothing.arrays.bodies, model.arrays.bodies)
    with pytest.raises(UnknownNameError, match="no link named 'tol'"):
        loaded.with_payload("tol", 1.0, (0, 0, 0))


def test_one_sample_of_any_kind_of_array_gives_the_same(case) -> None:
    """The short cut for one sample serves float64 vectors; everything else goes the long way."""
    model, states = case
    q, qd, qdd = (np.array(x[0]) for x in states[:3])
    frozen = qd.copy()
    frozen.setflags(write=False)
    strided = np.column_stack([qdd, qdd])[:, 0]
    for function, count in ((inverse_dynamics, 3), (forward_dynamics, 3), (mass_matrix, 1)):
        expected = function(model, *(q, qd, qdd)[:count])
        for kind in ((q, frozen, strided), (q.tolist(), qd.tolist(), qdd.tolist())):
            assert function(model, *kind[:count]) == near(expected, 1e-12)
    whole = np.rint(3 * q).astype(int)
    assert gravity_torques(model, whole) == near(
        gravity_torques(model, whole.astype(float)), 1e-12
    )
    with pytest.raises(ShapeError, match="qd has shape"):
        inverse_dynamics(model, q, qd[:-1], qdd)
    with pytest.raises(ShapeError, match="tau has shape"):
        forward_dynamics(model, q, qd, qdd[:-1])
    assert inverse_dynamics(model, q, states[1], qdd).shape == states[1].shape
