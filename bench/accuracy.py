# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
How far robodyn_ros is from Pinocchio and from MuJoCo: ``python -m bench.accuracy``.

Prints robot x function: the worst difference over random states, relative to the largest entry of
the other library's result; ``--write`` renews the tables of docs/validation.md.
"""

import argparse
import warnings
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np

import robodyn_ros as rd
from bench.mujoco_oracle import MujocoOracle
from bench.pinocchio_oracle import PinocchioOracle, robot_data
from robodyn_ros.errors import ModelWarning
from robodyn_ros.model.robot_model import RobotModel

ROBOTS = {
    "panda": "panda_description/urdf/panda.urdf",
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "ur10": "ur_description/urdf/ur10_robot.urdf",
    "kinova": "kinova_description/robots/kinova.urdf",
    "xarm7": "xarm_description/urdf/xarm7.urdf",
    "z1": "z1_description/urdf/z1.urdf",
    "allegro": "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "tiago": "tiago_description/robots/tiago.urdf",
    "talos_reduced": "talos_data/robots/talos_reduced.urdf",
    "double_pendulum": "double_pendulum_description/urdf/double_pendulum_simple.urdf",
}
Oracle = type[PinocchioOracle] | type[MujocoOracle]
ORACLES: dict[str, Oracle] = {"pin": PinocchioOracle, "mujoco": MujocoOracle}
PAGE = Path(__file__).parents[1] / "docs" / "validation.md"
BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
FUNCTIONS = (
    "poses", "jacobian", "jacobian rate", "centre of mass", "rnea", "gravity", "crba", "aba",
    "coriolis",
)  # fmt: skip


def read_robot(name: str) -> tuple[str, RobotModel]:
    """URDF text and model of one of ROBOTS."""
    text = (robot_data() / ROBOTS[name]).read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return text, RobotModel.from_urdf(text)


def random_states(model: RobotModel, count: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Q within the limits (within +-pi where open), qd, qdd and tau normal; each (count, n)."""
    rng = np.random.default_rng(seed)
    low = np.where(np.isfinite(model.limits.lower), model.limits.lower, -np.pi)
    high = np.where(np.isfinite(model.limits.upper), model.limits.upper, np.pi)
    q = low + (high - low) * rng.random((count, model.n))
    return (q, *rng.standard_normal((3, count, model.n)))


def relative(value: np.ndarray, reference: np.ndarray) -> float:
    """Largest difference, relative to the largest entry of the reference."""
    scale = np.abs(reference).max(initial=0.0)
    return float(np.abs(value - reference).max(initial=0.0) / (scale if scale > 0.0 else 1.0))


def differences(name: str, states: int, oracle: Oracle) -> Iterator[tuple[str, float]]:
    """Yield (function, relative difference) for every state of one robot."""
    text, model = read_robot(name)
    other = oracle(text, model)
    q, qd, qdd, tau = random_states(model, states)
    still = np.zeros_like(q)
    tip = max(model.link_names, key=lambda link: len(model.body_path(link)))
    rotation, position = rd.forward_kinematics(model, q)
    ours = {
        "poses": np.concatenate([rotation, position[..., None]], axis=-1),
        "jacobian": rd.frame_jacobian(model, q, tip),
        "jacobian rate": rd.frame_jacobian_rate(model, q, qd, tip),
        "centre of mass": rd.center_of_mass(model, q),
        "rnea": rd.inverse_dynamics(model, q, qd, qdd),
        "gravity": rd.gravity_torques(model, q),
        "crba": rd.mass_matrix(model, q),
        "aba": rd.forward_dynamics(model, q, qd, tau),
        "coriolis": rd.coriolis_matrix(model, q, qd),
    }
    theirs = {
        "poses": lambda s: other.link_poses(q[s]),
        "jacobian": lambda s: other.frame_jacobian(q[s], tip),
        "jacobian rate": lambda s: other.frame_jacobian_rate(q[s], qd[s], tip),
        "centre of mass": lambda s: other.center_of_mass(q[s]),
        "rnea": lambda s: other.inverse_dynamics(q[s], qd[s], qdd[s]),
        "gravity": lambda s: other.inverse_dynamics(q[s], still[s], still[s]),
        "crba": lambda s: other.mass_matrix(q[s]),
        "aba": lambda s: other.forward_dynamics(q[s], qd[s], tau[s]),
    }
    if isinstance(other, PinocchioOracle):
        # MuJoCo has no such matrix.
        theirs["coriolis"] = lambda s: other.coriolis_matrix(q[s], qd[s])
    for function, value in theirs.items():
        for s in range(states):
            yield function, relative(ours[function][s], value(s))


def worst(name: str, states: int = 200, oracle: Oracle = PinocchioOracle) -> dict[str, float]:
    """
    Worst relative difference per function over random states of one robot.

    Without the functions that the other library does not have. Raises ValueError when it refuses
    the robot.
    """
    found: dict[str, float] = {}
    for function, difference in differences(name, states, oracle):
        # Written so that a NaN stays in the table instead of losing every comparison.
        if not difference <= found.setdefault(function, 0.0):
            found[function] = difference
    return found


def row(name: str, states: int, oracle: Oracle) -> list[str]:
    """Cells of one robot."""
    head = [name, str(read_robot(name)[1].n)]
    try:
        found = worst(name, states, oracle)
    except ValueError as refusal:
        reason, _, link = str(refusal).removeprefix("Error: ").partition("\nElement name ")
        return [*head, f"refused: {reason} ({link})"]
    return [*head, *(f"{found[f]:.1e}" if f in found else "-" for f in FUNCTIONS)]


def tables(states: int) -> Iterator[str]:
    """Lines of both tables."""
    for package, oracle in ORACLES.items():
        yield f"{package} {version(package)}, {states} random states:\n"
        yield "| " + " | ".join(["robot", "n", *FUNCTIONS]) + " |"
        yield "|" + "---|" * (2 + len(FUNCTIONS))
        for name in ROBOTS:
            yield "| " + " | ".join(row(name, states, oracle)) + " |"
        yield ""


def main() -> None:
    """Print the tables, and renew them in the documentation when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=200, help="random states per robot")
    parser.add_argument("--write", action="store_true", help="renew docs/validation.md")
    arguments = parser.parse_args()
    lines = []
    for line in tables(arguments.states):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        before, _, rest = PAGE.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        PAGE.write_text("\n".join([before + BEGIN, *lines, END + after]))


if __name__ == "__main__":
    main()
