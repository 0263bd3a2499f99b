"""The tasks: how each reads its data, halves it and judges a space by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.evaluation import parsers
from wordstill.evaluation.analogy import Method, analogy, analogy_backwards, analogy_with_mean_vector, question_rows
from wordstill.evaluation.categorization import categorization, categorization_of_web
from wordstill.evaluation.intervals import Mean, Outcome
from wordstill.evaluation.parsers import Categories, Pairs, Questions, Relation
from wordstill.evaluation.relations import relation_scores, relation_scores_of_web
from wordstill.evaluation.similarity import similarity, similarity_with_mean_vector
from wordstill.evaluation.space import Case, Space, letters_and_digits
from wordstill.evaluation.split import Split, half

Compat: TypeAlias = Literal["web", "muse"]
Words = TypeVar("Words", bound="tuple[str, ...]")


@dataclass(frozen=True)
class Settings:
    """How everything is judged; see `evaluate` for what each means."""

    split: Split | None = None
    compat: Compat | None = None
    case: Case = "auto"
    top: int | None = None
    method: Method = "add"
    resamples: int = 1000
    seed: int = 0
    seeds: int = 5

    def __post_init__(self) -> None:
        if self.compat not in (None, "web", "muse"):
            raise InputError(f"compat is 'web' or 'muse', not {self.compat!r}")
        if self.method not in ("add", "multiply"):
            raise InputError(f"an analogy is solved by 'add' or 'multiply', not {self.method!r}")
        if self.resamples < 0 or self.seeds < 1 or self.seed < 0:
            raise InputError("resamples and seed must be 0 or more, and seeds 1 or more")


@dataclass(frozen=True)
class Judged:
    """One outcome an item; `all` is the same with missing words counted by the task's rule."""

    metric: str
    outcome: Outcome
    all: Outcome
    items: int
    covered: int
    sections: dict[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """What a task needs: a reader, a halver, and a judge."""

    read: Callable[[Path], Any]
    halve: Callable[[Any, Split], Any]
    judge: Callable[[Space, Any, Settings], Judged]


def _halve_pairs(pairs: Pairs, split: Split) -> Pairs:
    chosen = half(zip(pairs.first, pairs.second, strict=True), split)
    first = [word for word, keep in zip(pairs.first, chosen, strict=True) if keep]
    second = [word for word, keep in zip(pairs.second, chosen, strict=True) if keep]
    return Pairs(first, second, pairs.gold[chosen])


def _judge_pairs(space: Space, pairs: Pairs, settings: Settings) -> Judged:
    outcome = similarity(space, pairs)
    covered = int(outcome.covered.sum())
    if settings.compat == "web":
        outcome = similarity_with_mean_vector(space, pairs)
    return Judged("spearman", outcome, outcome.filled(), len(pairs.gold), covered)


def _read_questions(path: Path) -> Questions:
    return parsers.read_question_table(path) if path.suffix == ".csv" else parsers.read_questions(path)


def _halve_questions(questions: Questions, split: Split) -> Questions:
    chosen = half(questions.words, split)
    words = [question for question, keep in zip(questions.words, chosen, strict=True) if keep]
    return Questions(words, [name for name, keep in zip(questions.sections, chosen, strict=True) if keep])


def _judge_questions(space: Space, questions: Questions, settings: Settings) -> Judged:
    if settings.compat == "muse":
        outcome = analogy_backwards(space, questions)
    elif settings.compat == "web":
        questions = replace(questions, words=[_cleaned(words) for words in questions.words])
        outcome = analogy_with_mean_vector(space, questions)
    else:
        outcome = analogy(space, questions, settings.method)
    covered: Array = np.all(question_rows(space, questions) >= 0, axis=1)
    return Judged("accuracy", outcome, outcome.filled(), len(covered), int(covered.sum()), _sections(questions))


def _cleaned(words: Words) -> Words:
    """The words as the `web` harness cleans those of analogies and relations."""
    return type(words)(letters_and_digits(word) for word in words)


def _sections(questions: Questions) -> dict[str, Array]:
    names = np.array(questions.sections, dtype=str)
    sections = {str(name): names == name for name in dict.fromkeys(questions.sections)}
    # The Google set's names of grammatical sections start with "gram".
    syntactic = np.char.startswith(names, "gram")
    if syntactic.any() and not syntactic.all():
        sections = {"semantic": ~syntactic, "syntactic": syntactic, **sections}
    return sections if len(sections) > 1 else {}


def _halve_relations(relations: list[Relation], split: Split) -> list[Relation]:
    halves = []
    for relation in relations:
        chosen = half(((relation.name, *pair) for pair in relation.pairs), split)
        pairs = [pair for pair, keep in zip(relation.pairs, chosen, strict=True) if keep]
        texts = [text for text, keep in zip(relation.gold_text, chosen, strict=True) if keep]
        halves.append(replace(relation, pairs=pairs, gold=relation.gold[chosen], gold_text=texts))
    return halves


def _judge_relations(space: Space, relations: list[Relation], settings: Settings) -> Judged:
    tested = [relation for relation in relations if not relation.training]
    if settings.compat == "web":
        tested = [
            replace(
                relation,
                prototypes=[_cleaned(pair) for pair in relation.prototypes],
                pairs=[_cleaned(pair) for pair in relation.pairs],
            )
            for relation in relations
        ]
    skipped, every, covered = relation_scores(space, tested)
    items = sum(len(relation.pairs) for relation in tested)
    if settings.compat == "web":
        skipped = every = relation_scores_of_web(space, tested)
    return Judged("spearman", Mean(skipped), Mean(every), items, covered)


def _halve_categories(categories: Categories, split: Split) -> Categories:
    chosen = half(([word] for word in categories.words), split)
    words = [word for word, keep in zip(categories.words, chosen, strict=True) if keep]
    return Categories(words, [label for label, keep in zip(categories.labels, chosen, strict=True) if keep])


def _judge_categories(space: Space, categories: Categories, settings: Settings) -> Judged:
    if settings.compat == "web":
        outcome = categorization_of_web(space, categories, settings.seed)
    else:
        outcome = categorization(space, categories, settings.seeds, settings.seed)
    covered = int((space.find(categories.words) >= 0).sum())
    return Judged("purity", outcome, outcome.filled(), len(categories.words), covered)


TASKS: dict[str, Task] = {
    "similarity": Task(parsers.read_pairs, _halve_pairs, _judge_pairs),
    "analogy": Task(_read_questions, _halve_questions, _judge_questions),
    "relations": Task(parsers.read_relations, _halve_relations, _judge_relations),
    "categorization": Task(parsers.read_categories, _halve_categories, _judge_categories),
}
