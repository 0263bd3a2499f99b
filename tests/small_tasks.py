"""Work for worker processes: here, because a worker finds it by the name of its module."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from typing import Any

from wordstill.corpus.segmented_text import Chunk
from wordstill.errors import InputError


@dataclass(frozen=True)
class Measuring:
    """Tells who did the work."""

    def __call__(self, chunk: Chunk) -> tuple[int, int]:
        return len(chunk), os.getpid()


@dataclass(frozen=True)
class Printing:
    """Prints beside its result, and asks for input."""

    def __call__(self, chunk: Chunk) -> tuple[int, str]:
        print("a stray line", flush=True)
        os.write(1, b"a stray line of C code\n")
        return len(chunk), sys.stdin.read()


@dataclass(frozen=True)
class Failing:
    """Raises an error."""

    kind: str

    def __call__(self, chunk: Chunk) -> int:
        if self.kind == "own":
            raise OwnError(1, "two")
        raise {"value": ValueError, "input": InputError}[self.kind]("no luck")


class OwnError(Exception):
    """Its arguments are not those that it was made of, so that no copy can be made of it."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(f"{number} and {text}")


@dataclass(frozen=True)
class Dying:
    """As a process does that takes too much memory."""

    def __call__(self, chunk: Chunk) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return 0


@dataclass(frozen=True)
class Sleeping:
    """Takes minutes for every chunk of more than one paragraph."""

    def __call__(self, chunk: Chunk) -> int:
        time.sleep(600 if len(chunk) > 1 else 0)
        return 0


@dataclass(frozen=True)
class Elsewhere:
    """Work that a worker cannot make anew."""

    def __reduce__(self) -> Any:
        return int, ("no number",)

    def __call__(self, chunk: Chunk) -> int:
        return 0
