"""aggregate: the mean of all contextual vectors of a word (Bommasani et al. 2020; "ASE", BERT_avg, GPT2_avg).

    u_w = 1/n_w  sum over the occurrences of w of  M_l(T, w)

at one layer l of the teacher; min and max over the occurrences instead of the mean are options. The state is
a count and a sum a word, so parts of a corpus can be observed apart and merged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.rows import add_rows, widen_rows
from wordstill.options import check_range
from wordstill.students.knowledge import word_means
from wordstill.students.student import Student, Task, seen_vectors
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class AggregateSettings:
    """How the vectors of a word's occurrences become one."""

    over_contexts: Literal["mean", "min", "max"] = "mean"
    knowledge: float = 10.0
    """How strongly words that a lexicon joins share their means; nothing without a lexicon."""

    def __post_init__(self) -> None:
        check_range("aggregate.knowledge", self.knowledge, 0.0)


class Aggregate(Student):
    """One layer's mean (or min, or max) over all occurrences of each word."""

    def __init__(self, task: Task, settings: AggregateSettings) -> None:
        self.task, self.settings = task, settings
        self.layers = (task.layer,)
        # All layers of a large teacher over a large vocabulary do not fit into memory.
        self.table = task.make_table(len(task.vocabulary), task.width)
        if settings.over_contexts != "mean":
            self.table[:] = np.inf if settings.over_contexts == "min" else -np.inf
        self.seen = np.zeros(len(task.vocabulary), dtype=np.int64)

    def observe(self, batch: Batch) -> None:
        """Add the words' vectors to their sums."""
        vectors = batch.layers[self.task.layer]
        if self.settings.over_contexts == "mean":
            add_rows(self.table, batch.words, vectors, np.arange(len(batch.words)))
        else:
            widen_rows(self.table, batch.words, vectors, 1.0 if self.settings.over_contexts == "max" else -1.0)
        np.add.at(self.seen, batch.words[batch.words >= 0], 1)

    def merge(self, other: Aggregate) -> None:
        """Add what another student saw in another part of the corpus."""
        if self.settings.over_contexts == "mean":
            self.table += other.table
        else:
            widest = np.maximum if self.settings.over_contexts == "max" else np.minimum
            self.table = widest(self.table, other.table)
        self.seen += other.seen

    def vectors(self) -> WordVectors:
        """One vector a word."""
        table = self.table
        if self.settings.over_contexts == "mean":
            table = word_means(table, self.seen, self.task.graph, self.settings.knowledge)
        card = {"student": "aggregate", "layer": self.task.layer, "student_settings": asdict(self.settings)}
        return seen_vectors(self.task.vocabulary, table, self.seen, **card)

    def state_dict(self) -> dict[str, Array]:
        """Sums and counts."""
        return {"table": self.table, "seen": self.seen}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from sums and counts."""
        self.table[:] = state["table"]
        self.seen = np.array(state["seen"])
