"""The nearest words of many words at once: exact cosines, in blocks."""

from __future__ import annotations

import numpy as np

from wordstill.arrays import Array

BLOCK_ROWS = 1024


def nearest_rows(units: Array, count: int) -> tuple[Array, Array]:
    """For every row of a matrix of unit rows the `count` other rows nearest in cosine, nearest first.

    Returns row numbers (int32) and cosines (float32), each of one line a row; `count` is at most the rows less one.
    """
    rows = len(units)
    count = max(0, min(count, rows - 1))
    found = np.zeros((rows, count), dtype=np.int32)
    cosines = np.zeros((rows, count), dtype=np.float32)
    for start in range(0, rows if count else 0, BLOCK_ROWS):
        scores = units[start : start + BLOCK_ROWS] @ units.T
        here = np.arange(len(scores))
        scores[here, start + here] = -np.inf  # a word is not its own neighbour
        best = np.argpartition(scores, rows - count, axis=1)[:, rows - count :]
        # Of equal cosines the earlier, more frequent word stands first.
        best.sort(axis=1)
        values = np.take_along_axis(scores, best, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        found[start : start + len(scores)] = np.take_along_axis(best, order, axis=1)
        cosines[start : start + len(scores)] = np.take_along_axis(values, order, axis=1)
    return found, cosines
