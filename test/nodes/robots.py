# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Small robots as URDF text for the node tests.

Reference poses and torques in the tests were computed apart from this package, by products of
homogeneous transforms and recursive Newton-Euler in plain NumPy, and confirmed with Pinocchio.
"""


def link(name: str, mass: float = 0.0, com: str = "0 0 0", inertia: str = "0 0 0") -> str:
    """Write a link; ``inertia`` are the principal moments."""
    if mass == 0.0:
        return f'<link name="{name}"/>'
    xx, yy, zz = inertia.split()
    return (
        f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>'
        f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/></inertial></link>'
    )


def joint(
    name: str,
    kind: str,
    parent: str,
    child: str,
    xyz: str,
    axis: str = "",
    limit: str = "",
    mimic: str = "",
    rpy: str = "0 0 0",
) -> str:
    """Write a joint; ``limit`` and ``mimic`` are the attributes of those elements."""
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}" rpy="{rpy}"/>'
        + (f'<axis xyz="{axis}"/>' if axis else "")
        + (f"<limit {limit}/>" if limit else "")
        + (f"<mimic {mimic}/>" if mimic else "")
        + "</joint>"
    )


def robot(name: str, *elements: str) -> str:
    """Write a robot."""
    return f'<robot name="{name}">{"".join(elements)}</robot>'


_WIDE = 'lower="-3.2" upper="3.2" effort="100" velocity="5"'

ARM3 = robot(
    "arm3",
    link("base"),
    link("l1", 2.0, "0 0 0.1", "0.01 0.01 0.005"),
    joint("j1", "revolute", "base", "l1", "0 0 0.1", "0 0 1", _WIDE),
    link("l2", 1.5, "0.2 0 0", "0.003 0.02 0.02"),
    joint("j2", "revolute", "l1", "l2", "0 0 0.2", "0 1 0", _WIDE),
    link("l3", 0.8, "0.15 0 0", "0.001 0.008 0.008"),
    joint("j3", "continuous", "l2", "l3", "0.4 0 0", "0 1 0", 'effort="30" velocity="6"'),
    link("tcp"),
    joint("tcp_fix", "fixed", "l3", "tcp", "0.3 0 0"),
)
ARM3_JOINTS = ("j1", "j2", "j3")
ARM3_POSE = (0.2, -0.4, 0.9)
ARM3_GRAVITY = (0.0, -6.63516737, -1.033090192)  # N m at ARM3_POSE
ARM3_POSITIONS = {
    "l3": (0.361080439, 0.073194629, 0.455767337),
    "tcp": (0.61910724, 0.125499251, 0.311939675),
}

_FINGER = 'effort="40" velocity="0.2"'

# A tree: the right finger mimics the left one, the knuckle the right finger.
GRIPPER = robot(
    "gripper",
    link("base"),
    link("l1", 2.0, "0 0 0.15", "0.02 0.02 0.004"),
    joint("shoulder", "revolute", "base", "l1", "0 0 0.1", "0 1 0", _WIDE),
    link("l2", 1.0, "0 0 0.1", "0.01 0.01 0.002"),
    joint("elbow", "revolute", "l1", "l2", "0 0 0.3", "0 1 0", _WIDE),
    link("hand", 0.5, "0 0 0.04", "0.001 0.001 0.0008"),
    joint("hand_fix", "fixed", "l2", "hand", "0 0 0.25", rpy="0 0 0.3"),
    link("finger_left", 0.08, "0 0.01 0.03", "3e-5 3e-5 1e-5"),
    joint(
        "finger_left_joint",
        "prismatic",
        "hand",
        "finger_left",
        "0 0 0.08",
        "0 1 0",
        f'lower="0" upper="0.05" {_FINGER}',
    ),
    link("finger_right", 0.08, "0 -0.01 0.03", "3e-5 3e-5 1e-5"),
    joint(
        "finger_right_joint",
        "prismatic",
        "hand",
        "finger_right",
        "0 0 0.08",
        "0 1 0",
        f'lower="-0.05" upper="0.002" {_FINGER}',
        'joint="finger_left_joint" multiplier="-1" offset="0.002"',
    ),
    link("knuckle", 0.03, "0.02 0 0", "1e-5 1e-5 1e-5"),
    joint(
        "knuckle_joint",
        "revolute",
        "hand",
        "knuckle",
        "0.03 0 0.02",
        "0 1 0",
        'lower="-1" upper="1" effort="5" velocity="3"',
        'joint="finger_right_joint" multiplier="10" offset="0.1"',
    ),
    link("tool_left"),
    joint("tool_left_fix", "fixed", "hand", "tool_left", "0 0.02 0.12"),
)
# With shoulder 0.5, elbow 0.8, finger_left_joint 0.03; origins in the base frame.
GRIPPER_POSITIONS = {
    "finger_left": (0.459430323, 0.028660095, 0.460091909),
    "finger_right": (0.464015299, -0.026749422, 0.443576356),
    "knuckle": (0.411654913, 0.008865606, 0.407883783),
    "tool_left": (0.498763164, 0.01910673, 0.467944353),
}


def _six(low: float, high: float) -> str:
    return f'lower="{low}" upper="{high}" effort="100" velocity="3"'


_BALL = "0.01 0.01 0.01"

# Six joints on a turned mount, a camera between, a tool with an offset.
ARM6 = robot(
    "arm6",
    link("world"),
    joint("mount", "fixed", "world", "base_link", "0.2 -0.1 0.75", rpy="0 0 1.5707963267948966"),
    link("base_link"),
    link("s1", 4.0, "0 0 0.1", _BALL),
    joint("j1", "revolute", "base_link", "s1", "0 0 0.2", "0 0 1", _six(-3.1, 3.1)),
    link("s2", 5.0, "0 0 0.2", _BALL),
    joint("j2", "revolute", "s1", "s2", "0 0.05 0.15", "0 1 0", _six(-2.0, 2.0)),
    link("s3", 3.0, "0 0 0.15", _BALL),
    joint("j3", "revolute", "s2", "s3", "0 0 0.4", "0 1 0", _six(-2.6, 2.6)),
    link("s4", 1.0, "0 0 0.05", _BALL),
    joint("j4", "revolute", "s3", "s4", "0 0 0.35", "0 0 1", _six(-6.2, 6.2)),
    link("s5", 0.8, "0 0 0.03", _BALL),
    joint("j5", "revolute", "s4", "s5", "0 0 0", "0 1 0", _six(-2.0, 2.0)),
    link("s6", 0.3, "0 0 0.02", _BALL),
    joint("j6", "continuous", "s5", "s6", "0 0 0.1", "0 0 1", 'effort="20" velocity="6"'),
    link("flange"),
    joint("flange_fix", "fixed", "s6", "flange", "0 0 0.05"),
    link("tcp"),
    joint("tcp_fix", "fixed", "flange", "tcp", "0.03 0 0.12", rpy="0 0.5 0"),
    link("camera"),
    joint("camera_fix", "fixed", "s5", "camera", "0.05 0 0.04", rpy="0 0.2 0"),
)
ARM6_JOINTS = ("j1", "j2", "j3", "j4", "j5", "j6")
ARM6_SEED = (0.3, 0.4, 1.0, -0.5, 0.6, 0.2)
ARM6_STATE = (0.4, 0.5, 0.9, -0.6, 0.7, 0.3)
# Poses at ARM6_STATE: frame, link -> position, quaternion x y z w.
ARM6_POSES = {
    ("base_link", "tcp"): (
        (0.711828305, 0.243117083, 0.628252225),
        (-0.113999012, 0.931032103, -0.130023475, 0.321367926),
    ),
    ("world", "tcp"): (
        (-0.043117083, 0.611828305, 1.378252225),
        (-0.738948588, 0.577729639, 0.135300959, 0.319181921),
    ),
    ("base_link", "flange"): (
        (0.612707675, 0.254094689, 0.701427308),
        (-0.142623382, 0.822580873, -0.097777553, 0.541718404),
    ),
    ("base_link", "s3"): (
        (0.157161148, 0.120731889, 0.701033025),
        (-0.127986297, 0.631376224, 0.151950686, 0.749596265),
    ),
    ("base_link", "camera"): (
        (0.495719483, 0.224631197, 0.708184944),
        (-0.24489448, 0.840089535, -0.203096291, 0.439349705),
    ),
    ("tcp", "camera"): (
        (0.125859729, -0.01477601, -0.19332612),
        (0.051242008, -0.147760103, -0.140378104, 0.977668245),
    ),
}

# Two joints that turn about z: positions in a plane only.
PLANAR2 = robot(
    "planar2",
    link("base"),
    link("a", 1.0, "0.25 0 0", _BALL),
    joint("q1", "revolute", "base", "a", "0 0 0", "0 0 1", _six(-3.1, 3.1)),
    link("b", 1.0, "0.2 0 0", _BALL),
    joint("q2", "revolute", "a", "b", "0.5 0 0", "0 0 1", _six(-2.8, 2.8)),
    link("tip"),
    joint("tip_fix", "fixed", "b", "tip", "0.4 0 0"),
)
