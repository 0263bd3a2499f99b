from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from wordstill.evaluation.intervals import Correlation, Mean, bootstrap, interval, ranks, spearman

VALUES = st.lists(st.integers(-4, 4), min_size=3, max_size=40)


@given(VALUES)
def test_ranks_are_scipys_average_ranks(values: list[int]) -> None:
    np.testing.assert_array_equal(ranks(np.array(values)), scipy.stats.rankdata(values))


@given(st.integers(3, 40).flatmap(lambda n: st.tuples(*[st.lists(st.integers(-5, 5), min_size=n, max_size=n)] * 2)))
def test_spearman_is_scipys_with_ties(pair: tuple[list[int], list[int]]) -> None:
    first, second = map(np.array, pair)
    ours = spearman(first, second)
    if len(set(pair[0])) == 1 or len(set(pair[1])) == 1:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(scipy.stats.spearmanr(first, second).statistic, abs=1e-12)


def test_spearman_of_fewer_than_two_items_is_nan() -> None:
    assert np.isnan(spearman(np.array([1.0]), np.array([2.0])))
    assert np.isnan(Correlation(np.zeros(0), np.zeros(0)).score())
    assert np.isnan(Mean(np.zeros(0)).score())


def test_a_resampled_correlation_is_that_of_the_items_drawn() -> None:
    generator = np.random.default_rng(1)
    outcome = Correlation(generator.integers(0, 9, 50).astype(float), generator.integers(0, 30, 50).astype(float))
    drawn = generator.integers(0, 50, (20, 50))
    counts = np.stack([np.bincount(row, minlength=50) for row in drawn]).astype(float)
    expected = [scipy.stats.spearmanr(outcome.gold[row], outcome.predicted[row]).statistic for row in drawn]
    np.testing.assert_allclose(outcome.resampled(counts), expected, atol=1e-12)


def test_a_resampled_mean_is_that_of_the_items_drawn() -> None:
    counts = np.array([[2.0, 0.0, 1.0], [0.0, 3.0, 0.0]])
    np.testing.assert_allclose(Mean(np.array([1.0, 0.0, 0.5])).resampled(counts), [2.5 / 3, 0.0])


def test_the_interval_agrees_with_scipys_percentile_bootstrap() -> None:
    generator = np.random.default_rng(2)
    gold = generator.standard_normal(200)
    outcome = Correlation(gold, gold + generator.standard_normal(200))
    theirs = scipy.stats.bootstrap(
        (outcome.gold, outcome.predicted),
        lambda one, two: scipy.stats.spearmanr(one, two).statistic,
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="percentile",
        rng=np.random.default_rng(3),
    ).confidence_interval
    low, high = interval(bootstrap(outcome, 2000, 0))
    assert low == pytest.approx(theirs.low, abs=0.02)
    assert high == pytest.approx(theirs.high, abs=0.02)


def test_the_same_seed_draws_the_same_and_another_seed_does_not() -> None:
    outcome = Mean(np.arange(30.0))
    np.testing.assert_array_equal(bootstrap(outcome, 50, 7), bootstrap(outcome, 50, 7))
    assert not np.array_equal(bootstrap(outcome, 50, 7), bootstrap(outcome, 50, 8))


def test_draws_do_not_depend_on_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = Mean(np.arange(30.0))
    whole = bootstrap(outcome, 50, 7)
    monkeypatch.setattr("wordstill.evaluation.intervals.BLOCK", 70)
    np.testing.assert_array_equal(bootstrap(outcome, 50, 7), whole)


def test_two_outcomes_over_the_same_items_get_the_same_draws() -> None:
    values = np.random.default_rng(0).standard_normal(40)
    difference = bootstrap(Mean(values + 1), 100, 5) - bootstrap(Mean(values), 100, 5)
    np.testing.assert_allclose(difference, 1.0)


def test_without_items_or_resamples_there_is_no_interval() -> None:
    assert np.isnan(interval(bootstrap(Mean(np.zeros(0)), 10, 0))).all()
    assert np.isnan(interval(bootstrap(Mean(np.ones(3)), 0, 0))).all()


def test_missing_predictions_are_filled_by_the_mean_and_missing_values_by_zero() -> None:
    filled = Correlation(np.arange(3.0), np.array([1.0, np.nan, 3.0])).filled()
    assert filled.predicted.tolist() == [1.0, 2.0, 3.0]
    assert Mean(np.array([1.0, np.nan])).filled().score() == 0.5
