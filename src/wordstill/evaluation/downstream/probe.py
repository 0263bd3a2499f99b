"""A linear classifier on sentence vectors: what is done with static vectors in practice, in seconds.

A text's vector is the mean of its words' vectors, the same of vectors at length one, or that with SIF weights:
a / (a + p(w)) for a word of frequency p(w), and the texts' first principal direction taken out (Arora et al. 2017).
Where the vectors have no counts, p(w) is Zipf's, 1 / rank, in the order of the vocabulary. Lengths and weights make
rare words loud, which likeness wants; a classifier may need the frequent ones ("who", "how many"). Features are
standardized over the training texts; the classifier is scikit-learn's logistic regression. The penalty is chosen on the
validation part, for each kind of vector, and so is the kind that is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.evaluation.downstream.words import WordTable
from wordstill.evaluation.space import Space

KINDS = ("mean", "unit", "SIF")


class Probed(NamedTuple):
    """What a probe found: the score on the validation part, the penalty chosen there, the classes of the test part."""

    validation: float
    strength: float
    predicted: Array


def sentence_vectors(matrix: Array, rows: Sequence[Array], weights: Array) -> Array:
    """Return the weighted mean of each text's vectors; zeros for a text without a known word."""
    means = np.zeros((len(rows), matrix.shape[1]), dtype=np.float32)
    for place, row in enumerate(rows):
        known = row[row > 0]
        if len(known):
            means[place] = weights[known] @ matrix[known] / len(known)
    return means


def word_weights(space: Space, table: WordTable, a: float) -> Array:
    """Return the SIF weight of each row of a table; a word outside the vectors is as rare as can be."""
    if space.counts is not None:
        shares = space.counts / max(1, int(space.counts.sum()))
    else:
        shares = 1 / np.arange(1, len(space.words) + 1)
        shares /= shares.sum()
    weights = np.ones(len(table.matrix))
    known = table.places >= 0
    weights[known] = a / (a + shares[table.places[known]])
    return weights


def text_features(space: Space, table: WordTable, kind: str, a: float) -> list[Array]:
    """Return the sentence vectors of each part."""
    weights = np.ones(len(table.matrix))
    if kind == "unit":
        weights /= np.maximum(np.linalg.norm(table.matrix, axis=1), np.finfo(np.float32).tiny)
    elif kind == "SIF":
        weights = word_weights(space, table, a)
    parts = [sentence_vectors(table.matrix, rows, weights.astype(np.float32)) for rows in table.rows]
    if kind == "SIF":
        # Uncentred, and from the training texts alone.
        first = np.linalg.svd(parts[0], full_matrices=False)[2][0]
        parts = [part - np.outer(part @ first, first) for part in parts]
    return parts


def probe(features: Sequence[Array], labels: Sequence[Array], strengths: Sequence[float]) -> Probed:
    """Choose the penalty on the validation part, train on it and the training part, and predict the test part."""
    tried = []
    for strength in strengths:
        classifier = _fitted(features[0], labels[0], strength)
        tried.append((float((classifier.predict(features[1]) == labels[1]).mean()), strength))
    score, strength = max(tried, key=lambda one: one[0])
    both = np.concatenate(features[:2]), np.concatenate(labels[:2])
    return Probed(score, strength, np.asarray(_fitted(*both, strength).predict(features[2])))


def _fitted(features: Array, labels: Array, strength: float) -> Any:
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
    except ImportError:
        raise InputError("the probe needs scikit-learn: pip install 'wordstill[evaluate]'") from None
    # The tolerance is loose: what is chosen and predicted hardly changes, and it takes a third of the time.
    classifier = make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=1000, tol=1e-3))
    with threadpool_limits(limits=1):
        return classifier.fit(features, labels)
