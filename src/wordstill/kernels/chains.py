"""The loops of a linear-chain CRF, compiled: sums over all paths with their gradient, and the best path.

moves[i, j] is the score of tag j after tag i; the last row is the beginning of a sentence, the last column its end.
Probabilities are computed in float64 and divided by their sum at every word, so that none overflows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from wordstill.arrays import Array

# What no path leads to would be a division by 0.
LEAST = 1e-300


@njit(cache=True, nogil=True)
def path_loss(emissions: Array, tags: Array, lengths: Array, moves: Array) -> Any:
    """Return the sum of -log p of the tags of sentences, and its gradients by the emissions and by the moves."""
    sentences, longest, kinds = emissions.shape
    by_emissions, by_moves = np.zeros(emissions.shape), np.zeros(moves.shape)
    highest = moves[:kinds, :kinds].max()
    factors, back = np.exp(moves[:kinds, :kinds] - highest), np.empty((kinds, kinds))
    ends = np.exp(moves[:kinds, kinds] - moves[:kinds, kinds].max())
    for i in range(kinds):
        for j in range(kinds):
            back[j, i] = factors[i, j]
    pairs = np.zeros((kinds, kinds))
    shares, before, behind = np.empty((longest, kinds)), np.empty(kinds), np.empty(kinds)
    loss = 0.0
    for s in range(sentences):
        last = lengths[s] - 1
        loss += _shares(emissions[s], lengths[s], moves, factors, highest, before, shares)
        loss -= _score(emissions[s], tags[s], lengths[s], moves)
        total = 0.0
        for j in range(kinds):
            behind[j] = ends[j]
            total += shares[last, j] * ends[j]
        loss += math.log(max(total, LEAST)) + moves[:kinds, kinds].max()
        for step in range(last, -1, -1):
            _chances(shares[step], behind, by_emissions[s, step])
            if step == last:
                by_moves[:kinds, kinds] += by_emissions[s, step]
            if step == 0:
                by_moves[kinds, :kinds] += by_emissions[s, step]
            else:
                _step_back(emissions[s, step], shares[step - 1], factors, back, behind, before, pairs)
        for step in range(lengths[s]):
            by_emissions[s, step, tags[s, step]] -= 1.0
            by_moves[kinds if step == 0 else tags[s, step - 1], tags[s, step]] -= 1.0
        by_moves[tags[s, last], kinds] -= 1.0
    by_moves[:kinds, :kinds] += pairs * factors
    return loss, by_emissions, by_moves


@njit(cache=True, nogil=True)
def _shares(
    emissions: Array, length: int, moves: Array, factors: Array, highest: float, reached: Array, shares: Array
) -> Any:
    """Fill in the share of each tag in the sum over the paths up to each word; return the logarithm of that sum."""
    kinds = emissions.shape[1]
    logarithm = 0.0
    for step in range(length):
        if step == 0:
            top = moves[kinds, :kinds].max()
            for j in range(kinds):
                reached[j] = math.exp(moves[kinds, j] - top)
        else:
            top = highest
            reached[:] = 0.0
            for i in range(kinds):
                share = shares[step - 1, i]
                for j in range(kinds):
                    reached[j] += share * factors[i, j]
        most, total = emissions[step].max(), 0.0
        for j in range(kinds):
            shares[step, j] = reached[j] * math.exp(emissions[step, j] - most)
            total += shares[step, j]
        total = max(total, LEAST)
        for j in range(kinds):
            shares[step, j] /= total
        logarithm += math.log(total) + top + most
    return logarithm


@njit(cache=True, nogil=True)
def _chances(shares: Array, behind: Array, chances: Array) -> None:
    """Fill in the probability of each tag at one word."""
    total = 0.0
    for j in range(len(shares)):
        chances[j] = shares[j] * behind[j]
        total += chances[j]
    for j in range(len(shares)):
        chances[j] /= max(total, LEAST)


@njit(cache=True, nogil=True)
def _step_back(
    emissions: Array, shares: Array, factors: Array, back: Array, behind: Array, weights: Array, pairs: Array
) -> None:
    """Add what one word says of each pair of tags (but for the factor of the pair), and go back by that word."""
    kinds = len(shares)
    most = emissions.max()
    for j in range(kinds):
        weights[j] = math.exp(emissions[j] - most) * behind[j]
    behind[:] = 0.0
    for j in range(kinds):
        for i in range(kinds):
            behind[i] += weights[j] * back[j, i]
    total, largest = 0.0, 0.0
    for i in range(kinds):
        total += shares[i] * behind[i]
        largest = max(largest, behind[i])
    for i in range(kinds):
        share = shares[i] / max(total, LEAST)
        for j in range(kinds):
            pairs[i, j] += share * weights[j]
    for i in range(kinds):
        behind[i] /= max(largest, LEAST)


@njit(cache=True, nogil=True)
def _score(emissions: Array, tags: Array, length: int, moves: Array) -> Any:
    """Return the score of one path."""
    score, before = 0.0, emissions.shape[1]
    for step in range(length):
        score += moves[before, tags[step]] + emissions[step, tags[step]]
        before = tags[step]
    return score + moves[before, emissions.shape[1]]


@njit(cache=True, nogil=True)
def best_paths(emissions: Array, lengths: Array, moves: Array) -> Any:
    """Return the path of the highest score of each sentence (Viterbi); of equals the one with the first tags."""
    sentences, longest, kinds = emissions.shape
    paths = np.zeros((sentences, longest), dtype=np.int64)
    came_from = np.zeros((longest, kinds), dtype=np.int64)
    scores, after = np.empty(kinds), np.empty(kinds)
    for s in range(sentences):
        for j in range(kinds):
            scores[j] = moves[kinds, j] + emissions[s, 0, j]
        for step in range(1, lengths[s]):
            after[:] = -np.inf
            for i in range(kinds):
                for j in range(kinds):
                    score = scores[i] + moves[i, j]
                    if score > after[j]:
                        after[j] = score
                        came_from[step, j] = i
            for j in range(kinds):
                scores[j] = after[j] + emissions[s, step, j]
        last = lengths[s] - 1
        paths[s, last] = np.argmax(scores + moves[:kinds, kinds])
        for step in range(last, 0, -1):
            paths[s, step - 1] = came_from[step, paths[s, step]]
    return paths


@njit(cache=True, nogil=True)
def largest_rows(values: Array, starts: Array, ends: Array) -> Any:
    """Return, for each stretch of rows and each column, the row of the largest value; of equals the first."""
    found = np.empty((len(starts), values.shape[1]), dtype=np.int64)
    top = np.empty(values.shape[1], dtype=values.dtype)
    for s in range(len(starts)):
        found[s] = starts[s]
        top[:] = values[starts[s]]
        for row in range(starts[s] + 1, ends[s]):
            for column in range(len(top)):
                if values[row, column] > top[column]:
                    top[column] = values[row, column]
                    found[s, column] = row
    return found
