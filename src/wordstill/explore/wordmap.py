"""The report's map: the most frequent words of all models, placed by each, with their nearest words in each."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordstill.arrays import Array, unit_rows
from wordstill.explore.displayed_words import displayed, frequency_order
from wordstill.explore.layout import map_places
from wordstill.system.progress import log
from wordstill.vectors import WordVectors

MAP_WORDS = 20_000
NEAREST = 10
REGIONS = 8
# A word number that is none: fewer than ten neighbours, or no vector at all.
NONE = 65_535


@dataclass(frozen=True)
class WordMap:
    """Words with, for each model, their places (NaN: no vector), and the numbers and cosines of their neighbours."""

    words: list[str]
    places: list[Array]
    neighbors: list[Array]
    cosines: list[Array]
    regions: Array

    def as_json(self) -> dict[str, Any]:
        """Return words as text, all else as little-endian arrays in base64."""
        return {
            "words": [displayed(word) for word in self.words],
            "regions": _packed(self.regions, np.uint8),
            "models": [
                {
                    "places": _packed(_sixteen_bits(places), np.uint16),
                    "missing": np.flatnonzero(np.isnan(places[:, 0])).tolist(),
                    "neighbors": _packed(neighbors, np.uint16),
                    "cosines": _packed(np.round(np.clip(cosines, -1, 1) * 127), np.int8),
                }
                for places, neighbors, cosines in zip(self.places, self.neighbors, self.cosines, strict=True)
            ],
        }


def word_map(models: Sequence[WordVectors], count: int = MAP_WORDS) -> WordMap:
    """Place the `count` most frequent words of all models by each of them.

    Every map begins with the first model's, so that the same words are to be found in about the same place.
    """
    words = frequent_words(models, count)
    made = WordMap(words, [], [], [], np.zeros(len(words), dtype=np.uint8))
    for number, vectors in enumerate(models):
        log.info("placing %s words by the %s of %s models", f"{len(words):,}", _ordinal(number + 1), len(models))
        index = vectors.key_to_index
        rows = np.array([index.get(word, -1) for word in words], dtype=np.int64)
        # A row of zeros, or with NaN or infinity, has no direction.
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = vectors.norms[rows]
        here = np.flatnonzero((rows >= 0) & np.isfinite(lengths) & (lengths > 0))
        start = np.nan_to_num(made.places[0][here]) if made.places else None
        placed, neighbors, cosines = map_places(unit_rows(vectors.matrix[rows[here]]), start)
        made.places.append(_all_words(len(words), here, placed, np.nan))
        made.neighbors.append(_all_words(len(words), here, here[neighbors[:, :NEAREST]], NONE))
        made.cosines.append(_all_words(len(words), here, cosines[:, :NEAREST], 0.0))
    made.regions[:] = _regions(made.places[0])
    return made


def frequent_words(models: Sequence[WordVectors], count: int) -> list[str]:
    """List the words that stand first in any of the models; of equal ranks the earlier model's first."""
    rank: dict[str, int] = {}
    for vectors in models:
        for place, row in enumerate(frequency_order(vectors)[:count].tolist()):
            word = vectors.words[row]
            rank[word] = min(place, rank.get(word, place))
    return sorted(rank, key=rank.__getitem__)[:count]


def _all_words(count: int, here: Array, values: Array, otherwise: float) -> Array:
    """Put values of some words into a table of all words, as wide as ten neighbours (or two coordinates) are."""
    wide = 2 if np.isnan(otherwise) else NEAREST
    table = np.full((count, wide), otherwise, dtype=np.float64)
    table[here, : values.shape[1]] = values
    return table


def _sixteen_bits(places: Array) -> Array:
    """Scale coordinates to 0 to 65535, both axes alike."""
    known = places[~np.isnan(places[:, 0])]
    reach = float(np.abs(known).max()) if known.size else 0.0
    scaled = np.nan_to_num(places) / (reach or 1.0)
    return np.asarray(np.round((scaled + 1.0) * 32767.0))


def _regions(places: Array) -> Array:
    """Number words from 1 to 8 by where they stand on the first map; 0 for words that do not."""
    from scipy.cluster.vq import kmeans2  # type: ignore[import-untyped]

    regions = np.zeros(len(places), dtype=np.uint8)
    known = ~np.isnan(places[:, 0])
    if known.sum() > REGIONS:
        regions[known] = 1 + kmeans2(places[known], REGIONS, iter=20, minit="++", rng=0)[1]
    return regions


def _packed(values: Array, kind: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()).decode()


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
