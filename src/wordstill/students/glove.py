"""glove: words whose vectors tell how often they stand near each other (Pennington, Socher and Manning 2014).

X_ij adds up 1/distance over all places where i and j stand up to `window` words apart in a sentence. The tables w and
c and the biases b and d make least

    sum over pairs with X_ij > 0 of  f(X_ij) (w_i . c_j + b_i + d_j - log X_ij)^2 / 2,   f(x) = min(1, (x / x_max)^0.75)

by AdaGrad with a rate per number, as in the original: its sums of squares start at 1 and are of steps, not of slopes.
The vectors are w + c. Words outside the vocabulary are left out of sentences before distances are taken.
`preset=paper` has the paper's x_max of 100. The default is for little text, where hardly a pair is counted a hundred
times; it was found by a search.

Memory is bounded. If all pairs may not fit into `pairs`, they are shared out to parts by their hash. An epoch then
goes through the parts one after the other: a replay of the text counts the pairs of a part, the next one learns from
them, a share of the pairs with each block. If they fit, they are counted once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.cooccurrence import EMPTY, FULL, Parameters, count_pairs, fill_table, fit_pairs
from wordstill.kernels.sampling import generator
from wordstill.options import setting
from wordstill.students import from_words, replaying
from wordstill.students.from_words import FromWords
from wordstill.students.replaying import ReplaySettings
from wordstill.students.student import Brief, seen_vectors
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class GloveSettings(ReplaySettings):
    """All that the method leaves open."""

    owner = "glove"

    dimensions: int = from_words.DIMENSIONS(300)
    window: int = setting(10, "words to each side", low=1, high=1000)
    epochs: int = replaying.EPOCHS(25)
    learning_rate: float = replaying.LEARNING_RATE(0.05)
    x_max: float = setting(20.0, "pairs that are counted so often have the full weight", low=1e-9)
    power: float = setting(0.75, "how the weight of a pair grows with its count", low=0)
    pairs: int = setting(50_000_000, "pairs held in memory at once, of 12 bytes each, or 16 to 46 in a count", low=1)

    @staticmethod
    def presets() -> dict[str, GloveSettings]:
        """`small`, the default, for 1 to 20 million words; `paper` for billions."""
        return {"small": GloveSettings(), "paper": GloveSettings(x_max=100.0)}


class Glove(FromWords):
    """The tables w and c of the equation above."""

    tables: ClassVar[tuple[str, ...]] = ("table", "contexts", "biases", "squares", "context_squares", "bias_squares")
    counted: ClassVar[tuple[str, ...]] = ("first", "second", "counts")
    arrays = (*FromWords.arrays, *tables[1:], *counted)
    settings: GloveSettings

    def __init__(self, brief: Brief, settings: GloveSettings) -> None:
        super().__init__(brief, settings, settings.dimensions)
        self.parts = max(1, math.ceil(self._most_pairs() / settings.pairs))
        # With one part its pairs are counted once; with several each is counted in every epoch.
        replays = 1 + settings.epochs if self.parts == 1 else 2 * self.parts * settings.epochs
        self.needs = replace(self.needs, replays=replays)
        none = np.zeros((0, settings.dimensions), dtype=np.float32)
        self.contexts, self.squares, self.context_squares = none, none, none
        self.biases, self.bias_squares = (np.zeros((2, 0), dtype=np.float32) for _ in range(2))
        self.first, self.second = (np.zeros(0, dtype=np.int32) for _ in range(2))
        self.counts = np.zeros(0, dtype=np.float32)
        self._keys, self._values, self._used = np.full(1024, EMPTY), np.zeros(1024), 0

    def _most_pairs(self) -> float:
        """A bound on the number of distinct pairs: a word has no more than its occurrences and the vocabulary allow."""
        size, counts = len(self.brief.vocabulary), self.brief.vocabulary.counts
        return float(np.minimum(2.0 * self.settings.window * counts, size).sum() / 2.0)

    def make_table(self) -> None:
        """Start all at random, and the sums of squares at 1."""
        size = len(self.brief.vocabulary)
        both = self.random_rows(2 * size)
        both *= np.float32(0.5)
        self.table, self.contexts = both[:size].copy(), both[size:].copy()
        self.squares, self.context_squares = (np.ones_like(self.table) for _ in range(2))
        random = generator(self.brief.seed, 1)
        self.biases = ((random.random((2, size)) - 0.5) / self.dimensions).astype(np.float32)
        self.bias_squares = np.ones((2, size), dtype=np.float32)

    def learn(self, batch: Batch) -> None:
        """Count the pairs of a block, or learn from a share of those that are counted."""
        total, before = int(self.done[0]), int(self.done[2])
        self.next_step(len(batch.words))
        replay, begin = divmod(before, total)
        end = begin + len(batch.words)
        counting = replay == 0 if self.parts == 1 else replay % 2 == 0
        if not counting:
            low, high = len(self.first) * begin // total, len(self.first) * end // total
            self._fit(slice(low, high), len(batch.words))
            return
        if begin == 0:
            self._empty_table(1024)
            self.first, self.second, self.counts = self.first[:0], self.second[:0], self.counts[:0]
        self._count(batch, replay // 2 % self.parts)
        if end == total:
            self._take_pairs(generator(self.brief.seed, 3, replay))

    def _empty_table(self, size: int) -> None:
        self._keys, self._values, self._used = np.full(size, EMPTY), np.zeros(size), 0

    def _count(self, batch: Batch, part: int) -> None:
        starts = np.append(batch.sentence_starts, len(batch.words))
        at = 0
        while True:
            self._used, at = count_pairs(
                self._keys, self._values, self._used, batch.words, starts, at, self.settings.window, self.parts, part
            )
            if at == len(starts) - 1:
                return
            keys, values, used = self._keys, self._values, self._used
            self._empty_table(2 * len(keys))
            fill_table(self._keys, self._values, keys, values)
            self._used = used

    def _take_pairs(self, random: np.random.Generator) -> None:
        """Take the pairs out of the hash table, in a random order that does not depend on the table's size."""
        there = np.flatnonzero(self._keys != EMPTY)
        there = there[np.argsort(self._keys[there])]
        there = there[random.permutation(len(there))]
        keys = self._keys[there]
        self.first = (keys >> np.uint64(32)).astype(np.int32)
        self.second = (keys & np.uint64(0xFFFFFFFF)).astype(np.int32)
        self.counts = self._values[there].astype(np.float32)
        self._empty_table(1024)

    def _fit(self, part: slice, words: int) -> None:
        settings = self.settings
        parameters = Parameters(
            self.table, self.contexts, self.biases, self.squares, self.context_squares, self.bias_squares
        )
        pairs = (self.first[part], self.second[part], self.counts[part])
        loss, steps = fit_pairs(parameters, *pairs, settings.x_max, settings.power, settings.learning_rate)
        self.curve.add(loss, steps, words / self.parts)

    def vectors(self) -> WordVectors:
        """w + c, for the words that were seen."""
        if not self.begun:
            self.begin(None)
        return seen_vectors(self.brief.vocabulary, self.table + self.contexts, self.seen, **self.card)

    def state_dict(self) -> dict[str, Array]:
        """The tables, the pairs, and the count under way."""
        there = np.flatnonzero(self._keys != EMPTY)
        return super().state_dict() | {"keys": self._keys[there], "values": self._values[there]}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""
        super().load_state_dict(state)
        keys, values = np.array(state["keys"]), np.array(state["values"])
        size = 1024
        while len(keys) > FULL * size:
            size *= 2
        self._empty_table(size)
        fill_table(self._keys, self._values, keys, values)
        self._used = len(keys)
