"""Words that the corpus lacks, or has rarely: what the teacher says of a word alone, mapped into a student's space.

    p_w = W x_w,    x_w = M_0(w) | M_l(w)

x_w is the word encoded by itself, at the first layer and the one that is learned from; W is a ridge regression on the
words that were seen, its strength chosen on a fifth of them that is held out. A word that was never seen gets p_w,
blended with what a model of spellings (see `subwords.py`) says, in shares that the same fifth decides. A word seen n
times gets

    u_w = (n s_w + k p_w) / (n + k)

s_w being what was seen. On the words held out |s_w - p_w|^2 is t^2 + r^2 / n: t is how far predictions are off, r how
far one occurrence is. Least squares find both, and the best mixture has k = r^2 / t^2. Frequent words keep what was
seen of them. A residual's best weight in the regression is one over its variance, n / (n + k); there k is the same for
all students (see `regression.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from wordstill.arrays import Array, unit_rows
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.regression import BLOCK, Linear, Regressions, blocks, climb
from wordstill.students.student import Brief, Needs
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors
from wordstill.vectors.subwords import Subwords, fit_subwords

Rare: TypeAlias = Literal["mix", "leave"]

# Ridges in units of the mean variance of a feature.
RIDGES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
START = 3  # the place to climb from
SHARES = (0.0, 0.1, 0.2, 0.3)  # of the spelling in a prediction
HELD_OUT = 5  # every fifth word
FIRST_MIX = 10.0  # k, before there is a better one
SHARED_MIX = 20.0  # k in the weights of the regression, for all students: theirs are 2 to 50
LARGEST_MIX = 1000.0
# Fewer seen words are no evidence of how to mix, nor more than so many any more of it.
FEWEST, MOST = 500, 100_000
WIDEST = 4096  # columns to regress on: solving takes their number to the third


class AloneFeatures:
    """What the teacher says of each word alone, at two layers side by side: x_w above."""

    def __init__(self, brief: Brief, layer: int) -> None:
        """`layer` is the one that students learn from."""
        self.layers = (0, layer) if layer and 2 * brief.width <= WIDEST else (layer,)
        self.needs = Needs("alone", self.layers)
        self.columns = len(self.layers) * brief.width
        self.make_table, self.rows = brief.make_table, len(brief.vocabulary)
        self.features = np.zeros((0, self.columns), dtype=np.float32)
        self.known = np.zeros(self.rows, dtype=bool)

    def observe(self, batch: Batch) -> None:
        """Take the words' vectors, layer beside layer."""
        self._make()
        for layer, part in zip(self.layers, np.split(self.features, len(self.layers), axis=1), strict=True):
            part[batch.words] = batch.layers[layer]
        self.known[batch.words] = True

    def merge(self, other: AloneFeatures, rows: Array) -> None:
        """Take over the features of other words."""
        if other.known.any():
            self._make()
            self.features[rows[other.known]] = other.features[other.known]
            self.known[rows[other.known]] = True

    def _make(self) -> None:
        if not len(self.features):  # not before they are needed: checkpoints of the teacher's pass stay small
            self.features = self.make_table(self.rows, self.columns)

    def state_dict(self) -> dict[str, Array]:
        """Return the features so far."""
        return {"features": self.features, "known": self.known}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from the features so far."""
        if len(state["features"]):
            self._make()
            self.features[:] = state["features"]
        self.known = np.array(state["known"])


def rare_words_wanted(rare: Rare, vocabulary: Vocabulary) -> bool:
    """Tell whether words are to be encoded alone for students that learn from text: rare ones, or ones never seen."""
    enough = rare == "mix" and len(vocabulary) >= FEWEST
    return enough or not bool(vocabulary.counts.all())


class Completion:
    """Gives rare and unseen words their vectors, student by student; what the students share is worked out once."""

    def __init__(self, vocabulary: Vocabulary, alone: AloneFeatures, rare: Rare) -> None:
        self.vocabulary, self.alone, self.rare = vocabulary, alone, rare
        self.shared: Regressions | None = None
        self.asked: tuple[Array, Array] = np.zeros(0), np.zeros(0)

    def complete(self, vectors: WordVectors, *, rests_on_counts: bool = True) -> tuple[WordVectors, dict[str, Any]]:
        """Add words that a student has not seen, and mix rare ones; return the vectors, and how that was done.

        What does not rest on counts, such as a definition, is as good for a rare word as for any: nothing is mixed.
        """
        vocabulary, alone = self.vocabulary, self.alone
        seen = np.array([vocabulary.numbers[word] for word in vectors.words], dtype=np.int64)
        missing = alone.known.copy()
        missing[seen] = False
        usable = alone.known[seen]
        counts = np.maximum(1, vocabulary.counts[seen]).astype(np.float64) if rests_on_counts else np.ones(len(seen))
        mix = rests_on_counts and self.rare == "mix" and int(usable.sum()) >= FEWEST
        if not usable.any() or not (mix or missing.any()):
            return vectors, {}
        best = np.flatnonzero(usable)[:MOST]  # the most frequent come first
        rows = np.flatnonzero(missing)
        targets = np.asarray(vectors.matrix[best], dtype=np.float32)
        fitted = fit_map(self._regressions(seen[best], counts[best]), targets, counts[best])
        every = np.sort(np.concatenate([seen, rows]))
        matrix = np.zeros((len(every), vectors.vector_size), dtype=np.float32)
        matrix[np.searchsorted(every, seen)] = vectors.matrix
        how = {
            "rare": self.rare if mix else "leave",
            "words_never_seen": len(rows),
            "mixed_as_if_seen": round(fitted.mix, 3) if mix else 0.0,
            "ridge": fitted.ridge,
            "learned_from": len(best),
            "held_out_cosine": round(fitted.cosine, 4),
        }
        if len(rows):
            known = WordVectors([vocabulary.words[row] for row in seen[best].tolist()], targets, counts[best])
            asked = [vocabulary.words[row] for row in rows.tolist()]
            guessed = fitted.map(alone.features, rows)
            blended, share, cosine = with_spelling(guessed, asked, known, fitted)
            matrix[np.searchsorted(every, rows)] = blended
            how |= {"share_of_spelling": share, "held_out_cosine": round(cosine, 4)}
        if mix:
            places = np.flatnonzero(usable)
            for part in blocks(len(places)):
                some = places[part]
                at = np.searchsorted(every, seen[some])
                share_of_guess = (fitted.mix / (counts[some] + fitted.mix)).astype(np.float32)[:, None]
                # Not with the spelling: it was fitted to these very words, closely, and would tell what was seen again.
                matrix[at] += share_of_guess * (fitted.map(alone.features, seen[some]) - matrix[at])
        words = [vocabulary.words[row] for row in every.tolist()]
        return WordVectors(words, matrix, vocabulary.counts[every], {**vectors.card, "unseen": how}), how

    def _regressions(self, rows: Array, counts: Array) -> Regressions:
        """Those of the last student, where it has seen the same words as often."""
        same = np.array_equal(self.asked[0], rows) and np.array_equal(self.asked[1], counts)
        if self.shared is None or not same:
            self.shared = None  # its memory goes before the next is made
            self.shared = regressions(self.alone.features, rows, counts)
            self.asked = rows, counts
        return self.shared


# ---------------------------------------------------------------- what the words held out say


@dataclass(frozen=True)
class Fitted:
    """A linear map from features to vectors, and what the words held out said of it."""

    map: Linear
    ridge: float
    mix: float
    """k: a prediction counts as much as so many occurrences."""
    guessed: Array
    """The predictions for the words held out, by the others."""
    cosine: float
    """The mean cosine of these and what was seen."""


def regressions(features: Array, rows: Array, counts: Array) -> Regressions:
    """Prepare the regressions of all students that have seen the words of these rows, `counts` times each."""
    return Regressions(features, rows, _trust(counts, SHARED_MIX), held_out(len(rows)))


def fit_map(shared: Regressions, targets: Array, counts: Array) -> Fitted:
    """Regress `targets`, seen `counts` times each, on the features of the shared rows."""
    learned, tested, middle = shared.cross(targets)
    places = np.flatnonzero(shared.held)
    ridge, mix, cosine, guessed = RIDGES[-1], FIRST_MIX, float("nan"), targets[:0]
    if len(places):
        some = places[:: -(-len(places) // BLOCK)]  # enough to choose by
        tried: dict[float, Linear] = {}

        def height(value: float) -> float:
            tried[value] = shared.solve(shared.learned, learned, middle, value)
            return _agreement(tried[value](shared.features, shared.rows[some]), targets[some], counts[some])

        ridge = climb(RIDGES, START, height)
        guessed = tried[ridge](shared.features, shared.rows[places])
        cosine = _agreement(guessed, targets[places], counts[places])
        mix = _mixture(_squares(guessed - targets[places]), counts[places])
    last = shared.solve(shared.learned + shared.tested, learned + tested, middle, ridge)
    return Fitted(last, ridge, mix, guessed, cosine)


def with_spelling(
    guessed: Array, words: Sequence[str], known: WordVectors, fitted: Fitted
) -> tuple[Array, float, float]:
    """Predictions for words never seen, blended with what their spellings say; the spelling's share, and the cosine.

    `known` are the words of the regression. Those held out of them decide the share.
    """
    share, cosine = 0.0, fitted.cosine
    if len(known) >= FEWEST:
        held = held_out(len(known))
        counts = np.asarray(known.counts)
        hidden = [known.words[place] for place in np.flatnonzero(held).tolist()]
        spelled = _spelling(known, ~held).vectors(hidden)

        def agreement(value: float) -> float:
            return _agreement(_blend(fitted.guessed, spelled, value), known.matrix[held], counts[held])

        share = max(SHARES, key=agreement)
        cosine = agreement(share)
    if share:
        guessed = _blend(guessed, _spelling(known, np.ones(len(known), dtype=bool)).vectors(words), share)
    return guessed, share, cosine


def held_out(number: int) -> Array:
    """Which of so many words are not learned from."""
    return np.asarray(np.arange(number) % HELD_OUT == HELD_OUT - 1)


def _spelling(known: WordVectors, chosen: Array) -> Subwords:
    words = [known.words[place] for place in np.flatnonzero(chosen).tolist()]
    return fit_subwords(WordVectors(words, known.matrix[chosen], np.asarray(known.counts)[chosen]))


def _blend(guessed: Array, spelled: Array, share: float) -> Array:
    return np.asarray((1.0 - share) * guessed + share * spelled)


def _agreement(guessed: Array, targets: Array, counts: Array) -> float:
    trust = _trust(counts, FIRST_MIX)
    return float(trust @ np.einsum("ij,ij->i", unit_rows(guessed), unit_rows(targets)) / trust.sum())


def _mixture(off: Array, counts: Array) -> float:
    """k, from the squared distances of predictions to what was seen so often: r^2 / t^2 of the page above."""
    # A squared distance varies as much as it is large.
    trust = _trust(counts, FIRST_MIX)[:, None]
    columns = np.stack([np.ones(len(counts)), 1.0 / counts], axis=1)
    predicted, occurrence = np.linalg.lstsq(columns * trust, off * trust[:, 0], rcond=None)[0]
    if occurrence <= 0:
        return 0.0
    return float(min(LARGEST_MIX, occurrence / predicted)) if predicted > 0 else LARGEST_MIX


def _trust(counts: Array, mix: float) -> Array:
    return np.asarray(counts / (counts + mix))


def _squares(matrix: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
