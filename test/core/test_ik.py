# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The IK solver: it finds what exists, keeps limits, stays near the seed, says why when not."""

import time

import numpy as np
import pytest
from random_models import random_tree

from robodyn_ros import RobotModel, forward_kinematics, frame_jacobian, link_pose
from robodyn_ros.errors import ParameterError, RobodynError, ShapeError, UnknownNameError
from robodyn_ros.ik import IKResult, _kernels, solve_ik, solver
from robodyn_ros.ik.chain import chain_to
from robodyn_ros.ik.seeds import strides
from robodyn_ros.model.chain import ChainLink
from robodyn_ros.model.rotations import matrix_from_quaternion, matrix_from_rpy, rotation_vector
from robodyn_ros.model.specs import JointSpec, LimitSpec, LinkSpec, MimicSpec

X, Y, Z = np.eye(3)


def revolute(axis, offset, limit: float, **kind) -> ChainLink:
    return ChainLink(axis, offset, limit=LimitSpec(-limit, limit), **kind)


@pytest.fixture(scope="module")
def arm() -> RobotModel:
    """Six joints with offsets and an endless last one; tool frame turned by rpy (0, 0.5, 0)."""
    return RobotModel.from_links(
        [
            revolute(Z, (0, 0, 0.2), 3.1),
            revolute(Y, (0, 0.05, 0.15), 2.0),
            revolute(Y, (0, 0, 0.4), 2.6),
            revolute(Z, (0, 0, 0.35), 6.2),
            revolute(Y, (0, 0, 0), 2.0),
            ChainLink(Z, (0, 0, 0.1), type="continuous"),
        ],
        tool=(0.03, 0, 0.17),
    )


TURNED = (matrix_from_rpy((0, 0.5, 0)), np.zeros(3))  # the tool frame in the link "tool"
SEED = np.array([0.3, 0.4, 1.0, -0.5, 0.6, 0.2])
SOLUTION = np.array([0.4, 0.5, 0.9, -0.6, 0.7, 0.3])
# The pose of SOLUTION as a client would write it.
POSE = (
    matrix_from_quaternion((-0.113999012, 0.931032103, -0.130023475, 0.321367926)),
    np.array([0.711828305, 0.243117083, 0.628252225]),
)


@pytest.fixture(scope="module")
def planar() -> RobotModel:
    """Links of 0.5 and 0.4 m in the plane z = 0."""
    bones = [revolute(Z, (0, 0, 0), 3.1), revolute(Z, (0.5, 0, 0), 2.8)]
    return RobotModel.from_links(bones, tool=(0.4, 0, 0))


def misses(model: RobotModel, link: str, target, result: IKResult) -> tuple[float, float]:
    """Distance (m) and angle (rad) by which a result really misses its target."""
    rotation, position = link_pose(model, result.q, link)
    turn = 0.0 if target[0] is None else rotation_vector(target[0] @ rotation.T)
    return float(np.linalg.norm(position - target[1])), float(np.linalg.norm(turn))


def inside(model: RobotModel, q: np.ndarray) -> bool:
    return bool(np.all(q >= model.limits.lower) and np.all(q <= model.limits.upper))


def test_pose_from_the_service_cases(arm: RobotModel) -> None:
    result = solve_ik(arm, "tool", POSE, SEED, offset=TURNED)
    assert result.success and result.reason == "converged"
    assert result.restarts == 0
    assert result.q == pytest.approx(SOLUTION, abs=1e-6)
    assert "solved" in result.explanation


def test_same_request_same_answer_from_any_state_of_the_machine(arm: RobotModel) -> None:
    far = (POSE[0], POSE[1] * [-1.0, -1.0, 1.0])
    results = [solve_ik(arm, "tool", far, SEED, timeout=t) for t in (10.0, 30.0)]
    twin = RobotModel.from_specs("twin", *_specs_of(arm))
    results.append(solve_ik(twin, "tool", far, SEED, timeout=10.0))
    for other in results[1:]:
        assert np.array_equal(other.q, results[0].q)
        assert other.iterations == results[0].iterations


