"""Messages and progress: one logger and one protocol, both silent in the library until someone listens.

Messages go to the logger `wordstill` (info: what a user wants to know; debug: what a curious one may). Progress is told
phase by phase to a `Display`; `progress_shown` sets one for all that is called inside it. The command line shows bars
on a terminal and plain lines elsewhere.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Protocol, TextIO

from wordstill.escaping import for_terminal

log = logging.getLogger("wordstill")
log.addHandler(logging.NullHandler())

# Seconds between plain lines: a log of a day's run stays readable.
LINE_EVERY = 30.0


class Display(Protocol):
    """Whoever shows progress. Phases may follow each other; they are not nested."""

    def begin(self, phase: Progress) -> None:
        """Begin to show a phase."""

    def update(self, phase: Progress, done: int) -> None:
        """Show that so much more is done."""

    def end(self, phase: Progress) -> None:
        """Stop showing a phase."""

    def message(self, text: str) -> None:
        """Show a line without breaking a bar."""


_display: ContextVar[Display | None] = ContextVar("display", default=None)


@contextmanager
def progress_shown(display: Display | None = None) -> Iterator[Display]:
    """Show the progress of everything that is called inside, on standard error unless another display is given.

    >>> with progress_shown():
    ...     pass  # distill(...)
    """
    shown = display or TerminalDisplay(sys.stderr)
    token = _display.set(shown)
    try:
        yield shown
    finally:
        _display.reset(token)


def progress_is_shown() -> bool:
    """Tell whether anybody shows progress here."""
    return _display.get() is not None


class Progress:
    """A phase of a run: counts words (or what `unit` says) of a known total, and knows the speed and the time left."""

    def __init__(self, label: str, total: int | None, done: int = 0, unit: str = "words") -> None:
        self.label, self.total, self.done, self.unit = label, total, done, unit
        self.began = time.monotonic()
        self._first = done
        self._shown = _display.get()

    def advance(self, number: int) -> None:
        """Count so many more."""
        self.done += number
        if self._shown is not None:
            self._shown.update(self, number)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time spent inside: what must be done once says nothing about the time left."""
        began = time.monotonic()
        yield
        self.began += time.monotonic() - began

    def line(self) -> str:
        """Tell where the phase stands."""
        rate = (self.done - self._first) / max(1e-9, time.monotonic() - self.began)
        line = f"{self.label}: {self.done:,} {self.unit}, {rate:,.0f} {self.unit}/s"
        if self.total and rate > 0:
            left = max(0.0, self.total - self.done) / rate
            line += f", {min(1.0, self.done / self.total):.0%}, {duration(left)} left"
        return line

    def __enter__(self) -> Progress:
        if self._shown is not None:
            self._shown.begin(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown is not None:
            self._shown.end(self)


class TerminalDisplay:
    """A bar on a terminal, a plain line now and then elsewhere; only lines where `bars` are not wanted."""

    def __init__(self, stream: TextIO, bars: bool = True) -> None:
        self.stream = stream
        self._bars = bars and stream.isatty()
        self._bar: Any = None
        self._told = 0.0

    def begin(self, phase: Progress) -> None:
        """Open a bar."""
        self._told = time.monotonic()
        if self._bars:
            try:
                from tqdm import tqdm
            except ImportError:
                return  # encoding texts needs numpy alone; there are plain lines then

            self._bar = tqdm(
                total=phase.total,
                initial=phase.done,
                desc=phase.label,
                unit=phase.unit,
                unit_scale=True,
                file=self.stream,
                leave=False,
            )

    def update(self, phase: Progress, done: int) -> None:
        """Move the bar, or print a line if the last one is a while ago."""
        if self._bar is not None:
            late = time.time() - (time.monotonic() - phase.began) - self._bar.start_t  # what was paused
            self._bar.start_t += late
            self._bar.last_print_t = max(self._bar.last_print_t, self._bar.start_t)
            self._bar.update(done)
        elif time.monotonic() - self._told >= LINE_EVERY:
            self._told = time.monotonic()
            print(phase.line(), file=self.stream, flush=True)

    def end(self, phase: Progress) -> None:
        """Close the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def message(self, text: str) -> None:
        """Print a line above the bar."""
        if self._bar is not None:
            self._bar.write(text, file=self.stream)
        else:
            print(text, file=self.stream, flush=True)


class MessageHandler(logging.Handler):
    """Prints messages of the logger through a display."""

    def __init__(self, display: Display) -> None:
        super().__init__()
        self.display = display

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message; control characters become escapes, so that a word does no harm to a terminal."""
        self.display.message(for_terminal(self.format(record)))


def duration(seconds: float) -> str:
    """Seconds as people say them: 45 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
