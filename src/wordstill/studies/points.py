"""Scores of vectors that differ in one thing: points on lines, as records, as a table and as series of a chart."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from wordstill.explore.charts import Series
from wordstill.studies.distilled import listed
from wordstill.vectors import WordVectors

if TYPE_CHECKING:
    from wordstill.evaluation import Result, Results

AVERAGE = "average"


@dataclass(frozen=True)
class Point:
    """Vectors, the line they belong to, and where they stand on it; `more` goes into the records."""

    line: str
    place: Any
    vectors: WordVectors
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the results call it."""
        return f"{self.line} {self.place}"


class Scores:
    """Every point judged on every data set."""

    def __init__(self, points: Sequence[Point], arguments: argparse.Namespace) -> None:
        from wordstill.evaluation import evaluate

        self.points = list(points)
        self.results: Results = evaluate(
            {point.name: point.vectors for point in points},
            datasets=listed(arguments.datasets),
            split=arguments.split,
            resamples=arguments.resamples,
        )
        self.datasets = judged_sets(self.results)

    @property
    def columns(self) -> list[str]:
        """The data sets, and their average where there are several."""
        return [*self.datasets, AVERAGE] if len(self.datasets) > 1 else self.datasets

    def result(self, point: Point, column: str) -> Result:
        """One score."""
        from wordstill.evaluation.results import OVERALL

        return self.results.find(OVERALL if column == AVERAGE else column, point.name)

    def records(self, place: str) -> list[dict[str, Any]]:
        """One object a point and column; `place` names what the places are."""
        return [
            self.result(point, column).as_dict() | {"line": point.line, place: point.place, **point.more}
            for point in self.points
            for column in self.columns
        ]

    def rows(self) -> list[list[str]]:
        """Line, place, scores times 100 and coverage of each point."""
        return [
            [
                point.line,
                f"{point.place:,}" if isinstance(point.place, int) else str(point.place),
                *(_hundred(self.result(point, column).score) for column in self.columns),
                _hundred(self.result(point, self.columns[-1]).coverage, 0),
            ]
            for point in self.points
        ]

    def head(self, line: str, place: str) -> list[str]:
        """The columns of `rows`."""
        return [line, place, *self.columns, "% covered"]

    def series(self, line: str, column: str, name: str = "") -> Series:
        """The scores of a line's points on a data set, times 100, with their intervals."""
        found = [self.result(point, column) for point in self.points if point.line == line]
        return Series(
            name or line,
            [100 * one.score for one in found],
            [100 * one.low for one in found],
            [100 * one.high for one in found],
        )

    @property
    def lines(self) -> list[str]:
        """The names of the lines."""
        return list(dict.fromkeys(point.line for point in self.points))

    @property
    def y_label(self) -> str:
        """What the scores of the last column are."""
        metrics = {self.result(self.points[0], name).metric for name in self.datasets}
        metric = metrics.pop() if len(metrics) == 1 else "score"
        named = self.datasets[0] if len(self.datasets) == 1 else f"mean of {len(self.datasets)} sets"
        return f"{metric} × 100, {named}"

    def notes(self) -> list[str]:
        """How to read the scores."""
        shown = []
        for name in self.datasets:
            shares = [100 * self.result(point, name).coverage for point in self.points]
            low, high = f"{min(shares):.0f}", f"{max(shares):.0f}"
            shown.append(f"{name} {low} %" if low == high else f"{name} {low} to {high} %")
        return [
            "Scores times 100, items with a missing word skipped. Covered: " + ", ".join(shown) + ".",
            "Intervals (95 %, bootstrap) are in the JSON and, as whiskers, in the picture.",
        ]


def judged_sets(results: Results) -> list[str]:
    """The names of the data sets in results, averages left out."""
    from wordstill.evaluation.results import AVERAGE as FIVE
    from wordstill.evaluation.results import OVERALL

    return [name for name in dict.fromkeys(one.dataset for one in results) if name not in (FIVE, OVERALL)]


def _hundred(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}" if isfinite(share) else "-"
