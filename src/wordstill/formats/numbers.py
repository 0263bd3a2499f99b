"""Numbers as text, many at once, to the last bit."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float32]

# Python's `float` takes more than a file of numbers should hold: underscores, digits of other scripts.
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|infinity|nan(\(\w*\))?)", re.IGNORECASE)


def text_of_rows(matrix: Floats, always_a_point: bool = False) -> list[str]:
    """Each row as text, a space before every number.

    Nine significant digits always lead back to the same float32, even through a double.
    """
    form = (" %#.9g" if always_a_point else " %.9g") * matrix.shape[1]
    return [form % tuple(row) for row in matrix.tolist()]


def parse_rows(texts: Sequence[bytes], columns: int) -> Floats | None:
    """A row of numbers for each text; None where one is not `columns` numbers with one space between them."""
    text = b" ".join(texts)
    letters = np.frombuffer(text, np.uint8)
    spaces = np.flatnonzero(letters == ord(" "))
    # The space after each row of numbers must be where that row ends: this counts the numbers of every row.
    ends = np.cumsum([len(row) + 1 for row in texts[:-1]]) - 1
    regular = len(spaces) == len(texts) * columns - 1 and np.array_equal(spaces[columns - 1 :: columns], ends)
    # numpy takes a tab for nothing or even for -1.
    if not regular or (np.diff(spaces, prepend=-1, append=len(text)) == 1).any() or letters.min() < ord(" "):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            numbers: Floats = np.fromstring(text, np.float32, sep=" ")
    except (DeprecationWarning, ValueError):
        return None
    # numpy reads "1.2.3" as 1.2 and .3: then there are too many.
    return numbers.reshape(len(texts), columns) if len(numbers) == len(texts) * columns else None


def is_number(token: bytes) -> bool:
    """Whether it is a number as files have them."""
    return _NUMBER.fullmatch(token) is not None
