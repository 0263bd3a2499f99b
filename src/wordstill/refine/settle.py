"""The iteration that both ways of retrofitting share: each word settles between its own vector and its neighbors.

    q_i <- own * q0_i + neighbors * sum_j g_ij q_j

over unit-length rows, all words at once from the vectors of the sweep before (Jacobi), so that no order matters.
Where antonyms are listed, a sweep ends with a push: what a word shares with its antonyms is taken from it.

The objective that is reported is the one whose descent the update is. With s_i the weight of a word, such that
s_i g_ij is the strength of a pair, and each pair counted once:

    sum_i s_i (own |q_i - q0_i|^2 + neighbors/2 sum_j g_ij |q_i - q_j|^2 + (1 - own - neighbors sum_j g_ij) |q_i|^2)

The last term is 0 where the weights sum to 1; where they do not, the update draws words towards zero. Weights that
depend on the vectors change from sweep to sweep, and the objective with them; what falls for certain is how far a
sweep moves the words (each about halves it). The sweeps end when the words are at rest.

Lengths are no part of it: a word gets its own length back, and a word without neighbors is not touched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from wordstill.refine.graph import Block, Graph
from wordstill.vectors import Array

# A movement below this is rounding: words of length 1 in single precision.
REST = 1e-6

# Squared distances from q0_i to the neighbors, one line a word -> weights g_ij, and s_i of each word.
Weigh: TypeAlias = Callable[[Array], tuple[Array, Array]]
# The number of the sweep, the objective after it, and how far it moved the words.
Report: TypeAlias = Callable[[int, float, float | None], None]


@dataclass(frozen=True)
class Sweeping:
    """The numbers of the iteration.

    sweeps  at most so many
    push    how much of a cosine above 0 with an antonym each of the two gives up, 0 to 1
    """

    own: float
    neighbors: float
    sweeps: int
    push: float


class Settled(NamedTuple):
    """A refined matrix; the objective before the first and after each sweep; how far each sweep moved the words.

    A movement is the root of the mean square over the words that have neighbors, which are of length 1 to begin with.
    """

    matrix: Array
    objective: list[float]
    moved: list[float]


def settle(matrix: Array, graph: Graph, sweeping: Sweeping, weigh: Weigh, report: Report | None = None) -> Settled:
    """Sweep until the words come to rest, or as often as is allowed."""
    words = _Words(matrix, graph.rows)
    current = words.unit(np.arange(len(graph.rows)))
    following = current.copy()
    objective: list[float] = []
    moved: list[float] = []
    pushing = bool(graph.opposed) and sweeping.push > 0
    heads = sum(len(block.heads) for block in graph.blocks)
    with ThreadPoolExecutor(_threads()) as pool:
        for sweep in range(sweeping.sweeps + 1):

            def pull(block: Block, now: Array = current, after: Array = following) -> tuple[float, float]:
                return _pull(words, block, sweeping, weigh, now, after)

            costs, ways = np.sum(list(pool.map(pull, graph.blocks)) or [(0.0, 0.0)], axis=0).tolist()
            objective.append(costs)
            if report is not None:
                report(sweep, costs, moved[-1] if moved else None)
            way = (ways / max(1, heads)) ** 0.5
            # A push moves words away again after each sweep: they are never at rest.
            if sweep == sweeping.sweeps or (way < REST and not pushing):
                break
            moved.append(way)
            current, following = following, current
            if pushing:
                _push(graph.opposed, sweeping.push, current, following, pool.map)
                current, following = following, current
    del following
    current *= words.lengths[:, None]
    refined = matrix.copy()
    refined[graph.rows] = current
    return Settled(refined, objective, moved)


class _Words:
    """q0: read from the matrix when it is needed, rather than kept as one more copy of it."""

    def __init__(self, matrix: Array, rows: Array) -> None:
        self.matrix, self.rows = matrix, rows
        lengths = np.empty(len(rows), np.float32)
        for start in range(0, len(rows), 4096):
            part = self.matrix[rows[start : start + 4096]].astype(np.float32)
            lengths[start : start + 4096] = np.sqrt(_squares(part))
        self.inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        # A zero vector has a direction afterwards, its neighbors', and needs some length.
        usual = np.median(lengths[lengths > 0]) if (lengths > 0).any() else np.float32(1.0)
        self.lengths = np.where(lengths > 0, lengths, usual)

    def unit(self, places: Array) -> Array:
        vectors: Array = self.matrix[self.rows[places]].astype(np.float32)
        vectors *= self.inverse[places][:, None]
        return vectors


def _pull(
    words: _Words, block: Block, sweeping: Sweeping, weigh: Weigh, now: Array, after: Array
) -> tuple[float, float]:
    """Write the block's next vectors to `after`; return what `now` costs, and the square of the way between."""
    origin, here, near = words.unit(block.heads), now[block.heads], now[block.neighbors]
    near_squares = np.einsum("hkd,hkd->hk", near, near)
    squared = _squares(origin)[:, None] + near_squares - 2.0 * np.einsum("hkd,hd->hk", near, origin)
    weights, strength = weigh(np.maximum(squared, 0.0))
    weights = weights.astype(np.float32)
    pulled = np.einsum("hk,hkd->hd", weights, near)
    there = sweeping.own * origin + sweeping.neighbors * pulled
    after[block.heads] = there
    total, here_squares = weights.sum(axis=1), _squares(here)
    apart = total * here_squares - 2.0 * _dots(here, pulled) + _dots(weights, near_squares)
    cost = sweeping.own * _squares(here - origin) + sweeping.neighbors / 2 * apart
    cost += (1.0 - sweeping.own - sweeping.neighbors * total) * here_squares
    return float(strength @ cost.astype(np.float64)), float(_squares(there - here).sum(dtype=np.float64))


def _push(
    opposed: Iterable[Block],
    strength: float,
    now: Array,
    after: Array,
    run: Callable[[Callable[[Block], None], Iterable[Block]], Iterable[None]],
) -> None:
    """u - strength * |u| * mean over antonyms v of max(0, cos(u, v)) v / |v|; other words are copied."""
    after[:] = now

    def one(block: Block) -> None:
        here, against = now[block.heads], now[block.neighbors]
        lengths = np.sqrt(np.einsum("hkd,hkd->hk", against, against))
        against /= np.where(lengths > 0, lengths, 1.0)[:, :, None]
        # |u| cos(u, v) is the dot product of u with v at length 1.
        shared = np.maximum(np.einsum("hkd,hd->hk", against, here), 0.0) / block.neighbors.shape[1]
        after[block.heads] = here - strength * np.einsum("hk,hkd->hd", shared, against)

    for _ in run(one, opposed):
        pass


def _dots(first: Array, second: Array) -> Array:
    return np.asarray(np.einsum("hd,hd->h", first, second))


def _squares(vectors: Array) -> Array:
    return _dots(vectors, vectors)


def _threads() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
