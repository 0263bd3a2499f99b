"""A lexicon laid over vectors: which rows are neighbors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.lexicons.lexicon import Lexicon, edge_numbers, find_rows


class Edges(NamedTuple):
    """The neighbors of word i are neighbors[starts[i] : starts[i + 1]], all given by their places in a graph's rows."""

    starts: Array
    neighbors: Array


class Graph(NamedTuple):
    """The words of the vectors that have a neighbor or an antonym there.

    rows      their rows in the matrix, in the order of the lexicon's words and never of the vectors': sums run in one
              order whatever that of the vectors, and are the same to the bit
    near      whom each is drawn to
    against   whom each is pushed from
    """

    rows: Array
    near: Edges
    against: Edges

    @property
    def pairs(self) -> int:
        """How many pairs of neighbors it has."""
        return len(self.near.neighbors) // 2


def lay_over(lexicon: Lexicon, key_to_index: Mapping[str, int], antonyms: Lexicon | None = None) -> Graph:
    """The graph of the pairs whose words both have a vector; a pair that is listed as antonyms is no neighbors."""
    size = len(key_to_index)
    pairs = _pairs(lexicon, key_to_index)
    against = _pairs(antonyms, key_to_index) if antonyms is not None else pairs[:0]
    pairs = pairs[~np.isin(edge_numbers(pairs, size), edge_numbers(against, size))]
    rows, order = np.unique(np.concatenate([pairs.ravel(), against.ravel()]), return_index=True)
    rows = rows[np.argsort(order)]
    place = np.full(size, -1, np.int64)
    place[rows] = np.arange(len(rows))
    return Graph(rows, _edges(place[pairs], len(rows)), _edges(place[against], len(rows)))


def _pairs(lexicon: Lexicon, key_to_index: Mapping[str, int]) -> Array:
    pairs = find_rows(lexicon.words, key_to_index)[lexicon.edges]
    pairs = pairs[(pairs >= 0).all(axis=1) & (pairs[:, 0] != pairs[:, 1])]
    # Two spellings of a lexicon can be one word of the vectors: of equal pairs the first counts.
    _, first = np.unique(edge_numbers(pairs, len(key_to_index)), return_index=True)
    return np.asarray(pairs[np.sort(first)])


def _edges(pairs: Array, size: int) -> Edges:
    heads = np.concatenate([pairs[:, 0], pairs[:, 1]])
    neighbors = np.concatenate([pairs[:, 1], pairs[:, 0]])
    starts = np.concatenate([[0], np.cumsum(np.bincount(heads, minlength=size))])
    return Edges(starts, neighbors[np.lexsort((neighbors, heads))])
