"""Means over the data sets of one vectors: of the quick tasks together, and of each task that trains a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from wordstill.evaluation.datasets import FIVE
from wordstill.evaluation.intervals import interval
from wordstill.evaluation.results import AVERAGE, OVERALL, Part, Result
from wordstill.evaluation.tasks import find_task


def averages(results: Sequence[Result], metric: str = "mean") -> Iterator[Result]:
    """Yield the averages over the results of one vectors.

    Over the five sets of X2Static, over all sets of tasks that train nothing, and over the sets of each other task.
    """
    groups: dict[str, list[Result]] = {}
    for result in results:
        task = find_task(result.task)
        groups.setdefault(result.task if task and not task.quick else OVERALL, []).append(result)
    for task_name, group in groups.items():
        named = {result.dataset: result for result in group}
        if task_name == OVERALL and all(name in named for name in FIVE):
            yield _average(AVERAGE, "similarity", metric, [named[name] for name in FIVE])
        if len(group) > 1:
            yield _average(OVERALL, task_name, metric, group)


def _average(name: str, task: str, metric: str, results: Sequence[Result]) -> Result:
    draws = np.mean([result.draws for result in results if result.draws is not None], axis=0)
    low, high = interval(draws)
    return replace(
        results[0],
        task=task,
        dataset=name,
        metric=metric,
        score=float(np.mean([result.score for result in results])),
        score_all=float(np.mean([result.score_all for result in results])),
        low=low,
        high=high,
        items=sum(result.items for result in results),
        covered=sum(result.covered for result in results),
        parts=() if task == OVERALL else tuple(_average_parts(results)),
        by_seed=_mean_by_seed([result.by_seed for result in results]),
        outcome=None,
        draws=draws,
    )


def _average_parts(results: Sequence[Result]) -> Iterator[Part]:
    """Yield the mean of each part that all results have."""
    for first in results[0].parts:
        parts = [part for result in results for part in result.parts if part.name == first.name]
        if len(parts) == len(results):
            yield Part(
                first.name,
                float(np.mean([part.score for part in parts])),
                float(np.mean([part.score_all for part in parts])),
                sum(part.items for part in parts),
                sum(part.covered for part in parts),
                _mean_by_seed([part.by_seed for part in parts]),
            )


def _mean_by_seed(scores: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    """Return the mean over the sets for each seed, so that a mean has a deviation of its own."""
    if len({len(each) for each in scores}) > 1:  # some sets were not judged from every seed
        return ()
    return tuple(float(np.mean(each)) for each in zip(*scores, strict=True))
