"""Words that the corpus lacks, or has rarely: what the teacher says of a word alone, mapped into a student's space.

    p_w = W x_w,    x_w = M_0(w) | M_L/2(w) | M_L(w)

x_w is the word encoded by itself, at three layers; W is a ridge regression on the words that were seen, its strength
chosen on a fifth of them that is held out. A word that was never seen gets p_w, blended with what a model of spellings
(see `subwords.py`) says, in shares that the same fifth decides. A word seen n times gets

    u_w = (n s_w + k p_w) / (n + k)

s_w being what was seen. On the words held out |s_w - p_w|^2 is t^2 + r^2 / n: t is how far predictions are off, r how
far one occurrence is. Least squares find both, and the best mixture has k = r^2 / t^2. A residual's weight in the
regression is one over its variance, n / (n + k). Frequent words keep what was seen of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from wordstill.corpus.vocabulary import Vocabulary
from wordstill.students.batch import Batch
from wordstill.students.student import Student, Task
from wordstill.subwords import Subwords
from wordstill.subwords import fit as fit_subwords
from wordstill.vectors import Array, WordVectors, unit_rows

Rare: TypeAlias = Literal["mix", "leave"]

# The name under which the words alone take part in a run; no student can be called so.
ALONE = "+alone"
# Ridges in units of the mean variance of a feature.
RIDGES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
SHARES = (0.0, 0.1, 0.2, 0.3)  # of the spelling in a prediction
HELD_OUT = 5  # every fifth word
FIRST_MIX = 10.0  # k, before there is a better one
LARGEST_MIX = 1000.0
# Fewer seen words are no evidence of how to mix, nor more than so many any more of it.
FEWEST, MOST = 500, 100_000
WIDEST = 4096  # columns to regress on: solving takes their number to the third
BLOCK = 4096


class WordsAlone(Student):
    """Takes part in a run as a student that nobody asked for: checkpoints hold it too."""

    reads = "alone"

    def __init__(self, task: Task, last: int) -> None:
        three = tuple(sorted({0, last // 2, last}))
        self.layers = three if len(three) * task.width <= WIDEST else (last,)
        self.columns = len(self.layers) * task.width
        self.make_table, self.rows = task.make_table, len(task.vocabulary)
        self.features = np.zeros((0, self.columns), dtype=np.float32)
        self.known = np.zeros(self.rows, dtype=bool)

    def observe(self, batch: Batch) -> None:
        """Take the words' vectors, layer beside layer."""
        if not len(self.features):  # not before they are needed: checkpoints of the teacher's pass stay small
            self.features = self.make_table(self.rows, self.columns)
        self.features[batch.words] = np.hstack([batch.layers[layer] for layer in self.layers])
        self.known[batch.words] = True

    def vectors(self) -> WordVectors:
        """None: these are features, not vectors."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Array]:
        """The features so far."""
        return {"features": self.features, "known": self.known}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from the features so far."""
        if len(state["features"]):
            self.features = self.make_table(self.rows, self.columns)
            self.features[:] = state["features"]
        self.known = np.array(state["known"])


def wanted(rare: Rare, vocabulary: Vocabulary, students: Mapping[str, Student]) -> bool:
    """Whether a run has to encode words alone for students that learn from text."""
    enough = rare == "mix" and len(vocabulary) >= FEWEST
    return any(student.reads == "corpus" for student in students.values()) and (enough or not vocabulary.counts.all())


def complete(
    vectors: WordVectors, vocabulary: Vocabulary, alone: WordsAlone, rare: Rare
) -> tuple[WordVectors, dict[str, Any]]:
    """A student's vectors with those of words it has not seen, and with rare ones mixed; and how that was done."""
    seen = np.array([vocabulary.numbers[word] for word in vectors.words], dtype=np.int64)
    missing = alone.known.copy()
    missing[seen] = False
    usable = alone.known[seen]
    counts = np.maximum(1, vocabulary.counts[seen]).astype(np.float64)
    mix = rare == "mix" and int(usable.sum()) >= FEWEST
    if not usable.any() or not (mix or missing.any()):
        return vectors, {}
    best = np.flatnonzero(usable)[:MOST]  # the most frequent come first
    targets = np.asarray(vectors.matrix[best], dtype=np.float32)
    fitted = fit(alone.features, seen[best], targets, counts[best], vocabulary.words)
    rows = np.flatnonzero(missing)
    every = np.sort(np.concatenate([seen, rows]))
    matrix = np.zeros((len(every), vectors.vector_size), dtype=np.float32)
    matrix[np.searchsorted(every, seen)] = vectors.matrix
    if len(rows):
        matrix[np.searchsorted(every, rows)] = predict(fitted, alone.features, rows, vocabulary.words)
    if mix:
        for part in _blocks(np.flatnonzero(usable)):
            at = np.searchsorted(every, seen[part])
            share = (fitted.mix / (counts[part] + fitted.mix)).astype(np.float32)[:, None]
            # Not with the spelling: it was fitted to these very words, closely, and would tell what was seen again.
            matrix[at] += share * (predict(fitted, alone.features, seen[part]) - matrix[at])
    how = {
        "rare": rare if mix else "leave",
        "words_never_seen": len(rows),
        "mixed_as_if_seen": round(fitted.mix, 3) if mix else 0.0,
        "ridge": fitted.ridge,
        "share_of_spelling": fitted.share,
        "learned_from": len(best),
        "held_out_cosine": round(fitted.cosine, 4),
    }
    words = [vocabulary.words[row] for row in every]
    return WordVectors(words, matrix, vocabulary.counts[every], {**vectors.card, "unseen": how}), how


