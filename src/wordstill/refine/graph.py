"""A lexicon laid over vectors: for each word that has neighbors, the rows of these, as plain arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from wordstill.refine.lexicons import Lexicon, edge_numbers, find_rows
from wordstill.vectors import Array

# A block gathers at most this many neighbors: at 300 dimensions 1.2 MB, which stays in a core's cache.
BLOCK_NEIGHBORS = 1024


class Block(NamedTuple):
    """Words with equally many neighbors, so that everything about them is a plain array.

    heads      their places in the graph's `rows`
    neighbors  one line a head: the places of its neighbors
    """

    heads: Array
    neighbors: Array


class Graph(NamedTuple):
    """The words of the vectors that have a neighbor or an antonym there.

    rows     their rows in the matrix, in the order of the lexicon's words, never of the vectors': sums run in the
             same order whatever the order of the vectors, and their last bit is the same
    blocks   every word that has neighbors once, with all of them
    opposed  the same for antonyms
    """

    rows: Array
    blocks: tuple[Block, ...]
    opposed: tuple[Block, ...] = ()

    @property
    def edges(self) -> int:
        """How many pairs of neighbors it has."""
        return sum(block.neighbors.size for block in self.blocks) // 2


def lay_over(lexicon: Lexicon, key_to_index: Mapping[str, int], antonyms: Lexicon | None = None) -> Graph:
    """The graph of the pairs whose words both have a vector; a pair that is listed as antonyms is no neighbors."""
    size = len(key_to_index)
    pairs = _pairs(lexicon, key_to_index)
    against = _pairs(antonyms, key_to_index) if antonyms is not None else pairs[:0]
    pairs = pairs[~np.isin(edge_numbers(pairs, size), edge_numbers(against, size))]
    named = np.concatenate([pairs.ravel(), against.ravel()])
    rows, order = np.unique(named, return_index=True)
    rows = rows[np.argsort(order)]
    place = np.full(size, -1, np.int64)
    place[rows] = np.arange(len(rows))
    return Graph(rows, _blocks(place[pairs], len(rows)), _blocks(place[against], len(rows)))


def _pairs(lexicon: Lexicon, key_to_index: Mapping[str, int]) -> Array:
    pairs = find_rows(lexicon.words, key_to_index)[lexicon.edges]
    pairs = pairs[(pairs >= 0).all(axis=1) & (pairs[:, 0] != pairs[:, 1])]
    # Two spellings of a lexicon can be one word of the vectors: of equal pairs the first counts.
    _, first = np.unique(edge_numbers(pairs, len(key_to_index)), return_index=True)
    return np.asarray(pairs[np.sort(first)])


def _blocks(pairs: Array, size: int) -> tuple[Block, ...]:
    heads = np.concatenate([pairs[:, 0], pairs[:, 1]])
    neighbors = np.concatenate([pairs[:, 1], pairs[:, 0]])[np.lexsort((pairs[:, ::-1].T.ravel(), heads))]
    degrees = np.bincount(heads, minlength=size)
    starts = np.cumsum(degrees) - degrees
    blocks = []
    for degree in np.unique(degrees[degrees > 0]).tolist():
        equal = np.flatnonzero(degrees == degree)
        for start in range(0, len(equal), max(1, BLOCK_NEIGHBORS // degree)):
            chosen = equal[start : start + max(1, BLOCK_NEIGHBORS // degree)]
            blocks.append(Block(chosen, neighbors[starts[chosen][:, None] + np.arange(degree)]))
    return tuple(blocks)
