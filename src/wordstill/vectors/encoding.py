"""Sentence vectors: the mean of the rows of a text's words, a batch of texts at a time. numpy alone."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from wordstill.arrays import Array, unit_rows
from wordstill.errors import InputError
from wordstill.vectors.oov import answer, rules_of
from wordstill.vectors.text_words import UNKNOWN, TextWords

if TYPE_CHECKING:
    from wordstill.vectors.word_vectors import Oov, WordVectors

BATCH = 1024
# A batch is full at so many characters too: a few long texts make many words.
BATCH_CHARACTERS = 1 << 20
# Rows that are gathered at a time: what they take stays in the processor's cache.
_BLOCK_ROWS = 1024


class Encoder:
    """Turns texts into vectors, and keeps what it learns of their pieces for the next ones.

    vectors    the words and their rows
    weights    one number per word by which its row is multiplied; without it rows count as they are
    oov        what may answer for a word without a vector: "case", "pieces", "subwords"
    known_only whether the mean is over the words that have a vector; else a word without one counts as zeros
    outside    by what rows outside the table, of pieces and answers, are multiplied
    """

    def __init__(
        self,
        vectors: WordVectors,
        weights: Array | None = None,
        oov: Oov = None,
        known_only: bool = False,
        outside: float = 1.0,
    ) -> None:
        self.vectors, self.weights, self.known_only = vectors, weights, known_only
        self.oov = rules_of(oov)
        self.dtype = np.result_type(np.float32, vectors.matrix.dtype)
        self._words = TextWords(vectors, self._answer if self.oov else None)
        none = np.zeros((0, vectors.vector_size), dtype=np.float32)
        self._pieces: Array = none if vectors.pieces is None else vectors.pieces.matrix
        self._outside = np.float32(outside)
        if outside != 1.0:
            self._pieces = self._pieces * self._outside
        self._answers: list[Array] = []
        self._answered: dict[str, int] = {}
        # What is kept of pieces and answers belongs together; threads may share an encoder.
        self._lock = threading.Lock()

    def batches(self, texts: Iterable[str], batch_size: int = BATCH, normalize: bool = False) -> Iterator[Array]:
        """Yield one matrix per batch of texts; no more than a batch of texts is held at a time."""
        if batch_size < 1:
            raise InputError(f"batch_size must be at least 1, not {batch_size}")
        for batch in _batches(texts, batch_size):
            with self._lock:
                means = self._means(batch)
            yield unit_rows(means) if normalize else means

    def _means(self, texts: list[str]) -> Array:
        """Return the mean of each text's rows; zeros for a text without a known word."""
        found = [self._words.rows(text) for text in texts]
        lengths = np.fromiter(map(len, found), np.int64, len(found))
        rows = np.fromiter(chain.from_iterable(found), np.int64, int(lengths.sum()))
        means = self._sums(rows, lengths)
        if self.known_only:
            lengths = _counts(rows != UNKNOWN, lengths)
        means /= np.maximum(lengths, 1)[:, None].astype(self.dtype)
        if self._words.forget():
            self._answers, self._answered = [], {}
        return means

    def _sums(self, rows: Array, lengths: Array) -> Array:
        sums = np.zeros((len(lengths), self.vectors.vector_size), dtype=self.dtype)
        size = len(self.vectors)
        if (rows >= size).any():
            texts, outside = np.repeat(np.arange(len(lengths)), lengths), rows - size
            pieces = np.flatnonzero((outside >= 0) & (outside < len(self._pieces)))
            _add_rows(sums, texts[pieces], self._pieces, outside[pieces])
            answered = np.flatnonzero(outside >= len(self._pieces))
            for text, row in zip(texts[answered], outside[answered], strict=True):
                sums[text] += self._answers[row - len(self._pieces)]
        known = (rows >= 0) & (rows < size)
        if not known.all():
            lengths = _counts(known, lengths)
            rows = rows[known]
        matrix, weights = self.vectors.matrix, self.weights
        ends = list(accumulate(lengths.tolist()))
        for text, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            for first in range(start, end, _BLOCK_ROWS):
                chosen = rows[first : min(end, first + _BLOCK_ROWS)]
                gathered = matrix.take(chosen, axis=0)
                if weights is None:
                    sums[text] += np.add.reduce(gathered, axis=0, dtype=self.dtype)
                else:
                    sums[text] += weights[chosen] @ gathered
        return sums

    def _answer(self, word: str) -> int:
        """Return the row of what answers for a word outside the table: behind all others."""
        row = self._answered.get(word)
        if row is None:
            found = answer(self.vectors, word, self.oov)
            behind = len(self.vectors) + len(self._pieces) + len(self._answers)
            row = self._answered[word] = UNKNOWN if found is None else behind
            if found is not None:
                self._answers.append(found[0] * self._outside)
        return row


def _add_rows(sums: Array, places: Array, table: Array, rows: Array) -> None:
    """Add rows of a table to the sums at places that are in order: the first row of each place, then the second, ..."""
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    counts = np.diff(starts, append=len(places))
    number = 0
    while len(starts):
        sums[places[starts]] += table[rows[starts + number]]
        number += 1
        starts, counts = starts[counts > number], counts[counts > number]


def _counts(chosen: Array, lengths: Array) -> Array:
    """Count the chosen words of each text."""
    before = np.concatenate([[0], np.cumsum(chosen)])
    ends = np.cumsum(lengths)
    return np.asarray(before[ends] - before[ends - lengths])


def _batches(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    batch: list[str] = []
    characters = 0
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"text {number} is no string but of type {type(text).__name__}; give texts")
        batch.append(text)
        characters += len(text)
        if len(batch) == size or characters > BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
