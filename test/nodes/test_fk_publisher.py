# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""fk_publisher: transforms, poses and stamps out of joint states of every kind."""

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")

from geometry_msgs.msg import PoseStamped  # noqa: E402
from messages import joint_state, matrix, placed, stamp_ns, tree  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy  # noqa: E402
from robots import (  # noqa: E402
    ARM3,
    ARM3_JOINTS,
    ARM3_POSE,
    ARM3_POSITIONS,
    GRIPPER,
    GRIPPER_POSITIONS,
)
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from tf2_msgs.msg import TFMessage  # noqa: E402

from robodyn_ros.errors import ParameterError  # noqa: E402
from robodyn_ros.nodes.fk_publisher import FkPublisher  # noqa: E402

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
MS = 1_000_000


def recorded(publisher):
    """Return a list of what a publisher sends from now on, known without a round trip."""
    sent, publish = [], publisher.publish

    def record(message):
        sent.append(message)
        publish(message)

    publisher.publish = record
    return sent


class Arm:
    """An fk_publisher with ears on its topics and a mouth on joint_states."""

    def __init__(self, probe, make_node, urdf=ARM3, **parameters):
        self.probe = probe
        self.tf = probe.listen(TFMessage, "/tf", 100)
        self.static = probe.listen(TFMessage, "/tf_static", LATCHED)
        self.pose = probe.listen(PoseStamped, "/fk_publisher/pose", 10)
        defaults = {"publish_tree": True, "publish_frequency": 0.0}
        self.node = make_node(FkPublisher, urdf, **defaults | parameters)
        self.sent_poses = recorded(self.node.pose_publisher)
        self.publisher = probe.publisher(JointState, "joint_states")
        if parameters.get("publish_tree", True):
            probe.wait(lambda: self.static, "/tf_static")

    def send(self, *messages):
        """Send messages and wait until the node has seen the last."""
        intake = self.node.state.intake
        seen = self.node.state
        for message in messages:
            before = seen._received
            self.publisher.publish(message)
            self.probe.wait(lambda before=before: seen._received != before, "the node to hear")
        return intake

    def frames(self):
        """Return the transforms as a listener knows them: the latest of each child."""
        messages = [*self.static, *self.tf]
        return tree(t for message in messages for t in message.transforms)


@pytest.fixture
def arm(probe, make_node):
    return lambda *args, **kwargs: Arm(probe, make_node, *args, **kwargs)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_links_are_where_the_joints_put_them(arm, probe, order):
    arm = arm()
    now = probe.now_ns()
    names = [ARM3_JOINTS[i] for i in order]
    arm.send(joint_state(names, [ARM3_POSE[i] for i in order], stamp=now))
    probe.wait(lambda: arm.tf, "/tf")
    assert len(arm.tf) == len(arm.static) == 1
    assert {stamp_ns(t) for t in arm.tf[0].transforms} == {now}
    for link, position in ARM3_POSITIONS.items():
        found = placed(arm.frames(), link, "base")[:3, 3]
        np.testing.assert_allclose(found, position, atol=1e-9)


def test_the_pose_of_the_tip_has_the_stamp_of_the_state(arm, probe):
    arm = arm(publish_tree=False)
    now = probe.now_ns()
    arm.send(joint_state(ARM3_JOINTS, ARM3_POSE, stamp=now))
    probe.wait(lambda: arm.pose, "~/pose")
    pose = arm.pose[0]
    assert (pose.header.frame_id, stamp_ns(pose)) == ("base", now)
    found = matrix(pose.pose.position, pose.pose.orientation)
    np.testing.assert_allclose(found[:3, 3], ARM3_POSITIONS["tcp"], atol=1e-9)
    assert not hasattr(arm.node, "tf_publisher")  # the tree belongs to somebody else
    assert probe.node.count_publishers("/tf") == probe.node.count_publishers("/tf_static") == 0


