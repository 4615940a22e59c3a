# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
``robodyn bag``: from a recording to the truth about torque.

Reads joint states from a rosbag2 recording (mcap or sqlite3; folder or file, also compressed or
cut short), computes the torque the motion took, and compares it with ratings and with measured
effort. Exit code 0: within the ratings; 1: a rating was exceeded; 2: it could not be analysed.

example: robodyn bag my_bag --robot panda -o report
"""

import argparse
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from robodyn_ros.analysis.bags.audit import Audit, audit
from robodyn_ros.analysis.bags.joints import collect_joints
from robodyn_ros.analysis.bags.reader import JOINT_STATE, STRING, Bag, open_bag
from robodyn_ros.analysis.bags.report import as_data, as_html, as_text
from robodyn_ros.analysis.bags.smoothing import WINDOW_S
from robodyn_ros.analysis.plots import plot_audit
from robodyn_ros.cli.shipped import ratings_in, robot_folder, robot_names
from robodyn_ros.dynamics.joint_effects import JointFriction
from robodyn_ros.errors import BagError, ModelWarning
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.model.urdf import load_urdf


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the sub-command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("bag", type=Path, help="folder of the recording, or one file of it")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--urdf", help="robot description; default: /robot_description in the bag")
    source.add_argument("--robot", choices=robot_names(), help="a shipped robot, with its ratings")
    parser.add_argument("--ratings", type=Path, help="YAML of the nodes with motor ratings")
    parser.add_argument("-o", "--output", type=Path, help="folder for report.html and report.json")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--topic", help="topic of the joint states")
    parser.add_argument(
        "--prefix", default="", help="what stands before the joint names in the bag"
    )
    parser.add_argument(
        "--window", type=_seconds, default=WINDOW_S, help="smoothing window in s (default: 0.05)"
    )
    parser.add_argument(
        "--friction", action="store_true", help="add the friction that the description states"
    )
    parser.add_argument(
        "--speed", type=_factor, default=1.0, help="what if: this many times faster"
    )
    parser.add_argument(
        "--gravity", type=float, nargs=3, metavar=("X", "Y", "Z"), help="what if: m/s^2"
    )
    parser.add_argument(
        "--payload", type=_payload, metavar="LINK:KG[:X,Y,Z]", help="what if: mass and where, in m"
    )


def run(arguments: argparse.Namespace) -> int:
    """Analyse one recording; 1 when a rating was exceeded."""
    with open_bag(arguments.bag) as bag:
        model, source = _model(arguments, bag)
        recording = collect_joints(
            bag.messages([_topic(arguments, bag)]), model.joint_names, arguments.prefix
        )
        notes = list(bag.notes)
    friction = JointFriction.from_model(model) if arguments.friction else None
    result = audit(
        model, recording, window_s=arguments.window, friction=friction, speed=arguments.speed
    )
    settings = {
        name: getattr(arguments, name)
        for name in ("topic", "prefix", "window", "friction", "speed", "gravity", "payload")
    }
    data = as_data(
        result, {"bag": str(arguments.bag), "model": source, "notes": notes, **settings}
    )
    if arguments.output is not None:
        _write(arguments.output, arguments.bag.resolve().name, data, result)
    print(json.dumps(data, indent=1) if arguments.json else "\n".join([*notes, as_text(result)]))
    if arguments.output is not None and not arguments.json:
        print(f"\nreport: {arguments.output / 'report.html'}")
    return int(any(finding.severity == "error" for finding in result.findings))


def _model(arguments: argparse.Namespace, bag: Bag) -> tuple[RobotModel, str]:
    """Take the model that was asked for, else the one in the recording."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # `robodyn info` tells them
        ratings: Path | None = arguments.ratings
        if arguments.robot:
            folder = robot_folder(arguments.robot)
            model = load_urdf(folder / f"{arguments.robot}.urdf")
            source, ratings = arguments.robot, folder / f"{arguments.robot}.yaml"
        elif arguments.urdf:
            model, source = load_urdf(arguments.urdf), arguments.urdf
        else:
            model, source = _described(bag), "/robot_description"
    if ratings is not None:
        model = model.with_limits(model.limits.replace(model.joint_names, ratings_in(ratings)))
    if arguments.gravity:
        model = model.with_gravity(arguments.gravity)
    if arguments.payload:
        model = model.with_payload(*arguments.payload)
    return model, str(source)


def _described(bag: Bag) -> RobotModel:
    topics = [name for name in bag.of_type(STRING) if name.endswith("robot_description")]
    if not topics:
        raise BagError(
            "no robot_description in the recording: name the robot with --urdf or --robot"
        )
    texts = {topic: message.data for topic, _, message in bag.messages(topics)}
    if not texts:
        raise BagError(f"{topics[0]} is empty: name the robot with --urdf or --robot")
    return RobotModel.from_urdf(texts[min(texts)])


def _topic(arguments: argparse.Namespace, bag: Bag) -> str:
    """Take the topic that was asked for, else the fullest one of joint states."""
    topics = bag.of_type(JOINT_STATE)
    if arguments.topic:
        if arguments.topic not in topics:
            raise BagError(
                f"no joint states on '{arguments.topic}'; there are: {', '.join(topics)}"
            )
        return str(arguments.topic)
    if not topics:
        raise BagError(
            f"no joint states in the recording; topics: {', '.join(bag.topics) or 'none'}"
        )
    named = [name for name in topics if name.endswith("joint_states")] or topics
    return max(named, key=lambda name: bag.counts[name])


def _write(folder: Path, title: str, data: dict[str, Any], result: Audit) -> None:
    """Write report.json, torque.png and report.html; the page last, so it is never half there."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_text(json.dumps(data, indent=1) + "\n")
    picture = plot_audit(result, folder / "torque.png", title)
    (folder / "report.html").write_text(as_html(result, title, picture))


def _seconds(text: str) -> float:
    return _above_zero(text, "seconds")


def _factor(text: str) -> float:
    return _above_zero(text, "a factor")


def _above_zero(text: str, what: str) -> float:
    value = float(text)
    if not 0.0 < value < np.inf:
        raise argparse.ArgumentTypeError(f"{text}: {what} above 0 expected")
    return value


def _payload(text: str) -> tuple[str, float, list[float]]:
    """Read LINK:KG[:X,Y,Z]."""
    link, _, rest = text.partition(":")
    mass, _, place = rest.partition(":")
    try:
        return link, float(mass), [float(part) for part in (place or "0,0,0").split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: LINK:KG or LINK:KG:X,Y,Z expected") from None
