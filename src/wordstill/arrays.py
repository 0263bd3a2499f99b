"""Rows of numbers: their lengths, their directions, and the highest of many scores. numpy only."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


def unit(vector: Array) -> Array:
    """The vector at length 1, as float32; the zero vector stays what it is."""
    vector = np.asarray(vector, dtype=np.float32)
    length = np.linalg.norm(vector)
    return vector / length if length > 0 else vector


def unit_rows(matrix: Array) -> Array:
    """A float32 copy with every row at length 1; zero rows stay zero."""
    lengths = row_norms(matrix)
    lengths[lengths == 0] = 1.0
    return np.divide(matrix, lengths[:, None], dtype=np.float32, casting="same_kind")


def row_norms(matrix: Array) -> Array:
    """The Euclidean length of each row, without a second copy of the matrix."""
    squares: Array = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float32, casting="same_kind")
    return np.sqrt(squares)


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
