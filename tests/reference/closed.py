"""The closed form, written out in double precision from all contexts at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import fractional_matrix_power

from reference.windows import window_contexts
from wordstill.arrays import Array


def closed_form(
    sentences: Sequence[tuple[Array, Sequence[int]]], size: int, power: float, ridge: float
) -> tuple[Array, Array]:
    """Every word of a sentence is seen in the mean of its words' vectors.

    A sentence is the vectors of its words and their numbers (-1: outside the vocabulary).
    """
    contexts = [(np.asarray(vectors, dtype=np.float64).mean(axis=0), words) for vectors, words in sentences]
    return discriminants(contexts, size, power, ridge)


def closed_form_of_windows(
    sentences: Sequence[tuple[Array, Sequence[int]]], size: int, power: float, ridge: float, window: int
) -> tuple[Array, Array]:
    """Every word is seen in the mean of its window."""
    contexts = [(mean, [word]) for mean, word in window_contexts(sentences, window)]
    return discriminants(contexts, size, power, ridge)


def discriminants(
    seen_in: Sequence[tuple[Array, Sequence[int]]], size: int, power: float, ridge: float
) -> tuple[Array, Array]:
    """u_w = (S + r tr(S)/d I)^-p (m_w - m), and how often each word was seen."""
    contexts = np.array([context for context, _ in seen_in])
    mean = contexts.mean(axis=0)
    covariance = np.cov(contexts.T, bias=True)
    width = contexts.shape[1]
    shaped = fractional_matrix_power(covariance + ridge * np.trace(covariance) / width * np.eye(width), -power)
    vectors, seen = np.zeros((size, width)), np.zeros(size, dtype=int)
    for word in range(size):
        held = [context for context, words in seen_in for w in words if w == word]
        seen[word] = len(held)
        if held:
            vectors[word] = shaped @ (np.mean(held, axis=0) - mean)
    return vectors, seen
