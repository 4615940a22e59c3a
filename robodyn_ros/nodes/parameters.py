# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Parameters declared once: a frozen dataclass per node, whose fields say what is allowed.

    @dataclass(frozen=True)
    class Parameters:
        rate: float = number(50.0, "how often", unit="Hz", above=0.0)
        gains: Mapping[str, Gains] = per_key(Gains)      # gains.<joint>.p

    parameters = declare(node, Parameters, keys=joint_names)

Values may come as whole numbers where a number is meant and as empty lists; anything else that
does not fit is a ParameterError that names the parameter, the value and what was expected.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from difflib import get_close_matches
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from robodyn_ros.errors import ParameterError, RobodynError

T = TypeVar("T")

_NOUNS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_ALIKE = 0.85  # of two names, as difflib measures it
# Times up to 32 years, and rates no slower, are whole nanoseconds in 64 bits.
_LONGEST_S = 1e9
_PLURALS = {int: "whole numbers", float: "numbers", str: "texts"}


@dataclass(frozen=True)
class Spec:
    """What one parameter may be; ``default`` None means that it may stay unset."""

    kind: type
    default: Any
    description: str
    unit: str = ""
    low: float = -math.inf
    high: float = math.inf
    above: float = -math.inf
    choices: tuple[str, ...] = ()
    is_list: bool = False
    size: int | None = None
    read_only: bool = True

    @property
    def expected(self) -> str:
        """Say in words what is allowed."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        what = _NOUNS[self.kind]
        if self.is_list:
            count = "" if self.size is None else f"{self.size} "
            what = f"a list of {count}{_PLURALS[self.kind]}"
        if self.above > -math.inf:
            what += f" above {self.above:g}"
        if self.low > -math.inf and self.high < math.inf:
            what += f" from {self.low:g} to {self.high:g}"
        elif self.low > -math.inf:
            what += f" of at least {self.low:g}"
        elif self.high < math.inf:
            what += f" up to {self.high:g}"
        return what + (f" ({self.unit})" if self.unit else "")

    def check(self, name: str, value: Any) -> Any:
        """Return the value as the dataclass holds it; raises ParameterError."""
        if value is None and self.default is None:
            return None
        if not self.is_list:
            return self._scalar(name, value, value)
        if value is None:
            value = ()  # how rcl reads [] in a file
        if isinstance(value, (str, bool, int, float)):
            raise ParameterError(name, value, self.expected)
        values = list(value)
        if self.size is not None and len(values) != self.size:
            raise ParameterError(name, values, self.expected)
        return tuple(self._scalar(name, item, values) for item in values)

    def _scalar(self, name: str, value: Any, shown: Any) -> Any:
        if self.kind is float and type(value) is int:
            value = float(value)
        allowed = type(value) is self.kind
        if allowed and self.kind in (int, float):
            allowed = math.isfinite(value) and self.low <= value <= self.high
            allowed = allowed and value > self.above
            if allowed and not self._in_time(value):
                text = f"{self.expected}, within {_LONGEST_S:g} s"
                raise ParameterError(name, shown, text)
        if not allowed or (self.choices and value not in self.choices):
            raise ParameterError(name, shown, self.expected)
        return value

    def _in_time(self, value: float) -> bool:
        """Whether a time, or the period of a rate, can be told in nanoseconds."""
        if self.unit == "Hz":
            return value == 0.0 or value * _LONGEST_S >= 1.0
        return self.unit != "s" or value <= _LONGEST_S


def _parameter(spec: Spec) -> Any:
    return field(default=spec.default, metadata={"spec": spec})


def flag(default: bool, description: str, *, read_only: bool = True) -> Any:
    """Parameter that is true or false."""
    return _parameter(Spec(bool, default, description, read_only=read_only))


def number(default: float | None, description: str, **constraints: Any) -> Any:
    """Finite number; constraints: unit, low, high, above, read_only."""
    return _parameter(Spec(float, default, description, **constraints))


def integer(default: int, description: str, **constraints: Any) -> Any:
    """Whole number; constraints as for ``number``."""
    return _parameter(Spec(int, default, description, **constraints))


def text(default: str, description: str, **constraints: Any) -> Any:
    """Text, or one of the given choices."""
    return _parameter(Spec(str, default, description, **constraints))


def numbers(default: Sequence[float], description: str, **constraints: Any) -> Any:
    """List of numbers, of a fixed size where one is given."""
    return _parameter(Spec(float, tuple(default), description, is_list=True, **constraints))


def texts(default: Sequence[str], description: str, **constraints: Any) -> Any:
    """List of texts."""
    return _parameter(Spec(str, tuple(default), description, is_list=True, **constraints))


def per_key(content: Any, key: str = "joint") -> Any:
    """Map with one entry per joint (or what ``key`` says): of a dataclass, or of one parameter."""
    inner = content if is_dataclass(content) else content.metadata["spec"]
    return field(default_factory=dict, metadata={"per_key": inner, "key": key})


def group(content: type) -> Any:
    """Parameters of a dataclass under a common name."""
    return field(default_factory=content, metadata={"group": content})


class Entry(NamedTuple):
    """One ROS parameter: its name, where it sits in the dataclass, and its rules."""

    name: str
    path: tuple[str, ...]
    spec: Spec


def entries(cls: type, keys: Sequence[str] | None = None) -> Iterator[Entry]:
    """List every parameter of a dataclass, its maps written out for the keys or for <joint>."""
    for f in fields(cls):
        if "spec" in f.metadata:
            yield Entry(f.name, (f.name,), f.metadata["spec"])
            continue
        if "group" in f.metadata:
            for inner in entries(f.metadata["group"]):
                yield Entry(f"{f.name}.{inner.name}", (f.name, *inner.path), inner.spec)
            continue
        content = f.metadata["per_key"]
        for key in [f"<{f.metadata['key']}>"] if keys is None else keys:
            if isinstance(content, Spec):
                yield Entry(f"{f.name}.{key}", (f.name, key), content)
                continue
            for inner in entries(content):
                yield Entry(f"{f.name}.{key}.{inner.name}", (f.name, key, *inner.path), inner.spec)


def declare(
    node: Node,
    cls: type[T],
    keys: Sequence[str] = (),
    on_change: Callable[[T], None] | None = None,
) -> T:
    """
    Declare all parameters of a dataclass and return it filled with their values.

    ``keys`` are the joints (or groups) of its maps. ``on_change`` gets the new instance whenever
    parameters that are not read-only were set; when it raises a RobodynError the old values stay
    and the reason is the answer. Raises ParameterError.
    """
    known = {entry.name: entry for entry in entries(cls, keys)}
    _refuse_unknown_entries(node, cls, keys, known)
    values: dict[str, Any] = {}
    for name, entry in known.items():
        spec = entry.spec
        default = list(spec.default) if spec.is_list else spec.default
        declared = node.declare_parameter(name, default, _descriptor(spec))
        values[name] = spec.check(name, declared.value)

    def change(parameters: Sequence[Parameter]) -> SetParametersResult:
        mine = [p for p in parameters if p.name in known]
        if not mine:
            return SetParametersResult(successful=True)
        changed = dict(values)
        try:
            for p in mine:
                if p.type_ == Parameter.Type.NOT_SET:
                    raise ParameterError(p.name, None, "a value: parameters cannot be deleted")
                changed[p.name] = known[p.name].spec.check(p.name, p.value)
            instance = _build(cls, known.values(), changed)
            if on_change is not None:
                on_change(instance)
        except RobodynError as error:
            return SetParametersResult(successful=False, reason=str(error))
        values.update(changed)
        return SetParametersResult(successful=True)

    instance = _build(cls, known.values(), values)
    node.add_on_set_parameters_callback(change)
    return instance


def keys_given(node: Node, map_name: str, field_name: str) -> set[str]:
    """Return the keys for which ``<map>.<key>.<field>`` was set from outside."""
    ends = f"{map_name}.", f".{field_name}"
    names = [n for n in node._parameter_overrides if n.startswith(ends[0]) and n.endswith(ends[1])]
    return {name.removeprefix(ends[0]).removesuffix(ends[1]) for name in names}


def misspelt(node: Node) -> Iterator[tuple[str, str]]:
    """
    Yield each parameter that was set but is nobody's, and the one that seems to be meant.

    Files are shared by nodes, so that a name which a node does not know is no mistake; one that
    is a letter away from its own is.
    """
    own = {name.split(".")[0] for name in node._parameters}
    for given in {name.split(".")[0] for name in node._parameter_overrides} - own:
        for meant in get_close_matches(given, own, n=1, cutoff=_ALIKE):
            yield given, meant


def column(rows: Mapping[str, Any], keys: Sequence[str], name: str) -> NDArray[np.float64]:
    """One field of a map's dataclasses as an array in the order of the keys, NaN where unset."""
    values = [getattr(rows[key], name) for key in keys]
    return np.array([np.nan if value is None else value for value in values])


