"""Small vectors and lexicons for the tests of refinement."""

from __future__ import annotations

import numpy as np

from wordstill.refinement import Lexicon
from wordstill.vectors import WordVectors


def made_vectors(words: int = 40, dimensions: int = 12, seed: int = 0) -> WordVectors:
    """Random vectors of many lengths, far from zero in the mean."""
    generator = np.random.default_rng(seed)
    matrix = generator.standard_normal((words, dimensions)) * generator.uniform(0.5, 4.0, (words, 1)) + 0.3
    return WordVectors([f"w{number:02d}" for number in range(words)], matrix.astype(np.float32))


def made_lexicon(vectors: WordVectors, pairs: int = 60, seed: int = 1) -> Lexicon:
    """Random pairs among all words but the last five, and of words without a vector."""
    generator = np.random.default_rng(seed)
    known = [str(word) for word in vectors.words[:-5]]
    chosen = [tuple(str(word) for word in generator.choice(known, 2, replace=False)) for _ in range(pairs)]
    return Lexicon.of([(first, second) for first, second in chosen] + [("w00", "absent"), ("absent", "nowhere")])


def neighbors_of(lexicon: Lexicon, vectors: WordVectors) -> dict[str, list[str]]:
    """The lexicon as lists, without words that have no vector."""
    neighbors: dict[str, list[str]] = {}
    for first, second in lexicon.pairs():
        if first in vectors and second in vectors:
            neighbors.setdefault(first, []).append(second)
            neighbors.setdefault(second, []).append(first)
    return neighbors
