# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
How long the core takes beside Pinocchio, from Python: ``python -m bench.speed``.

Both libraries work on the shipped Panda in one run, one thread, arrays in and arrays out. Times
are CPU time of this thread in microseconds, minimum and median over many windows; a batch is
10,000 states and its time is per state, for Pinocchio in a Python loop.
"""

import statistics
import time
import timeit
from collections.abc import Callable

import numpy as np
import pinocchio as pin

import robodyn_ros as rd
from bench.pinocchio_oracle import PinocchioOracle
from robodyn_ros.cli.shipped import robot_folder

STATES = 10_000
WINDOW = 0.01
TIP = "panda_hand_tcp"


def measure(work: Callable[[], object], windows: int = 25) -> tuple[float, float]:
    """Minimum and median time of one call in microseconds."""
    work()  # loads and compiles
    timer = timeit.Timer(work, timer=time.thread_time)
    calls, spent = 1, timer.timeit(1)
    while spent < WINDOW / 4:
        calls *= 4
        spent = timer.timeit(calls)
    calls = max(1, int(calls * WINDOW / spent))
    times = [timer.timeit(calls) / calls * 1e6 for _ in range(windows)]
    return min(times), statistics.median(times)


def main() -> None:
    """Print the table."""
    path = robot_folder("panda") / "panda.urdf"
    model = rd.load_urdf(path)
    reference = PinocchioOracle(path.read_text(), model).pin
    data = reference.createData()
    frame = reference.getFrameId(TIP)
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    q, qd, qdd = np.random.default_rng(0).uniform(-1.0, 1.0, (3, STATES, model.n))
    x, v, a = (np.array(rows[0]) for rows in (q, qd, qdd))
    out = np.empty_like(q)

    def poses(configuration: np.ndarray) -> list[np.ndarray]:
        pin.framesForwardKinematics(reference, data, configuration)
        return [pose.homogeneous for pose in data.oMf]

    def loop(function: Callable[..., object], *rows: np.ndarray) -> Callable[[], None]:
        def run() -> None:
            for state in zip(*rows, strict=True):
                function(reference, data, *state)

        return run

    def jacobian(r: pin.Model, d: pin.Data, configuration: np.ndarray) -> object:
        return pin.computeFrameJacobian(r, d, configuration, frame, world)

    single = {
        "inverse dynamics": (
            lambda: rd.inverse_dynamics(model, x, v, a),
            lambda: pin.rnea(reference, data, x, v, a),
        ),
        "forward dynamics": (
            lambda: rd.forward_dynamics(model, x, v, a),
            lambda: pin.aba(reference, data, x, v, a),
        ),
        "mass matrix": (lambda: rd.mass_matrix(model, x), lambda: pin.crba(reference, data, x)),
        "Coriolis matrix": (
            lambda: rd.coriolis_matrix(model, x, v),
            lambda: pin.computeCoriolisMatrix(reference, data, x, v),
        ),
        "regressor": (
            lambda: rd.torque_regressor(model, x, v, a),
            lambda: pin.computeJointTorqueRegressor(reference, data, x, v, a),
        ),
        "derivatives of inverse dynamics": (
            lambda: rd.inverse_dynamics_derivatives(model, x, v, a),
            lambda: pin.computeRNEADerivatives(reference, data, x, v, a),
        ),
        "Jacobian of the tool": (
            lambda: rd.frame_jacobian(model, x, TIP),
            lambda: jacobian(reference, data, x),
        ),
        "poses of all links": (lambda: rd.forward_kinematics(model, x), lambda: poses(x)),
    }
    batch = {
        "inverse dynamics": (
            lambda: rd.inverse_dynamics(model, q, qd, qdd),
            loop(pin.rnea, q, qd, qdd),
        ),
        "inverse dynamics, its C++ batch": (
            lambda: rd.inverse_dynamics(model, q, qd, qdd),
            _parallel(reference, q, qd, qdd, out),
        ),
        "forward dynamics": (
            lambda: rd.forward_dynamics(model, q, qd, qdd),
            loop(pin.aba, q, qd, qdd),
        ),
        "mass matrix": (lambda: rd.mass_matrix(model, q), loop(pin.crba, q)),
        "Jacobian of the tool": (lambda: rd.frame_jacobian(model, q, TIP), loop(jacobian, q)),
        "poses of all links": (
            lambda: rd.forward_kinematics(model, q),
            loop(lambda r, d, c: poses(c), q),
        ),
    }
    print("Panda, 7 joints, one thread, microseconds per state: minimum / median\n")
    print(f"{'':36s} {'robodyn_ros':>15s} {'pinocchio ' + pin.__version__:>17s} {'ratio':>7s}")
    for title, rows, states in (("one call", single, 1), (f"{STATES} states", batch, STATES)):
        print(title)
        for name, (ours, theirs) in rows.items():
            mine, other = measure(ours), measure(theirs, 25 if states == 1 else 5)
            shown = [f"{t[0] / states:7.3f} / {t[1] / states:5.3f}" for t in (mine, other)]
            print(f"  {name:34s} {shown[0]:>15s} {shown[1]:>17s} {mine[0] / other[0]:7.2f}")


def _parallel(
    reference: pin.Model, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, out: np.ndarray
) -> Callable[[], object]:
    """Pinocchio's batch in C++ with one thread; columns are states there."""
    pool = pin.ModelPool(reference, 1)
    columns = [np.asfortranarray(rows.T) for rows in (q, qd, qdd)]
    result = np.asfortranarray(out.T)
    return lambda: pin.rneaInParallel(1, pool, *columns, result)


if __name__ == "__main__":
    main()
