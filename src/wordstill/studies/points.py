"""Scores of vectors that differ in one thing: points on lines, as records, as a table and as series of a chart."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

from wordstill.explore.charts import Series
from wordstill.options import listed
from wordstill.vectors import WordVectors

if TYPE_CHECKING:
    from wordstill.evaluation import Result, Results

AVERAGE = "average"


@dataclass(frozen=True)
class Point:
    """Vectors, the line they belong to, and where they stand on it.

    against  the line and place of the point that this one is compared with, pair by pair
    more     what else goes into the records
    """

    line: str
    place: Any
    vectors: WordVectors
    against: tuple[str, Any] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the results call it."""
        return f"{self.line} {self.place}"


class Scores:
    """Every point judged on every data set."""

    def __init__(self, points: Sequence[Point], arguments: argparse.Namespace) -> None:
        from wordstill.evaluation import compare, evaluate

        self.points = list(points)
        self.results: Results = evaluate(
            {point.name: point.vectors for point in points},
            datasets=listed(arguments.datasets),
            split=arguments.split,
            resamples=arguments.resamples,
        )
        self.datasets = judged_sets(self.results)
        names = {(point.line, point.place): point.name for point in points}
        self.differences = {
            point.name: {
                one.dataset: one for one in compare(self.results, point.name, names[point.against], arguments.resamples)
            }
            for point in points
            if point.against is not None
        }

    @property
    def columns(self) -> list[str]:
        """The data sets, and their average where there are several."""
        return [*self.datasets, AVERAGE] if len(self.datasets) > 1 else self.datasets

    def result(self, point: Point, column: str) -> Result:
        """One score."""
        return self.results.find(_dataset(column), point.name)

    def difference(self, point: Point, column: str) -> Result | None:
        """How much better a point is than the one it is compared with, on the items that both cover."""
        return self.differences.get(point.name, {}).get(_dataset(column))

    def records(self, place: str) -> list[dict[str, Any]]:
        """One object a point and column; `place` names what the places are."""
        records = []
        for point in self.points:
            for column in self.columns:
                own = {"line": point.line, place: point.place, **point.more}
                records.append(self.result(point, column).as_dict() | own)
                difference = self.difference(point, column)
                if difference is not None and point.against is not None:
                    values = difference.as_dict()
                    records[-1]["against"] = {"line": point.against[0], place: point.against[1]}
                    records[-1]["difference"] = {name: values[name] for name in ("score", "low", "high", "covered")}
        return records

    def rows(self) -> list[list[str]]:
        """Line, place, scores times 100, coverage and the difference in the last column of each point."""
        return [
            [
                point.line,
                f"{point.place:,}" if isinstance(point.place, int) else str(point.place),
                *(_hundred(self.result(point, column).score) for column in self.columns),
                _hundred(self.result(point, self.columns[-1]).coverage, 0),
                _signed(self.difference(point, self.columns[-1])),
            ]
            for point in self.points
        ]

    def head(self, line: str, place: str, against: str) -> list[str]:
        """The columns of `rows`."""
        return [line, place, *self.columns, "% covered", f"against {against}"]

    def series(self, line: str, column: str, name: str = "") -> Series:
        """The scores of a line's points on a data set, times 100, with their intervals."""
        return series(name or line, [self.result(point, column) for point in self.points if point.line == line])

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
            f"The last column is the paired difference in {self.columns[-1]} with its 95 % interval, on the items that"
            " both cover; the intervals of the scores themselves are in the JSON and, as whiskers, in the picture.",
        ]


def series(name: str, results: Sequence[Result]) -> Series:
    """Scores times 100 with their intervals, for a chart."""
    low, value, high = ([100 * getattr(one, part) for one in results] for part in ("low", "score", "high"))
    return Series(name, value, low, high)


def judged_sets(results: Results) -> list[str]:
    """The names of the data sets in results, averages left out."""
    from wordstill.evaluation.results import AVERAGE as FIVE
    from wordstill.evaluation.results import OVERALL

    return [name for name in dict.fromkeys(one.dataset for one in results) if name not in (FIVE, OVERALL)]


def _dataset(column: str) -> str:
    from wordstill.evaluation.results import OVERALL

    return OVERALL if column == AVERAGE else column


def _signed(difference: Result | None) -> str:
    if difference is None or not isfinite(difference.low):
        return "-"
    return f"{100 * difference.score:+.1f} [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"


def _hundred(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}" if isfinite(share) else "-"
