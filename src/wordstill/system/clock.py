"""Where the time goes: a clock whose parts add up to the whole."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

OTHER = "other"


class Clock:
    """Counts seconds by part. A part inside another one stops the outer one; outside of all, `other` runs."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._running = [OTHER]
        self._since = time.perf_counter()

    def add(self, seconds: dict[str, float]) -> None:
        """Add what another process counted before."""
        for part, spent in seconds.items():
            self._seconds[part] = self._seconds.get(part, 0.0) + spent

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count the time spent inside as this part's."""
        self._turn()
        self._running.append(name)
        try:
            yield
        finally:
            self._turn()
            self._running.pop()

    def seconds(self) -> dict[str, float]:
        """The seconds of each part so far."""
        self._turn()
        return dict(self._seconds)

    def _turn(self) -> None:
        now = time.perf_counter()
        part = self._running[-1]
        self._seconds[part] = self._seconds.get(part, 0.0) + now - self._since
        self._since = now
