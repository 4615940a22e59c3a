# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
How far robodyn_ros and Pinocchio are apart: ``python -m bench.accuracy``.

Prints robot x function: the worst difference over random states, relative to the largest entry of
Pinocchio's result.
"""

import argparse
import warnings
from collections.abc import Iterator

import numpy as np

import robodyn_ros as rd
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
FUNCTIONS = ("fk", "jacobian", "rnea", "gravity", "crba", "aba", "coriolis")


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


def differences(name: str, states: int) -> Iterator[tuple[str, float]]:
    """Yield (function, relative difference) for every state of one robot."""
    text, model = read_robot(name)
    oracle = PinocchioOracle(text, model)
    q, qd, qdd, tau = random_states(model, states)
    tip = max(model.link_names, key=lambda link: len(model.body_path(link)))
    rotation, position = rd.forward_kinematics(model, q)
    poses = np.concatenate([rotation, position[..., None]], axis=-1)
    jacobians = rd.frame_jacobian(model, q, tip)
    torques = rd.inverse_dynamics(model, q, qd, qdd)
    gravity = rd.gravity_torques(model, q)
    masses = rd.mass_matrix(model, q)
    accelerations = rd.forward_dynamics(model, q, qd, tau)
    coriolis = rd.coriolis_matrix(model, q, qd)
    still = np.zeros(model.n)
    for s in range(states):
        yield "fk", relative(poses[s], oracle.link_poses(q[s]))
        yield "jacobian", relative(jacobians[s], oracle.frame_jacobian(q[s], tip))
        yield "rnea", relative(torques[s], oracle.inverse_dynamics(q[s], qd[s], qdd[s]))
        yield "gravity", relative(gravity[s], oracle.inverse_dynamics(q[s], still, still))
        yield "crba", relative(masses[s], oracle.mass_matrix(q[s]))
        yield "aba", relative(accelerations[s], oracle.forward_dynamics(q[s], qd[s], tau[s]))
        yield "coriolis", relative(coriolis[s], oracle.coriolis_matrix(q[s], qd[s]))


def worst(name: str, states: int = 200) -> dict[str, float]:
    """Worst relative difference per function over random states of one robot."""
    found = dict.fromkeys(FUNCTIONS, 0.0)
    for function, difference in differences(name, states):
        # Written so that a NaN stays in the table instead of losing every comparison.
        if not difference <= found[function]:
            found[function] = difference
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=200, help="random states per robot")
    states = parser.parse_args().states
    print(f"Worst difference from Pinocchio over {states} random states, relative to the largest")
    print("entry of its result (mimic joints written out).\n")
    print(f"{'robot':16s} {'n':>3s} " + " ".join(f"{f:>9s}" for f in FUNCTIONS))
    for name in ROBOTS:
        found = worst(name, states)
        n = read_robot(name)[1].n
        print(f"{name:16s} {n:3d} " + " ".join(f"{found[f]:9.1e}" for f in FUNCTIONS), flush=True)


if __name__ == "__main__":
    main()
