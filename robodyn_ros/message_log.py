# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines a stepped class wants logged: each said once, or at most once per period and key."""

from collections.abc import Hashable

Line = tuple[str, str]  # level ("info", "warn", "error") and text

_SECOND = 1_000_000_000
_MOST_KEYS = 1000  # bounds memory against a sender that invents names


class MessageLog:
    """
    Collects (level, text) lines; whoever owns a real logger takes them.

    Nothing is lost silently: a throttled line tells how many like it were held back, and lines
    beyond ``capacity`` between two takes are counted.
    """

    def __init__(self, period_ns: int = 5 * _SECOND, capacity: int = 200):
        self.period_ns = period_ns
        self.capacity = capacity
        self._lines: list[Line] = []
        self._dropped = 0
        self._said: set[Hashable] = set()
        self._last: dict[Hashable, tuple[int, int]] = {}  # key: (time of the last line, held back)

    def say(self, level: str, text: str) -> None:
        """Add a line."""
        if len(self._lines) < self.capacity:
            self._lines.append((level, text))
        else:
            self._dropped += 1

    def once(self, level: str, key: Hashable, text: str) -> None:
        """Add a line unless one with this key was ever added."""
        if key not in self._said and len(self._said) < _MOST_KEYS:
            self._said.add(key)
            self.say(level, text)

    def throttled(self, level: str, key: Hashable, text: str, now_ns: int) -> None:
        """Add a line unless one with this key was added less than ``period_ns`` ago."""
        last, held_back = self._last.get(key, (None, 0))
        # a clock that went back must not silence the line until the old time is reached again
        if last is not None and 0 <= now_ns - last < self.period_ns:
            self._last[key] = (last, held_back + 1)
            return
        if last is None and len(self._last) >= _MOST_KEYS:
            self._last.clear()
        self._last[key] = (now_ns, 0)
        self.say(level, f"{text} ({held_back} more since the last report)" if held_back else text)

    def take(self) -> list[Line]:
        """Return the lines since the last call, oldest first."""
        lines, self._lines = self._lines, []
        if self._dropped:
            lines.append(("warn", f"{self._dropped} further messages were not kept"))
            self._dropped = 0
        return lines
