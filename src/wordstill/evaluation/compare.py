"""Is one better than the other? Paired differences on the items that both cover."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from wordstill.errors import InputError
from wordstill.evaluation.averages import averages
from wordstill.evaluation.intervals import bootstrap, interval, set_seed
from wordstill.evaluation.results import Part, Result, Results
from wordstill.evaluation.tasks import find_task


def compare(results: Results, first: str, second: str, resamples: int = 1000, seed: int = 0) -> list[Result]:
    """Return the score of `first` less that of `second`, per set and over all sets, with a 95 % interval.

    Both are scored on the items that both cover and on the same bootstrap draws of them: an interval that leaves
    out 0 is a difference that other items of the kind would likely show too.
    """
    names = {result.vectors for result in results}
    for name in (first, second):
        if name not in names:
            raise InputError(f"{name!r} was not evaluated; choose two of {', '.join(sorted(names))}")
    differences = [
        _difference(one, results.find(one.dataset, second, one.task), resamples, seed)
        for one in results
        if one.vectors == first and one.outcome is not None
    ]
    return [*differences, *averages(differences, "difference in mean")]


def _difference(one: Result, two: Result, resamples: int, seed: int) -> Result:
    assert one.outcome is not None
    assert two.outcome is not None
    both = one.outcome.covered & two.outcome.covered
    outcomes = one.outcome.take(both), two.outcome.take(both)
    first, second = (bootstrap(outcome, resamples, set_seed(seed, one.dataset)) for outcome in outcomes)
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
        parts=tuple(_part_differences(one, two)),
        by_seed=(),
        outcome=None,
        draws=first - second,
    )


def _part_differences(one: Result, two: Result) -> Iterator[Part]:
    """Yield the difference of each measure that a trained model has beside its score, such as macro-F1."""
    task = find_task(one.task)
    others = {part.name: part for part in two.parts}
    for part in one.parts:
        if task and not task.quick and (other := others.get(part.name)) is not None:
            difference = part.score - other.score
            yield Part(part.name, difference, difference, part.items, part.covered)
