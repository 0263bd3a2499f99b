"""What the closed form is made of: for each word the sum of its contexts, and the moments of all contexts.

Several students may rest on the sums of one view: they are gathered once for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.rows import add_rows
from wordstill.kernels.windows import window_borders, window_means
from wordstill.students.student import Brief, Contexts
from wordstill.teacher.batch import Batch

View = Literal["sentence", "pieces", "window"]
# Contexts whose products are added up at once: a batch has a few hundred, too few for what each addition costs.
BLOCK = 1024


class ContextSums:
    """Counts, a sum per word and one d x d matrix: exact, and added up over the parts of a corpus."""

    arrays = ("sums", "seen", "contexts", "origin", "total", "products", "waiting", "filled")

    def __init__(self, brief: Brief, view: View, window: int) -> None:
        self.layer, self.view, self.window = brief.layer, view, window
        self.users = 0
        self.sums = np.zeros((len(brief.vocabulary), brief.width), dtype=np.float32)
        self.seen = np.zeros(len(brief.vocabulary), dtype=np.int64)
        self.contexts = np.zeros(1, dtype=np.int64)
        # Where moments are taken from: the mean of the first batch. Contexts have a large mean in common. Seen from
        # near it they are small, and single precision, which is much faster, loses nothing that matters.
        self.origin = np.zeros(brief.width, dtype=np.float32)
        self.total = np.zeros(brief.width)
        self.products = np.zeros((brief.width, brief.width))
        # Contexts, seen from the origin, that are not in the moments yet, and how many there are.
        self.waiting = np.zeros((BLOCK, brief.width), dtype=np.float32)
        self.filled = np.zeros(1, dtype=np.int64)
        # What was added last: each of the students that share these sums brings it.
        self._last: Batch | ContextSums | None = None

    def observe(self, batch: Batch) -> None:
        """Add the contexts of a batch, whichever student shows it first."""
        if batch is self._last:
            return
        self._last = batch
        if self.view != "window":
            means = batch.sentence_means(self.layer) if self.view == "sentence" else batch.pieces[self.layer]
            self.add(Contexts(means, batch.words, batch.sentences))
            return
        low, high = window_borders(batch.sentences, batch.positions, self.window)
        occupied = np.flatnonzero(high - low > 1)
        means = window_means(batch.layers[self.layer], low, high, occupied)
        self.add(Contexts(means, batch.words[occupied], np.arange(len(occupied))))

    def add(self, contexts: Contexts) -> None:
        """Add contexts and the words seen in them."""
        add_rows(self.sums, contexts.words, contexts.vectors, contexts.owners)
        np.add.at(self.seen, contexts.words[contexts.words >= 0], 1)
        vectors = contexts.vectors
        if not len(vectors):
            return
        if not self.contexts[0]:
            self.origin = vectors.mean(axis=0)
        self.contexts += len(vectors)
        spread = vectors - self.origin
        while len(spread):
            filled = int(self.filled[0])
            some, spread = np.split(spread, [BLOCK - filled])
            self.waiting[filled : filled + len(some)] = some
            self.filled += len(some)
            if self.filled[0] == BLOCK:
                self._add_up()

    def _add_up(self) -> None:
        block = self.waiting[: int(self.filled[0])]
        self.total += block.sum(axis=0, dtype=np.float64)
        self.products += block.T @ block
        self.filled[0] = 0

    def moments(self) -> tuple[Array, Array]:
        """The mean and the covariance of all contexts."""
        self._add_up()
        number = max(1, int(self.contexts[0]))
        offset = self.total / number
        return self.origin + offset, self.products / number - np.outer(offset, offset)

    def merge(self, other: ContextSums, rows: Array) -> None:
        """Add what was seen in another part of the corpus, whichever student brings it first."""
        if other is self._last:
            return
        self._last = other
        self._add_up()
        other._add_up()
        if not self.contexts[0]:
            self.origin = other.origin
        # The other's moments as seen from here.
        number = int(other.contexts[0])
        moved = other.origin.astype(np.float64) - self.origin
        across = np.outer(other.total, moved)
        add_rows(self.sums, rows, other.sums, np.arange(len(rows)))
        self.seen[rows] += other.seen
        self.contexts += number
        self.total += other.total + number * moved
        self.products += other.products + across + across.T + number * np.outer(moved, moved)

    def give_up(self) -> None:
        """Let the words' sums go, if nobody else rests on them: they are as large as a student's vectors."""
        if self.users <= 1:
            self.sums = self.sums[:0].copy()

    def state_dict(self) -> dict[str, Array]:
        """All of it."""
        return {name: getattr(self, name) for name in self.arrays}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state."""
        for name in self.arrays:
            setattr(self, name, np.array(state[name]))


def context_sums(brief: Brief, view: View, window: int) -> ContextSums:
    """The sums of a view, shared by all students of a run that ask for the same."""
    key = (view, window if view == "window" else 0, brief.layer)
    sums: ContextSums = brief.shared.setdefault(key, ContextSums(brief, view, window))
    sums.users += 1
    return sums
