# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""ik_server: every field and every error code of its services, as MoveIt's clients use them."""

import time

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")

from geometry_msgs.msg import TransformStamped  # noqa: E402
from messages import joint_state, matrix, pose_stamped  # noqa: E402
from moveit_msgs.msg import JointConstraint, OrientationConstraint  # noqa: E402
from moveit_msgs.srv import GetPositionFK, GetPositionIK  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from robots import (  # noqa: E402
    ARM6,
    ARM6_JOINTS,
    ARM6_POSES,
    ARM6_SEED,
    ARM6_STATE,
    GRIPPER,
    PLANAR2,
)
from sensor_msgs.msg import JointState  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402

from robodyn_ros import RobotModel, link_pose  # noqa: E402
from robodyn_ros.errors import ParameterError  # noqa: E402
from robodyn_ros.nodes.ik_server import IkServer  # noqa: E402

SUCCESS = 1
FAILURE = 99999
INVALID_GROUP_NAME = -15
INVALID_GOAL_CONSTRAINTS = -16
INVALID_ROBOT_STATE = -17
INVALID_LINK_NAME = -18
FRAME_TRANSFORM_FAILURE = -21
NO_IK_SOLUTION = -31

MODEL = RobotModel.from_urdf(ARM6)
SETUP = {"base_link": "base_link", "tip_link": "tcp"}


class Server:
    """An ik_server and a client of it."""

    def __init__(self, probe, make_node, urdf=ARM6, **parameters):
        self.probe = probe
        self.node = make_node(IkServer, urdf, **(SETUP if urdf == ARM6 else {}) | parameters)
        self.joint_states = None

    def say_joints(self, names, positions):
        """Publish joint_states and wait until the server knows them."""
        if self.joint_states is None:
            self.joint_states = self.probe.publisher(JointState, "joint_states")
        self.joint_states.publish(joint_state(names, positions))
        intake = self.node.state.intake
        self.probe.wait(lambda: intake.counters["accepted"] > 0, "the server to hear")

    def ik(self, request, service="compute_ik"):
        """Call the service and return the answer."""
        return self.probe.call(GetPositionIK, service, request)

    def fk(self, links, state=None, frame="base_link"):
        """Ask for link poses at a state (names to positions)."""
        request = GetPositionFK.Request(fk_link_names=list(links))
        request.header.frame_id = frame
        state = dict(zip(ARM6_JOINTS, ARM6_STATE, strict=True)) if state is None else state
        request.robot_state.joint_state = joint_state(state.keys(), state.values())
        return self.probe.call(GetPositionFK, "compute_fk", request)


@pytest.fixture
def server(probe, make_node):
    return lambda *args, **kwargs: Server(probe, make_node, *args, **kwargs)


def ask(
    frame="base_link",
    link="tcp",
    pose=ARM6_POSES["base_link", "tcp"],
    seed=ARM6_SEED,
    group="",
    timeout=0.2,
):
    """Write a request; the default is one that can be solved."""
    request = GetPositionIK.Request()
    ik = request.ik_request
    ik.group_name, ik.ik_link_name = group, link
    ik.pose_stamped = pose_stamped(frame, *pose)
    if seed is not None:
        ik.robot_state.joint_state = joint_state(ARM6_JOINTS, seed)
    ik.timeout.sec, ik.timeout.nanosec = divmod(round(timeout * 1e9), 10**9)
    return request


def solution(answer):
    """Joint values of a successful answer in the order of the model."""
    assert answer.error_code.val == SUCCESS, answer.error_code
    state = answer.solution.joint_state
    found = dict(zip(state.name, state.position, strict=True))
    return np.array([found[name] for name in MODEL.joint_names])


def assert_reaches(answer, link="tcp", pose=ARM6_POSES["world", "tcp"]):
    """Check the answer by forward kinematics in the root frame, and its limits."""
    q = solution(answer)
    rotation, position = link_pose(MODEL, q, link)
    expected = matrix_of(pose)
    np.testing.assert_allclose(position, expected[:3, 3], atol=2e-6)
    np.testing.assert_allclose(rotation, expected[:3, :3], atol=1e-5)
    assert np.all((q >= MODEL.limits.lower) & (q <= MODEL.limits.upper))
    return q


