"""Plain gradient descent over centres and their windows, step after step without any Python between; compiled.

It computes what `windows.predict` and `windows.clip_centres` compute for one step, and takes the step. One thread does
all of it: each step begins where the one before it ended.
"""

# mypy: disallow-untyped-decorators=False, warn-unreachable=False

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from wordstill.arrays import Array
from wordstill.kernels.windows import softplus


@njit(cache=True, fastmath={"reassoc", "contract"})
def _square(vector: Array) -> Any:
    total = np.float32(0.0)
    for j in range(len(vector)):
        total += vector[j] * vector[j]
    return total


@njit(cache=True, fastmath={"reassoc", "contract"})
def _learn_centre(
    table: Array, centre: Array, rows: Array, window: int, offset: float, weights: Array, gradient: Array
) -> Any:
    """Find the loss of one centre, d loss / d score of each of its rows (`weights`) and d loss / d centre."""
    loss = 0.0
    gradient[:] = np.float32(0.0)
    for k in range(len(rows)):
        weights[k] = np.float32(0.0)
        if rows[k] < 0:
            continue
        vector = table[rows[k]]
        product = np.float32(0.0)
        for j in range(len(centre)):
            product += vector[j] * centre[j]
        sign = -1.0 if k < window else 1.0
        signed = sign * (float(product) + offset)
        loss += softplus(signed)
        weight = np.float32(sign / (1.0 + math.exp(-signed)))
        weights[k] = weight
        for j in range(len(centre)):
            gradient[j] += weight * vector[j]
    return loss


@njit(cache=True)
def _squared_sums(rows: Array, weights: Array) -> float:
    """The sum over distinct rows of the square of the sum of their weights: a row can stand in a window twice."""
    square = 0.0
    for k in range(len(rows)):
        first = rows[k] >= 0
        for other in range(k):
            first = first and rows[other] != rows[k]
        if first:
            total = 0.0
            for other in range(k, len(rows)):
                if rows[other] == rows[k]:
                    total += weights[other]
            square += total * total
    return square


@njit(cache=True, fastmath={"reassoc", "contract"})
def descend(
    table: Array,
    map_: Array,
    vectors: Array,
    rows: Array,
    starts: Array,
    rates: Array,
    map_rate: float,
    window: int,
    offset: float,
    longest: float,
) -> Any:
    """Take one step per stretch of centres; change `table` and `map_` in place, and return the sum of the losses.

    Centre i is c = map_ @ vectors[i]. rows[i, :window] are the words that it predicts, the others its negatives, -1 is
    none. Step s learns from the centres from starts[s] to starts[s + 1] at rates[s]; the map's rate is `map_rate` times
    that. The gradient of each centre, by the table's rows and by the map, is shortened to `longest` (0: any length).
    """
    size = 0
    for step in range(len(rates)):
        size = max(size, starts[step + 1] - starts[step])
    weights = np.empty((size, rows.shape[1]), dtype=np.float32)
    gradients = np.empty((size, table.shape[1]), dtype=np.float32)
    loss = 0.0
    for step in range(len(rates)):
        low, high = starts[step], starts[step + 1]
        if low == high:
            continue
        read = vectors[low:high]
        centres = np.dot(read, map_.T)
        for i in range(high - low):
            own = rows[low + i]
            loss += _learn_centre(table, centres[i], own, window, offset, weights[i], gradients[i])
            if longest > 0:
                square = _squared_sums(own, weights[i]) * float(_square(centres[i]))
                if map_rate > 0:
                    square += float(_square(gradients[i])) * float(_square(read[i]))
                if square > longest * longest:
                    share = np.float32(longest / math.sqrt(square))
                    weights[i] *= share
                    gradients[i] *= share
        for i in range(high - low):
            centre = centres[i]
            for k in range(rows.shape[1]):
                if rows[low + i, k] >= 0:
                    pace = np.float32(rates[step]) * weights[i, k]
                    vector = table[rows[low + i, k]]
                    for j in range(len(centre)):
                        vector[j] -= pace * centre[j]
        if map_rate > 0:
            turn = np.dot(gradients[: high - low].T, read)
            pace = np.float32(rates[step] * map_rate)
            for j in range(map_.shape[0]):
                for k in range(map_.shape[1]):
                    map_[j, k] -= pace * turn[j, k]
    return loss
