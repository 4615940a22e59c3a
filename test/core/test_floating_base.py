# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""A robot with a free root: published numbers, Pinocchio's free-flyer, and what must hold."""

import warnings

import numpy as np
import pinocchio as pin
import pytest
from floating_oracle import FloatingOracle, pinocchio_tree
from random_models import random_specs, random_tree

from bench.pinocchio_oracle import robot_data
from robodyn_ros import RobotModel, inverse_dynamics, mass_matrix
from robodyn_ros.dynamics.floating_base import FloatingBase
from robodyn_ros.dynamics.integrators import rk4
from robodyn_ros.errors import ModelWarning, ShapeError, SingularModelError, UnknownNameError
from robodyn_ros.model.specs import JointSpec, LimitSpec, LinkSpec

STATES = 12
TIGHT = dict(rel=1e-11, abs=1e-11)
HUMANOID = "simple_humanoid_description/urdf/simple_humanoid.urdf"
TALOS = "talos_data/robots/talos_reduced.urdf"


def read(path: str, gravity: float) -> tuple[FloatingBase, FloatingOracle]:
    return build((robot_data() / path).read_text(), gravity)


def build(text: str, gravity: float) -> tuple[FloatingBase, FloatingOracle]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model = RobotModel.from_urdf(text, gravity=(0.0, 0.0, gravity))
    twin = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    return FloatingBase(model), FloatingOracle(twin, model)


def grown(seed: int, mimic: bool) -> tuple[FloatingBase, FloatingOracle]:
    model = random_tree(seed, mimic=mimic)
    return FloatingBase(model), FloatingOracle(pinocchio_tree(*random_specs(seed)), model)


MAKERS = {
    "humanoid": lambda: read(HUMANOID, -9.8),
    "talos_reduced": lambda: read(TALOS, -9.81),
    "tree": lambda: grown(1, False),
    "tree with mimic joints": lambda: grown(3, True),
}


def random_states(robot: FloatingBase, count: int = STATES, seed: int = 0):
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.5, 1.5, (count, robot.nq))
    q[:, 3:7] = rng.standard_normal((count, 4))
    q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    return q, *rng.standard_normal((2, count, robot.nv))


@pytest.fixture(scope="module", params=MAKERS, ids=str)
def case(request: pytest.FixtureRequest):
    robot, oracle = MAKERS[request.param]()
    return robot, oracle, random_states(robot)