def _specs_of(arm: RobotModel):
    """Give the records for a second model of the same arm, built link by link."""
    links = [LinkSpec(name) for name in arm.link_names]
    joints, parent = [], "base"
    places = [(0, 0, 0.2), (0, 0.05, 0.15), (0, 0, 0.4), (0, 0, 0.35), (0, 0, 0), (0, 0, 0.1)]
    for i, (axis, place) in enumerate(zip((Z, Y, Y, Z, Y, Z), places, strict=True)):
        limit = LimitSpec(arm.limits.lower[i], arm.limits.upper[i])
        child, kind = arm.link_names[i + 1], arm.joint_types[i]
        joints.append(
            JointSpec(
                arm.joint_names[i], kind, parent, child, np.eye(3), np.array(place), axis, limit
            )
        )
        parent = child
    tool = np.array([0.03, 0, 0.17])
    joints.append(JointSpec("tool", "fixed", parent, "tool", np.eye(3), tool))
    return links, joints


@pytest.mark.parametrize("link", ["link3", "link5", "tool"])
def test_pieces_of_work_do_exactly_what_one_long_call_does(
    arm: RobotModel, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = (None, np.array([0.3, -0.4, 1.9]))
    whole = solve_ik(arm, link, target, SEED, timeout=10.0)
    monkeypatch.setattr(solver, "_FIRST_BUDGET", 1)
    monkeypatch.setattr(solver, "_QUICK", 0.0)
    pieces = solve_ik(arm, link, target, SEED, timeout=10.0)
    assert np.array_equal(whole.q, pieces.q)
    assert (whole.iterations, whole.restarts) == (pieces.iterations, pieces.restarts)


def test_seed_outside_the_limits_is_put_on_them(arm: RobotModel) -> None:
    result = solve_ik(arm, "tool", POSE, [0.3, 2.5, 1.0, -0.5, 0.6, 0.2], offset=TURNED)
    assert result.success and inside(arm, result.q)
    assert result.q == pytest.approx(SOLUTION, abs=1e-6)


@pytest.mark.parametrize("turns", [-3, 0, 3])
def test_endless_joint_is_answered_on_the_seeds_turn(arm: RobotModel, turns: int) -> None:
    seed = SEED + [0, 0, 0, 0, 0, 2 * np.pi * turns]
    result = solve_ik(arm, "tool", POSE, seed, offset=TURNED)
    assert result.success
    assert result.q[5] == pytest.approx(0.3 + 2 * np.pi * turns, abs=1e-6)


def test_wide_joint_is_answered_nearest_the_seed_inside_the_limits(arm: RobotModel) -> None:
    goal = SOLUTION.copy()
    goal[3] = 5.683
    target = link_pose(arm, goal, "tool")
    near = solve_ik(arm, "tool", target, [0.3, 0.4, 1.0, 5.7, 0.6, 0.2])
    assert near.q[3] == pytest.approx(5.683, abs=1e-5)
    other = solve_ik(arm, "tool", target, [0.3, 0.4, 1.0, -0.5, 0.6, 0.2])
    assert other.q[3] == pytest.approx(5.683 - 2 * np.pi, abs=1e-5)
    # A seed at the end of the range: the way on leads through the other end.
    goal[3] = -6.1
    for end in (6.19, 6.2):
        seed = [0.4, 0.5, 0.9, end, 0.7, 0.3]
        result = solve_ik(arm, "tool", link_pose(arm, goal, "tool"), seed)
        assert result.success and result.restarts == 0 and inside(arm, result.q)


def test_solution_exactly_on_a_limit_and_one_beyond_it(arm: RobotModel) -> None:
    on = SOLUTION.copy()
    on[1] = 2.0
    result = solve_ik(arm, "tool", link_pose(arm, on, "tool"), SEED)
    assert result.success and inside(arm, result.q)
    beyond = np.array([0.2, 2.2, -0.3, 0, 0.4, 0])
    target = link_pose(arm, beyond, "tool")
    result = solve_ik(arm, "tool", target, [0.2, 1.9, -0.3, 0, 0.4, 0])
    assert inside(arm, result.q)
    assert not result.success or max(misses(arm, "tool", target, result)) < 2e-6


def test_line_through_a_singular_wrist_is_followed_in_small_steps(arm: RobotModel) -> None:
    way = SOLUTION + np.linspace(0, 1, 41)[:, None] * [0.9, 0.3, -0.5, 0.8, -1.5, -1.0]
    q, steps = SEED, []
    for point in way:
        result = solve_ik(arm, "tool", link_pose(arm, point, "tool"), q)
        assert result.success and result.restarts == 0
        steps.append(np.abs(result.q - q).max())
        q = result.q
    # The way itself moves by 0.0375 rad a step.
    assert max(steps[1:]) < 0.06
    assert q == pytest.approx(way[-1], abs=1e-4)


# Planar position-only cases: 0.5 and 0.4 m, |q2| <= 2.8.


@pytest.mark.parametrize(
    ("seed", "answer"),
    [((0.1, 0.5), (-0.20109883, 1.746702095)), ((0.1, -0.5), (1.281937831, -1.746702095))],
)
def test_elbow_of_the_answer_is_the_elbow_of_the_seed(planar, seed, answer) -> None:
    result = solve_ik(planar, "tool", (None, (0.5, 0.3, 0.0)), seed)
    assert result.q == pytest.approx(answer, abs=1e-5)
    assert result.orientation_error == 0.0


def test_stretched_arm_and_just_beyond_it(planar: RobotModel) -> None:
    result = solve_ik(planar, "tool", (None, (0.9, 0.0, 0.0)), (0.1, 0.5))
    assert result.success
    assert result.q == pytest.approx((0.0, 0.0), abs=1e-2)
    beyond = (None, (0.90005, 0.0, 0.0))
    assert solve_ik(planar, "tool", beyond, (0.1, 0.5), position_tolerance=1e-4).success
    assert solve_ik(planar, "tool", beyond, (0.1, 0.5)).reason == "out_of_reach"


@pytest.mark.parametrize(
    ("target", "reason", "miss"),
    [
        ((1.0, 0.0, 0.0), "out_of_reach", 0.1),  # beyond the stretched arm
        ((0.05, 0.0, 0.0), "out_of_reach", 0.131964),  # inside |l1 - l2|
        ((0.0, 0.0, 0.0), "out_of_reach", 0.181964),
        ((0.1, 0.0, 0.0), "limits", 0.081964),  # q2 = pi, limit 2.8: radius 0.181964 at best
        ((0.5, 0.3, 0.05), "iterations", 0.05),  # off the plane
    ],
)
@pytest.mark.parametrize("seed", [(0.1, 0.5), (0.1, -0.5), (0.0, 0.0), None])
def test_what_has_no_solution_says_why_and_by_how_much(planar, target, reason, miss, seed) -> None:
    result = solve_ik(planar, "tool", (None, target), seed, timeout=10.0)
    assert not result.success
    assert result.reason == reason
    assert inside(planar, result.q) and np.all(np.isfinite(result.q))
    assert result.position_error == pytest.approx(
        misses(planar, "tool", (None, target), result)[0]
    )
    assert miss - 1e-6 <= result.position_error <= 1.1 * miss
    assert f"{result.position_error:.3g} m" in result.explanation


def test_full_pose_of_a_planar_arm_only_when_it_fits(planar: RobotModel) -> None:
    q = np.array([0.4, 0.9])
    rotation, position = link_pose(planar, q, "tool")
    assert solve_ik(planar, "tool", (rotation, position), (0.1, 0.5)).q == pytest.approx(q)
    turned = matrix_from_rpy((0, 0, np.radians(10))) @ rotation
    result = solve_ik(planar, "tool", (turned, position), (0.1, 0.5))
    assert not result.success and result.orientation_error > 1e-3


def test_five_joints_reach_exact_poses_and_refuse_the_others() -> None:
    bones = [revolute(a, o, 2.8) for a, o in ((Z, (0, 0, 0.1)), (Y, (0, 0, 0.1)))]
    bones += [revolute(Y, (0.3, 0, 0), 2.8), revolute(Y, (0.3, 0, 0), 2.8), revolute(X, X / 10, 3)]
    arm5 = RobotModel.from_links(bones, tool=(0.1, 0, 0))
    rng = np.random.default_rng(5)
    for q in rng.uniform(-2.5, 2.5, (50, 5)):
        target = link_pose(arm5, q, "tool")
        result = solve_ik(arm5, "tool", target, timeout=10.0)
        assert result.success and max(misses(arm5, "tool", target, result)) < 2e-6
    # The hand of this arm always lies in a vertical plane through its base.
    target = link_pose(arm5, np.array([0.3, -0.4, 0.9, 0.2, 0.1]), "tool")
    tilted = (matrix_from_rpy((0, 0, np.radians(10))) @ target[0], target[1])
    result = solve_ik(arm5, "tool", tilted, timeout=10.0)
    assert not result.success and result.reason in ("iterations", "limits")
    assert max(result.position_error, result.orientation_error) > 1e-3


def test_tool_point_and_tool_pose(arm: RobotModel) -> None:
    tool = (matrix_from_rpy((0.3, -0.2, 0.9)), np.array([0.05, -0.02, 0.1]))
    rotation, position = link_pose(arm, SOLUTION, "link6")
    tip = position + rotation @ tool[1]
    point = solve_ik(arm, "link6", (rotation, tip), SEED, offset=tool[1])
    assert point.q == pytest.approx(SOLUTION, abs=1e-5)
    pose = solve_ik(arm, "link6", (rotation @ tool[0], tip), SEED, offset=tool)
    assert pose.q == pytest.approx(SOLUTION, abs=1e-5)
    # Position only is about the tool's point, not about the link's origin.
    free = solve_ik(arm, "link6", (None, tip), SEED, offset=tool[1])
    rotation, position = link_pose(arm, free.q, "link6")
    assert position + rotation @ tool[1] == pytest.approx(tip, abs=2e-6)


def test_locked_joints_stay_at_the_seed(arm: RobotModel) -> None:
    result = solve_ik(arm, "tool", (None, POSE[1]), SEED, locked=("joint3", "joint6"))
    assert result.success
    assert result.q[[2, 5]] == pytest.approx(SEED[[2, 5]], abs=0)
    frozen = solve_ik(arm, "tool", (None, POSE[1]), SEED, locked=arm.joint_names)
    assert not frozen.success and frozen.reason == "out_of_reach"
    assert np.array_equal(frozen.q, SEED)


def test_link_that_nothing_moves(arm: RobotModel) -> None:
    assert solve_ik(arm, "base", (np.eye(3), np.zeros(3))).success
    assert solve_ik(arm, "base", (None, (0.0, 0.0, 0.1))).reason == "out_of_reach"


def test_slides_and_followers() -> None:
    """A hand of two fingers: one drives, the other follows with half the way plus 0.01."""
    names = ("base", "slide", "upper", "left", "right")
    axes = {"slide": Z, "upper": Y, "left": X, "right": X}
    joints = []
    for parent, child in (("base", "slide"), ("slide", "upper"), ("upper", "left")):
        kind = "revolute" if child == "upper" else "prismatic"
        joints.append(
            JointSpec(child, kind, parent, child, axis=axes[child], limit=LimitSpec(-0.5, 0.5))
        )
    joints.append(
        JointSpec(
            "right", "prismatic", "left", "right", axis=X, mimic=MimicSpec("left", 0.5, 0.01)
        )
    )
    hand = RobotModel.from_specs("hand", [LinkSpec(name) for name in names], joints)
    q = np.array([0.2, -0.3, 0.4])
    target = link_pose(hand, q, "right")
    result = solve_ik(hand, "right", target)
    assert result.success
    assert result.q == pytest.approx(q, abs=1e-5)
    # 0.5 + 0.26 m of slides, and 0.5 along z: a proof of what is too far.
    assert solve_ik(hand, "right", (None, (1.3, 0.0, 0.0))).reason == "out_of_reach"


def test_endless_slide_has_no_end() -> None:
    rail = ChainLink(X, type="prismatic")
    crane = RobotModel.from_links([rail, revolute(Z, (0, 0, 1), 3), revolute(Y, (0, 0, 1), 2)])
    target = (None, link_pose(crane, np.array([250.0, 0.0, 0.0]), "link3")[1])
    result = solve_ik(crane, "link3", target)
    assert result.success
    assert result.q[0] == pytest.approx(250.0)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_that_can_be_reached_is_called_out_of_reach(seed: int) -> None:
    tree = random_tree(seed, joints=9, mimic=True)
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1.5, 1.5, (300, tree.n))
    positions = forward_kinematics(tree, q).position
    for link in tree.link_names:
        reach, offset = chain_to(tree, link).reach, chain_to(tree, link).offset
        tool = float(np.linalg.norm(offset[9:]))
        for point in positions[:, tree.link_index(link)]:
            assert not reach.excludes(point.tolist(), tool, 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_with_slides_and_followers(seed: int) -> None:
    tree = random_tree(seed, joints=9, mimic=True)
    link = max(tree.link_names, key=lambda name: len(tree.body_path(name)))
    rng = np.random.default_rng(seed)
    for q in rng.uniform(-1.5, 1.5, (40, tree.n)):
        target = link_pose(tree, q, link)
        result = solve_ik(tree, link, target, timeout=1.0)
        assert result.success and inside(tree, result.q)
        assert max(misses(tree, link, target, result)) < 2e-6
        idle = ~np.abs(frame_jacobian(tree, q, link)).any(axis=0)
        assert np.array_equal(result.q[idle], tree.limits.mid[idle])


def test_unreachable_requests_return_in_time(arm: RobotModel) -> None:
    target = (POSE[0], (2.0, 0.0, 0.5))
    twisted = (POSE[0] @ matrix_from_rpy((3.0, 0, 0)), (1.1, 0.0, 0.5))
    for timeout in (0.001, 0.05):
        for goal in (target, twisted):
            started = time.perf_counter()
            result = solve_ik(arm, "tool", goal, SEED, timeout=timeout, max_restarts=10**9)
            assert time.perf_counter() - started < timeout + 0.05
            assert not result.success and inside(arm, result.q)
    assert result.reason == "time"
    assert result.restarts > 0


def test_the_time_only_cuts_the_same_search_short(arm: RobotModel) -> None:
    twisted = (POSE[0] @ matrix_from_rpy((3.0, 0, 0)), (1.1, 0.0, 0.5))
    short = solve_ik(arm, "tool", twisted, SEED, timeout=1e-9)
    long = solve_ik(arm, "tool", twisted, SEED, timeout=5.0)
    assert short.reason == "time" and short.iterations == solver._FIRST_BUDGET
    assert long.iterations > short.iterations
    assert long.position_error <= short.position_error or long.orientation_error > 0


def test_more_candidates_are_never_farther_from_the_seed(arm: RobotModel) -> None:
    rng = np.random.default_rng(2)
    low, high = np.maximum(arm.limits.lower, -3), np.minimum(arm.limits.upper, 3)
    changes = {1: [], 5: []}
    for q in rng.uniform(low, high, (100, 6)):
        target = link_pose(arm, q, "tool")
        pair = {k: solve_ik(arm, "tool", target, timeout=10.0, candidates=k) for k in changes}
        if pair[1].restarts:
            for k, result in pair.items():
                assert result.success
                changes[k].append(np.abs(result.q - arm.limits.mid).max())
    assert len(changes[1]) > 5
    assert np.all(np.array(changes[5]) <= np.array(changes[1]) + 1e-12)
    assert np.mean(changes[5]) < np.mean(changes[1])


def test_full_turns_come_off_only_towards_the_seed_and_inside_the_limits() -> None:
    turn = 2 * np.pi
    # Rows: lower, upper, turn, span, unit, longest, stride; see _kernels/layout.py.
    joints = np.array(
        [
            [-1.7628, 1.7628, turn, 3.5, 1, 0.8, 0.5],  # a turn would leave the range
            [-6.2, 6.2, turn, turn, 1, 0.8, 0.5],
            [-np.inf, np.inf, turn, turn, 1, 0.8, 0.5],
            [-np.inf, np.inf, 0.0, 2.0, 1, np.inf, 0.5],  # a slide
        ]
    )
    seed = np.array([-1.6, -3.0, 50.0, 50.0])
    q = np.array([1.7628, 6.2, 0.5, 0.5])
    _kernels.unwind(np.arange(4), joints, seed, q)
    assert q == pytest.approx([1.7628, 6.2 - turn, 0.5 + 8 * turn, 0.5], abs=1e-12)
    assert q[0] == 1.7628


def test_restarts_are_spread_evenly() -> None:
    for dimensions in (1, 2, 6, 7):
        points = (0.5 + np.arange(1, 201)[:, None] * strides(dimensions)) % 1.0
        counts = [np.histogram(column, bins=10, range=(0, 1))[0] for column in points.T]
        assert np.min(counts) >= 14 and np.max(counts) <= 26
        assert len(np.unique(points.round(9), axis=0)) == 200


def test_arguments_that_cannot_be_meant(arm: RobotModel) -> None:
    nan = float("nan")
    for target, message in (
        ((POSE[0], (nan, 0, 0)), "position must be 3 finite"),
        ((POSE[0], (1.0, 2.0)), "position must be 3 finite"),
        ((np.full((3, 3), nan), POSE[1]), "no rotation matrix"),
        ((2.0 * POSE[0], POSE[1]), "no rotation matrix"),
        ((-POSE[0], POSE[1]), "reflection"),
        ((np.zeros((3, 3)), POSE[1]), "no rotation matrix"),
        ((np.eye(4), POSE[1]), r"\(4, 4\)"),
        (POSE[1], "pair"),
        (None, "pair"),
    ):
        with pytest.raises(ShapeError, match=message):
            solve_ik(arm, "tool", target, SEED)
    with pytest.raises(ShapeError, match="seed has shape"):
        solve_ik(arm, "tool", POSE, SEED[:3])
    with pytest.raises(ShapeError, match="not finite at joint2"):
        solve_ik(arm, "tool", POSE, [0, nan, 0, 0, 0, 0])
    with pytest.raises(UnknownNameError, match="no link named 'joint6'"):
        solve_ik(arm, "joint6", POSE, SEED)
    with pytest.raises(UnknownNameError, match="no joint named 'link1'"):
        solve_ik(arm, "tool", POSE, SEED, locked=["link1"])
    with pytest.raises(ParameterError, match="locked"):
        solve_ik(arm, "tool", POSE, [0, 2.5, 0, 0, 0, 0], locked=["joint2"])
    for wrong in (
        {"timeout": 0.0},
        {"timeout": nan},
        {"position_tolerance": -1.0},
        {"orientation_tolerance": 0.0},
        {"max_iterations": 0},
        {"max_restarts": -1},
        {"candidates": 0},
    ):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            solve_ik(arm, "tool", POSE, SEED, **wrong)
    assert issubclass(ShapeError, RobodynError)


def test_rotation_off_by_rounding_is_made_exact(arm: RobotModel) -> None:
    rounded = POSE[0].round(7)
    result = solve_ik(arm, "tool", (rounded, POSE[1]), SEED, offset=TURNED)
    assert result.success
    assert result.q == pytest.approx(SOLUTION, abs=1e-5)


# Real robots: random reachable targets, uniform in the joint limits.


@pytest.mark.parametrize(("robot", "link"), [("panda", "panda_hand_tcp"), ("ur5", "tool0")])
def test_every_reachable_target_is_found(robot: str, link: str) -> None:
    pytest.importorskip("pinocchio")
    from bench.accuracy import read_robot

    model = read_robot(robot)[1]
    rng = np.random.default_rng(11)
    low, high = model.limits.lower, model.limits.upper
    goals = low + (high - low) * rng.random((500, model.n))
    for q in goals:
        target = link_pose(model, q, link)
        result = solve_ik(model, link, target)
        assert result.success, result.explanation
        assert inside(model, result.q)
        assert max(misses(model, link, target, result)) < 1e-5
        near = np.clip(q + 0.1 * rng.standard_normal(model.n), low, high)
        result = solve_ik(model, link, target, near)
        assert result.success and max(misses(model, link, target, result)) < 1e-5
