"""gensim's KeyedVectors as they are in memory. What gensim saves is a pickle, which is never opened here."""

from __future__ import annotations

from typing import Any

import numpy as np

from wordstill.errors import InputError
from wordstill.formats.storage import FLOATS
from wordstill.vectors import WordVectors


def from_gensim(keyed: Any) -> WordVectors:
    """The words, vectors and counts of a KeyedVectors, or of the model that has it as `.wv`.

    >>> from gensim.models import KeyedVectors                                            # doctest: +SKIP
    >>> from_gensim(KeyedVectors.load("vectors.kv")).save("vectors")                      # doctest: +SKIP

    The matrix is shared, not copied.
    """
    keyed = getattr(keyed, "wv", keyed)
    try:
        words, matrix = list(keyed.index_to_key), np.asarray(keyed.vectors)
    except AttributeError as error:
        raise InputError(f"{type(keyed).__name__} is not a KeyedVectors: it has no {error.name}") from error
    # Rows that were made in advance and have no word yet.
    rows = [row for row, word in enumerate(words) if word is not None]
    if not all(isinstance(words[row], str) for row in rows):
        raise InputError("these KeyedVectors have keys that are not text; word vectors need words")
    if matrix.dtype.name not in FLOATS:
        matrix = matrix.astype(np.float32)
    counts = getattr(keyed, "expandos", {}).get("count")
    if len(rows) == len(matrix):
        return WordVectors(words, matrix, counts)
    return WordVectors([words[row] for row in rows], matrix[rows], None if counts is None else counts[rows])
