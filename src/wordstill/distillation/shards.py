"""A run is a fold over shards: stretches of the corpus, and stretches of the vocabulary whose words are encoded alone.

Where a shard begins and ends depends on the corpus and the settings alone, and what it contributes on the shard, the
vocabulary and the settings. So it does not matter which process does which shard, when, or how often one is begun
again: the contributions, added up in the order of the shards, give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.read import BEGINNING, Position
from wordstill.corpus.vocabulary import Vocabulary

# Words of the vocabulary that are encoded alone in one shard.
WORDS_ALONE = 16_384


@dataclass(frozen=True)
class Shard:
    """One part of the work."""

    number: int
    kind: Literal["text", "vocabulary"]
    first: int
    """The words of the corpus, or of the vocabulary, before it."""
    size: int
    """Its own words."""
    start: Position = BEGINNING
    end: Position = BEGINNING
    """Of a stretch of text: the positions before its first paragraph and behind its last."""

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"{self.number:06d}"


class Cutter:
    """Cuts a corpus into shards while it is counted, at the paragraph that reaches the size of a shard."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.shards: list[Shard] = []
        self._start = self._end = BEGINNING
        self._first = self._words = 0

    def add(self, paragraphs: Array) -> None:
        """Go on with paragraphs: rows of file, number, sentences and words, as `Segmented` has them."""
        while len(paragraphs):
            reached = self._words + np.cumsum(paragraphs[:, 3])
            taken = int(np.searchsorted(reached, self.size)) + 1  # the paragraph that reaches the size is the last
            done, paragraphs = paragraphs[:taken], paragraphs[taken:]
            self._words = int(reached[len(done) - 1])
            self._end = Position(*done[-1, :2].tolist())
            if self._words >= self.size:
                self._cut()

    def finish(self) -> list[Shard]:
        """Return all shards; the last one may be short."""
        if self._words:
            self._cut()
        return self.shards

    def _cut(self) -> None:
        self.shards.append(Shard(len(self.shards), "text", self._first, self._words, self._start, self._end))
        self._first, self._words, self._start = self._first + self._words, 0, self._end


def vocabulary_shards(vocabulary: Vocabulary, number: int) -> list[Shard]:
    """Cut the vocabulary into shards, numbered from `number` on."""
    firsts = range(0, len(vocabulary), WORDS_ALONE)
    return [
        Shard(number + place, "vocabulary", first, min(WORDS_ALONE, len(vocabulary) - first))
        for place, first in enumerate(firsts)
    ]


def shards_as_json(shards: Sequence[Shard]) -> list[list[int]]:
    """Return shards of text as JSON holds them."""
    return [[one.first, one.size, *_numbers(one.start), *_numbers(one.end)] for one in shards]


def shards_from_json(found: Sequence[Sequence[Any]]) -> list[Shard]:
    """Read what `shards_as_json` returned."""
    return [
        Shard(number, "text", first, size, Position(*start), Position(*end))
        for number, (first, size, *places) in enumerate(found)
        for start, end in [(places[:2], places[2:])]
    ]


def _numbers(position: Position) -> tuple[int, int]:
    return position.file, position.paragraph
