"""The vectors of a data set's words, looked up once.

A word is looked up as every data set's words are (see `Space`). If it is not there:

- a clitic that the data set cut off is put back where the whole is known: do n't is don't, film 's is film's (texts
  only; tagged words keep their places);
- where the vectors bring a model of spellings, they answer themselves (`oov="case,pieces,subwords"`);
- else the word is a vector of zeros, as padding is.

With the origin "mean", the mean of the vectors of the data set's words is then subtracted from each of them: what they
all share says nothing of any, and a word without a vector, which is zeros, is the mean word. Last, all vectors are
multiplied by one number, so that the mean square of a coordinate is SCALE ** 2 over the words of the data set: learning
rates mean the same for vectors of any length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from wordstill.arrays import Array
from wordstill.evaluation.downstream.settings import OovRule, Origin
from wordstill.evaluation.space import Space

SCALE = 1.0
_CLITICS = ("'s", "'re", "'ve", "'ll", "'d", "'m", "n't", "'t")


@dataclass(frozen=True)
class WordTable:
    """Row 0 is zeros: padding, and words without a vector.

    rows    the row of every word of every text, part after part
    places  for each row, where the vectors themselves have it; -1 where a rule made it
    """

    matrix: Array
    rows: list[list[Array]]
    places: Array

    def coverage(self, part: int = -1) -> tuple[int, int]:
        """Return how many words a part has, and how many of them have a vector of their own."""
        own = self.places >= 0
        return sum(map(len, self.rows[part])), sum(int(own[row].sum()) for row in self.rows[part])


def look_up(
    space: Space,
    parts: Sequence[Sequence[Sequence[str]]],
    oov: OovRule,
    whole: bool = True,
    origin: Origin = "zero",
) -> WordTable:
    """Look up the words of all texts of all parts; with `whole`, clitics are put back."""
    known = _Known(space)
    known.add(word for part in parts for text in part for word in text)
    if whole:
        known.add(joined for part in parts for text in part for joined in _joined_pairs(text))
        parts = [[_whole(text, known) for text in part] for part in parts]
    words = list(dict.fromkeys(word for part in parts for text in part for word in text))
    matrix = np.zeros((len(words) + 1, space.matrix.shape[1]), dtype=np.float32)
    places = np.full(len(words) + 1, -1, dtype=np.int64)
    numbers = dict.fromkeys(words, 0)
    used = 1
    for word in words:
        row = known.rows[word]
        vector = space.matrix[row] if row >= 0 else space.answer(word) if oov == "own" else None
        if vector is not None:
            numbers[word], matrix[used], places[used] = used, vector, row
            used += 1
    rows = [[np.array([numbers[word] for word in text], dtype=np.int64) for text in part] for part in parts]
    matrix = matrix[:used]
    if origin == "mean" and used > 1:
        matrix[1:] -= matrix[1:].mean(axis=0, dtype=np.float64).astype(np.float32)
    return WordTable(_scaled(matrix), rows, places[:used])


class _Known:
    """The row of each word in the space, looked up once; -1 where it has none."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.rows: dict[str, int] = {}

    def add(self, words: Iterable[str]) -> None:
        new = list(dict.fromkeys(word for word in words if word not in self.rows))
        self.rows.update(zip(new, self.space.find(new).tolist(), strict=True))


def _cut_clitics(text: Sequence[str]) -> list[str]:
    """Join n and 't, which one of the sets cuts again."""
    words: list[str] = []
    for word in text:
        if word == "'t" and words and words[-1] == "n":
            words[-1] = "n't"
        else:
            words.append(word)
    return words


def _joined_pairs(text: Sequence[str]) -> Iterable[str]:
    words = _cut_clitics(text)
    yield from words
    for before, word in pairwise(words):
        if word in _CLITICS:
            yield before + word


def _whole(text: Sequence[str], known: _Known) -> list[str]:
    words: list[str] = []
    for word in _cut_clitics(text):
        if word in _CLITICS and words and known.rows[word] < 0 and known.rows.get(words[-1] + word, -1) >= 0:
            words[-1] += word
        else:
            words.append(word)
    return words


def _scaled(matrix: Array) -> Array:
    square = float(np.mean(matrix[1:].astype(np.float64) ** 2)) if len(matrix) > 1 else 0.0
    return matrix * np.float32(SCALE / np.sqrt(square)) if square > 0 else matrix
