"""What an evaluation found: one Result per vectors and data set, averages, and tables of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.escaping import as_json
from wordstill.evaluation.intervals import Outcome

AVERAGE = "average5"
OVERALL = "overall"
# What people read instead of these names.
AVERAGE_TITLES = {AVERAGE: "average of 5", OVERALL: "mean of all"}
COLUMNS = (
    *("vectors", "task", "dataset", "metric"),
    *("score", "score_all", "low", "high", "items", "covered", "coverage"),
)

# Written only where there is one.
OPTIONAL = ("split", "compat", "deviation")


def deviation_over(scores: Sequence[float]) -> float | None:
    """Return the standard deviation over the seeds of a trained model; None of fewer than two."""
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else None


@dataclass(frozen=True)
class Part:
    """The score on a part of a data set: a section of an analogy set, all its semantic questions, ...

    by_seed  the scores that `score` is the mean of, where a model was trained from several seeds
    """

    name: str
    score: float
    score_all: float
    items: int
    covered: int
    by_seed: tuple[float, ...] = ()

    @property
    def deviation(self) -> float | None:
        """The standard deviation over seeds, where there are several."""
        return deviation_over(self.by_seed)

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` writes of it."""
        names = ("name", "score", "score_all", "items", "covered", "deviation")
        return {name: _finite(value) for name in names if (value := getattr(self, name)) is not None}


@dataclass(frozen=True)
class Result:
    """One score with what it needs to be believed. Scores are fractions; NaN where nothing could be scored.

    score      items with a missing word skipped
    score_all  every item counted, a missing word's item by the task's rule
    low, high  the 95 % bootstrap interval of `score`
    by_seed    the scores that `score` is the mean of, where a model was trained from several seeds
    """

    vectors: str
    task: str
    dataset: str
    metric: str
    score: float
    score_all: float
    low: float
    high: float
    items: int
    covered: int
    split: str | None = None
    compat: str | None = None
    parts: tuple[Part, ...] = ()
    by_seed: tuple[float, ...] = ()
    outcome: Outcome | None = field(default=None, repr=False, compare=False)
    draws: Array | None = field(default=None, repr=False, compare=False)

    @property
    def coverage(self) -> float:
        """The share of the items whose words all have a vector."""
        return self.covered / self.items if self.items else 0.0

    @property
    def deviation(self) -> float | None:
        """The standard deviation over seeds, where there are several."""
        return deviation_over(self.by_seed)

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` writes: raw fractions, null for what is not a number."""
        values = {name: _finite(getattr(self, name)) for name in COLUMNS}
        values |= {name: getattr(self, name) for name in OPTIONAL if getattr(self, name) is not None}
        if self.parts:
            values["parts"] = [part.as_dict() for part in self.parts]
        return values


class Results(list[Result]):
    """A list of Result, with `notes` for the table's foot and `differences` between two of the vectors."""

    def __init__(self, results: Iterable[Result] = (), notes: Iterable[str] = ()) -> None:
        super().__init__(results)
        self.notes = list(notes)
        self.differences: list[Result] = []

    def find(self, dataset: str, vectors: str | None = None, task: str | None = None) -> Result:
        """Return the result on a data set (of the vectors, and by the task, named, where there are several)."""
        for result in self:
            if result.dataset == dataset and vectors in (None, result.vectors) and task in (None, result.task):
                return result
        raise KeyError(f"no result on {dataset!r}" + (f" of {vectors!r}" if vectors else ""))

    def table(self, bold: bool = False, parts: bool = False) -> str:
        """Write aligned columns for people, scores times 100; the best of several vectors has a star."""
        from wordstill.evaluation.tables import text_table

        return text_table(self, bold=bold, parts=parts)

    def to_csv(self) -> str:
        """Write comma-separated values, raw fractions."""
        from wordstill.evaluation.tables import csv_table

        return csv_table(self)

    def to_latex(self) -> str:
        """Write a LaTeX tabular (booktabs), scores times 100, the best in bold."""
        from wordstill.evaluation.tables import latex_table

        return latex_table(self)

    def to_json(self) -> str:
        """Write a JSON list of objects, raw fractions."""
        return as_json([result.as_dict() for result in (*self, *self.differences)]) + "\n"


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
