"""What a format is: how it is recognised, read and written, and what it can hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wordstill.io.files import only_these
from wordstill.vectors import WordVectors


def _itself(path: Path) -> list[Path]:
    return [path]


def _any_word(word: str) -> bool:
    return True


def _nothing(path: Path, head: bytes) -> bool:
    return False


@dataclass(frozen=True)
class Format:
    """One format; those that are written are chosen by the ending of a name, those that are read by content.

    recognises   path, first bytes of a file (unzipped; none of a folder) -> whether it is this format
    write        vectors, path, type of the numbers (one of `types`); None where it is only read
    endings      of a name that asks for this format; the first of FORMATS without any is the one for other names
    zipped       whether .gz may stand after the ending
    files        the paths that belong together where the first is given: what is written and measured
    holds        whether a word can be written; every word must be valid Unicode
    types        of numbers that are kept as they are; others become the first
    stored_type  the type in a file, where reading it gives another
    owns         path, first bytes -> whether wordstill may have written it, so that it may be replaced. Stricter than
                 `recognises`: text that can be read as vectors may be somebody's notes
    members      the files in a folder that this format writes; none where it writes a file
    """

    name: str
    about: str
    recognises: Callable[[Path, bytes], bool]
    read: Callable[[Path], WordVectors]
    write: Callable[[WordVectors, Path, str], None] | None = None
    endings: tuple[str, ...] = ()
    zipped: bool = False
    files: Callable[[Path], list[Path]] = _itself
    holds: Callable[[str], bool] = _any_word
    keeps_counts: bool = False
    keeps_card: bool = False
    types: tuple[str, ...] = ("float32",)
    stored_type: Callable[[Path], str] | None = None
    owns: Callable[[Path, bytes], bool] = _nothing
    members: tuple[str, ...] = ()

    def first_foreign(self, folder: Path) -> str | None:
        """Return the name of the first thing in a folder that this format did not write; None where it wrote all."""
        if self.owns(folder, b""):
            return only_these(*self.members)(folder)
        return only_these()(folder)
