"""GloVe, pair by pair in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def cooccurrences(sentences: Sequence[Sequence[int]], words: int, window: int) -> Any:
    """X: for each place and each other place of its sentence up to `window` away, 1/distance; -1 is no word."""
    counts = np.zeros((words, words))
    for sentence in sentences:
        known = [word for word in sentence if word >= 0]
        for place, word in enumerate(known):
            for other in range(max(0, place - window), min(len(known), place + window + 1)):
                if other != place:
                    counts[word, known[other]] += 1.0 / abs(place - other)
    return counts


def weights(counts: Any, most: float, power: float) -> Any:
    """f(X)."""
    return np.minimum(1.0, (counts / most) ** power)


def loss(words: Any, contexts: Any, biases: Any, counts: Any, most: float, power: float) -> float:
    """The objective, over all pairs that were counted."""
    i, j = np.nonzero(counts)
    x = counts[i, j]
    differences = (words[i] * contexts[j]).sum(axis=1) + biases[0, i] + biases[1, j] - np.log(x)
    return float((weights(x, most, power) * differences**2).sum() / 2)


class Glove:
    """Parameters and their sums of squares, in double precision."""

    def __init__(self, words: Any, contexts: Any, biases: Any) -> None:
        self.values = [np.array(one, dtype=np.float64) for one in (words, contexts, biases[0], biases[1])]
        self.squares = [np.ones_like(one) for one in self.values]
        self.loss = 0.0

    def step(self, i: int, j: int, x: float, most: float, power: float, rate: float) -> None:
        words, contexts, bias, context_bias = self.values
        weight = float(weights(x, most, power))
        difference = words[i] @ contexts[j] + bias[i] + context_bias[j] - np.log(x)
        self.loss += weight * difference**2 / 2
        slopes = [weight * difference * slope for slope in (contexts[j].copy(), words[i].copy(), 1.0, 1.0)]
        for value, square, row, slope in zip(self.values, self.squares, (i, j, i, j), slopes, strict=True):
            value[row] -= rate * slope / np.sqrt(square[row])
            square[row] += (rate * slope) ** 2


def least_loss(counts: Any, dimensions: int) -> float:
    """The least loss where all weights are 1: biases take the means of rows and columns, vectors the largest
    singular values of what is left (Eckart and Young)."""
    logs = np.log(counts)
    left = logs - logs.mean(axis=0) - logs.mean(axis=1, keepdims=True) + logs.mean()
    return float((np.linalg.svd(left, compute_uv=False)[dimensions:] ** 2).sum() / 2)
