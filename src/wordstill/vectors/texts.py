"""Vectors of whole texts: the mean of the rows of a text's words, cut as a vectors folder's own tokenizer cuts them.

Words are found by wordstill's segmentation, lowercased where the vocabulary is, and phrases of the vocabulary are put
together. A word without a vector falls apart into pieces that have one, where the vectors have such (see `pieces.py`);
else it is left out. sentence-transformers and model2vec do the same with the tokenizer.json of the folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.vectors import WordVectors
from wordstill.vectors.pieces import cut_word


class TextVectors(NamedTuple):
    """One row per text, zeros for a text without any known word, and how many words each has, and has a vector for."""

    matrix: Array
    words: Array
    known: Array


def text_vectors(vectors: WordVectors, texts: Iterable[str]) -> TextVectors:
    """Return the mean of the vectors of each text's words.

    >>> import numpy as np
    >>> vectors = WordVectors(["sun", "moon"], np.array([[2.0, 0.0], [1.0, 1.0]]))
    >>> text_vectors(vectors, ["Sun, moon"]).matrix.tolist()
    [[1.5, 0.5]]
    """
    cut = TextCutter(vectors)
    means: list[Array] = []
    counts: list[tuple[int, int]] = []
    for text in texts:
        rows, pieces, words = cut(text)
        found = np.asarray(vectors.matrix[rows], dtype=np.float32)
        if pieces and vectors.pieces is not None:
            found = np.concatenate([found, vectors.pieces.matrix[pieces]])
        means.append(found.mean(axis=0) if len(found) else np.zeros(vectors.vector_size, dtype=np.float32))
        counts.append((words, len(rows)))
    told = np.array(counts, dtype=np.int64).reshape(-1, 2)
    matrix = np.stack(means) if means else np.zeros((0, vectors.vector_size), dtype=np.float32)
    return TextVectors(matrix, told[:, 0], told[:, 1])


class TextCutter:
    """Called on a text, returns the rows of its words, the numbers of its pieces, and how many words it has."""

    def __init__(self, vectors: WordVectors) -> None:
        from wordstill.corpus.segment import Segmenter, SegmentSettings
        from wordstill.corpus.vocabulary import Phrases

        self.rows = vectors.key_to_index
        self.pieces = vectors.pieces
        how = "whitespace" if card_setting(vectors.card, "words") == "whitespace" else "unicode"
        self.segmenter = Segmenter(SegmentSettings(words=how, sentences="line"))
        several = (word for word in vectors.words if not word.isalnum())
        self.phrases = Phrases.of(several, self.segmenter, is_lowercase(vectors))

    def __call__(self, text: str) -> tuple[list[int], list[int], int]:
        """Cut a text."""
        words = [word for sentence in self.segmenter(text) for word in self.phrases.read(sentence)[1]]
        rows: list[int] = []
        pieces: list[int] = []
        for word in words:
            row = self.rows.get(word)
            if row is None and self.pieces is not None:
                row, found = cut_word(word, self.rows, self.pieces.numbers)
                pieces += found
            if row is not None:
                rows.append(row)
        return rows, pieces, len(words)


def is_lowercase(vectors: WordVectors) -> bool:
    """Tell whether text is lowercased before its words are looked up."""
    told = card_setting(vectors.card, "lowercase")
    return told if isinstance(told, bool) else all(word == word.lower() for word in vectors.words)


def card_setting(card: Mapping[str, Any], name: str) -> Any:
    """Return the value of a setting in a card, wherever it is grouped; None where it is not told."""
    if name in card:
        return card[name]
    found = (card_setting(value, name) for value in card.values() if isinstance(value, Mapping))
    return next((value for value in found if value is not None), None)
