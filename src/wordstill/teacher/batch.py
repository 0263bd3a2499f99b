"""A batch: the words of some sentences, and what the teacher says of each. It is all that students see of a teacher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from wordstill.arrays import Array

# The number under which a batch holds the teacher's input embeddings, which come before layer 0.
TABLE = -1


@dataclass(frozen=True)
class Batch:
    """Flat arrays over the words of whole sentences; no padding, no Python object per word.

    words      vocabulary number, -1 outside the vocabulary
    sentences  number of the word's sentence in this batch: 0, 0, 0, 1, 1, ...
    positions  place of the word in its sentence (a gap: a word for which the teacher has no vector)
    layers     layer number -> float32 matrix of the words' contextual vectors
    pieces     layer number -> the mean over the pieces of each sentence, where a student asked for it
    parses     a row for each word: the position of its head in its sentence (-1: none), and the number of its relation
               to it; None where the text has no parses
    pooled     layer number -> each sentence pooled as the teacher itself says, where a student asked for it
    means      layer number -> the mean over the words of each sentence, once a student has asked for it
    """

    words: Array
    sentences: Array
    positions: Array
    layers: Mapping[int, Array] = field(default_factory=dict)
    pieces: Mapping[int, Array] = field(default_factory=dict)
    parses: Array | None = None
    pooled: Mapping[int, Array] = field(default_factory=dict)
    means: dict[int, Array] = field(default_factory=dict, repr=False)

    def renumbered(self, numbers: Array) -> Batch:
        """Return the batch with other numbers of its words, from a table whose last entry is that of -1."""
        return replace(self, words=numbers[self.words], means={})

    @cached_property
    def heads(self) -> Array:
        """The place of each word's head in the batch; -1 where it has none, or one that the teacher cannot read."""
        assert self.parses is not None
        size = int(max(self.positions.max(initial=0), self.parses[:, 0].max(initial=0))) + 1
        places = self.sentences.astype(np.int64) * size + self.positions  # they grow from word to word
        wanted = self.sentences.astype(np.int64) * size + self.parses[:, 0]
        found = np.minimum(np.searchsorted(places, wanted), len(places) - 1)
        return np.where((self.parses[:, 0] >= 0) & (places[found] == wanted), found, -1)

    @cached_property
    def sentence_starts(self) -> Array:
        """The first word of each sentence."""
        return np.concatenate([[0], np.flatnonzero(np.diff(self.sentences)) + 1])

    @cached_property
    def sentence_lengths(self) -> Array:
        """The number of words of each sentence."""
        return np.diff(self.sentence_starts, append=len(self.words))

    def sentence_means(self, layer: int) -> Array:
        """E(S): the mean over the words of each sentence, in or out of the vocabulary."""
        # Imported here: what only names the students must not wait for a compiler.
        from wordstill.kernels.windows import stretch_means

        if layer not in self.means:
            self.means[layer] = stretch_means(self.layers[layer], self.sentence_starts)
        return self.means[layer]
