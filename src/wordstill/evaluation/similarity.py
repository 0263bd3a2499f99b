"""Similarity: does the cosine of two words order the pairs as people do?"""

from __future__ import annotations

import numpy as np

from wordstill.arrays import Array
from wordstill.evaluation.intervals import Correlation
from wordstill.evaluation.parsers import Pairs
from wordstill.evaluation.space import Space


def similarity(space: Space, pairs: Pairs) -> Correlation:
    """The cosine of each pair beside its human score; NaN where a word is missing."""
    first, second = space.find(pairs.first), space.find(pairs.second)
    cosines = _dots(space.unit(first), space.unit(second))
    cosines[(first < 0) | (second < 0)] = np.nan
    return Correlation(pairs.gold, cosines)


def similarity_with_mean_vector(space: Space, pairs: Pairs) -> Correlation:
    """The `web` harness: a missing word has the mean of all unit vectors, and nothing is normalized after."""
    first, second = (space.unit_or_mean(space.find(words)) for words in (pairs.first, pairs.second))
    return Correlation(pairs.gold, _dots(first, second))


def _dots(first: Array, second: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", first, second, dtype=np.float64))
