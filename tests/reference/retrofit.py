"""Retrofitting word by word, as the papers write it: dictionaries, a loop over words, a loop over neighbors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gamma, pi, sqrt

import numpy as np

from wordstill.arrays import Array

Vectors = Mapping[str, Array]
Neighbors = Mapping[str, Sequence[str]]


def unit_vectors(vectors: Vectors) -> dict[str, Array]:
    """Every vector at length 1."""
    return {word: np.asarray(vector, np.float64) / np.linalg.norm(vector) for word, vector in vectors.items()}


def retrofit(vectors: Vectors, neighbors: Neighbors, sweeps: int = 10, in_turn: bool = False) -> dict[str, Array]:
    """q_i = (n q0_i + sum of neighbors q_j) / 2n (Faruqui et al.); `in_turn`: a word sees those changed before it."""
    original = unit_vectors(vectors)
    current = dict(original)
    for _ in range(sweeps):
        following = current if in_turn else dict(current)
        for word, others in neighbors.items():
            total = len(others) * original[word]
            for other in others:
                total = total + current[other]
            following[word] = total / (2 * len(others))
        current = following
    return current


def graph_retrofit(
    vectors: Vectors,
    neighbors: Neighbors,
    sweeps: int = 10,
    variant: str = "released",
    freedom: float = 100.0,
    in_turn: bool = False,
) -> dict[str, Array]:
    """q_i = 0.5 q0_i + 0.5 sum_j g_ij q_j, d from the original center to the current neighbor (Zheng et al.)."""
    original = unit_vectors(vectors)
    current = dict(original)
    for _ in range(sweeps):
        following = current if in_turn else dict(current)
        for word, others in neighbors.items():
            distances = [float(np.linalg.norm(original[word] - current[other])) for other in others]
            weights = literal_weights(distances, freedom, 1.0, variant)
            pulled = sum(weight * current[other] for weight, other in zip(weights, others, strict=True))
            following[word] = 0.5 * original[word] + 0.5 * pulled
        current = following
    return current


def literal_weights(distances: Sequence[float], freedom: float, scale: float, variant: str) -> list[float]:
    """Equations 11 and 12 with the Gamma function itself, which overflows from freedom = 342."""
    constant = 2 * pi * (gamma((freedom + 1) / 2) / (sqrt(freedom * pi) * gamma(freedom / 2))) ** 2
    kernels = [constant * (1 + distance**2 / (scale * freedom)) ** -(freedom + 1) for distance in distances]
    if variant == "paper":
        return [kernel / len(kernels) for kernel in kernels]
    return [kernel / sum(kernels) for kernel in kernels]
