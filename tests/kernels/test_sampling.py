from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as some
from scipy.stats import chisquare

from wordstill.kernels.sampling import NegativeSampler, generator, keep_probabilities


@given(some.lists(some.integers(0, 10_000), min_size=1, max_size=40).filter(any), some.sampled_from([0.5, 0.75, 1.0]))
def test_the_alias_table_holds_the_probabilities_exactly(counts: list[int], power: float) -> None:
    sampler = NegativeSampler(np.array(counts), power)
    size = len(counts)
    held = np.zeros(size)
    for cell in range(size):
        held[cell] += sampler.share[cell] / size
        held[sampler.alias[cell]] += (1 - sampler.share[cell]) / size
    weights = np.array(counts, dtype=np.float64) ** power * (np.array(counts) > 0)
    np.testing.assert_allclose(held, weights / weights.sum(), atol=1e-12)


def test_draws_follow_the_counts() -> None:
    counts = np.array([1000, 300, 100, 30, 10, 0])
    drawn = NegativeSampler(counts, 0.5).draw(generator(1), (200_000,))
    expected = np.sqrt(counts) / np.sqrt(counts).sum() * len(drawn)
    found = np.bincount(drawn, minlength=6)
    assert found[5] == 0
    assert chisquare(found[:5], expected[:5]).pvalue > 1e-3


def test_subsampling_keeps_by_the_papers_formula() -> None:
    frequencies = np.array([0.05, 1e-3, 5e-6, 1e-7])
    ratio = 5e-6 / frequencies
    np.testing.assert_allclose(keep_probabilities(frequencies, 5e-6), np.minimum(1, np.sqrt(ratio) + ratio))
    assert keep_probabilities(frequencies, 0.0).tolist() == [1.0] * 4


def test_a_step_draws_the_same_numbers_whenever_it_is_made() -> None:
    assert generator(3, 2, 5).random(4).tolist() == generator(3, 2, 5).random(4).tolist()
    assert generator(3, 2, 5).random() != generator(3, 2, 6).random()
    assert generator(3, 2, 5).random() != generator(4, 2, 5).random()
