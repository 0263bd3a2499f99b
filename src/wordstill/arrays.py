"""Rows of numbers: their lengths, their directions, and the highest of many scores. numpy only."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


# Squares of lengths that single precision adds up without loss: others overflow, or vanish, on the way.
_SMALLEST_SQUARE, _LARGEST_SQUARE = 1e-30, 1e30


def unit(vector: Array) -> Array:
    """The vector at length 1, as float32; the zero vector stays what it is."""
    vector = np.asarray(in_range(np.asarray(vector)[None])[0], dtype=np.float32)
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector


def unit_rows(matrix: Array) -> Array:
    """A float32 copy with every row at length 1; zero rows stay zero."""
    matrix = in_range(matrix)
    lengths = np.sqrt(row_squares(matrix))
    lengths[lengths == 0] = 1.0
    return np.divide(matrix, lengths[:, None], dtype=np.float32, casting="same_kind")


def row_norms(matrix: Array) -> Array:
    """The Euclidean length of each row, without a second copy of the matrix.

    They are float32, or float64 where one is too long or too short for that.
    """
    squares = row_squares(matrix)
    lengths = np.sqrt(squares)
    odd = np.flatnonzero(~_is_ordinary(squares))
    if len(odd):
        rows, exponents = _halved(matrix[odd])
        with np.errstate(over="ignore"):
            exact = np.ldexp(np.sqrt(np.einsum("ij,ij->i", rows, rows)), exponents)
        bounds = np.finfo(np.float32)
        fits = (exact == 0) | ~np.isfinite(exact) | ((exact >= bounds.tiny) & (exact <= bounds.max))
        lengths = lengths if fits.all() else lengths.astype(np.float64)
        lengths[odd] = exact
    return lengths


def in_range(matrix: Array) -> Array:
    """The matrix with every row of huge or of tiny numbers brought near length 1 by a power of two; else itself.

    Its directions are the same to the bit, and single precision can square what it holds.
    """
    odd = np.flatnonzero(~_is_ordinary(row_squares(matrix)))
    odd = odd[matrix[odd].any(axis=1)]
    if not len(odd):
        return matrix
    scaled = np.array(matrix)
    scaled[odd] = _halved(matrix[odd])[0]
    return scaled


def row_squares(matrix: Array) -> Array:
    """The sum of the squares of each row in single precision, infinite where it is beyond that."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares: Array = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float32, casting="same_kind")
    return squares


def _is_ordinary(squares: Array) -> Array:
    return (squares > _SMALLEST_SQUARE) & (squares < _LARGEST_SQUARE)


def _halved(rows: Array) -> tuple[Array, Array]:
    """Rows as float64, halved or doubled until the largest number is about 1, and how often; zeros and NaN as is."""
    rows = np.asarray(rows, dtype=np.float64)
    largest = np.abs(rows).max(axis=1, initial=0.0)
    exponents = np.frexp(np.where(np.isfinite(largest), largest, 0.0))[1]
    return np.ldexp(rows, -exponents[:, None]), exponents


def top_rows(scores: Array, topn: int) -> Array:
    """The rows of the `topn` highest scores, highest first; of equal scores the earlier row first."""
    topn = min(topn, len(scores))
    if topn < len(scores):
        bar = np.partition(scores, len(scores) - topn)[len(scores) - topn] if topn else np.inf
        above = np.flatnonzero(scores > bar)
        best = np.concatenate([above, np.flatnonzero(scores == bar)[: topn - len(above)]])
    else:
        best = np.arange(len(scores))
    return best[np.lexsort((best, -scores[best]))]
