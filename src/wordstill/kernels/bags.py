"""The regression behind the model of spellings, compiled: targets that are sums of the rows of bags."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from wordstill.arrays import Array


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def solve_bags(
    targets: Array, starts: Array, members: Array, scale: Array, trust: Array, rows: int, ridge: float, steps: int
) -> Any:
    """The table C that makes sum over i of trust_i |t_i - scale_i (C_a + C_b + ..)|^2 + ridge |C|^2 least.

    members[starts[i]:starts[i + 1]] are the rows a, b, .. of target i. Conjugate gradients treat each column by itself,
    so a thread has columns of its own: targets are (blocks, targets, columns of a block), as the table will be.
    """
    columns = targets.shape[2]
    # Frequent rows have steep slopes: each gradient is divided by its row's own.
    calm = np.full(rows, ridge, dtype=np.float32)
    for i in range(targets.shape[1]):
        for at in range(starts[i], starts[i + 1]):
            calm[members[at]] += scale[i] * scale[i] * trust[i]
    for row in range(rows):
        calm[row] = np.float32(1.0) / max(calm[row], np.float32(1e-30))
    table = np.zeros((len(targets), rows, columns), dtype=np.float32)
    for block in prange(len(targets)):
        codes, wanted = table[block], targets[block]
        residual = np.zeros((rows, columns), dtype=np.float32)
        step, turned = np.zeros_like(residual), np.zeros_like(residual)
        one, along = np.empty(columns, dtype=np.float32), np.empty(columns, dtype=np.float32)
        # |residual|^2 before and after a step, |step|^2, and how far to go: of each column
        left, now = np.zeros(columns, dtype=np.float32), np.zeros(columns, dtype=np.float32)
        square, size = np.zeros(columns, dtype=np.float32), np.zeros(columns, dtype=np.float32)
        for i in range(len(wanted)):
            share = scale[i] * trust[i]
            for at in range(starts[i], starts[i + 1]):
                row_of_residual = residual[members[at]]
                for j in range(columns):
                    row_of_residual[j] += share * wanted[i, j]
        for row in range(rows):
            for j in range(columns):
                left[j] += calm[row] * residual[row, j] * residual[row, j]
        for _ in range(steps):
            # The next direction; the first is the residual.
            square[:] = 0.0
            for row in range(rows):
                for j in range(columns):
                    step[row, j] = calm[row] * residual[row, j] + size[j] * step[row, j]
                    square[j] += step[row, j] * step[row, j]
                    turned[row, j] = 0.0
            along[:] = 0.0
            for i in range(len(wanted)):
                one[:] = 0.0
                for at in range(starts[i], starts[i + 1]):
                    row_of_step = step[members[at]]
                    for j in range(columns):
                        one[j] += row_of_step[j]
                share = scale[i] * scale[i] * trust[i]
                for j in range(columns):
                    along[j] += share * one[j] * one[j]
                    one[j] *= share
                for at in range(starts[i], starts[i + 1]):
                    row_of_turned = turned[members[at]]
                    for j in range(columns):
                        row_of_turned[j] += one[j]
            for j in range(columns):
                size[j] = left[j] / max(along[j] + ridge * square[j], np.float32(1e-30))
            now[:] = 0.0
            for row in range(rows):
                for j in range(columns):
                    codes[row, j] += size[j] * step[row, j]
                    residual[row, j] -= size[j] * (turned[row, j] + ridge * step[row, j])
                    now[j] += calm[row] * residual[row, j] * residual[row, j]
            for j in range(columns):
                size[j] = now[j] / max(left[j], np.float32(1e-30))
                left[j] = now[j]
    return table


# Columns that a thread adds up together; each column belongs to one thread, so their number changes no byte.
TOGETHER = 32


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def sum_bags(table: Array, starts: Array, members: Array, scale: Array, shares: Array) -> Any:
    """Return scale_i (s_a C_a + s_b C_b + ..) for each bag i.

    Its rows a, b, .. are members[starts[i]:starts[i + 1]], and their shares s stand at the same places.
    """
    columns = table.shape[1]
    sums = np.zeros((len(scale), columns), dtype=np.float32)
    for block in prange(-(-columns // TOGETHER)):
        low, high = block * TOGETHER, min(columns, (block + 1) * TOGETHER)
        for i in range(len(scale)):
            total = sums[i]
            for at in range(starts[i], starts[i + 1]):
                row = table[members[at]]
                for j in range(low, high):
                    total[j] += shares[at] * row[j]
            for j in range(low, high):
                total[j] *= scale[i]
    return sums


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def add_to_bags(table: Array, vectors: Array, starts: Array, members: Array, scale: Array) -> None:
    """Add scale_i times vector i to each row of bag i: the transpose of `sum_bags` where all shares are 1."""
    columns = table.shape[1]
    for block in prange(-(-columns // TOGETHER)):
        low, high = block * TOGETHER, min(columns, (block + 1) * TOGETHER)
        for i in range(len(scale)):
            vector = vectors[i]
            for at in range(starts[i], starts[i + 1]):
                row = table[members[at]]
                for j in range(low, high):
                    row[j] += scale[i] * vector[j]
