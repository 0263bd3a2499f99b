from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from wordstill.arrays import Array
from wordstill.lexicons.graph import Graph, lay_over
from wordstill.lexicons.lexicon import Lexicon
from wordstill.students.knowledge import shared_means

WORDS = ["a", "b", "c", "d", "e", "f"]


def graph_of(pairs: list[tuple[str, str]]) -> Graph:
    return lay_over(Lexicon.of(pairs), {word: row for row, word in enumerate(WORDS)})


def solved(means: Array, seen: Array, pairs: list[tuple[str, str]], strength: float) -> Array:
    """The linear system, written out and solved densely."""
    links = np.zeros((6, 6))
    for first, second in {tuple(sorted(pair)) for pair in pairs if pair[0] != pair[1]}:
        links[WORDS.index(first), WORDS.index(second)] = links[WORDS.index(second), WORDS.index(first)] = 1.0
    degrees = np.maximum(links.sum(axis=1), 1)
    weights = links / np.sqrt(np.outer(degrees, degrees))
    own = np.diag(np.sqrt(np.maximum(seen, 1)))
    laplacian = np.diag(weights.sum(axis=1)) - weights
    return np.linalg.solve(own + strength * laplacian, own @ means)


pair = some.tuples(some.sampled_from(WORDS), some.sampled_from(WORDS)).filter(lambda both: both[0] != both[1])


@given(some.lists(pair, min_size=1, max_size=10), some.sampled_from([0.1, 1.0, 10.0]), some.integers(0, 5))
def test_it_solves_its_linear_system(pairs: list[tuple[str, str]], strength: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    means, seen = random.normal(size=(6, 4)), random.integers(0, 2000, size=6)
    found = shared_means(means, seen, graph_of(pairs), strength)
    np.testing.assert_allclose(found, solved(means, seen, pairs, strength), atol=2e-3)


def test_rare_words_move_more_than_frequent_ones_and_lonely_ones_not_at_all() -> None:
    means, seen = np.eye(6), np.array([10_000, 5, 100, 100, 7, 7])
    found = shared_means(means, seen, graph_of([("a", "b"), ("c", "d")]), 10.0)
    moved = np.linalg.norm(found - means, axis=1)
    assert moved[1] > 5 * moved[0]
    assert moved[2] == pytest.approx(moved[3], rel=1e-4)
    assert found[4:].tobytes() == means[4:].astype(np.float32).tobytes()
