"""Progress on stderr: a bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TextIO

# Seconds between plain lines: a log of a day's run stays readable.
LINE_EVERY = 30.0


class Progress:
    """Counts words of a known total and shows words/s and the time left."""

    def __init__(self, label: str, total: int | None, done: int = 0, *, quiet: bool = False) -> None:
        self.label, self.total, self.done = label, total, done
        self.quiet = quiet
        self.stream: TextIO = sys.stderr
        self._began = self._told = time.monotonic()
        self._first = done
        self._bar: Any = None
        if not quiet and self.stream.isatty():
            from tqdm import tqdm

            self._bar = tqdm(
                total=total,
                initial=done,
                desc=label,
                unit="words",
                unit_scale=True,
                file=self.stream,
                leave=False,
            )

    def advance(self, words: int) -> None:
        """So many more words are done."""
        self.done += words
        if self._bar is not None:
            self._bar.update(words)
        elif not self.quiet and time.monotonic() - self._told >= LINE_EVERY:
            self._told = time.monotonic()
            print(self._line(), file=self.stream, flush=True)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Time spent inside does not count: what must be done once says nothing about the time left."""
        began = time.monotonic()
        yield
        spent = time.monotonic() - began
        self._began += spent
        if self._bar is not None:
            self._bar.start_t += spent
            self._bar.last_print_t += spent

    def say(self, text: str) -> None:
        """A line that does not break the bar."""
        if self.quiet:
            return
        if self._bar is not None:
            self._bar.write(text, file=self.stream)
        else:
            print(text, file=self.stream, flush=True)

    def _line(self) -> str:
        rate = (self.done - self._first) / max(1e-9, time.monotonic() - self._began)
        line = f"{self.label}: {self.done:,} words, {rate:,.0f} words/s"
        if self.total and rate > 0:
            left = max(0.0, self.total - self.done) / rate
            line += f", {min(1.0, self.done / self.total):.0%}, {duration(left)} left"
        return line

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()


def duration(seconds: float) -> str:
    """Seconds as people say them: 45 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
