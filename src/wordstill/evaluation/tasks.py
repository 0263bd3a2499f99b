"""The tasks: how each reads its data, halves it and judges a space by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from wordstill.errors import InputError
from wordstill.evaluation import parsers
from wordstill.evaluation.analogy import Method, analogy, analogy_backwards, analogy_with_mean_vector
from wordstill.evaluation.intervals import Outcome
from wordstill.evaluation.parsers import Pairs, Questions
from wordstill.evaluation.similarity import similarity, similarity_with_mean_vector
from wordstill.evaluation.space import Case, Space
from wordstill.evaluation.split import Split, half
from wordstill.vectors import Array

Compat: TypeAlias = Literal["web", "muse"]


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
        outcome = analogy_with_mean_vector(space, questions)
    else:
        outcome = analogy(space, questions, settings.method)
    rows = space.find(word for question in questions.words for word in question).reshape(-1, 4)
    covered = int((rows >= 0).all(axis=1).sum())
    return Judged("accuracy", outcome, outcome.filled(), len(rows), covered, _sections(questions))


def _sections(questions: Questions) -> dict[str, Array]:
    names = np.array(questions.sections)
    sections = {str(name): names == name for name in dict.fromkeys(questions.sections)}
    # The Google set's names of grammatical sections start with "gram".
    syntactic = np.char.startswith(names, "gram")
    if syntactic.any() and not syntactic.all():
        sections = {"semantic": ~syntactic, "syntactic": syntactic, **sections}
    return sections if len(sections) > 1 else {}


TASKS: dict[str, Task] = {
    "similarity": Task(parsers.read_pairs, _halve_pairs, _judge_pairs),
    "analogy": Task(_read_questions, _halve_questions, _judge_questions),
}