def test_the_pose_may_be_told_in_the_frame_of_another_link(arm, probe):
    arm = arm(base_link="l2", tip_link="l3")
    # only j3 lies between l2 and l3
    arm.send(joint_state(["j3"], [0.9], stamp=probe.now_ns()))
    probe.wait(lambda: arm.pose, "~/pose")
    found = matrix(arm.pose[0].pose.position, arm.pose[0].pose.orientation)
    c, s = np.cos(0.9), np.sin(0.9)
    expected = [[c, 0, s, 0.4], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert arm.pose[0].header.frame_id == "l2"


def test_no_tip_is_guessed_where_the_links_branch(arm, probe):
    arm = arm(GRIPPER)
    names = ["shoulder", "elbow", "finger_left_joint"]
    arm.send(joint_state(names, [0.5, 0.8, 0.03], stamp=probe.now_ns()))
    probe.wait(lambda: arm.tf, "/tf")
    assert not arm.sent_poses


@pytest.mark.parametrize("name", ["tip_link", "base_link"])
def test_an_unknown_link_is_named_with_those_there_are(make_node, name):
    with pytest.raises(ParameterError, match="l1, l2, l3, tcp") as refusal:
        make_node(FkPublisher, ARM3, **{name: "tool0"})
    assert refusal.value.name == name


def test_a_zero_stamp_means_now(arm, probe):
    arm = arm()
    before = probe.now_ns()
    arm.send(joint_state(ARM3_JOINTS, ARM3_POSE))
    probe.wait(lambda: arm.tf, "/tf")
    assert before <= stamp_ns(arm.tf[0].transforms[0]) <= probe.now_ns()


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_joint_without_a_number_is_left_out(arm, probe, bad):
    arm = arm()
    arm.send(joint_state(ARM3_JOINTS, [0.2, bad, 0.9], stamp=probe.now_ns()))
    probe.wait(lambda: arm.tf, "/tf")
    assert {t.child_frame_id for t in arm.tf[0].transforms} == {"l1", "l3"}
    assert not arm.sent_poses


def test_two_publishers_each_move_their_own_joints(arm, probe):
    arm = arm(publish_frequency=50.0)
    now = probe.now_ns()
    arm.send(
        joint_state(["j1"], [0.2], stamp=now - 2 * MS),
        joint_state(["j2", "j3"], [-0.4, 0.9], stamp=now - MS),
        # one of them dies: its joint is not stamped anew
        joint_state(["j2", "j3"], [-0.4, 0.9], stamp=now + 30 * MS),
    )
    probe.wait(lambda: len(arm.tf) == 3, "three messages")
    children = [[t.child_frame_id for t in message.transforms] for message in arm.tf]
    assert children == [["l1"], ["l2", "l3"], ["l2", "l3"]]
    assert stamp_ns(arm.tf[0].transforms[0]) == now - 2 * MS
    assert len(arm.sent_poses) == 2
    found = placed(arm.frames(), "tcp", "base")[:3, 3]
    np.testing.assert_allclose(found, ARM3_POSITIONS["tcp"], atol=1e-9)


def test_the_pose_is_not_made_of_an_old_joint(arm, probe):
    arm = arm(state_timeout=0.05)
    now = probe.now_ns()
    arm.send(
        joint_state(["j1"], [0.2], stamp=now - 80 * MS),
        joint_state(["j2", "j3"], [-0.4, 0.9], stamp=now),
    )
    probe.wait(lambda: len(arm.tf) == 2, "/tf")
    assert not arm.sent_poses


@pytest.mark.parametrize("rate, period", [(30.0, 10), (20.0, 20), (40.0, 10)])
def test_the_rate_is_kept_on_the_average(arm, probe, rate, period):
    """A limit that waits a full period each time would give 25, 16.7 and 33.3 Hz."""
    arm = arm(publish_frequency=rate)
    start = probe.now_ns() - 2_000 * MS
    stamps = [start + i * period * MS for i in range(0, 1000 // period + 1)]
    arm.send(*(joint_state(ARM3_JOINTS, ARM3_POSE, stamp=stamp) for stamp in stamps))
    count = rate + 1  # in one second, both ends counted
    probe.wait(lambda: len(arm.tf) >= count, "/tf")
    assert len(arm.tf) == pytest.approx(count, abs=1)
    gaps = np.diff([stamp_ns(m.transforms[0]) for m in arm.tf])
    assert gaps.min() >= period * MS


def test_every_message_counts_when_stamps_do_not(arm, probe):
    arm = arm(publish_frequency=1.0, ignore_timestamp=True)
    now = probe.now_ns()
    stamps = [now, now - 500 * MS, now - 400 * MS, now + 3_000 * MS]
    arm.send(*(joint_state(ARM3_JOINTS, ARM3_POSE, stamp=stamp) for stamp in stamps))
    probe.wait(lambda: len(arm.tf) == 4, "four messages")
    assert [stamp_ns(m.transforms[0]) for m in arm.tf] == stamps
    assert len(arm.sent_poses) == 4


def test_a_late_message_is_not_published(arm, probe):
    arm = arm()
    now = probe.now_ns()
    arm.send(
        joint_state(ARM3_JOINTS, ARM3_POSE, stamp=now),
        joint_state(ARM3_JOINTS, (0.19, -0.4, 0.9), stamp=now - 20 * MS),
        joint_state(ARM3_JOINTS, ARM3_POSE, stamp=now + MS),
    )
    probe.wait(lambda: len(arm.tf) == 2, "/tf")
    assert [stamp_ns(m.transforms[0]) for m in arm.tf] == [now, now + MS]


def test_time_may_begin_again(arm, probe):
    """A bag that is looped: stamps far back are a restart, not old data."""
    arm = arm(publish_frequency=10.0)
    now = probe.now_ns()
    stamps = [now, now - 9_000 * MS, now - 8_980 * MS, now - 8_880 * MS]
    arm.send(*(joint_state(ARM3_JOINTS, ARM3_POSE, stamp=stamp) for stamp in stamps))
    probe.wait(lambda: len(arm.tf) == 3, "/tf")
    assert [stamp_ns(m.transforms[0]) for m in arm.tf] == [stamps[0], stamps[1], stamps[3]]


def test_malformed_messages_do_no_harm(arm, probe):
    arm = arm()
    now = probe.now_ns()
    arm.send(
        joint_state([], []),
        joint_state(ARM3_JOINTS, [0.1, 0.2], stamp=now),
        joint_state(ARM3_JOINTS, [], [0.1, 0.1, 0.1], stamp=now),
        joint_state(["wheel"], [1.0], stamp=now),
        joint_state([*ARM3_JOINTS, "j1"], [*ARM3_POSE, 1.5], stamp=now),
    )
    probe.wait(lambda: arm.tf, "/tf")
    assert len(arm.tf) == 1
    found = placed(arm.frames(), "tcp", "base")[:3, 3]
    np.testing.assert_allclose(found, ARM3_POSITIONS["tcp"], atol=1e-9)


def test_followers_go_along_with_their_driver(arm, probe):
    arm = arm(GRIPPER)
    names = ["shoulder", "elbow", "finger_left_joint"]
    arm.send(joint_state(names, [0.5, 0.8, 0.03], stamp=probe.now_ns()))
    probe.wait(lambda: arm.tf, "/tf")
    moved = {t.child_frame_id for t in arm.tf[0].transforms}
    assert moved == {"l1", "l2", "finger_left", "finger_right", "knuckle"}
    for link, position in GRIPPER_POSITIONS.items():
        found = placed(arm.frames(), link, "base")[:3, 3]
        np.testing.assert_allclose(found, position, atol=1e-9)


def test_a_measured_follower_wins_over_its_driver(arm, probe):
    arm = arm(GRIPPER)
    names = ["shoulder", "elbow", "finger_left_joint", "finger_right_joint"]
    arm.send(joint_state(names, [0.5, 0.8, 0.03, -0.01], stamp=probe.now_ns()))
    probe.wait(lambda: arm.tf, "/tf")
    frames = arm.frames()
    np.testing.assert_allclose(frames["finger_right"][1][:3, 3], [0.0, -0.01, 0.08], atol=1e-12)
    np.testing.assert_allclose(frames["finger_left"][1][:3, 3], [0.0, 0.03, 0.08], atol=1e-12)


def test_a_follower_alone_moves_nothing_but_itself(arm, probe):
    arm = arm(GRIPPER)
    names = ["shoulder", "elbow", "finger_right_joint"]
    arm.send(joint_state(names, [0.5, 0.8, -0.028], stamp=probe.now_ns()))
    probe.wait(lambda: arm.tf, "/tf")
    assert {t.child_frame_id for t in arm.tf[0].transforms} == {"l1", "l2", "finger_right"}


def test_late_comers_get_the_static_frames_and_the_description(arm, probe):
    arm = arm()
    statics = probe.listen(TFMessage, "/tf_static", LATCHED)
    descriptions = probe.listen(String, "robot_description", LATCHED)
    probe.wait(lambda: statics and descriptions, "latched messages")
    assert [t.child_frame_id for t in statics[0].transforms] == ["tcp"]
    assert descriptions[0].data == ARM3
    assert arm.node.get_name() == "fk_publisher"


def test_a_prefix_goes_on_every_frame_also_later(arm, probe):
    arm = arm(frame_prefix="left/")
    arm.send(joint_state(ARM3_JOINTS, ARM3_POSE, stamp=probe.now_ns()))
    probe.wait(lambda: arm.tf and arm.pose, "/tf and ~/pose")
    assert set(arm.frames()) == {"left/l1", "left/l2", "left/l3", "left/tcp"}
    assert {parent for parent, _ in arm.frames().values()} == {
        "left/base",
        "left/l1",
        "left/l2",
        "left/l3",
    }
    assert arm.pose[0].header.frame_id == "left/base"
    arm.node.set_parameters([Parameter("frame_prefix", value="")])
    probe.wait(lambda: len(arm.static) == 2, "/tf_static anew")
    assert [t.child_frame_id for t in arm.static[1].transforms] == ["tcp"]


def test_sensor_publishers_are_heard(arm, probe):
    arm = arm()
    best_effort = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
    publisher = probe.publisher(JointState, "joint_states", best_effort)
    send = joint_state(ARM3_JOINTS, ARM3_POSE)
    probe.repeat(0.05, lambda: publisher.publish(send))
    probe.wait(lambda: arm.tf, "/tf")


def test_everything_but_tf_lives_in_the_namespace(probe, make_node):
    poses = probe.listen(PoseStamped, "/robot1/fk_publisher/pose", 10)
    tf = probe.listen(TFMessage, "/tf", 100)
    make_node(FkPublisher, ARM3, namespace="robot1", publish_tree=True)
    publisher = probe.publisher(JointState, "/robot1/joint_states")
    publisher.publish(joint_state(ARM3_JOINTS, ARM3_POSE))
    probe.wait(lambda: poses and tf, "~/pose and /tf")
