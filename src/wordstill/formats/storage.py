"""The types that numbers are stored in: exact, halved (float16) or quartered (int8), and what each cannot hold.

int8 has one scale per row: the row's largest number becomes 127 or -127, so that a short vector keeps as many digits as
a long one. The scales are float32 numbers beside the matrix.
"""

from __future__ import annotations

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError

FLOATS = ("float16", "float32", "float64")
TYPES = (*FLOATS, "int8")
_LARGEST = 127
_ROWS_AT_ONCE = 65_536


def as_type(matrix: Array, dtype: str) -> Array:
    """The numbers as float16, float32 or float64; refused where a finite one would become infinite."""
    target = np.dtype(dtype)
    if matrix.dtype == target:
        return matrix
    with np.errstate(over="ignore"):
        converted = matrix.astype(target)
    if target.itemsize < matrix.dtype.itemsize:
        lost = (np.isinf(converted) & np.isfinite(matrix)).any(axis=1)
        if lost.any():
            raise InputError(
                f"{int(lost.sum())} vectors have numbers that are too large for {dtype} (above"
                f" {np.finfo(target).max:.0f}); store them as {'float32' if dtype == 'float16' else 'float64'}"
            )
    return converted


def to_int8(matrix: Array) -> tuple[Array, Array]:
    """The rows as int8, and the float32 scale that each is to be multiplied by."""
    rows, scales = np.empty(matrix.shape, np.int8), np.empty(len(matrix), np.float32)
    for start in range(0, len(matrix), _ROWS_AT_ONCE):
        here = slice(start, start + _ROWS_AT_ONCE)
        # In doubles: the inverse of a tiny scale would be infinite in float32.
        block = np.asarray(matrix[here], np.float64)
        largest = np.abs(block).max(axis=1, initial=0.0)
        if not np.isfinite(largest).all() or (largest > np.finfo(np.float32).max).any():
            raise InputError("int8 cannot hold NaN, infinity or numbers above 3.4e38; store them as float32 or float64")
        # No smaller than the smallest float32: a row of tinier numbers becomes zero.
        scales[here] = largest / _LARGEST
        divisor = scales[here].astype(np.float64)
        divisor[divisor == 0] = 1.0
        rows[here] = np.clip(np.rint(block / divisor[:, None]), -_LARGEST, _LARGEST)
    return rows, scales


def from_int8(rows: Array, scales: Array) -> Array:
    """The float32 numbers that int8 rows and their scales stand for."""
    return np.multiply(rows, scales[:, None], dtype=np.float32)
