"""closed: x2static's objective without gradient descent.

For fixed contexts the loss of x2static asks, for each word, for the linear separator between the contexts that
hold the word and contexts in general. With one covariance shared by all words that separator is known:

    u_w = A (m_w - m),    A = (S + r tr(S)/d I)^-p

m_w is the mean context over the occurrences of w; m and S are the mean and the covariance of all contexts.
p = 1 is Fisher's discriminant; p = 0.5 with r = 0.1 measures best. The state is counts, a sum a word and one
d x d matrix: exact, independent of the order, added up across machines, resumed for free.

A context is what the view says: `sentence`, E(S), the mean over the words of a sentence, as x2static has it; or
`window`, the mean over the words up to `window` places to each side, the word itself left out: the dynamic
skip-gram's objective (without its attention) solved the same way. A word that stands alone has no window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from wordstill.options import check_range
from wordstill.students.batch import Batch
from wordstill.students.knowledge import word_means
from wordstill.students.student import Contexts, Student, Task, seen_vectors
from wordstill.training.rows import add_rows
from wordstill.training.windows import window_borders, window_means
from wordstill.vectors import Array, WordVectors


@dataclass(frozen=True)
class ClosedSettings:
    """The power p and the ridge r of the formula above, and what a context is."""

    power: float = 0.5
    ridge: float = 0.1
    view: Literal["sentence", "window"] = "sentence"
    window: int = 5
    knowledge: float = 10.0
    """How strongly words that a lexicon joins share what was seen of them; nothing without a lexicon."""

    def __post_init__(self) -> None:
        check_range("closed.power", self.power, 0.0, 2.0)
        check_range("closed.ridge", self.ridge, 0.0)
        check_range("closed.window", self.window, 1)
        check_range("closed.knowledge", self.knowledge, 0.0)


class Closed(Student):
    """The discriminant of each word's sentences, or windows."""

    def __init__(self, task: Task, settings: ClosedSettings) -> None:
        self.task, self.settings = task, settings
        self.layers = (task.layer,)
        width = task.width
        self.sums = np.zeros((len(task.vocabulary), width), dtype=np.float32)
        self.seen = np.zeros(len(task.vocabulary), dtype=np.int64)
        # In double precision: the covariance is a small difference of large numbers.
        self.contexts = np.zeros(1, dtype=np.int64)
        self.origin = np.zeros(width, dtype=np.float32)  # sums are taken from here: the mean of the first batch
        self.total = np.zeros(width)
        self.products = np.zeros((width, width))

    def observe(self, batch: Batch) -> None:
        """Add the contexts of a batch to the sums of their words."""
        if self.settings.view == "sentence":
            self.add(Contexts(batch.sentence_means(self.task.layer), batch.words, batch.sentences))
            return
        low, high = window_borders(batch.sentences, batch.positions, self.settings.window)
        occupied = np.flatnonzero(high - low > 1)
        means = window_means(batch.layers[self.task.layer], low, high, occupied)
        self.add(Contexts(means, batch.words[occupied], np.arange(len(occupied))))

    def add(self, contexts: Contexts) -> None:
        """Add contexts and the words seen in them."""
        add_rows(self.sums, contexts.words, contexts.vectors, contexts.owners)
        np.add.at(self.seen, contexts.words[contexts.words >= 0], 1)
        number = len(contexts.vectors)
        if not number:
            return
        if not self.contexts[0]:
            self.origin = contexts.vectors.mean(axis=0)
        # Contexts have a large mean in common. Seen from near it they are small, and single precision, which is much
        # faster, loses nothing that matters.
        spread = contexts.vectors - self.origin
        self.contexts += number
        self.total += spread.sum(axis=0, dtype=np.float64)
        self.products += spread.T @ spread

    def merge(self, other: Closed) -> None:
        """Add what another student saw in another part of the corpus."""
        if not self.contexts[0]:
            self.origin = other.origin
        # The other's sums as seen from here.
        number = int(other.contexts[0])
        moved = other.origin.astype(np.float64) - self.origin
        across = np.outer(other.total, moved)
        self.sums += other.sums
        self.seen += other.seen
        self.contexts += number
        self.total += other.total + number * moved
        self.products += other.products + across + across.T + number * np.outer(moved, moved)

    def spectrum(self) -> tuple[Array, Array, Array]:
        """m, and S + r tr(S)/d I as its eigenvalues, ascending (none: all contexts are one), and eigenvectors."""
        number = max(1, int(self.contexts[0]))
        offset = self.total / number
        mean = self.origin + offset
        covariance = self.products / number - np.outer(offset, offset)
        values, directions = np.linalg.eigh(covariance)
        trace = float(values.sum())
        if trace <= 1e-12 * float(mean @ mean):
            return mean, values[:0], directions
        # Rounding can leave eigenvalues a little below zero; without a ridge they need a floor to divide by.
        return mean, np.maximum(values, 1e-12 * trace) + self.settings.ridge * trace / len(values), directions

    def mean_and_map(self) -> tuple[Array, Array]:
        """m and A of the formula above."""
        mean, values, directions = self.spectrum()
        if not len(values):  # there is nothing to tell apart
            return mean, np.zeros_like(directions)
        return mean, (directions * values**-self.settings.power) @ directions.T

    def word_means(self) -> Array:
        """m_w of every word; with a lexicon, what it shares with its neighbors."""
        return word_means(self.sums, self.seen, self.task.graph, self.settings.knowledge)

    def give_up(self, mean: Array, map_: Array) -> Array:
        """map (m_w - m) for each word, zero for words never seen; the sums, as large as the result, are gone then."""
        means = self.word_means()
        self.sums = self.sums[:0].copy()
        means -= mean.astype(np.float32)
        means[self.seen == 0] = 0.0
        table: Array = means @ map_.T.astype(np.float32)
        return table

    def vectors(self) -> WordVectors:
        """The separator of each word."""
        mean, map_ = self.mean_and_map()
        matrix = (self.word_means() - mean.astype(np.float32)) @ map_.astype(np.float32)
        card = {"student": "closed", "layer": self.task.layer, "student_settings": asdict(self.settings)}
        return seen_vectors(self.task.vocabulary, matrix, self.seen, **card)

    def state_dict(self) -> dict[str, Array]:
        """Counts, sums and the matrix of products."""
        return {
            "sums": self.sums,
            "seen": self.seen,
            "contexts": self.contexts,
            "origin": self.origin,
            "total": self.total,
            "products": self.products,
        }

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from counts, sums and products."""
        for name in self.state_dict():
            setattr(self, name, np.array(state[name]))