def matrix_of(pose):
    message = pose_stamped("", *pose).pose
    return matrix(message.position, message.orientation)


def assert_refused(answer, code, *words):
    assert answer.error_code.val == code, answer.error_code
    assert answer.error_code.source == "ik_server"
    assert not answer.solution.joint_state.name
    for word in words:
        assert word in answer.error_code.message


@pytest.mark.parametrize("service", ["compute_ik", "solve_ik"])
def test_a_pose_is_reached_near_the_seed(server, service):
    answer = server().ik(ask(), service)
    q = assert_reaches(answer)
    assert np.abs(q - ARM6_SEED).max() < 0.5
    assert answer.error_code.source == "ik_server"
    assert answer.solution.joint_state.header.frame_id == "world"
    assert not answer.solution.is_diff


def test_the_same_request_has_the_same_answer(server):
    server = server()
    first, second = server.ik(ask(seed=None)), server.ik(ask(seed=None))
    assert solution(first).tolist() == solution(second).tolist()


def test_the_frame_may_be_any_link_or_none(server):
    server = server()
    expected = assert_reaches(server.ik(ask()))
    for frame, pose in (
        ("world", ARM6_POSES["world", "tcp"]),
        ("/base_link", ARM6_POSES["base_link", "tcp"]),
        ("", ARM6_POSES["base_link", "tcp"]),
    ):
        q = assert_reaches(server.ik(ask(frame=frame, pose=pose)))
        np.testing.assert_allclose(q, expected, atol=1e-5)


def test_a_frame_that_moves_stands_where_the_seed_puts_it(server):
    """The tcp's own frame, no displacement: the seed is the answer."""
    answer = server().ik(ask(frame="tcp", pose=((0, 0, 0), (0, 0, 0, 1))))
    np.testing.assert_allclose(solution(answer), ARM6_SEED, atol=1e-5)


def test_frames_with_the_prefix_are_the_same_frames(server):
    server = server(frame_prefix="left/")
    for frame in ("left/base_link", "base_link", "/left/base_link"):
        answer = server.ik(ask(frame=frame))
        assert_reaches(answer)
        assert answer.solution.joint_state.header.frame_id == "left/world"


def transform(parent, child, position, quaternion):
    message = TransformStamped(child_frame_id=child)
    message.header.frame_id = parent
    t, r = message.transform.translation, message.transform.rotation
    t.x, t.y, t.z = position
    r.x, r.y, r.z, r.w = quaternion
    return message


def test_frames_of_others_come_from_tf(server, probe):
    """A table on the map, the robot on a cart on the map."""
    server = server()
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    static = probe.publisher(TFMessage, "/tf_static", latched)
    half = np.sqrt(0.5)
    static.publish(
        TFMessage(
            transforms=[
                transform("map", "cart", (1.0, 2.0, 0.0), (0.0, 0.0, half, half)),
                transform("cart", "world", (0.0, 0.0, 0.5), (0.0, 0.0, 0.0, 1.0)),
                transform("map", "table", (1.0, 2.5, 0.0), (0.0, 0.0, 0.0, 1.0)),
                transform("tcp", "probe_tip", (0.0, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0)),
            ]
        )
    )
    probe.wait(lambda: "table" in server.node.frames.latest, "TF to arrive")
    cart = matrix_of(((1.0, 2.0, 0.0), (0.0, 0.0, half, half)))
    world = cart @ matrix_of(((0.0, 0.0, 0.5), (0.0, 0.0, 0.0, 1.0)))
    table = matrix_of(((1.0, 2.5, 0.0), (0.0, 0.0, 0.0, 1.0)))
    in_table = np.linalg.inv(table) @ world @ matrix_of(ARM6_POSES["world", "tcp"])
    rotation = in_table[:3, :3]
    w = np.sqrt(1.0 + np.trace(rotation)) / 2.0
    v = rotation - rotation.T
    quaternion = np.array([v[2, 1], v[0, 2], v[1, 0], 4 * w * w]) / (4 * w)
    assert_reaches(server.ik(ask(frame="table", pose=(in_table[:3, 3], quaternion))))
    # below a link of the model the joint values count
    answer = server.ik(ask(frame="probe_tip", pose=((0, 0, -0.1), (0, 0, 0, 1))))
    np.testing.assert_allclose(solution(answer), ARM6_SEED, atol=1e-5)


