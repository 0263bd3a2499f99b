"""Is one better than the other? Paired differences on the items that both cover."""

from __future__ import annotations

import zlib
from dataclasses import replace

import numpy as np

from wordstill.errors import InputError
from wordstill.evaluation.datasets import FIVE
from wordstill.evaluation.intervals import bootstrap, interval
from wordstill.evaluation.results import AVERAGE, OVERALL, Result, Results


def compare(results: Results, first: str, second: str, resamples: int = 1000, seed: int = 0) -> list[Result]:
    """The score of `first` less that of `second`, a set at a time and over all sets, with a 95 % interval.

    Both are scored on the items that both cover and on the same bootstrap draws of them: an interval that leaves
    out 0 is a difference that other items of the kind would likely show too.
    """
    names = {result.vectors for result in results}
    for name in (first, second):
        if name not in names:
            raise InputError(f"{name!r} was not evaluated; choose two of {', '.join(sorted(names))}")
    differences = []
    for one in (result for result in results if result.vectors == first and result.outcome is not None):
        two = results.find(one.dataset, second)
        differences.append(_difference(one, two, resamples, seed))
    named = {difference.dataset: difference for difference in differences}
    if all(name in named for name in FIVE):
        differences.append(_mean(AVERAGE, "similarity", [named[name] for name in FIVE]))
    if len(named) > 1:
        differences.append(_mean(OVERALL, OVERALL, list(named.values())))
    return differences


def _difference(one: Result, two: Result, resamples: int, seed: int) -> Result:
    assert one.outcome is not None
    assert two.outcome is not None
    both = one.outcome.covered & two.outcome.covered
    outcomes = one.outcome.take(both), two.outcome.take(both)
    first, second = (bootstrap(outcome, resamples, (seed, zlib.crc32(one.dataset.encode()))) for outcome in outcomes)
    low, high = interval(first - second)
    return replace(
        one,
        vectors=f"{one.vectors} - {two.vectors}",
        metric=f"difference in {one.metric}",
        score=outcomes[0].score() - outcomes[1].score(),
        score_all=one.score_all - two.score_all,
        low=low,
        high=high,
        items=len(both),
        covered=int(both.sum()),
        parts=(),
        outcome=None,
        draws=first - second,
    )


def _mean(name: str, task: str, differences: list[Result]) -> Result:
    draws = np.mean([difference.draws for difference in differences if difference.draws is not None], axis=0)
    low, high = interval(draws)
    return replace(
        differences[0],
        task=task,
        dataset=name,
        metric="difference in mean",
        score=float(np.mean([difference.score for difference in differences])),
        score_all=float(np.mean([difference.score_all for difference in differences])),
        low=low,
        high=high,
        items=sum(difference.items for difference in differences),
        covered=sum(difference.covered for difference in differences),
        draws=draws,
    )
