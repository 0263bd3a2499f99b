"""alone: a word encoded by itself, between the special tokens ("BERT_word" in the papers' tables).

    u_w = M_l(w)

No corpus is needed but for the vocabulary: words of a list, never seen in any text, have a vector too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from wordstill.arrays import Array
from wordstill.options import Options
from wordstill.students.student import Brief, Needs, Student, seen_vectors
from wordstill.teacher.batch import TABLE, Batch
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class AloneSettings(Options):
    """Nothing is left open."""


class Alone(Student):
    """What the teacher says of each word by itself."""

    name = "alone"

    def __init__(self, brief: Brief, settings: object) -> None:
        self.brief = brief
        self.needs = self.needs_of(settings, brief.layer)
        self.matrix = np.zeros((len(brief.vocabulary), 0), dtype=np.float32)
        self.seen = np.zeros(len(brief.vocabulary), dtype=np.int64)

    @classmethod
    def needs_of(cls, settings: object, layer: int) -> Needs:
        """Each word of the vocabulary by itself."""
        return Needs("alone", (layer,))

    def observe(self, batch: Batch) -> None:
        """Take the words' vectors as they are."""
        self._take(batch.words, batch.layers[self.needs.layers[0]])

    def _take(self, rows: Array, vectors: Array) -> None:
        if not self.matrix.shape[1]:  # input embeddings can be narrower than the teacher's layers
            self.matrix = np.zeros((len(self.seen), vectors.shape[1]), dtype=np.float32)
        self.matrix[rows] = vectors
        self.seen[rows] = 1

    def merge(self, other: Alone, rows: Array) -> None:
        """Take over the vectors of other words."""
        known = other.seen > 0
        if known.any():
            self._take(rows[known], other.matrix[known])

    def vectors(self) -> WordVectors:
        """One vector per word."""
        card = {"student": self.name, **({} if self.needs.layers == (TABLE,) else {"layer": self.brief.layer})}
        return seen_vectors(self.brief.vocabulary, self.matrix, self.seen, **card)

    def state_dict(self) -> dict[str, Array]:
        """The vectors so far."""
        return {"matrix": self.matrix, "seen": self.seen}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from the vectors so far."""
        self.matrix, self.seen = np.array(state["matrix"]), np.array(state["seen"])
