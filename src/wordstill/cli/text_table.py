"""Plain tables for people: aligned columns, numbers to the right."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from wordstill.escaping import for_terminal


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write columns as wide as they need to be; numbers to the right, words to the left; control characters escaped."""
    rows = [[for_terminal(cell) for cell in row] for row in rows]
    lines = [head, *rows]
    numeric = [all(_is_number(cell) for cell in column) for column in zip(*rows, strict=True)] or [False] * len(head)
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            _pad(cell, width, left=not right) for cell, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    )


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.replace(",", "").replace(".", "").lstrip("-").isdigit()


def _pad(cell: str, width: int, *, left: bool) -> str:
    blank = " " * (width - _width(cell))
    return cell + blank if left else blank + cell


def _width(text: str) -> int:
    """Count the columns of a terminal that a text takes: East Asian characters take two, combining marks none."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )
