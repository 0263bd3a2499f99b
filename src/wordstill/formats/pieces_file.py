"""pieces.txt: the pieces that unknown words of a text fall apart into, one per line, in the order of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wordstill.io.reading import read_text

FILE = "pieces.txt"


def read(folder: Path) -> list[str]:
    """Read the pieces of a folder; none where it has no such file."""
    path = folder / FILE
    return read_text(path).split("\n")[:-1] if path.exists() else []


def write(folder: Path, pieces: Sequence[str]) -> None:
    """Write pieces into a folder, if there are any."""
    if pieces:
        (folder / FILE).write_text("".join(f"{piece}\n" for piece in pieces), encoding="utf-8")
