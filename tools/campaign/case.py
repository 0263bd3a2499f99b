"""A case: its name, its own source of chance, its folder, and what went wrong in it."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

# Created by any code of an input that runs.
CANARY = "CODE-HAS-RUN"


class Wrong(Exception):
    """Something that must hold does not."""


@dataclass
class Place:
    """Where the campaign works: sound samples, a folder per process, and a folder with traps to work in."""

    root: Path

    @property
    def samples(self) -> Path:
        """One folder per reader."""
        return self.root / "samples"

    @property
    def traps(self) -> Path:
        """The current folder of every process: it has files named like modules."""
        return self.root / "traps"

    @property
    def canary(self) -> Path:
        """What running code would create."""
        return self.root / CANARY

    def scratch(self, name: str) -> Path:
        """Make an empty folder."""
        folder = self.root / "scratch" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


@dataclass
class Case:
    """One case of an area."""

    seed: int
    name: str
    place: Place
    what: str = ""
    """What was done, for the report of a failure."""
    draw: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.draw = random.Random(f"{self.seed}/{self.name}")

    def check_canary(self) -> None:
        """No code of an input may have run."""
        if self.place.canary.exists():
            self.place.canary.unlink()
            raise Wrong("code of an input was run")


def tree(folder: Path) -> dict[str, bytes]:
    """Read every file under a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }
