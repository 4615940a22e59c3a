# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What a rollout was, what came out of it, and the file that keeps both."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from robodyn_ros.dynamics.integrators import EnergyDrift, energy_drift
from robodyn_ros.errors import ParameterError
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.simulation.contact import PlaneContact

Array = NDArray[np.float64]

FORMAT = "robodyn_ros rollout 1"
_ENERGY_GAIN = 0.01  # of the energy that moved


class Failure(NamedTuple):
    """
    What went wrong in a rollout.

    Labels that end it: ``torque_not_finite``, ``not_converged``, ``diverged``; that mark it:
    ``position_limit``, ``deep_penetration``, ``energy_gain``.
    """

    label: str
    detail: str


@dataclass(frozen=True, eq=False)
class Rollout:
    """
    A motion of K steps with all it takes to run it again: ``rollout.repeat``.

    ``ended`` says why it ended early. Arrays: ``q``, ``qd`` (K + 1, n); ``torque`` (K, n) applied,
    noise included (one row more when the last step failed); in J at each of the K + 1 states
    ``kinetic``, ``potential``, ``elastic`` (stored in contacts), ``work`` (done by the torques so
    far), ``dissipated`` (by contacts so far); ``depth`` (K + 1, contacts) in m, below 0 the gap;
    ``beyond_limits`` (K + 1, n), how far outside its position limits a joint is, below 0 inside.
    """

    model_name: str
    model_hash: str
    joint_names: Sequence[str]
    integrator: str
    options: Mapping[str, float]
    step: float
    seed: int
    noise: Sequence[float]
    contacts: Sequence[PlaneContact]
    ended: Failure | None
    q: Array = field(repr=False)
    qd: Array = field(repr=False)
    torque: Array = field(repr=False)
    kinetic: Array = field(repr=False)
    potential: Array = field(repr=False)
    elastic: Array = field(repr=False)
    work: Array = field(repr=False)
    dissipated: Array = field(repr=False)
    depth: Array = field(repr=False)
    beyond_limits: Array = field(repr=False)

    @property
    def time(self) -> Array:
        """Give the times of the states (K + 1,) in s."""
        return self.step * np.arange(len(self.q), dtype=np.float64)

    @property
    def energy_scale(self) -> float:
        """Largest energy that moved (J)."""
        moved = (self.kinetic, self.potential - self.potential[0], self.elastic, self.work)
        return max(float(np.abs(energy).max()) for energy in moved)

    @property
    def drift(self) -> EnergyDrift:
        """Tell what the integrator added: energy, less work, plus what contacts took."""
        stored = self.kinetic + self.potential + self.elastic
        return energy_drift(stored - self.work + self.dissipated, self.energy_scale or 1.0)

    @property
    def penetration(self) -> Array:
        """Deepest penetration of each contact (contacts,) in m."""
        return np.maximum(self.depth.max(axis=0), 0.0)

    @property
    def limit_violation(self) -> Array:
        """Farthest each joint went beyond its position limits (n,), 0 within."""
        return np.maximum(self.beyond_limits.max(axis=0), 0.0)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """Everything that makes the motion doubtful; empty when it is sound."""
        found = [] if self.ended is None else [self.ended]
        for joint, reach in zip(self.joint_names, self.beyond_limits.T, strict=True):
            if reach.max() > 0.0:
                found.append(Failure("position_limit", f"joint '{joint}' by {reach.max():.3g}"))
        for contact, depth in zip(self.contacts, self.penetration, strict=True):
            if depth > contact.radius:
                detail = f"link '{contact.link}' by {depth:.3g} m, radius {contact.radius:g} m"
                found.append(Failure("deep_penetration", detail))
        worst, _, relative = self.drift
        if worst > 0.0 and relative > _ENERGY_GAIN:
            found.append(Failure("energy_gain", f"{worst:.3g} J, {relative:.2%} of what moved"))
        return tuple(found)

    def summary(self) -> dict[str, Any]:
        """Give settings and findings as plain values, as they stand at the head of the file."""
        settings = {name: getattr(self, name) for name in _settings()}
        settings |= {
            "joint_names": list(self.joint_names),
            "noise": list(self.noise),
            "contacts": [asdict(contact) for contact in self.contacts],
            "ended": self.ended and self.ended._asdict(),
        }
        drift = self.drift
        return {
            "format": FORMAT,
            **settings,
            "steps": len(self.q) - 1,
            "q0": self.q[0].tolist(),
            "qd0": self.qd[0].tolist(),
            "failures": [failure._asdict() for failure in self.failures],
            "energy_drift": float(drift.worst),
            "energy_drift_relative": float(drift.relative),
            "penetration": self.penetration.tolist(),
            "limit_violation": self.limit_violation.tolist(),
        }

    def save(self, path: str | Path) -> None:
        """Write one .npz file: arrays as they are, everything else as JSON in ``summary``."""
        text = np.array(json.dumps(self.summary(), indent=1))
        arrays = {name: getattr(self, name) for name in _arrays()}
        with Path(path).open("wb") as file:  # under the very name given
            np.savez_compressed(file, summary=text, **arrays)

    @classmethod
    def load(cls, path: str | Path) -> "Rollout":
        """Read a file that ``save`` wrote; ParameterError when it is none."""
        try:
            with np.load(path, allow_pickle=False) as file:
                told = json.loads(str(file["summary"]))
                arrays = {name: file[name] for name in _arrays()}
        except (ValueError, KeyError, EOFError, BadZipFile) as error:
            raise ParameterError("path", str(path), f"a rollout's .npz file ({error})") from None
        if told.get("format") != FORMAT:
            raise ParameterError("format", told.get("format"), FORMAT)
        settings = {name: told[name] for name in _settings()}
        settings["contacts"] = tuple(PlaneContact(**contact) for contact in told["contacts"])
        settings["ended"] = Failure(**told["ended"]) if told["ended"] else None
        return cls(**settings, **arrays)


def model_digest(model: RobotModel) -> str:
    """Hash of all that decides how a model moves: names, tree, inertias, gravity, limits."""
    digest = hashlib.sha256(repr((model.joint_names, model.link_names)).encode())
    for array in (*model.arrays, model.limits.lower, model.limits.upper):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _arrays() -> list[str]:
    return [f.name for f in fields(Rollout) if not f.repr]


def _settings() -> list[str]:
    return [f.name for f in fields(Rollout) if f.repr]
