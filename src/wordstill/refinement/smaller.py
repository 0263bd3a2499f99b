"""Fewer words and fewer dimensions, for smaller files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.refinement.steps import refine
from wordstill.system.progress import log
from wordstill.vectors import WordVectors
from wordstill.vectors.pieces import fit_pieces


def smaller(
    vectors: WordVectors,
    top: int | None = None,
    min_count: int | None = None,
    dimensions: int | None = None,
) -> WordVectors:
    """Keep less of vectors; the words that are left stay in their order.

    top         as many words, the most frequent; the first where counts are not known
    min_count   only words seen as often
    dimensions  as many dimensions, by PCA over the words that are left
    """
    if min_count is not None:
        if vectors.counts is None:
            raise InputError("these vectors have no counts, so that a least count means nothing; use --top N")
        vectors = _cut(vectors, np.flatnonzero(vectors.counts >= min_count), "min-count", min_count)
        log.info("kept the %s words with a count of %d or more", f"{len(vectors):,}", min_count)
    if top is not None:
        if top < 1:
            raise InputError(f"--top must be at least 1, not {top}")
        if vectors.counts is None:
            rows = np.arange(min(top, len(vectors)))
        else:
            # Of equal counts the first; sorted back into the order they had.
            rows = np.sort(np.argsort(-vectors.counts, kind="stable")[:top])
        vectors = _cut(vectors, rows, "top", top)
        how = "first words: counts are not known" if vectors.counts is None else "most frequent words"
        log.info("kept the %s %s", f"{len(vectors):,}", how)
    if dimensions is not None:
        before = vectors.vector_size
        vectors = refine(vectors, ["pca"], options={"pca": {"dimensions": str(dimensions)}})
        log.info("reduced %d dimensions to %d (PCA)", before, dimensions)
    return vectors


def without_unheld(vectors: WordVectors, holds: Callable[[str], bool]) -> tuple[WordVectors, list[str]]:
    """The vectors of the words that a format holds, and the other words."""
    held = [_is_unicode(word) and holds(word) for word in vectors.words]
    left_out = [word for word, kept in zip(vectors.words, held, strict=True) if not kept]
    return (_rows(vectors, np.flatnonzero(held)) if left_out else vectors), left_out


def _is_unicode(word: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in word)


def _cut(vectors: WordVectors, rows: Array, method: str, number: int) -> WordVectors:
    """Some of the words; scores of all of them are not theirs, and the card tells what was done."""
    cut = _rows(vectors, rows)
    step = {"method": method, "settings": {"words" if method == "top" else "count": number}}
    cut.card = {key: value for key, value in cut.card.items() if key != "scores"}
    cut.card["refinement"] = [*cut.card.get("refinement", ()), step]
    return cut


def _rows(vectors: WordVectors, rows: Array) -> WordVectors:
    words = [vectors.words[row] for row in rows]
    counts = None if vectors.counts is None else vectors.counts[rows]
    kept = WordVectors(words, np.asarray(vectors.matrix[rows]), counts, vectors.card)
    # A piece may have the name of a word that is gone, and may begin another cut.
    kept.pieces = None if vectors.pieces is None else fit_pieces(kept)
    return kept