def test_an_unknown_frame_is_refused_at_once(server):
    server = server()
    start = time.monotonic()
    assert_refused(
        server.ik(ask(frame="moon", timeout=30.0)), FRAME_TRANSFORM_FAILURE, "'moon'", "TF"
    )
    assert time.monotonic() - start < 5.0


@pytest.mark.parametrize("scale", [1.0, 2.0, -1.0, 1.0001])
def test_quaternions_are_normalised(server, scale):
    position, quaternion = ARM6_POSES["base_link", "tcp"]
    answer = server().ik(ask(pose=(position, scale * np.array(quaternion))))
    assert_reaches(answer)
    assert ("normalised" in answer.error_code.message) == (scale == 2.0)


@pytest.mark.parametrize("quaternion", [(0, 0, 0, 0), (1e-7, 0, 0, 0), (np.nan, 0, 0, 1)])
def test_no_orientation_is_no_identity(server, quaternion):
    position = ARM6_POSES["base_link", "tcp"][0]
    assert_refused(server().ik(ask(pose=(position, quaternion))), INVALID_GOAL_CONSTRAINTS)


def test_a_position_that_is_no_number_is_refused(server):
    pose = ((np.inf, 0.0, 0.5), ARM6_POSES["base_link", "tcp"][1])
    assert_refused(server().ik(ask(pose=pose)), INVALID_GOAL_CONSTRAINTS, "not finite")


def test_a_position_at_the_end_of_numbers_is_refused(server):
    pose = ((1e308, 1e308, 0.5), ARM6_POSES["base_link", "tcp"][1])
    assert_refused(server().ik(ask(pose=pose)), INVALID_GOAL_CONSTRAINTS, "absurd")