# Generalised forces of simple_humanoid.urdf under g = 9.8 that Pinocchio's unit test value.cpp
# gives as obtained from RBDL, for the joints of each branch in the alphabetical order of that
# test. The waist of its URDF sits at the root's origin, 0.176 m below that of example-robot-data.
LEG = ("HIP_R", "HIP_P", "HIP_Y", "KNEE", "ANKLE_P", "ANKLE_R")
ARM = (
    "SHOULDER_P", "SHOULDER_R", "SHOULDER_Y", "ELBOW", "WRIST_Y", "WRIST_P", "WRIST_R",
)  # fmt: skip
ORDER = (
    *(f"LLEG_{joint}" for joint in LEG),
    *(f"RLEG_{joint}" for joint in LEG),
    *("WAIST_P", "WAIST_R", "CHEST"),
    *(f"LARM_{joint}" for joint in ARM),
    *(f"RARM_{joint}" for joint in ARM),
)
I35 = np.arange(35.0)
AT_REST = np.zeros(35)
JOINTS = np.where(I35 >= 6, I35, 0.0)  # the number of a coordinate, from the first joint on
PUBLISHED = {
    "at zero": (
        (AT_REST, AT_REST, AT_REST),
        1e-11,
        """0 0 1281.84 0 -40.5132 0 4.4492 -1.5386 0 -1.5386 -1.5386 0 -4.4492 -1.5386 0 -1.5386
        -1.5386 0 -37.436 0 0 -2.548 0 0 0.392 0 0.392 0 -2.548 0 0 0.392 0 0.392 0""",
    ),
    "velocity": (
        (AT_REST, JOINTS / 10, AT_REST),
        1e-7,
        """-48.10636 -73.218816 1384.901025 -7.2292939 -186.342371 -20.6685852 -.78887946
        -1.869651075 1.8889752 -2.036768175 -2.105948175 -1.023232 -18.3738505 -4.133954895
        9.0456456 -4.276615035 -4.143427035 -2.534896 -180.338765 15.71570676 -29.8639164
        -59.917862 -2.3307916 -2.7648728 -45.76782776 3.4151272 -18.4320456 -4.5768072
        -76.60945104 -.5897908 -2.640844 -63.93417064 5.359156 -25.8309196 -6.976116""",
    ),
    "velocity and acceleration": (
        (AT_REST, JOINTS / 100, JOINTS / 10),
        1e-6,
        """-15.3331636 -.67891816 1273.80521 102.9435113 110.3509945 81.52296995 13.31476408
        14.26606068 3.682505252 9.048274318 4.663303518 2.05308568 12.54347834 25.92680911
        6.327105656 16.71123385 8.96650473 3.54200704 70.15812475 77.02410963 73.81994844
        41.73185754 28.75786872 28.94251127 31.65847724 20.40431127 18.18579154 6.838471928
        50.44193173 34.07362801 34.53507156 38.33983417 24.61507156 22.2842788 8.23435884""",
    ),
    "position": (
        (I35 / 10, AT_REST, AT_REST),
        1e-6,
        """0 0 1281.84 -133.3062501 198.975587 0 15.06850407 58.39287139 -22.14971864 17.14327289
        1.291543104 .7402017048 -4.386231387 22.73949408 -19.01681794 .8839600793 -.3197599308
        -.466827706 65.47086697 32.71449398 -4.250622066 -.7937685568 -.15349648 -1.070480752
        -3.066302263 -.3557903212 -.2183951073 .182684221 -.6648425468 -2.902772493 .1250340934
        .4402877138 -.3158584741 -.0865162794 .3918733239""",
    ),
    "all": (
        (I35 / 10, JOINTS / 100, JOINTS / 100),
        1e-7,
        """-1.911650826 1.250211406 1284.82058 -139.0188156 201.744449 1.554847332 15.1910084
        59.27339983 -21.70753738 17.84339797 1.754639468 .670280632 -2.968778954 23.0776205
        -17.56870284 1.765761886 .2889992363 -.392159764 68.83598707 34.59002827 -4.604435817
        -.3832225891 1.085231916 -.348635267 -2.831371037 -1.047616506 -.228384161 .5656880079
        1.302869049 .8481280783 .7042182131 1.554751317 -.3908790552 -.1294643218 1.421077555""",
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_forces_of_the_humanoid(name: str) -> None:
    (joints, v, a), tolerance, expected = PUBLISHED[name]
    text = (robot_data() / HUMANOID).read_text()
    assert text.count('"0 0 0.176"') == 1
    robot, _ = build(text.replace('"0 0 0.176"', '"0 0 0"'), -9.8)
    ours = [*range(6), *(6 + robot.model.joint_index(joint) for joint in ORDER)]
    assert robot.model.total_mass == pytest.approx(130.8)
    assert len(ours) == robot.nv == 35 and robot.nq == 36
    q, motion = robot.neutral(), np.zeros((2, robot.nv))
    q[1 + np.array(ours[6:])] = joints[6:]
    motion[:, ours] = v, a
    force = robot.inverse_dynamics(q, *motion)[ours]
    assert force == pytest.approx(np.array(expected.split(), dtype=float), abs=tolerance)


def test_agrees_with_pinocchio(case) -> None:
    robot, oracle, (q, v, a) = case
    tip = max(robot.model.link_names, key=lambda link: len(robot.model.body_path(link)))
    force, mass = robot.inverse_dynamics(q, v, a), robot.mass_matrix(q)
    jacobian = robot.frame_jacobian(q, tip)
    rotation, position = robot.forward_kinematics(q)
    poses = np.concatenate([rotation, position[..., None]], axis=-1)
    back = robot.forward_dynamics(q, v, force)
    for s in range(STATES):
        expected = oracle.inverse_dynamics(q[s], v[s], a[s])
        scale = np.abs(expected).max()
        assert force[s] == pytest.approx(expected, rel=1e-9, abs=1e-12 * scale)
        assert mass[s] == pytest.approx(oracle.mass_matrix(q[s]), rel=1e-9, abs=1e-12 * scale)
        assert jacobian[s] == pytest.approx(oracle.frame_jacobian(q[s], tip), **TIGHT)
        assert poses[s] == pytest.approx(oracle.link_poses(q[s]), **TIGHT)
        assert back[s] == pytest.approx(a[s], rel=1e-9, abs=1e-9)
        if not robot.model.mimics:
            expected = oracle.forward_dynamics(q[s], v[s], a[s])
            ours = robot.forward_dynamics(q[s], v[s], a[s])
            assert ours == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())
            x, d = oracle.configuration(q[s]), v[s]
            moved = oracle.configuration(robot.integrate(q[s], d))
            assert moved == pytest.approx(pin.integrate(oracle.pin, x, oracle.gain @ d), **TIGHT)


def test_mass_matrix_in_blocks(case) -> None:
    robot, _, (q, v, a) = case
    mass, blocks = robot.mass_matrix(q), robot.mass_blocks(q)
    assert np.array_equal(mass, np.swapaxes(mass, -1, -2))
    assert np.linalg.eigvalsh(mass).min() > 0.0
    assert np.array_equal(np.swapaxes(mass[:, 6:, :6], -1, -2), blocks.coupling)
    # Locking the root gives the robot on a fixed root; its pose does not matter.
    assert blocks.joints == pytest.approx(mass_matrix(robot.model, q[:, 7:]), **TIGHT)
    assert blocks.root[:, :3, :3] == pytest.approx(
        np.broadcast_to(robot.model.total_mass * np.eye(3), (STATES, 3, 3)), **TIGHT
    )
    split = np.einsum("...ij,...j->...i", mass, a) + robot.bias(q, v)
    assert robot.inverse_dynamics(q, v, a) == pytest.approx(split, rel=1e-10, abs=1e-9)


def test_a_root_at_rest_is_a_fixed_root() -> None:
    robot, _ = grown(5, False)
    q, v, a = random_states(robot)
    q[:, 3:7], v[:, :6], a[:, :6] = [0.0, 0.0, 0.0, 2.0], 0.0, 0.0  # any length will do
    torques = inverse_dynamics(robot.model, q[:, 7:], v[:, 6:], a[:, 6:])
    assert robot.inverse_dynamics(q, v, a)[:, 6:] == pytest.approx(torques, **TIGHT)


def test_free_fall(case) -> None:
    """Without forces and joint motion everything falls with g, and nothing strains a joint."""
    robot, _, (q, *_) = case
    rotation, _ = robot.link_pose(q, robot.model.root_link)
    falling = np.zeros((STATES, robot.nv))
    falling[:, :3] = np.einsum("...ji,j->...i", rotation, robot.model.gravity)
    still = np.zeros(robot.nv)
    assert robot.inverse_dynamics(q, still, falling) == pytest.approx(0.0 * falling, abs=1e-10)
    assert robot.forward_dynamics(q, still, still) == pytest.approx(falling, abs=1e-10)


def test_wrenches_through_the_jacobian(case) -> None:
    robot, _, (q, v, a) = case
    links = robot.model.leaf_links[:2]
    f = np.random.default_rng(4).standard_normal((2, STATES, 6))
    wrenches = dict(zip(links, f, strict=False))
    pushed = sum(
        np.einsum("...ij,...i->...j", robot.frame_jacobian(q, link), wrench)
        for link, wrench in wrenches.items()
    )
    assert robot.wrench_forces(q, wrenches) == pytest.approx(pushed, **TIGHT)
    force = robot.inverse_dynamics(q, v, a, wrenches)
    assert force == pytest.approx(robot.inverse_dynamics(q, v, a) - pushed, rel=1e-9, abs=1e-9)
    back = robot.forward_dynamics(q, v, force, wrenches)
    assert back == pytest.approx(a, rel=1e-8, abs=1e-8)


def test_standing_robot_needs_its_weight_from_the_ground() -> None:
    robot, _ = read(HUMANOID, -9.8)
    q, still = robot.neutral(), np.zeros(robot.nv)
    com = robot.center_of_mass(q)
    feet = ("r_ankle", "l_ankle")
    origins = [robot.link_pose(q, foot)[1] for foot in feet]
    weight = np.array([0.0, 0.0, 0.5 * 130.8 * 9.8])
    # Half the weight on each foot, applied below the centre of mass.
    wrenches = {
        foot: np.concatenate([weight, np.cross(com - origin, weight)])
        for foot, origin in zip(feet, origins, strict=True)
    }
    force = robot.inverse_dynamics(q, still, still, wrenches)
    assert force[:6] == pytest.approx(np.zeros(6), abs=1e-10)


def test_jacobian_and_velocity_by_finite_differences(case) -> None:
    robot, _, (q, v, _) = case
    link, point, h = robot.model.leaf_links[-1], np.array([0.1, -0.2, 0.3]), 1e-6
    moved = []
    for side in (1, -1):
        rotation, position = robot.link_pose(robot.integrate(q, side * h * v), link)
        moved.append(position + rotation @ point)
    velocity = np.einsum("...ij,...j->...i", robot.frame_jacobian(q, link, offset=point), v)
    assert velocity[:, :3] == pytest.approx((moved[0] - moved[1]) / (2 * h), rel=1e-6, abs=1e-7)


def test_power_is_the_change_of_energy(case) -> None:
    robot, _, (q, v, a) = case
    h = 1e-5

    def energy(t: float) -> np.ndarray:
        there, rate = robot.integrate(q, t * v + 0.5 * t * t * a), v + t * a
        return robot.kinetic_energy(there, rate) + robot.potential_energy(there)

    power = np.sum(robot.inverse_dynamics(q, v, a) * v, axis=-1)
    slope = (energy(h) - energy(-h)) / (2 * h)
    assert power == pytest.approx(slope, rel=1e-6, abs=1e-5)


def test_integrate_and_difference_are_inverse(case) -> None:
    robot, _, (q, v, _) = case
    for size in (1e-9, 1e-3, 1.0):
        there = robot.integrate(q, size * v)
        assert robot.difference(q, there) == pytest.approx(size * v, rel=1e-10, abs=1e-14)
        assert np.linalg.norm(there[:, 3:7], axis=1) == pytest.approx(np.ones(STATES), abs=1e-15)
    assert robot.difference(q, q) == pytest.approx(0.0 * v, abs=1e-15)
    # Half a turn and more: the way back is the shorter one.
    far = np.zeros(robot.nv)
    far[5] = 4.0
    way = robot.difference(robot.neutral(), robot.integrate(robot.neutral(), far))
    assert way[5] == pytest.approx(4.0 - 2.0 * np.pi)


# Torque-free symmetric body (Kane), closed form as in Drake's test of a free joint: cylinder of
# 1 kg, I = 0.04 and 0.02 along its axis z. t: quaternion w x y z, omega in the body, position.
KANE = {
    1: (
        (-0.30493638853, 0.333018098446, -0.137999998421, -0.881515028513),
        (-1.415504960961, -4.242210002522, 6),
        (-3.2, 7.5, 4.195),
    ),
    5: (
        (-0.191789212346, 0.64483121229, -0.071000905879, 0.736456704123),
        (1.081775534911, -4.33932733175, 6),
        (-20, 29.5, -89.125),
    ),
}


@pytest.mark.parametrize(("end", "com"), [(1, (0, 0, 0)), (5, (0.1, -0.2, 0.3))])
def test_torque_free_symmetric_body(end: int, com: tuple[float, ...]) -> None:
    """A single free body whose link frame need not sit at the centre of mass."""
    c = np.array(com)
    link = LinkSpec("body", 1.0, c, np.diag([0.04, 0.04, 0.02]))
    robot = FloatingBase(RobotModel.from_specs("body", [link], []))
    q, w = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]), np.array([2.0, 4.0, 6.0])
    q[:3] -= c
    v = np.concatenate([[-4.2, 5.5, 6.1] - np.cross(w, c), w])
    h, nothing = 2.5e-3, np.zeros(6)
    for _ in range(round(end / h)):
        q, v = rk4(
            lambda q, v: robot.forward_dynamics(q, v, nothing), q, v, h, move=robot.integrate
        )
    quaternion, omega, position = KANE[end]
    assert q[[6, 3, 4, 5]] == pytest.approx(quaternion, abs=1e-6)
    assert v[3:] == pytest.approx(omega, abs=1e-6)
    rotation, _ = robot.link_pose(q, "body")
    assert robot.center_of_mass(q) == pytest.approx(position, abs=5e-6)
    velocity = rotation @ (v[:3] + np.cross(v[3:], c))
    assert velocity == pytest.approx([-4.2, 5.5, 6.1 - 9.81 * end], abs=1e-6)


