"""closed: x2static's objective without gradient descent.

For fixed contexts the loss of x2static asks, for each word, for the linear separator between the contexts that
hold the word and contexts in general. With one covariance shared by all words that separator is known:

    u_w = A (m_w - m),    A = (S + r tr(S)/d I)^-p

m_w is the mean context over the occurrences of w; m and S are the mean and the covariance of all contexts.
p = 1 is Fisher's discriminant; p = 0.5 with r = 0.1 measures best. The state is counts, a sum per word and one
d x d matrix: exact, and added up over the parts of a corpus.

A context is what the view says: `sentence`, E(S), the mean over the words of a sentence, as x2static has it; `pieces`,
the mean over its pieces (x2static's `variant=pieces`); or `window`, the mean over the words up to `window` places to
each side, the word itself left out: the dynamic skip-gram's objective (without its attention) solved the same way. A
word that stands alone has no window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from wordstill.arrays import Array
from wordstill.options import Options, setting
from wordstill.students.context_sums import View, context_sums
from wordstill.students.knowledge import word_means
from wordstill.students.student import Brief, Needs, Shown, Student, seen_vectors
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class ClosedSettings(Options):
    """The power p and the ridge r of the formula above, and what a context is."""

    owner = "closed"

    power: float = setting(0.5, "p of the formula: how far directions are evened out", low=0, high=2)
    ridge: float = setting(0.1, "r of the formula: keeps narrow directions from being blown up", low=0)
    view: View = setting("sentence", "what a context is")
    window: int = setting(5, "words to each side, for view=window", low=1, high=1000)
    knowledge: float = setting(10.0, "how strongly words that a lexicon joins share what was seen of them", low=0)


class Closed(Student):
    """The discriminant of each word's sentences, or windows."""

    def __init__(self, brief: Brief, settings: ClosedSettings) -> None:
        self.brief, self.settings = brief, settings
        self.needs = self.needs_of(settings, brief.layer)
        self.gathered = context_sums(brief, settings.view, settings.window)

    @classmethod
    def needs_of(cls, settings: ClosedSettings, layer: int) -> Needs:
        """Sentences, pieces or windows, as the view says, at one layer."""
        shown: dict[View, Shown] = {"sentence": "sentences", "pieces": "pieces", "window": "windows"}
        return Needs(shown[settings.view], (layer,))

    def observe(self, batch: Batch) -> None:
        """Add the contexts of a batch to the sums of their words."""
        self.gathered.observe(batch)

    def merge(self, other: Closed, rows: Array) -> None:
        """Add what another student saw in another part of the corpus."""
        self.gathered.merge(other.gathered, rows)

    def spectrum(self) -> tuple[Array, Array, Array]:
        """m, and S + r tr(S)/d I as its eigenvalues, ascending (none: all contexts are one), and eigenvectors."""
        mean, covariance = self.gathered.moments()
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
        return word_means(self.gathered.sums, self.gathered.seen, self.brief.graph, self.settings.knowledge)

    def give_up(self, mean: Array, map_: Array) -> Array:
        """map (m_w - m) for each word, zero for words never seen; the sums are given up."""
        means = self.word_means()
        self.gathered.give_up()
        means -= mean.astype(np.float32)
        means[self.gathered.seen == 0] = 0.0
        table: Array = means @ map_.T.astype(np.float32)
        return table

    def vectors(self) -> WordVectors:
        """The separator of each word."""
        mean, map_ = self.mean_and_map()
        matrix = (self.word_means() - mean.astype(np.float32)) @ map_.astype(np.float32)
        card = {"student": "closed", "layer": self.brief.layer, "student_settings": asdict(self.settings)}
        return seen_vectors(self.brief.vocabulary, matrix, self.gathered.seen, **card)

    def state_dict(self) -> dict[str, Array]:
        """Counts, sums and the matrix of products."""
        return self.gathered.state_dict()

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from counts, sums and products."""
        self.gathered.load_state_dict(state)
