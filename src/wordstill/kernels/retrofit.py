"""The loops of retrofitting, compiled. Each takes a stretch of words, so that threads can share the work."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from wordstill.arrays import Array

# Sums may be reordered into vector instructions; for a word that is the same way whatever its place.
FAST = {"reassoc", "contract"}


@njit(cache=True, nogil=True)
def weigh(squared: Array, freedom: float, scale: float, log_constant: float, normalize: bool) -> Any:
    """Turn squared distances into weights g, in place; return s, the weight of the word in the objective.

    k(d) = (1 + d^2 / (s v))^-(v+1), in logarithms; g = k / sum k, or C_v k / m where not `normalize`.
    """
    number = len(squared)
    nearest = squared.min()
    highest = -(freedom + 1.0) * math.log1p(nearest / (scale * freedom))
    total = 0.0
    for e in range(number):
        logarithm = -(freedom + 1.0) * math.log1p(squared[e] / (scale * freedom))
        # Relative to the highest, so that kernels that all are tiny do not vanish before they are divided.
        squared[e] = math.exp(logarithm - highest) if normalize else math.exp(log_constant + logarithm) / number
        total += squared[e]
    if not normalize:
        return float(number)
    for e in range(number):
        squared[e] /= total
    return total * math.exp(highest)


@njit(cache=True, nogil=True, fastmath=FAST)
def pull(
    first: int,
    last: int,
    starts: Array,
    neighbors: Array,
    origin: Array,
    now: Array,
    after: Array,
    own: float,
    share: float,
    freedom: float,
    scale: float,
    log_constant: float,
    normalize: bool,
) -> Any:
    """after_i = own q0_i + share sum_j g_ij q_j; return what `now` costs, and the squared way from `now` to `after`."""
    most = 0
    for i in range(first, last):
        most = max(most, starts[i + 1] - starts[i])
    weights, apart = np.empty(most), np.empty(most)
    cost, way = 0.0, 0.0
    for i in range(first, last):
        number = starts[i + 1] - starts[i]
        if number == 0:
            continue
        start, here, there = origin[i], now[i], after[i]
        near = neighbors[starts[i] : starts[i + 1]]
        for e in range(number):
            vector = now[near[e]]
            from_start = from_here = np.float32(0.0)
            for c in range(len(vector)):
                from_start += (start[c] - vector[c]) * (start[c] - vector[c])
                from_here += (here[c] - vector[c]) * (here[c] - vector[c])
            weights[e], apart[e] = from_start, from_here
        strength = weigh(weights[:number], freedom, scale, log_constant, normalize)
        total = spread = 0.0
        for c in range(len(there)):
            there[c] = np.float32(own) * start[c]
        for e in range(number):
            vector, weight = now[near[e]], np.float32(share * weights[e])
            total += weights[e]
            spread += weights[e] * apart[e]
            for c in range(len(vector)):
                there[c] += weight * vector[c]
        kept = length = moved = np.float32(0.0)
        for c in range(len(there)):
            kept += (here[c] - start[c]) * (here[c] - start[c])
            length += here[c] * here[c]
            moved += (there[c] - here[c]) * (there[c] - here[c])
        cost += strength * (own * kept + share / 2.0 * spread + (1.0 - own - share * total) * length)
        way += float(moved)
    return cost, way


@njit(cache=True, nogil=True, fastmath=FAST)
def push(first: int, last: int, starts: Array, antonyms: Array, now: Array, after: Array, strength: float) -> None:
    """after = u - strength * |u| * mean over antonyms v of max(0, cos(u, v)) v / |v|; other words are copied."""
    for i in range(first, last):
        here, there = now[i], after[i]
        number = starts[i + 1] - starts[i]
        for c in range(len(here)):
            there[c] = here[c]
        for e in range(number):
            vector = now[antonyms[starts[i] + e]]
            shared = length = np.float32(0.0)
            for c in range(len(vector)):
                shared += here[c] * vector[c]
                length += vector[c] * vector[c]
            if shared > 0.0:  # then neither is zero; shared / length is |u| cos(u, v) / |v|
                away = np.float32(strength * shared / (length * number))
                for c in range(len(vector)):
                    there[c] -= away * vector[c]
