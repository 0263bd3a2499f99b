"""A lexicon as a part of the objective: words that belong together share what was seen of them.

`aggregate` and `closed` rest on a mean per word, m_w over n_w occurrences. With a lexicon the means are those that
minimise

    sum over words of  sqrt(n_w) |q_w - m_w|^2  +  strength  sum over pairs (i, j) of  |q_i - q_j|^2 / sqrt(d_i d_j)

over the lexicon's pairs, d the number of a word's neighbors. It is one linear system, (N + strength L) Q = N M. Words
with many occurrences stay where they are, rare ones lean on their neighbors: refining afterwards cannot know which is
which. It is solved by Jacobi's iteration, which converges because every n_w is above zero, and gives the same bytes
for any number of threads. A word without neighbors is not touched.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from wordstill.arrays import Array
from wordstill.lexicons.graph import Graph

# A sweep that moves no number by more than this, relative to the largest, changes no score.
REST = 1e-5
MOST_SWEEPS = 500


def word_means(sums: Array, seen: Array, graph: Graph | None, strength: float) -> Array:
    """The mean of each word's sum, shared with its neighbors where a lexicon is given."""
    means = sums / np.maximum(seen, 1).astype(np.float32)[:, None]
    if graph is None or strength == 0:
        return np.asarray(means)
    return shared_means(means, seen, graph, strength)


def shared_means(means: Array, seen: Array, graph: Graph, strength: float) -> Array:
    """The means of all words, those of the graph drawn together; words never seen count as seen once."""
    starts, neighbors = graph.near
    degrees = np.diff(starts)
    scale = 1.0 / np.sqrt(np.maximum(degrees, 1))
    own = np.sqrt(np.maximum(seen[graph.rows], 1)).astype(np.float32)
    origin = np.ascontiguousarray(means[graph.rows], dtype=np.float32)
    current, following = origin.copy(), np.empty_like(origin)
    most = float(np.abs(origin).max(initial=0.0))
    for _ in range(MOST_SWEEPS):
        moved = _sweep(
            starts, neighbors, scale.astype(np.float32), own, np.float32(strength), origin, current, following
        )
        current, following = following, current
        if moved <= REST * most:
            break
    shared = np.array(means, dtype=np.float32)
    shared[graph.rows] = current
    return shared


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def _sweep(
    starts: Array,
    neighbors: Array,
    scale: Array,
    own: Array,
    strength: float,
    origin: Array,
    current: Array,
    following: Array,
) -> float:
    """q_i <- (sqrt(n_i) m_i + strength sum_j w_ij q_j) / (sqrt(n_i) + strength sum_j w_ij); the largest movement."""
    moved = np.zeros(len(own), dtype=np.float32)
    for i in prange(len(own)):
        total = own[i]
        row = own[i] * origin[i]
        for place in range(starts[i], starts[i + 1]):
            j = neighbors[place]
            weight = strength * scale[i] * scale[j]
            total += weight
            row += weight * current[j]
        row /= total
        moved[i] = np.abs(row - current[i]).max()
        following[i] = row
    return float(moved.max()) if len(moved) else 0.0
