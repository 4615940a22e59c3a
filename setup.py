# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from setuptools import find_packages, setup

PACKAGE = "robodyn_ros"
NODES = [
    "arm_simulator",
    "bringup",
    "computed_torque",
    "fk_publisher",
    "ik_server",
    "torque_monitor",
    "trajectory_guard",
]


def shared_files(*folders):
    """Pair every folder below the given ones with its files, for share/robodyn_ros."""
    found = {}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found.setdefault(f"share/{PACKAGE}/{path.parent}", []).append(str(path))
    return sorted(found.items())


def requirements(name):
    """Read the names listed in one of the requirement files."""
    here = Path(__file__).resolve().parent  # a build by symlinks runs elsewhere
    lines = (here / "underlay" / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


setup(
    name=PACKAGE,
    version="0.1.0",
    description="Rigid-body dynamics for robot arms in ROS 2",
    maintainer="robodyn_ros maintainers",
    maintainer_email="maintainers@robodyn.example",
    license="Apache-2.0",
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    python_requires=">=3.11",
    install_requires=["setuptools", "numpy", "PyYAML"],
    extras_require={
        "numba": ["numba"],  # compiled kernels; plain Python without it
        "plot": ["matplotlib"],
        "bag": ["rosbags"],  # recordings, without a ROS installation
        "test": requirements("test.txt"),
    },
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        *shared_files("launch", "config", "rviz"),
    ],
    zip_safe=False,
    entry_points={
        "console_scripts": [
            *(f"{node} = {PACKAGE}.nodes.{node}:main" for node in NODES),
            f"robodyn = {PACKAGE}.cli.main:main",
        ],
    },
)
