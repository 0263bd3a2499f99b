"""aggregate: the mean of all contextual vectors of a word (Bommasani et al. 2020; "ASE", BERT_avg, GPT2_avg).

    u_w = 1/n_w  sum over the occurrences of w of  M_l(T, w)

at one layer l of the teacher; min and max over the occurrences instead of the mean are options. The state is
a count and a sum per word, so parts of a corpus can be observed apart and merged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.rows import add_rows, widen_rows
from wordstill.options import Options, setting
from wordstill.students.knowledge import word_means
from wordstill.students.student import Brief, Needs, Student, seen_vectors
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class AggregateSettings(Options):
    """How the vectors of a word's occurrences become one."""

    owner = "aggregate"

    over_contexts: Literal["mean", "min", "max"] = setting("mean", "how the occurrences of a word become one vector")
    knowledge: float = setting(10.0, "how strongly words that a lexicon joins share their means", low=0)


class Aggregate(Student):
    """One layer's mean (or min, or max) over all occurrences of each word."""

    def __init__(self, brief: Brief, settings: AggregateSettings) -> None:
        self.brief, self.settings = brief, settings
        self.needs = self.needs_of(settings, brief.layer)
        # All layers of a large teacher over a large vocabulary do not fit into memory.
        self.table = brief.make_table(len(brief.vocabulary), brief.width)
        if settings.over_contexts != "mean":
            self.table[:] = np.inf if settings.over_contexts == "min" else -np.inf
        self.seen = np.zeros(len(brief.vocabulary), dtype=np.int64)

    @classmethod
    def needs_of(cls, settings: AggregateSettings, layer: int) -> Needs:
        """The words' vectors at one layer."""
        return Needs("words", (layer,))

    def observe(self, batch: Batch) -> None:
        """Add the words' vectors to their sums."""
        vectors = batch.layers[self.brief.layer]
        if self.settings.over_contexts == "mean":
            add_rows(self.table, batch.words, vectors, np.arange(len(batch.words)))
        else:
            widen_rows(self.table, batch.words, vectors, 1.0 if self.settings.over_contexts == "max" else -1.0)
        np.add.at(self.seen, batch.words[batch.words >= 0], 1)

    def merge(self, other: Aggregate, rows: Array) -> None:
        """Add what another student saw in another part of the corpus."""
        if self.settings.over_contexts == "mean":
            add_rows(self.table, rows, other.table, np.arange(len(rows)))
        else:
            widen_rows(self.table, rows, other.table, 1.0 if self.settings.over_contexts == "max" else -1.0)
        self.seen[rows] += other.seen

    def vectors(self) -> WordVectors:
        """One vector per word."""
        table = self.table
        if self.settings.over_contexts == "mean":
            table = word_means(table, self.seen, self.brief.graph, self.settings.knowledge)
        card = {"student": "aggregate", "layer": self.brief.layer, "student_settings": asdict(self.settings)}
        return seen_vectors(self.brief.vocabulary, table, self.seen, **card)

    def state_dict(self) -> dict[str, Array]:
        """Sums and counts."""
        return {"table": self.table, "seen": self.seen}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from sums and counts."""
        self.table[:] = state["table"]
        self.seen = np.array(state["seen"])
