"""Vectors of whole texts with what they cover: how many words a text has, and how many of them have a vector."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.vectors import WordVectors
from wordstill.vectors.encoding import Encoder
from wordstill.vectors.text_words import UNKNOWN, TextWords


class TextVectors(NamedTuple):
    """One row per text, zeros for a text without any known word, and how many words each has, and has a vector for."""

    matrix: Array
    words: Array
    known: Array


def text_vectors(vectors: WordVectors, texts: Iterable[str]) -> TextVectors:
    """Return the mean of the vectors of each text's words; what has no vector, and no pieces that have, is left out.

    >>> import numpy as np
    >>> vectors = WordVectors(["sun", "moon"], np.array([[2.0, 0.0], [1.0, 1.0]]))
    >>> text_vectors(vectors, ["Sun, moon"]).matrix.tolist()
    [[1.5, 0.5]]
    """
    texts = list(texts)
    made = list(Encoder(vectors, known_only=True).batches(texts))
    words = TextWords(vectors, pieces=False)
    counts = [(len(rows), len(rows) - rows.count(UNKNOWN)) for rows in map(words.rows, texts)]
    told = np.array(counts, dtype=np.int64).reshape(-1, 2)
    matrix = np.concatenate(made) if made else np.zeros((0, vectors.vector_size), dtype=np.float32)
    return TextVectors(matrix, told[:, 0], told[:, 1])
