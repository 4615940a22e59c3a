# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
``robodyn demo``: a simulated arm under computed torque, over real ROS 2 topics.

Starts the nodes as processes, lets the arm follow a trajectory, moves it to a pose that
compute_ik is asked for, sends one motion that is too fast for the motors, and shows what the
torque monitor said. Writes a table and a picture. Exit code 0 when every step went well, 1 when
one did not.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from robodyn_ros.analysis.motion import JointSummary, summarise, table
from robodyn_ros.analysis.plots import plot_motion
from robodyn_ros.cli.node_processes import NodeProcesses
from robodyn_ros.cli.own_domain import own_domain
from robodyn_ros.cli.shipped import robot_folder, robot_names, shared_parameters
from robodyn_ros.dynamics.kinematics import link_pose
from robodyn_ros.errors import RobodynError
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.rotations import quaternion_from_matrix
from robodyn_ros.model.urdf import load_urdf

TRACKING_RMS = 1e-3  # rad, the largest tracking error the demo accepts
START_TIMEOUT = 90.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the sub-command."""
    parser.add_argument("--robot", default="panda", choices=robot_names(), help="which arm")
    parser.add_argument(
        "--output", type=Path, default=Path("demo_output"), help="folder for picture and logs"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run all steps; 0 when every one went well."""
    try:
        with own_domain() as domain:
            return Demo(arguments.robot, arguments.output / arguments.robot).run(domain)
    except RobodynError as error:
        print(f"\nFAILED: {error}", file=sys.stderr)
        return 1


@contextmanager
def step(text: str) -> Any:
    """Say what is going on and how long it took."""
    print(f"{text:66s}", end="", flush=True)
    start = time.monotonic()
    try:
        yield
    except BaseException:
        print("failed", flush=True)
        raise
    print(f"{time.monotonic() - start:6.1f} s", flush=True)


class Demo:
    """The steps of the demonstration for one robot."""

    def __init__(self, robot: str, output: Path):
        self.folder = robot_folder(robot)
        self.robot = robot
        self.output = output
        self.parameters = self.folder / f"{robot}.yaml"
        self.shared = shared_parameters(self.parameters)
        self.plan = yaml.safe_load((self.folder / "demo.yaml").read_text())
        model = load_urdf(self.folder / f"{robot}.urdf")
        ratings: dict[str, dict[str, float]] = self.shared["limits"]
        self.peak, self.continuous = (
            np.array([ratings[joint][key] for joint in model.joint_names])
            for key in ("effort_peak", "effort_continuous")
        )
        self.model: RobotModel = model

    def run(self, domain: int) -> int:
        """Start, move, ask, exceed, stop; tell."""
        print(f"robodyn demo: {self.robot}, {self.model.n} joints, simulated by its own dynamics")
        print(f"(in a ROS domain of its own; to look on: export ROS_DOMAIN_ID={domain})")
        with step("compile the kernels (only the first time takes long)"):
            from robodyn_ros.cli.warm_up import warm_up

            warm_up(self.model)
        with NodeProcesses(self.output) as nodes:
            failures = self._session(nodes)
            with step("stop the nodes"):
                codes = nodes.stop()
        failures += [f"{node} ended with exit code {code}" for node, code in codes.items() if code]
        for failure in failures:
            print(f"FAILED: {failure}", file=sys.stderr)
        print("All steps went well." if not failures else "Not all steps went well.")
        return 1 if failures else 0

    def _start(self, nodes: NodeProcesses) -> None:
        from robodyn_ros.nodes.wiring import WIRING

        # Simulated time: on a busy machine it slows down, and the figures change little.
        common = ["--params-file", str(self.parameters), "-p", "use_sim_time:=true"]
        # The limits stay unchecked, so that the too fast motion gets as far as the monitor.
        extra = {
            "computed_torque": ["-p", "state_publish_rate:=250.0", "-p", "check_limits:=false"],
            "arm_simulator": ["-p", "publish_clock:=true", "-p", "use_sim_time:=false"],
        }
        for node in (
            "arm_simulator", "computed_torque", "torque_monitor", "fk_publisher", "ik_server"
        ):  # fmt: skip
            wiring = ["-r", ":=".join(WIRING[node])] if node in WIRING else []
            nodes.start(node, [*common, *wiring, *extra.get(node, [])])

    def _session(self, nodes: NodeProcesses) -> list[str]:
        try:
            from robodyn_ros.nodes.arm_client import ArmClient
        except ImportError as error:
            cure = "source ROS 2 with this package built, or run make demo in the repository"
            raise RobodynError(f"the demo needs ROS 2 ({error}): {cure}") from error
        with ArmClient(self.model.joint_names, nodes.check) as arm:
            with step("start 5 nodes and wait for joint_states, /tf, compute_ik, /diagnostics"):
                self._start(nodes)
                arm.wait_for_arm(START_TIMEOUT)
            stops = [(s["time"], np.array(s["positions"])) for s in self.plan["motion"]]
            with step(f"follow a trajectory of {stops[-1][0]:g} s under computed torque"):
                start, end = arm.move(stops)
            rows = self._summary(arm.recording(start, end))
            with step("ask compute_ik for a pose"):
                joints = self._ask(arm)
            with step("move there"):
                arm.move([(self.plan["pose"]["time"], joints)])
            fast = self.plan["too_fast"]
            known = len(arm.events)
            with step(f"send a motion of {fast['time']:g} s that is too fast for the motors"):
                begin, last = arm.move([(fast["time"], joints + np.array(fast["by"]))], 1.5)
            events = arm.events[known:]
            whole = arm.recording(start, last)
            spans = [(1e-9 * (begin - start), 1e-9 * (last - start), "too fast")]
        failures = self._tell(rows, events, begin)
        picture = plot_motion(
            whole,
            self.peak,
            self.continuous,
            self.output / "demo.png",
            f"{self.robot}: torque against ratings, and tracking",
            spans,
        )
        print(f"\nPicture: {picture}    logs of the nodes: {self.output}/*.log")
        return failures

    def _summary(self, motion: Any) -> list[JointSummary]:
        return summarise(motion, self.peak, self.continuous)

    def _ask(self, arm: Any) -> Any:
        tip = self.shared["tip_link"]
        wanted = np.array(self.plan["pose"]["of"])
        rotation, position = link_pose(self.model, wanted, tip)
        quaternion = quaternion_from_matrix(rotation)
        group = self.plan["pose"]["group"]
        joints = arm.ask_ik(self.model.root_link, group, tip, position, quaternion)
        _, reached = link_pose(self.model, joints, tip)
        miss = float(np.linalg.norm(reached - position))
        if not miss < 1e-5:
            raise RobodynError(f"compute_ik misses the pose by {1e3 * miss:.3g} mm")
        return joints

    def _tell(
        self, rows: list[JointSummary], events: Sequence[dict[str, str]], begin: int
    ) -> list[str]:
        failures = []
        print(
            f"\nThe trajectory, joint by joint (torque: what the law asked for)\n{table(rows)}\n"
        )
        for row in rows:
            if not row.rms_error < TRACKING_RMS:
                failures.append(
                    f"{row.joint}: tracking error RMS {row.rms_error:.2e} rad, "
                    f"accepted is {TRACKING_RMS:g}"
                )
        peaks = [event for event in events if event["kind"] == "peak"]
        print("The torque monitor about the motion that was too fast")
        for event in peaks:
            when = float(event["stamp (s)"]) - 1e-9 * begin
            print(f"  {when:6.3f} s after it was sent: {event['text']}")
        if not peaks:
            failures.append("the torque monitor reported nothing above a peak rating")
        return failures
