"""Relations: how typical is a word pair of a relation? (SemEval-2012 task 2)

A pair's score is the cosine between its offset and the mean offset of the pairs that explain the relation,
over unit vectors; a relation's score is Spearman's correlation of that with the human ratings.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordstill.arrays import Array, unit, unit_rows
from wordstill.evaluation.intervals import Correlation, spearman
from wordstill.evaluation.parsers import Relation
from wordstill.evaluation.space import Space


def typicality(space: Space, relation: Relation) -> Correlation:
    """The score of each pair beside its rating; NaN where a word is missing.

    Explaining pairs with a missing word are left out; where none is left, no pair of the relation has a score.
    """
    prototypes, known = _offsets(space, relation.prototypes)
    offsets, covered = _offsets(space, relation.pairs)
    scores = np.full(len(covered), np.nan)
    if known.any():
        direction = unit(prototypes[known].mean(axis=0))
        scores[covered] = unit_rows(offsets[covered]) @ direction
    return Correlation(relation.gold, scores)


def relation_scores(space: Space, relations: Sequence[Relation]) -> tuple[Array, Array, int]:
    """Each relation's score with missing pairs skipped, with all pairs, and how many pairs are covered.

    All pairs: a pair without a score has the mean score of the relation's others, and a relation that cannot be
    scored counts 0.
    """
    skipped, every, covered = [], [], 0
    for relation in relations:
        outcome = typicality(space, relation)
        covered += int(outcome.covered.sum())
        skipped.append(outcome.take(outcome.covered).score())
        every.append(outcome.filled().score())
    return np.array(skipped), np.nan_to_num(np.array(every)), covered


def relation_scores_of_web(space: Space, relations: Sequence[Relation]) -> Array:
    """The `web` harness: dot products, the mean vector for a missing word, and the ratings ranked as text."""
    scores = []
    for relation in relations:
        left, right = (_with_mean(space, side) for side in zip(*relation.prototypes, strict=True))
        direction = left.mean(axis=0) - right.mean(axis=0)
        left, right = (_with_mean(space, side) for side in zip(*relation.pairs, strict=True))
        scores.append(spearman((left - right) @ direction, np.array(relation.gold_text)))
    return np.asarray(np.nan_to_num(np.array(scores)))


def _offsets(space: Space, pairs: Sequence[tuple[str, str]]) -> tuple[Array, Array]:
    left, right = (space.find(side) for side in zip(*pairs, strict=True))
    return np.asarray(space.unit(right) - space.unit(left)), (left >= 0) & (right >= 0)


def _with_mean(space: Space, words: Sequence[str]) -> Array:
    return space.unit_or_mean(space.find(words))