def test_shapes_and_single_calls() -> None:
    robot, _ = grown(1, False)
    q, v, a = random_states(robot)
    for function, arguments in (
        (robot.inverse_dynamics, (q, v, a)),
        (robot.forward_dynamics, (q, v, a)),
        (robot.integrate, (q, v)),
        (robot.mass_matrix, (q,)),
        (robot.kinetic_energy, (q, v)),
        (robot.potential_energy, (q,)),
        (robot.center_of_mass, (q,)),
    ):
        batch = function(*(x.reshape(3, 4, -1) for x in arguments))
        single = function(*(x[6] for x in arguments))
        assert batch.shape == (3, 4, *single.shape)
        assert batch[1, 2] == pytest.approx(single, rel=1e-12, abs=1e-12)
    assert robot.inverse_dynamics(q, v[0], a[0]).shape == (STATES, robot.nv)
    frozen = q.copy()
    frozen.setflags(write=False)
    assert np.array_equal(robot.bias(frozen, v), robot.bias(q, v))
    with pytest.raises(ShapeError, match="q has shape .8,.*free root and 8 joints.*must be 15"):
        robot.mass_matrix(np.zeros(8))
    with pytest.raises(ShapeError, match="v has shape .15,.*must be 14"):
        robot.bias(q, np.zeros(15))
    with pytest.raises(ShapeError, match=r"batch shapes.*q \(12, 15\).*v \(5, 14\)"):
        robot.bias(q, v[:5])
    with pytest.raises(UnknownNameError, match="no link named 'foot'"):
        robot.wrench_forces(q, {"foot": np.zeros(6)})
    with pytest.raises(ShapeError, match="wrench on link 'l0'"):
        robot.wrench_forces(q, {"l0": np.zeros(3)})


