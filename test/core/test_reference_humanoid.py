# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
A humanoid on six joints of its own: torques of Pinocchio's unittest/value.cpp (c51d9234).

The figures there come from RBDL. The base floats there; at rest and upright it is the same as
three sliding and three turning joints under the root, whose torques are its force and moment.
Gravity is 9.8 m/s^2; rows are the base (force, moment), legs, waist and chest, arms.
"""

from dataclasses import replace

import numpy as np
import pytest

from bench.pinocchio_oracle import robot_data
from robodyn_ros import RobotModel, inverse_dynamics
from robodyn_ros.model.specs import JointSpec, LinkSpec
from robodyn_ros.model.urdf import parse_urdf

LEG = ("HIP_R", "HIP_P", "HIP_Y", "KNEE", "ANKLE_P", "ANKLE_R")
ARM = ("SHOULDER_P", "SHOULDER_R", "SHOULDER_Y", "ELBOW", "WRIST_Y", "WRIST_P", "WRIST_R")
NAMES = [
    *(f"base{i}" for i in range(6)),
    *(f"{side}LEG_{joint}" for side in "LR" for joint in LEG),
    *("WAIST_P", "WAIST_R", "CHEST"),
    *(f"{side}ARM_{joint}" for side in "LR" for joint in ARM),
]
EXPECTED = {
    "still": """0 0 1281.84 0 -40.5132 0
        4.4492 -1.5386 0 -1.5386 -1.5386 0 -4.4492 -1.5386 0 -1.5386 -1.5386 0
        -37.436 0 0 -2.548 0 0 0.392 0 0.392 0 -2.548 0 0 0.392 0 0.392 0""",
    "moving": """-48.10636 -73.218816 1384.901025 -7.2292939 -186.342371 -20.6685852
        -.78887946 -1.869651075 1.8889752 -2.036768175 -2.105948175 -1.023232
        -18.3738505 -4.133954895 9.0456456 -4.276615035 -4.143427035 -2.534896
        -180.338765 15.71570676 -29.8639164
        -59.917862 -2.3307916 -2.7648728 -45.76782776 3.4151272 -18.4320456 -4.5768072
        -76.60945104 -.5897908 -2.640844 -63.93417064 5.359156 -25.8309196 -6.976116""",
    "moving and accelerating": """
        -15.3331636 -.67891816 1273.80521 102.9435113 110.3509945 81.52296995
        13.31476408 14.26606068 3.682505252 9.048274318 4.663303518 2.05308568
        12.54347834 25.92680911 6.327105656 16.71123385 8.96650473 3.54200704
        70.15812475 77.02410963 73.81994844
        41.73185754 28.75786872 28.94251127 31.65847724 20.40431127 18.18579154 6.838471928
        50.44193173 34.07362801 34.53507156 38.33983417 24.61507156 22.2842788 8.23435884""",
    "bent": """0 0 1281.84 -133.3062501 198.975587 0
        15.06850407 58.39287139 -22.14971864 17.14327289 1.291543104 .7402017048
        -4.386231387 22.73949408 -19.01681794 .8839600793 -.3197599308 -.466827706
        65.47086697 32.71449398 -4.250622066
        -.7937685568 -.15349648 -1.070480752 -3.066302263 -.3557903212 -.2183951073 .182684221
        -.6648425468 -2.902772493 .1250340934 .4402877138 -.3158584741 -.0865162794
        .3918733239""",
    "bent, moving and accelerating": """
        -1.911650826 1.250211406 1284.82058 -139.0188156 201.744449 1.554847332
        15.1910084 59.27339983 -21.70753738 17.84339797 1.754639468 .670280632
        -2.968778954 23.0776205 -17.56870284 1.765761886 .2889992363 -.392159764
        68.83598707 34.59002827 -4.604435817
        -.3832225891 1.085231916 -.348635267 -2.831371037 -1.047616506 -.228384161 .5656880079
        1.302869049 .8481280783 .7042182131 1.554751317 -.3908790552 -.1294643218
        1.421077555""",
}


def humanoid() -> RobotModel:
    """Make the humanoid of example-robot-data, its root carried by six joints."""
    text = (robot_data() / "simple_humanoid_description/urdf/simple_humanoid.urdf").read_text()
    _, links, joints, _ = parse_urdf(text)
    root = ({link.name for link in links} - {joint.child for joint in joints}).pop()
    carriers = ["world", *(f"carrier{i}" for i in range(5)), root]
    base = [
        JointSpec(f"base{i}", "prismatic" if i < 3 else "revolute", *carriers[i : i + 2],
                  axis=np.eye(3)[i % 3])
        for i in range(6)
    ]  # fmt: skip
    # The file the figures were taken with has its waist at the root; here it is 0.176 m up.
    joints = [replace(j, position=0 * j.position) if j.name == "WAIST_P" else j for j in joints]
    links = [*(LinkSpec(name) for name in carriers[:-1]), *links]
    return RobotModel.from_specs("humanoid", links, [*base, *joints], gravity=(0, 0, -9.8))


HUMANOID = humanoid()


@pytest.mark.parametrize("case", EXPECTED)
def test_torques_of_the_humanoid(case: str) -> None:
    assert sorted(NAMES) == sorted(HUMANOID.joint_names)
    assert HUMANOID.total_mass == pytest.approx(130.8)
    number = np.where(np.arange(35) < 6, 0, np.arange(35))
    q, qd, qdd = {
        "still": (0.0, 0.0, 0.0),
        "moving": (0.0, 0.1, 0.0),
        "moving and accelerating": (0.0, 0.01, 0.1),
        "bent": (0.1, 0.0, 0.0),
        "bent, moving and accelerating": (0.1, 0.01, 0.01),
    }[case]
    ours = np.array([NAMES.index(name) for name in HUMANOID.joint_names])
    tau = np.empty(35)
    tau[ours] = inverse_dynamics(HUMANOID, *((x * number)[ours] for x in (q, qd, qdd)))
    expected = np.array(EXPECTED[case].split(), dtype=float)
    assert tau == pytest.approx(expected, rel=1e-9, abs=1e-7)
