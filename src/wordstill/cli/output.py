"""What commands print on standard output: text for people, and data for programs.

Text for people has no character that a terminal would obey, and goes out in whatever encoding the terminal has. Data
(JSON, CSV, LaTeX) is UTF-8 everywhere.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from wordstill.escaping import as_json, for_terminal
from wordstill.io.files import advice_for, plain


class OutputLost(Exception):
    """Standard output does not take what a command prints, and why."""


def prepare_streams() -> None:
    """Give standard streams that are closed a place, and let text for people leave by any encoding.

    A file that is opened while standard output is closed would get its number, and whatever is printed would land in
    it. Standard output is opened for reading, so that who prints to it learns that nobody listens.
    """
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # it gets the lowest number that is free: this one
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (open until the end)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def tell(text: str = "") -> None:
    """Print lines for people; what is not printable becomes an escape."""
    with _explained():
        print("\n".join(map(for_terminal, text.split("\n"))))


def tell_bold(text: str) -> None:
    """Print text that is safe already and may have bold lines."""
    with _explained():
        sys.stdout.write(text)


def give(text: str) -> None:
    """Print data in a format of its own, which says how it is escaped."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    with _explained():
        sys.stdout.write(text if text.endswith("\n") else text + "\n")


def give_json(value: Any) -> None:
    """Print a value as JSON."""
    give(as_json(value, default=plain))


def finish() -> None:
    """Let all that was printed go out."""
    with _explained():
        sys.stdout.flush()


def discard(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere: Python would complain once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputLost(f"standard output cannot be written: {advice_for(error)}") from error
