# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Where a node's robot comes from, and what parameters change about it."""

import threading

import pytest

rclpy = pytest.importorskip("rclpy")

from rclpy.executors import ExternalShutdownException  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile  # noqa: E402
from robots import ARM3, GRIPPER, joint, link, robot  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from robodyn_ros.errors import ModelError, ParameterError, UnknownNameError  # noqa: E402
from robodyn_ros.nodes.model_source import load_robot, read_urdf  # noqa: E402


@pytest.fixture
def load(ros_context):
    """Load the robot of a node with these parameters."""
    nodes = []

    def load(**parameters):
        overrides = [
            Parameter(name.replace("__", "."), value=value) for name, value in parameters.items()
        ]
        nodes.append(rclpy.create_node("n", context=ros_context, parameter_overrides=overrides))
        return load_robot(nodes[-1])

    yield load
    for node in nodes:
        node.destroy_node()


def test_the_parameter_wins_over_the_file(load, tmp_path):
    file = tmp_path / "other.urdf"
    file.write_text(GRIPPER)
    assert load(robot_description=ARM3, urdf_file=str(file)).model.name == "arm3"
    assert load(urdf_file=str(file)).model.name == "gripper"
    assert load(urdf_file=f"file://{file}").model.name == "gripper"


def test_files_of_the_package_are_found_installed_or_not():
    text = read_urdf("package://robodyn_ros/config/robots/two_link/two_link.urdf")
    assert "<robot" in text


@pytest.mark.parametrize(
    "place, words",
    [
        ("/nowhere/arm.urdf", "No such file"),
        ("package://no_such_package/arm.urdf", "'no_such_package' is not"),
        ("/tmp", "directory"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(place, words):
    with pytest.raises(ParameterError, match=words) as refusal:
        read_urdf(place)
    assert (refusal.value.name, refusal.value.value) == ("urdf_file", place)


def test_faults_say_where_the_description_came_from(load, tmp_path):
    file = tmp_path / "bad.urdf"
    file.write_text("<robot name='x'>")
    with pytest.raises(ModelError, match="bad.urdf"):
        load(urdf_file=str(file))
    with pytest.raises(ModelError, match="parameter robot_description"):
        load(robot_description="this is no XML")


def test_without_parameters_the_topic_is_waited_for(load, probe):
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = probe.node.create_publisher(String, "robot_description", latched)
    loaded = []
    thread = threading.Thread(target=lambda: loaded.append(load()))
    thread.start()
    probe.wait(lambda: publisher.get_subscription_count() > 0, "the node to wait")
    assert not loaded
    publisher.publish(String(data=ARM3))
    probe.wait(lambda: loaded, "the robot")
    thread.join()
    assert loaded[0].model.name == "arm3"
    assert loaded[0].from_topic
    assert not load(robot_description=ARM3).from_topic


def test_waiting_ends_with_the_context(ros_domain):
    context = rclpy.Context()
    rclpy.init(context=context, args=[], domain_id=ros_domain)
    node = rclpy.create_node("n", context=context)
    ended = []

    def wait():
        try:
            load_robot(node)
        except ExternalShutdownException as error:
            ended.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    rclpy.shutdown(context=context)
    thread.join(10.0)
    assert ended


def test_gravity_is_the_vector_given_whole_numbers_or_not(load):
    assert load(robot_description=ARM3).model.gravity.tolist() == [0.0, 0.0, -9.81]
    assert load(robot_description=ARM3, gravity=[0, 0, 0]).model.gravity.tolist() == [0, 0, 0]
    with pytest.raises(ParameterError, match="3 numbers"):
        load(robot_description=ARM3, gravity=[0.0, 9.81])


def test_ratings_go_over_the_description_field_by_field(load):
    limits = load(
        robot_description=ARM3,
        limits__j1__effort_peak=80,
        limits__j1__effort_continuous=40.5,
        limits__j3__velocity=2.0,
        limits__j2__acceleration=3.0,
        limits__j2__thermal_time_constant=30.0,
    ).model.limits
    assert limits.effort.tolist() == [80.0, 100.0, 30.0]
    assert limits.effort_continuous[0] == 40.5
    assert limits.velocity.tolist() == [5.0, 5.0, 2.0]
    assert limits.acceleration[1] == 3.0
    assert limits.thermal_time_constant[1] == 30.0


def test_a_misspelt_joint_is_refused(load):
    with pytest.raises(ParameterError, match="j1, j2, j3") as refusal:
        load(robot_description=ARM3, limits__j4__effort_peak=80.0)
    assert refusal.value.name == "limits.j4.effort_peak"


def test_reversed_limits_are_refused(load):
    with pytest.raises(ParameterError, match="limits.j1.lower"):
        load(robot_description=ARM3, limits__j1__lower=2.0, limits__j1__upper=-2.0)


def test_a_continuous_rating_above_the_peak_is_refused(load):
    with pytest.raises(ParameterError, match="limits.j3.effort_continuous.* 40.0: .*peak.* 30"):
        load(robot_description=ARM3, limits__j3__effort_continuous=40.0)


def test_limits_may_come_from_the_parameters_alone(load):
    urdf = robot(
        "bare",
        link("base"),
        link("l1", 1.0, "0 0 0.1", "0.01 0.01 0.01"),
        joint("j1", "revolute", "base", "l1", "0 0 0", "0 1 0"),
    )
    with pytest.raises(ModelError, match="j1"):
        load(robot_description=urdf)
    limits = load(robot_description=urdf, limits__j1__lower=-1.0, limits__j1__upper=2).model.limits
    assert (limits.lower[0], limits.upper[0]) == (-1.0, 2.0)


def test_joints_are_all_or_those_named_in_their_order(load):
    assert load(robot_description=ARM3).joints == ("j1", "j2", "j3")
    assert load(robot_description=ARM3, joints=["j3", "j1"]).joints == ("j3", "j1")
    for joints in (["j1", "j9"], ["j1", "j1"]):
        with pytest.raises(ParameterError) as refusal:
            load(robot_description=ARM3, joints=joints)
        assert refusal.value.name == "joints"


def test_followers_can_be_placed_on_their_own(load):
    gripper = load(robot_description=GRIPPER)
    assert len(gripper.model.mimics) == 2
    assert gripper.without_mimics.n == gripper.model.n + 2
    assert gripper.without_mimics.link_names == gripper.model.link_names
    with pytest.raises(UnknownNameError):
        gripper.model.joint_index("knuckle_joint")
