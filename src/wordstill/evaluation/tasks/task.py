"""What a task is: how it reads its data, halves them and judges vectors by them, and how its scores are shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordstill.arrays import Array
from wordstill.evaluation.encoders import TextEncoder
from wordstill.evaluation.harnesses import Compat
from wordstill.evaluation.intervals import Outcome
from wordstill.evaluation.results import Part
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.space import Space
from wordstill.evaluation.split import Split


@dataclass(frozen=True)
class Judgement:
    """How a space did on a data set.

    outcome  one number per item, NaN where a word is missing
    every    the same, with missing words counted by the rule of the task
    parts    scores on parts of the set, or by further measures
    items    what `covered` is counted of: items, or the words of the test part where a model is trained
    by_seed  the scores of each seed, where a model is trained
    """

    outcome: Outcome
    every: Outcome
    items: int
    covered: int
    parts: tuple[Part, ...] = ()
    by_seed: tuple[float, ...] = ()


def judgement(outcome: Outcome, covered: Array, parts: tuple[Part, ...] = ()) -> Judgement:
    """Make the judgement of a task whose rule for missing words is the outcome's own."""
    return Judgement(outcome, outcome.filled(), len(covered), int(covered.sum()), parts)


def times_hundred(score: float) -> str:
    """Write a fraction as a table shows it."""
    return f"{100 * score:.1f}"


@dataclass(frozen=True)
class Task:
    """One task. `judge` may take minutes and may show its progress (`wordstill.system.progress`).

    title       its name in the report, where tasks stand in the order of the registry
    metric      what `score` is, in JSON
    about       what is measured, in a few words
    missing     how an item with a missing word counts in `score_all`, in a few words
    read        makes data of a file, or of the folder of a set of several files
    read_files  makes data of the files of a set of several, where `read` reads one file only
    data_of     the task whose data sets it judges by too, where it has none of its own
    measure     what `score` is on given data, where that differs from set to set
    judge_encoder  judges what gives vectors of whole texts, on the same data: a teacher, another package
    judge_teacher  judges a teacher itself, by its name, on the same data; True: it is trained too
    halve       the items of the data that are in one half (see `split.half`)
    recognizes  the first line of a user's own file, as text and as fields -> whether it is for this task; asked in the
                order of the registry. None where the data are no file that a user could write
    harnesses   those whose numbers it can reproduce
    quick       judged where nobody names a task or data set: it trains nothing
    main_parts  the names of the parts that a table always shows
    cell        a score as a table shows it
    """

    name: str
    title: str
    metric: str
    about: str
    missing: str
    read: Callable[[Path], Any]
    halve: Callable[[Any, Split], Any]
    judge: Callable[[Space, Any, EvaluationSettings], Judgement]
    recognizes: Callable[[str, list[str]], bool] | None = None
    harnesses: tuple[Compat, ...] = ()
    quick: bool = True
    main_parts: tuple[str, ...] = ()
    cell: Callable[[float], str] = times_hundred
    read_files: Callable[[Sequence[Path]], Any] | None = None
    data_of: str | None = None
    measure: Callable[[Any], str] | None = None
    judge_encoder: Callable[[TextEncoder, Any, EvaluationSettings], Judgement] | None = None
    judge_teacher: Callable[[str, bool, Any, EvaluationSettings], Judgement] | None = None
