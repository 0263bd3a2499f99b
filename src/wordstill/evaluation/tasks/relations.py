"""Relations: how typical is a word pair of a relation? (SemEval-2012 task 2)

A pair's score is the cosine between its offset and the mean offset of the pairs that explain the relation,
over unit vectors; a relation's score is Spearman's correlation of that with the human ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from pathlib import Path

import numpy as np

from wordstill.arrays import Array, unit, unit_rows
from wordstill.errors import InputError
from wordstill.evaluation.dataset_lines import read_lines, to_number
from wordstill.evaluation.harnesses import cleaned
from wordstill.evaluation.intervals import Correlation, Mean, spearman
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.space import Space
from wordstill.evaluation.split import Split, half
from wordstill.evaluation.tasks.task import Judgement, Task


@dataclass(frozen=True)
class Relation:
    """Pairs of one relation with the degree to which each has it, and the pairs it was explained with.

    `gold_text` is the score as it is written: one harness ranks it as text.
    """

    name: str
    prototypes: list[tuple[str, str]]
    pairs: list[tuple[str, str]]
    gold: Array
    gold_text: list[str]
    training: bool


def read_relations(folder: Path) -> list[Relation]:
    """Read SemEval-2012 task 2 as published: prototypes in Phase1Questions, scores in the gold ratings."""
    relations = []
    for part in ("Testing", "Training"):
        for questions in sorted((folder / part / "Phase1Questions").glob("Phase1Questions-*.txt")):
            name = questions.stem.removeprefix("Phase1Questions-")
            ratings = folder / "SemEval-2012-Gold-Ratings" / part / f"GoldRatings-{name}.txt"
            if not ratings.is_file():
                raise InputError(f"{ratings} is missing; get the set again (wordstill data get semeval2012)")
            relations.append(_read_relation(name, questions, ratings, part == "Training"))
    if not relations:
        raise InputError(f"{folder} has no Phase1Questions; get it again (wordstill data get semeval2012)")
    return relations


def _read_relation(name: str, questions: Path, ratings: Path, training: bool) -> Relation:
    lines = [line for _, line in read_lines(questions, comments=False)]
    start, stop = ("Consider the following", "What relation best")
    told = [number for number, line in enumerate(lines) if line.startswith((start, stop))]
    if len(told) != 2:
        raise InputError(f"{questions} does not list its word pairs between {start!r} and {stop!r}")
    # Some files have two pairs on a line, with or without a full stop between them.
    listed = " ".join(lines[told[0] + 1 : told[1]]).replace(": ", ":").split()
    prototypes = [_pair(text.rstrip(".,;")) for text in listed if ":" in text]
    gold, texts, pairs = [], [], []
    for number, line in read_lines(ratings):
        text, _, quoted = line.partition(" ")
        score = to_number(text)
        if score is None or quoted.count(":") != 1:
            raise InputError(f'{ratings}, line {number}: expected a score and a pair like "tool:hammer"')
        gold.append(score)
        texts.append(text)
        pairs.append(_pair(quoted.strip().strip('"')))
    if not prototypes or not pairs:
        raise InputError(f"{questions} or {ratings} has no word pairs; get the set again")
    return Relation(name, prototypes, pairs, np.array(gold), texts, training)


def _pair(text: str) -> tuple[str, str]:
    left, _, right = text.partition(":")
    return left.strip(), right.strip()


def halve(relations: list[Relation], split: Split) -> list[Relation]:
    """Keep the pairs of one half of every relation."""
    halves = []
    for relation in relations:
        chosen = half(((relation.name, *pair) for pair in relation.pairs), split)
        pairs, texts = list(compress(relation.pairs, chosen)), list(compress(relation.gold_text, chosen))
        halves.append(replace(relation, pairs=pairs, gold=relation.gold[chosen], gold_text=texts))
    return halves


def judge(space: Space, relations: list[Relation], settings: EvaluationSettings) -> Judgement:
    """Judge a space by its mean score over the test relations; the `web` harness takes the training ones too."""
    web = settings.compat == "web"
    tested = [_cleaned(relation) if web else relation for relation in relations if web or not relation.training]
    skipped, every, covered = relation_scores(space, tested)
    if web:
        skipped = every = relation_scores_of_web(space, tested)
    return Judgement(Mean(skipped), Mean(every), sum(len(relation.pairs) for relation in tested), covered)


def _cleaned(relation: Relation) -> Relation:
    pairs, prototypes = ([cleaned(pair) for pair in side] for side in (relation.pairs, relation.prototypes))
    return replace(relation, pairs=pairs, prototypes=prototypes)


def relation_scores(space: Space, relations: Sequence[Relation]) -> tuple[Array, Array, int]:
    """Return each relation's score with missing pairs skipped, with all pairs, and how many pairs are covered.

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


def typicality(space: Space, relation: Relation) -> Correlation:
    """Return the score of each pair beside its rating; NaN where a word is missing.

    Explaining pairs with a missing word are left out; where none is left, no pair of the relation has a score.
    """
    prototypes, known = _offsets(space, relation.prototypes)
    offsets, covered = _offsets(space, relation.pairs)
    scores = np.full(len(covered), np.nan)
    if known.any():
        direction = unit(prototypes[known].mean(axis=0))
        scores[covered] = unit_rows(offsets[covered]) @ direction
    return Correlation(relation.gold, scores)


def relation_scores_of_web(space: Space, relations: Sequence[Relation]) -> Array:
    """Do as the `web` harness: dot products, the mean vector for a missing word, and the ratings ranked as text."""
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


TASK = Task(
    name="relations",
    title="Relations",
    metric="spearman",
    about="Spearman's correlation of typicality with ratings, the mean over relations",
    missing="mean of its relation",
    read=read_relations,
    halve=halve,
    judge=judge,
    harnesses=("web",),
)