@pytest.mark.parametrize(
    ("place", "turn"),
    [((np.nan, 0, 0), (0, 0, 0, 1)), ((1e300, 0, 0), (0, 0, 0, 1)), ((0, 0, 0), (0, 0, 0, 0))],
)
def test_transforms_that_place_nothing_are_ignored(server, probe, place, turn):
    server = server()
    tf = probe.publisher(TFMessage, "/tf")
    place, turn = [float(x) for x in place], [float(x) for x in turn]
    bad = transform("world", "bad", place, turn)
    good = transform("world", "good", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    tf.publish(TFMessage(transforms=[bad, good]))
    probe.wait(lambda: "good" in server.node.frames.latest, "TF to arrive")
    assert_refused(server.ik(ask(frame="bad")), FRAME_TRANSFORM_FAILURE, "'bad'")


def test_what_the_solver_refuses_is_an_answer(server):
    """A locked joint outside its limits: the server says so and lives."""
    server = server(
        group_names=["wrist"], groups__wrist__base_link="s3", groups__wrist__tip_link="tcp"
    )
    outside = (float(MODEL.limits.upper[0]) + 0.01, *ARM6_SEED[1:])
    assert_refused(server.ik(ask(seed=outside)), FAILURE, "j1")
    assert_refused(server.ik(ask(group="none")), INVALID_GROUP_NAME)


def test_groups_are_found_by_name(server):
    server = server(
        group_names=["arm", "wrist"],
        groups__arm__tip_link="tcp",
        groups__wrist__base_link="s3",
        groups__wrist__tip_link="flange",
    )
    assert_reaches(server.ik(ask(group="arm")))
    assert_refused(
        server.ik(ask(group="left_arm")), INVALID_GROUP_NAME, "'left_arm'", "arm, wrist"
    )
    assert_refused(server.ik(ask(group="")), INVALID_GROUP_NAME)


def test_joints_below_the_base_of_a_group_stay(server):
    server = server(
        group_names=["wrist"], groups__wrist__base_link="s3", groups__wrist__tip_link="tcp"
    )
    seed = (*ARM6_STATE[:3], *ARM6_SEED[3:])
    q = assert_reaches(server.ik(ask(seed=seed)))
    assert q[:3].tolist() == list(ARM6_STATE[:3])
    # the wrist alone cannot make up for a shoulder that stands elsewhere
    assert_refused(server.ik(ask(seed=(0.5, *seed[1:]))), NO_IK_SOLUTION)
    # their positions must be known, not guessed
    partial = ask(seed=None)
    partial.ik_request.robot_state.joint_state = joint_state(["j4"], [0.1])
    assert_refused(server.ik(partial), INVALID_ROBOT_STATE, "j1, j2, j3")


@pytest.mark.parametrize("link", ["tool0", "j6"])
def test_a_name_that_is_no_link_is_refused(server, link):
    assert_refused(server().ik(ask(link=link)), INVALID_LINK_NAME, f"'{link}'", "tcp")


def test_a_link_that_cannot_be_moved_is_refused(server):
    assert_refused(server().ik(ask(link="base_link")), INVALID_LINK_NAME, "not moved")


def test_any_moving_link_can_be_asked_for(server):
    server = server()
    answer = server.ik(ask(link="flange", pose=ARM6_POSES["base_link", "flange"]))
    rotation, position = link_pose(MODEL, solution(answer), "flange")
    base = np.linalg.inv(matrix_of(ARM6_POSES["base_link", "tcp"]))
    world = matrix_of(ARM6_POSES["world", "tcp"]) @ base
    expected = world @ matrix_of(ARM6_POSES["base_link", "flange"])
    np.testing.assert_allclose(position, expected[:3, 3], atol=2e-6)
    assert_reaches(server.ik(ask(link="")))  # the tip of the group


def test_seed_values_are_taken_by_name(server):
    server = server()
    request = ask()
    names = ["j6", "gripper", "j3", "j2", "j1", "j5", "j4"]
    values = [0.2, 0.01, 1.0, 0.4, 0.3, 0.6, -0.5]
    request.ik_request.robot_state.joint_state = joint_state(names, values)
    np.testing.assert_allclose(
        solution(server.ik(request)), solution(server.ik(ask())), atol=1e-12
    )


def test_without_a_seed_the_arm_as_it_is_counts(server):
    server = server()
    server.say_joints(ARM6_JOINTS, (*ARM6_SEED[:5], 20.2))
    q = assert_reaches(server.ik(ask(seed=None)))
    assert np.abs(q[:5] - ARM6_SEED[:5]).max() < 0.5
    assert abs(q[5] - 20.2) <= np.pi  # the turn it is in, not folded
    # a part of a state goes over it
    request = ask(seed=None)
    request.ik_request.robot_state.joint_state = joint_state(["j6"], [0.2])
    assert abs(solution(server.ik(request))[5] - 0.2) <= np.pi


def test_without_any_state_the_middle_of_the_limits_is_the_seed(server):
    assert_reaches(server().ik(ask(seed=None)))


@pytest.mark.parametrize("values", [(0.3, 0.4, 1.0), (0.3, 0.4, 1.0, -0.5, np.nan, 0.2)])
def test_a_malformed_seed_is_refused_and_service_goes_on(server, values):
    server = server()
    assert_refused(server.ik(ask(seed=values)), INVALID_ROBOT_STATE)
    assert_reaches(server.ik(ask()))


def test_a_seed_outside_the_limits_is_clamped(server):
    assert_reaches(server().ik(ask(seed=(0.3, 2.5, 1.0, -0.5, 0.6, 0.2))))


@pytest.mark.parametrize("timeout", [0.0, 0.05, 30.0])
def test_out_of_reach_is_said_in_time(server, timeout):
    server = server()
    server.ik(ask())
    pose = ((2.0, 0.0, 0.5), ARM6_POSES["base_link", "tcp"][1])
    start = time.monotonic()
    answer = server.ik(ask(pose=pose, timeout=timeout))
    assert time.monotonic() - start < min(timeout, 1.0) + 1.0
    assert_refused(answer, NO_IK_SOLUTION, "reach")


def test_nanoseconds_of_the_timeout_count(server, monkeypatch):
    server = server()
    seen = []
    module = "robodyn_ros.nodes.ik_server.solve_ik"
    original = IkServer._solve.__globals__["solve_ik"]

    def spy(*args, **kwargs):
        seen.append(kwargs["timeout"])
        return original(*args, **kwargs)

    monkeypatch.setattr(module, spy)
    for timeout in (0.0, 0.075, 1.5):
        server.ik(ask(timeout=timeout))
    assert seen == [0.05, 0.075, 1.5]  # 0: the parameter
    server.node.set_parameters([Parameter("kinematics_solver_timeout", value=0.25)])
    server.ik(ask(timeout=0.0))
    assert seen[-1] == 0.25


def test_avoid_collisions_is_no_reason_to_refuse(server):
    """The kinematics plugin of MoveIt sets it always and checks by itself."""
    request = ask()
    request.ik_request.avoid_collisions = True
    answer = server().ik(request)
    assert_reaches(answer)
    assert "collisions were not checked" in answer.error_code.message


def test_the_vector_fields_win_over_the_single_ones(server):
    server = server()
    request = ask(link="tool0", pose=((9, 9, 9), (0, 0, 0, 1)))
    good = pose_stamped("base_link", *ARM6_POSES["base_link", "tcp"])
    request.ik_request.pose_stamped_vector = [good]
    request.ik_request.ik_link_names = ["tcp"]
    assert_reaches(server.ik(request))
    request.ik_request.ik_link_names = []
    assert_reaches(server.ik(request))
    request.ik_request.ik_link_names = ["tcp", "flange"]
    assert_refused(server.ik(request), INVALID_LINK_NAME, "2 ik_link_names for 1 poses")
    request.ik_request.pose_stamped_vector = [good, good]
    assert_refused(server.ik(request), NO_IK_SOLUTION, "several tips")


def test_joint_constraints_are_limits(server):
    server = server()
    free = solution(server.ik(ask()))
    request = ask()
    bound = JointConstraint(joint_name="j4", position=free[3] + np.pi)
    bound.tolerance_above = bound.tolerance_below = 0.5
    request.ik_request.constraints.joint_constraints = [bound]
    q = assert_reaches(server.ik(request))
    assert abs(q[3] - bound.position) <= 0.5
    bound.joint_name = "j9"
    assert_refused(server.ik(request), INVALID_GOAL_CONSTRAINTS, "'j9'")
    bound.joint_name, bound.tolerance_above = "j4", np.nan
    assert_refused(server.ik(request), INVALID_GOAL_CONSTRAINTS, "'j4'")


def test_constraints_that_would_be_ignored_are_refused(server):
    request = ask()
    request.ik_request.constraints.orientation_constraints = [OrientationConstraint()]
    assert_refused(server().ik(request), INVALID_GOAL_CONSTRAINTS, "joint_constraints")


def test_positions_only(server):
    """Two links of 0.5 and 0.4 m: the seed chooses the elbow."""
    server = server(PLANAR2, groups__arm__position_only_ik=True)
    for elbow, expected in ((1.0, (-0.20109883, 1.746702095)), (-1.0, (1.281937831, -1.7467021))):
        request = ask("base", "tip", ((0.5, 0.3, 0.0), (0.0, 0.0, 0.0, 0.0)), seed=None)
        request.ik_request.robot_state.joint_state = joint_state(["q2"], [elbow])
        answer = server.ik(request)
        assert answer.error_code.val == SUCCESS, answer.error_code
        state = answer.solution.joint_state
        np.testing.assert_allclose(state.position, expected, atol=1e-5)
    for target in ((0.5, 0.3, 0.05), (1.0, 0.0, 0.0), (0.05, 0.0, 0.0)):
        answer = server.ik(ask("base", "tip", (target, (0, 0, 0, 0)), seed=None))
        assert_refused(answer, NO_IK_SOLUTION, " m ")


def test_followers_are_in_the_answer(server):
    server = server(
        GRIPPER, tip_link="tool_left", groups__arm__position_only_ik=True, base_link="base"
    )
    server.say_joints(["shoulder", "elbow", "finger_left_joint"], [0.4, 0.7, 0.03])
    position = (0.498763164, 0.01910673, 0.467944353)
    answer = server.ik(ask("base", "", (position, (0, 0, 0, 0)), seed=None))
    assert answer.error_code.val == SUCCESS, answer.error_code
    state = answer.solution.joint_state
    found = dict(zip(state.name, state.position, strict=True))
    assert found["shoulder"] == pytest.approx(0.5, abs=1e-5)
    assert found["finger_left_joint"] == 0.03  # not the arm's business
    assert found["finger_right_joint"] == pytest.approx(-0.028)
    assert found["knuckle_joint"] == pytest.approx(-0.18)


# Forward kinematics.


def assert_pose(message, frame, link, tolerance=2e-9):
    assert message.header.frame_id == frame
    found = matrix(message.pose.position, message.pose.orientation)
    np.testing.assert_allclose(found, matrix_of(ARM6_POSES[frame, link]), atol=tolerance)


def test_each_link_has_its_pose_in_the_order_asked(server):
    server = server()
    answer = server.fk(["tcp", "s3", "camera", "base_link"])
    assert answer.error_code.val == SUCCESS
    assert answer.fk_link_names == ["tcp", "s3", "camera", "base_link"]
    for message, link in zip(answer.pose_stamped[:3], ("tcp", "s3", "camera"), strict=True):
        assert_pose(message, "base_link", link)
    last = answer.pose_stamped[3].pose
    np.testing.assert_allclose(matrix(last.position, last.orientation), np.eye(4), atol=1e-15)


@pytest.mark.parametrize("frame, link", [("world", "tcp"), ("tcp", "camera")])
def test_poses_are_in_the_frame_asked_for(server, frame, link):
    answer = server().fk([link], frame=frame)
    assert_pose(answer.pose_stamped[0], frame, link)


def test_without_a_frame_the_base_is_meant_and_named(server):
    assert_pose(server().fk(["tcp"], frame="").pose_stamped[0], "base_link", "tcp")


@pytest.mark.parametrize("links", [["tcp", "nope"], ["j1", "j2"], []])
def test_unknown_links_leave_no_half_answer(server, links):
    answer = server().fk(links)
    assert answer.error_code.val == INVALID_LINK_NAME
    assert not answer.pose_stamped and not answer.fk_link_names
    assert answer.error_code.source == "ik_server"


def test_an_unknown_frame_of_fk_is_refused(server):
    answer = server().fk(["tcp"], frame="moon")
    assert answer.error_code.val == FRAME_TRANSFORM_FAILURE
    assert not answer.pose_stamped


def test_missing_joints_come_from_joint_states_or_not_at_all(server):
    server = server()
    answer = server.fk(["tcp"], {"j1": 0.4})
    assert answer.error_code.val == INVALID_ROBOT_STATE
    assert "j2, j3, j4, j5, j6" in answer.error_code.message
    server.say_joints(ARM6_JOINTS, (0.0, *ARM6_STATE[1:]))
    assert_pose(server.fk(["tcp"], {"j1": 0.4}).pose_stamped[0], "base_link", "tcp")


# Parameters.


@pytest.mark.parametrize(
    "name, value",
    [
        ("groups.arm.tip_link", "tool0"),
        ("groups.arm.base_link", "tool0"),
        ("groups.arm.tip_link", "world"),
    ],
)
def test_a_group_of_no_links_is_refused(make_node, name, value):
    with pytest.raises(ParameterError) as refusal:
        make_node(IkServer, ARM6, **SETUP, **{name.replace(".", "__"): value})
    assert refusal.value.name == name


def test_a_tree_needs_a_tip(make_node):
    with pytest.raises(ParameterError, match="finger_left, finger_right") as refusal:
        make_node(IkServer, GRIPPER)
    assert refusal.value.name == "groups.arm.tip_link"
