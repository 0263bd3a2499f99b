"""Windows, by a loop over positions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordstill.arrays import Array


def window_of(length: int, place: int, window: int) -> list[int]:
    """The places up to `window` to each side of a place, itself left out, inside a sentence of a length."""
    return [k for k in range(length) if k != place and abs(k - place) <= window]


def window_contexts(sentences: Sequence[tuple[Array, Sequence[int]]], window: int) -> list[tuple[Array, int]]:
    """For every word with company in its window: the mean of the others' vectors, and the word's number."""
    found = []
    for vectors, words in sentences:
        for place, word in enumerate(words):
            others = window_of(len(words), place, window)
            if others:
                found.append((np.mean([np.asarray(vectors[k], dtype=np.float64) for k in others], axis=0), word))
    return found
