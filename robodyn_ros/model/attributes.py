# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What XML elements say: strict about the form of numbers, never silent about a wrong one."""

import re
from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from robodyn_ros.model.specs import LARGEST, Array

# Python's float() also takes "nan", "inf", "1_000" and digits of other scripts.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class AttributeReader:
    """
    Reads numbers; what is wrong goes to ``faults`` and a harmless value is returned.

    So one pass over a document finds everything that is wrong with it. ``where`` begins the text
    of a fault: it names the element. Doubts are collected by kind: thirty alike are one text.
    """

    def __init__(self) -> None:
        self.faults: list[str] = []
        self._doubts: dict[str, list[str]] = {}

    def doubt(self, kind: str, item: str) -> None:
        """Keep one more item that a kind of doubt is about."""
        self._doubts.setdefault(kind, []).append(item)

    def doubts(self, most: int | None = 8) -> list[str]:
        """One text per kind of doubt, naming at most so many items (None: all)."""
        return [f"{kind}: {listed(items, most)}" for kind, items in self._doubts.items()]

    def child(self, element: Element, tag: str, where: str) -> Element | None:
        """Return the only child of that tag, the first of several, or None."""
        found = element.findall(tag)
        if len(found) > 1:
            self.doubt("elements of which only the first counts", f"{where} <{tag}>")
        return found[0] if found else None

    def number(
        self,
        element: Element,
        key: str,
        where: str,
        default: float | None = None,
        largest: float = LARGEST,
    ) -> float:
        """Read one number; without a ``default`` it must be there."""
        text = element.get(key)
        if text is None:
            if default is None:
                self.faults.append(f"{where} has no {key}")
            return 0.0 if default is None else default
        value = _parse(text.strip())
        if value is None:
            self.faults.append(f'{where} {key}="{text}" is not a finite number')
        elif abs(value) > largest:
            self.faults.append(f'{where} {key}="{text}" is beyond anything real ({largest:g})')
        else:
            return value
        return 0.0 if default is None else default

    def vector(self, element: Element, key: str, default: Sequence[float], where: str) -> Array:
        """Read as many numbers as ``default`` has, which holds where the attribute is not."""
        text = element.get(key)
        if text is None:
            return np.array(default)
        values = [_parse(part) for part in text.split()]
        numbers = np.array([value for value in values if value is not None])
        if len(values) != len(default) or len(numbers) != len(default):
            self.faults.append(f'{where} {key}="{text}" is not {len(default)} finite numbers')
        elif np.abs(numbers).max() > LARGEST:
            self.faults.append(f'{where} {key}="{text}" is beyond anything real ({LARGEST:g})')
        else:
            return numbers
        return np.array(default)


def _parse(text: str) -> float | None:
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if np.isfinite(value) else None


def listed(items: Sequence[str], most: int | None = 8) -> str:
    """Join items with commas; of a long list only the first ``most``."""
    shown = ", ".join(items[:most])
    return shown if most is None or len(items) <= most else f"{shown} and {len(items) - most} more"


def quoted(names: Iterable[str]) -> list[str]:
    """Put names in single quotes."""
    return [f"'{name}'" for name in names]
