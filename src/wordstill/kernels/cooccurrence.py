"""Which words stand near each other, and how near: counted in a hash table, and learned from; compiled.

A pair is counted once for both orders: X is symmetric. The table has open addressing and a size that is a power of two.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from wordstill.arrays import Array
from wordstill.kernels.predicting import FAST

EMPTY = np.uint64(2**64 - 1)
# A table that is fuller than this has to grow.
FULL = 0.7


class Parameters(NamedTuple):
    """What is learned, and for each number the sum of the squared steps of AdaGrad; rows 0 and 1 of biases: w, c."""

    words: Array
    contexts: Array
    biases: Array
    word_squares: Array
    context_squares: Array
    bias_squares: Array


@njit(cache=True)
def mixed(key: Any) -> Any:
    """A key whose bits are spread over the whole number."""
    key = (key ^ (key >> np.uint64(31))) * np.uint64(0x7FB5D329728EA185)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x81DADEF4BC2DD44D)
    return key ^ (key >> np.uint64(33))


@njit(cache=True)
def find_slot(keys: Array, key: Any, mixed_key: Any) -> Any:
    """The slot of a key, or the empty one where it belongs."""
    mask = np.uint64(len(keys) - 1)
    slot = mixed_key & mask
    while keys[slot] != key and keys[slot] != EMPTY:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True)
def count_pairs(
    keys: Array, values: Array, used: int, words: Array, starts: Array, first: int, window: int, parts: int, part: int
) -> Any:
    """Add 1/distance for each two words of a sentence up to `window` places apart, words outside left out.

    Pairs are shared out to `parts` by their hash; only those of `part` are counted. Begins with sentence `first`.
    Returns the number of slots in use, and the sentence before which the table has to grow; that behind the last, if
    it need not.
    """
    most = max(1, np.max(starts[1:] - starts[:-1]))
    known = np.empty(most, dtype=np.int64)
    for sentence in range(first, len(starts) - 1):
        size = 0
        for place in range(starts[sentence], starts[sentence + 1]):
            if words[place] >= 0:
                known[size] = words[place]
                size += 1
        # No sentence has more new pairs than this.
        if used + size * min(window, size) > FULL * len(keys):
            return used, sentence
        for place in range(size):
            for other in range(max(0, place - window), place):
                low, high = min(known[place], known[other]), max(known[place], known[other])
                key = (np.uint64(low) << np.uint64(32)) | np.uint64(high)
                hashed = mixed(key)
                if parts > 1 and (hashed >> np.uint64(40)) % np.uint64(parts) != np.uint64(part):
                    continue
                slot = find_slot(keys, key, hashed)
                if keys[slot] == EMPTY:
                    keys[slot] = key
                    values[slot] = 0.0
                    used += 1
                weight = 1.0 / (place - other)
                values[slot] += 2.0 * weight if low == high else weight
    return used, len(starts) - 1


@njit(cache=True)
def fill_table(keys: Array, values: Array, old_keys: Array, old_values: Array) -> None:
    """Fill an empty table with pairs; empty slots among them are left out."""
    for place in range(len(old_keys)):
        key = old_keys[place]
        if key != EMPTY:
            slot = find_slot(keys, key, mixed(key))
            keys[slot] = key
            values[slot] = old_values[place]


@njit(cache=True, fastmath=FAST)
def _step(
    word: Array, context: Array, word_squares: Array, context_squares: Array, bias: float, target: float, weight: float,
    rate: float
) -> Any:  # fmt: skip
    """One step for w_i . c_j; return its difference from the target, biases included."""
    score = np.float32(0.0)
    for j in range(len(word)):
        score += word[j] * context[j]
    difference = np.float64(score) + bias - target
    slope = np.float32(rate * weight * difference)
    for j in range(len(word)):
        to_word, to_context = slope * context[j], slope * word[j]
        word[j] -= to_word / np.sqrt(word_squares[j])
        context[j] -= to_context / np.sqrt(context_squares[j])
        word_squares[j] += to_word * to_word
        context_squares[j] += to_context * to_context
    return difference


@njit(cache=True, fastmath=FAST, nogil=True)
def fit_pairs(
    parameters: Parameters, first: Array, second: Array, counts: Array, most: float, power: float, rate: float
) -> Any:
    """Take a step of AdaGrad for each pair in both orders; return the sum of the losses and the number of steps.

    loss(i, j) = f(x) (w_i . c_j + b_i + d_j - log x)^2 / 2,   f(x) = min(1, (x / most)^power)
    """
    biases, squares = parameters.biases, parameters.bias_squares
    loss, steps = 0.0, 0
    for place in range(len(first)):
        x = np.float64(counts[place])
        weight = 1.0 if x >= most else (x / most) ** power
        target = math.log(x)
        i, j = first[place], second[place]
        for order in range(1 if i == j else 2):
            if order:
                i, j = j, i
            difference = _step(
                parameters.words[i], parameters.contexts[j], parameters.word_squares[i], parameters.context_squares[j],
                biases[0, i] + biases[1, j], target, weight, rate,
            )  # fmt: skip
            slope = np.float32(rate * weight * difference)
            biases[0, i] -= slope / np.sqrt(squares[0, i])
            biases[1, j] -= slope / np.sqrt(squares[1, j])
            squares[0, i] += slope * slope
            squares[1, j] += slope * slope
            loss += 0.5 * weight * difference * difference
            steps += 1
    return loss, steps
