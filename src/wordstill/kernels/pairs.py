"""Pairs of a word and a context, learned one after the other: skip-gram with negative sampling, compiled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from wordstill.arrays import Array


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def train_pairs(table: Array, contexts: Array, words: Array, targets: Array, first: float, last: float) -> Any:
    """Take a step for each pair, and return the sum of their losses before each step.

    targets[i, 0] is the context of words[i], targets[i, 1:] are its negatives; one that is the context itself is left
    out. The rate goes from `first` to `last`.

        loss = log(1 + e^(-u . c)) + sum over negatives n of log(1 + e^(u . n))
    """
    number, width = len(words), table.shape[1]
    gradient = np.empty(width, dtype=np.float32)
    total = 0.0
    for i in range(number):
        rate = first + (last - first) * i / number
        word = table[words[i]]
        for j in range(width):
            gradient[j] = np.float32(0.0)
        for k in range(targets.shape[1]):
            if k > 0 and targets[i, k] == targets[i, 0]:
                continue
            context = contexts[targets[i, k]]
            product = np.float32(0.0)
            for j in range(width):
                product += word[j] * context[j]
            sign = 1.0 if k == 0 else -1.0
            x = sign * float(product)
            e = math.exp(-abs(x))
            total += math.log1p(e) + (-x if x < 0 else 0.0)
            step = np.float32(rate * sign * (e if x >= 0 else 1.0) / (1.0 + e))
            for j in range(width):
                gradient[j] += step * context[j]
                context[j] += step * word[j]
        for j in range(width):
            word[j] += gradient[j]
    return total
