"""How words are shown in pictures and reports, and how they are found in vectors."""

from __future__ import annotations

import numpy as np

from wordstill.arrays import Array, row_norms
from wordstill.vectors import WordVectors

LONGEST = 60


def shown(word: str, longest: int = LONGEST) -> str:
    """The word as text for people: control characters as escapes, the empty word as quotes, a long word cut."""
    text = word if word.isprintable() else repr(word)[1:-1]
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return text or '""'


def usable_rows(vectors: WordVectors) -> Array:
    """Which rows have a direction: a row of zeros, or with NaN or infinity, has none."""
    with np.errstate(over="ignore", invalid="ignore"):
        norms = row_norms(vectors.matrix)
    return np.asarray(np.isfinite(norms) & (norms > 0))


def frequency_order(vectors: WordVectors) -> Array:
    """Row numbers, the most frequent word first; the vectors' own order where counts are not known."""
    if vectors.counts is None:
        return np.arange(len(vectors))
    return np.argsort(-vectors.counts, kind="stable")