# ---------------------------------------------------------------- the regression


@dataclass(frozen=True)
class Fitted:
    """A linear map from features to vectors, a model of spellings, and what the words held out said of both."""

    weights: Array
    offset: Array
    ridge: float
    spelling: Subwords | None
    share: float
    """Of the spelling in a prediction."""
    mix: float
    """k: a prediction counts as much as so many occurrences."""
    cosine: float
    """The mean cosine of predictions and what was seen, over the words held out."""


def fit(features: Array, rows: Array, targets: Array, counts: Array, words: Sequence[str]) -> Fitted:
    """Regress `targets`, seen `counts` times each, on the features of `rows`, which are the rows of `words` too."""
    held = np.arange(len(rows)) % HELD_OUT == HELD_OUT - 1
    ridge, share, mix, cosine = RIDGES[-1], 0.0, FIRST_MIX, float("nan")
    if held.any():
        trust, directions = _trust(counts[held], mix), unit_rows(targets[held])

        def agreement(guessed: Array) -> float:
            return float(trust @ np.einsum("ij,ij->i", unit_rows(guessed), directions) / trust.sum())

        moments = Moments(features, rows[~held], targets[~held], _trust(counts[~held], mix))
        tried = {value: _apply(*moments.solve(value), features, rows[held]) for value in RIDGES}
        ridge = max(RIDGES, key=lambda value: agreement(tried[value]))
        guessed = tried[ridge]
        if len(rows) >= FEWEST:
            spelling = _spelling(words, rows[~held], targets[~held], counts[~held])
            spelled = spelling.vectors([words[row] for row in rows[held].tolist()])
            share = max(SHARES, key=lambda value: agreement(_blend(guessed, spelled, value)))
            cosine = agreement(_blend(guessed, spelled, share))
        else:
            cosine = agreement(guessed)
        mix = _mixture(_squares(guessed - targets[held]), counts[held])
    weights, offset = Moments(features, rows, targets, _trust(counts, mix)).solve(ridge)
    last = _spelling(words, rows, targets, counts) if share else None
    return Fitted(weights, offset, ridge, last, share, mix, cosine)


def predict(fitted: Fitted, features: Array, rows: Array, words: Sequence[str] | None = None) -> Array:
    """The vectors that the features of these rows promise, and the spellings of their words where these are given."""
    guessed = _apply(fitted.weights, fitted.offset, features, rows)
    if fitted.spelling is None or words is None:
        return guessed
    return _blend(guessed, fitted.spelling.vectors([words[row] for row in rows.tolist()]), fitted.share)


def _spelling(words: Sequence[str], rows: Array, targets: Array, counts: Array) -> Subwords:
    return fit_subwords(WordVectors([words[row] for row in rows.tolist()], targets, counts))


def _blend(guessed: Array, spelled: Array, share: float) -> Array:
    return np.asarray((1.0 - share) * guessed + share * spelled)


class Moments:
    """Weighted means and products of features and targets: all that a ridge regression asks for."""

    def __init__(self, features: Array, rows: Array, targets: Array, weights: Array) -> None:
        weights = weights / weights.sum()
        columns = features.shape[1]
        mean, squares = np.zeros(columns), np.zeros(columns)
        for part in _blocks(np.arange(len(rows))):
            block = features[rows[part]].astype(np.float64)
            mean += weights[part] @ block
            squares += weights[part] @ block**2
        # Some teachers have a few dimensions hundreds of times as large as the others.
        self.scale = 1.0 / np.sqrt(np.maximum(squares - mean**2, 1e-12 * squares.max() + 1e-30))
        self.mean, self.target = mean, weights @ targets
        self.products, self.crossed = np.zeros((columns, columns)), np.zeros((columns, targets.shape[1]))
        for part in _blocks(np.arange(len(rows))):
            block = ((features[rows[part]] - mean) * self.scale).astype(np.float32)
            weighted = block * weights[part, None].astype(np.float32)
            self.products += weighted.T @ block
            self.crossed += weighted.T @ (targets[part] - self.target).astype(np.float32)

    def solve(self, ridge: float) -> tuple[Array, Array]:
        """Weights and offset of the map."""
        products = self.products.copy()
        products.flat[:: len(products) + 1] += ridge * np.trace(self.products) / len(products) + 1e-12
        weights = np.linalg.solve(products, self.crossed) * self.scale[:, None]
        return weights.astype(np.float32), (self.target - self.mean @ weights).astype(np.float32)


def _apply(weights: Array, offset: Array, features: Array, rows: Array) -> Array:
    guessed = np.empty((len(rows), weights.shape[1]), dtype=np.float32)
    for part in _blocks(np.arange(len(rows))):
        guessed[part] = features[rows[part]] @ weights + offset
    return guessed


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


def _blocks(rows: Array) -> Iterator[Array]:
    return (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK))
