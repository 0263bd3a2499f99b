"""The lines of a data set's files: fields between tabs, commas or blanks, comments left out."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path

from wordstill.errors import InputError
from wordstill.io.reading import read_text


def read_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line that is neither empty nor a comment."""
    for number, line in read_lines(path):
        yield number, split_fields(line, f"{path}, line {number}")


def read_lines(path: Path, comments: bool = True) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not empty; with `comments`, lines after # are left out."""
    # Only \n and \r\n end a line: a word may hold one of the other characters that Python would split at.
    for number, line in enumerate(read_text(path).split("\n"), 1):
        stripped = line.strip()
        if stripped and not (comments and stripped.startswith("#")):
            yield number, line.rstrip("\r\n") if "\t" in line else stripped


def split_fields(line: str, where: str) -> list[str]:
    """Split a line at its tabs, else at its commas, else at its blanks; `where` is what an error begins with."""
    if "\t" in line:
        return [field.strip() for field in line.split("\t")]
    if "," in line:
        try:
            return [field.strip() for field in next(csv.reader([line]))]
        except csv.Error as error:
            raise InputError(f"{where} cannot be split at its commas ({error}); end lines with \\n alone") from None
    return line.split()


def to_number(text: str) -> float | None:
    """Read a finite number; None where the text is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def bad_line(path: Path, number: int, expected: str, fields: list[str]) -> InputError:
    """Make the error that tells what a line should hold, and what it does."""
    text = " ".join(fields)
    found = repr(text if len(text) <= 60 else text[:57] + "...")
    return InputError(f"{path}, line {number}: expected {expected}, found {found}")