def test_rotor_inertia_and_payload_count_with_a_free_root() -> None:
    robot, _ = grown(2, False)
    q, v, a = random_states(robot)
    rotors = np.linspace(0.1, 0.8, robot.model.n)
    heavy = FloatingBase(robot.model.with_armature(rotors))
    more = heavy.inverse_dynamics(q, v, a) - robot.inverse_dynamics(q, v, a)
    assert more[:, 6:] == pytest.approx(rotors * a[:, 6:], rel=1e-9, abs=1e-9)
    assert more[:, :6] == pytest.approx(0.0 * more[:, :6], abs=1e-9)
    # A payload fixed to the root link moves with it.
    loaded = FloatingBase(robot.model.with_payload("base", 2.0, (0.0, 0.0, 0.1)))
    extra = loaded.mass_matrix(q) - robot.mass_matrix(q)
    assert extra[:, :3, :3] == pytest.approx(np.broadcast_to(2 * np.eye(3), (STATES, 3, 3)))
    assert np.all(extra[:, 6:] == 0.0)


def test_a_root_without_inertia_is_named() -> None:
    z, limit = np.array([0.0, 0.0, 1.0]), LimitSpec(-3, 3)
    links = [LinkSpec("base"), LinkSpec("arm", 1.0, np.array([0.5, 0, 0]), 0.1 * np.eye(3))]
    joint = JointSpec("turn", "revolute", "base", "arm", np.eye(3), np.zeros(3), z, limit)
    robot = FloatingBase(RobotModel.from_specs("bare", links, [joint]))
    with pytest.raises(SingularModelError, match="'root about z'"):
        robot.forward_dynamics(robot.neutral(), *np.zeros((2, robot.nv)))
