"""Scores over items, and how far they would move had other items been drawn: the bootstrap.

Every kind of outcome holds one number per item, NaN where the vectors have no answer, so that two models can be
compared on the items that both answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from wordstill.arrays import Array

# Resampled counts are made in blocks of at most this many numbers.
BLOCK = 1 << 22


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation of gold and predicted scores, ties at their average rank."""

    gold: Array
    predicted: Array

    @property
    def covered(self) -> Array:
        """Tell of each item whether it has a prediction."""
        return ~np.isnan(self.predicted)

    def take(self, chosen: Array) -> Correlation:
        """Return the same for some of the items."""
        return Correlation(self.gold[chosen], self.predicted[chosen])

    def score(self) -> float:
        """Return the correlation over the items given; NaN where either side does not vary."""
        return spearman(self.gold, self.predicted)

    def filled(self) -> Correlation:
        """Put items without a prediction at the mean of the others."""
        covered = self.covered
        mean = self.predicted[covered].mean() if covered.any() else 0.0
        return Correlation(self.gold, np.where(covered, self.predicted, mean))

    def resampled(self, counts: Array) -> Array:
        """Return the correlation under each row of counts (how often each item was drawn)."""
        gold, predicted = _resampled_ranks(self.gold, counts), _resampled_ranks(self.predicted, counts)
        with np.errstate(invalid="ignore", divide="ignore"):
            covariance = np.einsum("ij,ij,ij->i", counts, gold, predicted)
            spread = np.einsum("ij,ij,ij->i", counts, gold, gold) * np.einsum(
                "ij,ij,ij->i", counts, predicted, predicted
            )
            return np.asarray(covariance / np.sqrt(spread))


@dataclass(frozen=True)
class Mean:
    """The mean of one number per item: right or wrong, or a share."""

    values: Array

    @property
    def covered(self) -> Array:
        """Tell of each item whether it has a value."""
        return ~np.isnan(self.values)

    def take(self, chosen: Array) -> Mean:
        """Return the same for some of the items."""
        return Mean(self.values[chosen])

    def score(self) -> float:
        """Return the mean of the items given; NaN where there are none."""
        return float(self.values.mean()) if len(self.values) else float("nan")

    def filled(self) -> Mean:
        """Count items without a value as 0."""
        return Mean(np.nan_to_num(self.values))

    def resampled(self, counts: Array) -> Array:
        """Return the mean under each row of counts."""
        return np.asarray(counts @ self.values / len(self.values))


@dataclass(frozen=True)
class FScore:
    """F1 over what sentences hold, the mean over the runs of several seeds; one row per run, one column per sentence.

    right, predicted, true  how many spans of each sentence are right, were predicted, and are there
    """

    right: Array
    predicted: Array
    true: Array

    @property
    def covered(self) -> Array:
        """Tell of each sentence that it counts: a tagger tags every word."""
        return np.ones(self.right.shape[1], dtype=bool)

    def take(self, chosen: Array) -> FScore:
        """Return the same for some of the sentences."""
        return FScore(self.right[:, chosen], self.predicted[:, chosen], self.true[:, chosen])

    def score(self) -> float:
        """Return F1 over the sentences given; NaN where they hold nothing."""
        return float(self.resampled(np.ones((1, self.right.shape[1])))[0])

    def filled(self) -> FScore:
        """Return the same: nothing is missing."""
        return self

    def resampled(self, counts: Array) -> Array:
        """Return F1 under each row of counts."""
        with np.errstate(invalid="ignore"):
            each = 2 * (counts @ self.right.T) / (counts @ (self.predicted + self.true).T)
        return np.asarray(each.mean(axis=1))


Outcome: TypeAlias = Correlation | Mean | FScore


def spearman(first: Array, second: Array) -> float:
    """Return Spearman's rank correlation with average ranks for ties; NaN where one side has no two values."""
    if len(first) < 2:
        return float("nan")
    one, two = ranks(first), ranks(second)
    one -= one.mean()
    two -= two.mean()
    spread = float(np.sqrt((one @ one) * (two @ two)))
    return float(one @ two) / spread if spread > 0 else float("nan")


def ranks(values: Array) -> Array:
    """Return the rank of each value from 1 up, equal values at the mean of their ranks."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(sizes) - (sizes - 1) / 2)[group])


def bootstrap(outcome: Outcome, resamples: int, seed: int | tuple[int, ...]) -> Array:
    """Return the score under `resamples` seeded draws of the items with replacement.

    Two outcomes over the same items get the same draws, so that the difference is paired.
    """
    items = len(outcome.covered)
    if items == 0 or resamples == 0:
        return np.full(resamples, np.nan)
    return np.concatenate([outcome.resampled(counts) for counts in _draws(items, resamples, seed)])


def set_seed(seed: int, dataset: str) -> tuple[int, int]:
    """Return the seed of a data set's draws: each set has its own, or averages would be too narrow or too wide."""
    return seed, zlib.crc32(dataset.encode())


def interval(draws: Array) -> tuple[float, float]:
    """Return the ends of the middle 95 % of the draws that have a value."""
    known = draws[~np.isnan(draws)]
    if len(known) == 0:
        return float("nan"), float("nan")
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def _draws(items: int, resamples: int, seed: int | tuple[int, ...]) -> Iterator[Array]:
    generator = np.random.default_rng(seed)
    at_once = max(1, BLOCK // items)
    for start in range(0, resamples, at_once):
        rows = min(at_once, resamples - start)
        drawn = generator.integers(0, items, size=(rows, items))
        drawn += np.arange(rows)[:, None] * items
        yield np.bincount(drawn.ravel(), minlength=rows * items).reshape(rows, items).astype(np.float64)


def _resampled_ranks(values: Array, counts: Array) -> Array:
    """Return average ranks within each draw, less their mean, without sorting anew: the order never changes."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    order = np.argsort(group, kind="stable")
    starts = np.cumsum(sizes) - sizes
    drawn = np.add.reduceat(counts[:, order], starts, axis=1)
    middle = np.cumsum(drawn, axis=1)
    middle -= (drawn - 1) / 2
    middle -= (len(values) + 1) / 2
    return np.asarray(middle[:, group])
