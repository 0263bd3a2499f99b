"""Predicted classes and tags as judgements: mean and spread over seeds, macro-F1 beside accuracy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordstill.arrays import Array
from wordstill.evaluation.intervals import FScore, Mean
from wordstill.evaluation.results import Part
from wordstill.evaluation.tasks.task import Judgement

MACRO = "macro-F1"


def macro_f1(gold: Array, predicted: Array, classes: int) -> float:
    """Return the mean over the classes of F1; a class that is neither there nor predicted is left out."""
    table = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(table, (gold, predicted), 1)
    right, both = np.diag(table), table.sum(axis=0) + table.sum(axis=1)
    return float(np.mean(2 * right[both > 0] / both[both > 0]))


def class_judgement(
    gold: Array, runs: Sequence[Array], classes: int, coverage: tuple[int, int], more: tuple[Part, ...] = ()
) -> Judgement:
    """Judge the classes that each seed's model predicts: accuracy, and macro-F1 as a part."""
    right = np.array([predicted == gold for predicted in runs], dtype=np.float64)
    macro = [macro_f1(gold, np.asarray(predicted), classes) for predicted in runs]
    part = make_part(MACRO, macro, coverage)
    return _judged(Mean(right.mean(axis=0)), right.mean(axis=1).tolist(), coverage, (part, *more))


def tag_judgement(runs: Sequence[Array], has_spans: bool, coverage: tuple[int, int]) -> Judgement:
    """Judge by what each seed's model got right per sentence: three columns, right, predicted and true.

    F1 over spans, or accuracy over words, where the last two columns are the sentence's length. A sentence is one item
    of the interval.
    """
    counts = np.array(runs, dtype=np.float64)
    outcome = FScore(counts[:, :, 0], counts[:, :, 1], counts[:, :, 2])
    totals = counts.sum(axis=1)
    scores = (2 * totals[:, 0] / np.maximum(1, totals[:, 1] + totals[:, 2])).tolist()
    parts: tuple[Part, ...] = ()
    if has_spans:
        precision, recall = totals[:, 0] / np.maximum(1, totals[:, 1]), totals[:, 0] / np.maximum(1, totals[:, 2])
        parts = tuple(
            make_part(name, values.tolist(), coverage)
            for name, values in (("precision", precision), ("recall", recall))
        )
    return _judged(outcome, scores, coverage, parts)


def make_part(name: str, scores: Sequence[float], coverage: tuple[int, int]) -> Part:
    """Make a part of the scores of each seed."""
    score = float(np.mean(scores))
    return Part(name, score, score, *coverage, by_seed=tuple(scores))


def _judged(
    outcome: Mean | FScore, scores: Sequence[float], coverage: tuple[int, int], parts: tuple[Part, ...]
) -> Judgement:
    words, covered = coverage
    # No text is skipped: what is missing is told by the words that have no vector.
    return Judgement(outcome, outcome, words, covered, parts, by_seed=tuple(scores))
