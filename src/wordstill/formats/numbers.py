"""Numbers as text, many at once, to the last bit.

`parse_rows` reads what Python's `float` reads, up to twice as fast as numpy's own text reader: each step is one
numpy operation over all numbers of a block, and what is not plainly digits and a point is left to `float`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float32]
Integers: TypeAlias = npt.NDArray[np.int64]
Letters: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]

# Python's `float` takes more than a file of numbers should hold: underscores, digits of other scripts.
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
# A double holds every integer of 15 digits and these powers of ten exactly, so their quotient is correctly rounded.
_MAX_DIGITS = 15
_POWERS = np.array([float(f"1e{power}") for power in range(_MAX_DIGITS + 1)])
_SPACE, _POINT, _MINUS, _PLUS = b" .-+"
# Up to sixteen characters before the end of a number are looked at, whether they belong to it or not.
_PAD = b"0" * 16
# The last n of eight characters; in a little-endian load the last character is the highest byte.
_LAST = np.array([(2**64 - 1) ^ (2 ** (64 - 8 * n) - 1) for n in range(9)], dtype=np.uint64)
_JOINS = (
    (np.uint64(10), np.uint64(8), np.uint64(0x00FF00FF00FF00FF)),
    (np.uint64(100), np.uint64(16), np.uint64(0x0000FFFF0000FFFF)),
    (np.uint64(10_000), np.uint64(32), np.uint64(0x00000000FFFFFFFF)),
)


def text_of_rows(matrix: Floats, always_a_point: bool = False) -> list[str]:
    """Each row as text, a space before every number.

    Nine significant digits always lead back to the same float32, even through a double.
    """
    form = (" %#.9g" if always_a_point else " %.9g") * matrix.shape[1]
    return [form % tuple(row) for row in matrix.tolist()]


def are_as_written(texts: Sequence[bytes], always_a_point: bool = False) -> bool:
    """Return whether `text_of_rows` makes just these texts of the numbers in them, with as many numbers in each.

    Numbers that people write are seldom such: 0.1 becomes 0.100000001.
    """
    rows = parse_rows(texts, texts[0].count(b" ") + 1) if texts else None
    return rows is not None and [f" {text.decode('ascii')}" for text in texts] == text_of_rows(rows, always_a_point)


def is_number(token: bytes) -> bool:
    """Whether it is a number as files have them."""
    return _NUMBER.fullmatch(token) is not None


def parse_rows(texts: Sequence[bytes], columns: int) -> Floats | None:
    """A row of numbers for each text; None where one is not `columns` numbers with one space between them."""
    letters = np.frombuffer(b"".join([_PAD, b" ".join(texts), b" "]), np.uint8)
    ends = np.flatnonzero(letters == _SPACE)
    # The space after each row must be where that row ends: this counts the numbers of every row.
    row_ends = np.cumsum([len(text) + 1 for text in texts]) + (len(_PAD) - 1)
    if len(ends) != len(texts) * columns or not np.array_equal(ends[columns - 1 :: columns], row_ends):
        return None
    starts = np.concatenate([[len(_PAD)], ends[:-1] + 1])
    numbers, plain = _plain_numbers(letters, starts, ends)
    for place in np.flatnonzero(~plain):
        token = letters[starts[place] : ends[place]].tobytes()
        if not is_number(token):
            return None
        with np.errstate(over="ignore"):
            numbers[place] = np.float64(token)
    return numbers.reshape(len(texts), columns)


def _plain_numbers(letters: Letters, starts: Integers, ends: Integers) -> tuple[Floats, Flags]:
    """The numbers that are a sign, digits and a point, none of which must be there; and which of them are such."""
    points = _points(letters, starts, ends)
    first = letters[starts]
    negative = first == _MINUS
    whole = points - starts - (negative | (first == _PLUS))
    fraction = np.maximum(ends - points - 1, 0)
    digits = whole + fraction
    plain = (whole >= 0) & (whole <= 8) & (digits >= 1) & (digits <= _MAX_DIGITS)
    if not plain.all():
        whole[~plain] = fraction[~plain] = 0

    mantissa = _digits(letters, ends, np.minimum(fraction, 8), plain)
    if fraction.max() > 8:
        mantissa += 100_000_000 * _digits(letters, ends - 8, np.maximum(fraction - 8, 0), plain)
    power = _POWERS[fraction]
    values = (mantissa + _digits(letters, points, whole, plain) * power) / power
    np.negative(values, out=values, where=negative)
    return values.astype(np.float32), plain


def _points(letters: Letters, starts: Integers, ends: Integers) -> Integers:
    """Where each number's decimal point is, or its end where it has none."""
    points: Integers = np.flatnonzero(letters == _POINT)
    if len(points) == len(ends) and ((points >= starts) & (points < ends)).all():
        return points
    following: Integers = np.append(points, len(letters))[np.searchsorted(points, starts)]
    return np.minimum(following, ends)


def _digits(letters: Letters, ends: Integers, lengths: Integers, plain: Flags) -> Integers:
    """The number written in the last `lengths` of the eight characters before each end.

    Eight characters are one 64-bit integer; neighbouring digits are joined in it, then pairs, then fours. `plain`
    becomes False where there is something else than digits.
    """
    windows = np.ndarray((len(letters) - 7,), "<u8", letters, strides=(1,))
    joined = windows[ends - 8]
    joined ^= np.uint64(0x3030303030303030)
    joined &= _LAST[lengths]
    above_nine = joined + np.uint64(0x0606060606060606)
    above_nine |= joined
    above_nine &= np.uint64(0xF0F0F0F0F0F0F0F0)
    plain &= above_nine == 0
    for base, bits, mask in _JOINS:
        right = joined >> bits
        joined *= base
        joined += right
        joined &= mask
    return joined.view(np.int64)