def _descriptor(spec: Spec) -> ParameterDescriptor:
    return ParameterDescriptor(
        description=spec.description,
        additional_constraints=spec.expected,
        read_only=spec.read_only,
        # a static type would refuse 10 for a number and [] for a list
        dynamic_typing=True,
    )


def _build(cls: type[T], known: Any, values: Mapping[str, Any]) -> T:
    """Fill the dataclass and those in its maps; it may check what belongs together."""
    nested = [f for f in fields(cls) if "spec" not in f.metadata]  # type: ignore[arg-type]
    arguments: dict[str, Any] = {f.name: {} for f in nested}
    for name, path, _ in known:
        place = arguments
        for step in path[:-1]:
            place = place.setdefault(step, {})
        place[path[-1]] = values[name]
    for f in nested:
        content, given = f.metadata.get("per_key"), arguments[f.name]
        if "group" in f.metadata:
            arguments[f.name] = f.metadata["group"](**given)
        elif isinstance(content, type):
            arguments[f.name] = {key: content(**row) for key, row in given.items()}
    return cls(**arguments)


def _refuse_unknown_entries(
    node: Node, cls: type, keys: Sequence[str], known: Mapping[str, Entry]
) -> None:
    """
    Refuse an entry of a map that nobody would read: a misspelt joint leaves a motor unwatched.

    rclpy shows overrides only of declared parameters, hence its private table.
    """
    maps = [f.name for f in fields(cls) if f.default is MISSING and "spec" not in f.metadata]
    for name, override in node._parameter_overrides.items():
        map_name = name.split(".")[0]
        if name not in known and map_name in maps:
            forms = [e.name for e in entries(cls) if e.path[0] == map_name]
            raise ParameterError(name, override.value, _expected_names(forms, keys))


def _expected_names(forms: Sequence[str], keys: Sequence[str]) -> str:
    if "<" not in forms[0]:
        return f"one of the names {', '.join(forms)}"
    key = forms[0][forms[0].index("<") : forms[0].index(">") + 1]
    known = ", ".join(keys) or "none"
    return f"a name of the form {' or '.join(forms)}, where {key} is one of {known}"
