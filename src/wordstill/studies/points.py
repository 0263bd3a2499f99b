"""Scores of vectors that differ in one thing: points on lines, as records, as a table and as series of a chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

from wordstill.evaluation import EvaluationSettings, Result, Results, compare, evaluate
from wordstill.evaluation.results import AVERAGE_TITLES, OVERALL
from wordstill.explore.charts import Series
from wordstill.studies.contract import Study
from wordstill.vectors import WordVectors

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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

    def __init__(self, points: Sequence[Point], judging: EvaluationSettings) -> None:
        self.points = list(points)
        self.results = evaluate({point.name: point.vectors for point in points}, settings=judging)
        self.datasets = judged_sets(self.results)
        self.columns = score_columns(self.results)
        names = {(point.line, point.place): point.name for point in points}
        self.differences = {
            point.name: differences(self.results, point.name, names[point.against], judging)
            for point in points
            if point.against is not None
        }

    def study(
        self,
        title: str,
        draw: Callable[..., Figure],
        *,
        line: str,
        place: str,
        against: str,
        more: Mapping[str, str] | None = None,
        notes: Sequence[str] = (),
    ) -> Study:
        """Make a study of the scores.

        draw         makes the chart; it is given the title
        line, place  what the lines and the places on them are, for the table and the records
        against      what the last column of scores compares with
        more         further columns: names in `Point.more`, and the formats of their values
        """
        more = more or {}
        columns = [line, place, *column_titles(self.columns), "% covered", f"against {against}", *more]
        return Study(
            title=title,
            records=[record for point in self.points for record in self.records(point, place)],
            head=columns,
            rows=[
                [*self.row(point), *(format(point.more[name], how) for name, how in more.items())]
                for point in self.points
            ],
            draw=partial(draw, title=title),
            notes=[*self.notes(), *notes],
        )

    def records(self, point: Point, place: str) -> list[dict[str, Any]]:
        """Return one object per column of scores; `place` names what the places are."""
        records = []
        for column in self.columns:
            record = self.result(point, column).as_dict() | {"line": point.line, place: point.place, **point.more}
            difference = self.difference(point, column)
            if difference is not None and point.against is not None:
                values = difference.as_dict()
                record["against"] = {"line": point.against[0], place: point.against[1]}
                record["difference"] = {name: values[name] for name in ("score", "low", "high", "covered")}
            records.append(record)
        return records

    def row(self, point: Point) -> list[str]:
        """Return line, place, scores times 100, and coverage and difference in the last column of scores."""
        last = self.columns[-1]
        return [
            point.line,
            f"{point.place:,}" if isinstance(point.place, int) else str(point.place),
            *(_hundred(self.result(point, column).score) for column in self.columns),
            _hundred(self.result(point, last).coverage, 0),
            _signed(self.difference(point, last)),
        ]

    def result(self, point: Point, column: str) -> Result:
        """Return one score."""
        return self.results.find(column, point.name)

    def difference(self, point: Point, column: str) -> Result | None:
        """Return how much better a point is than the one it is compared with, on the items that both cover."""
        return self.differences.get(point.name, {}).get(column)

    def series(self, column: str, suffix: str = "") -> list[Series]:
        """Return, per line, the scores of its points in a column; `suffix` is added to the line's name."""
        lines = dict.fromkeys(point.line for point in self.points)
        return [
            series(line + suffix, [self.result(point, column) for point in self.points if point.line == line])
            for line in lines
        ]

    @property
    def y_label(self) -> str:
        """What the scores of the last column are."""
        metrics = {self.result(self.points[0], name).metric for name in self.datasets}
        metric = metrics.pop() if len(metrics) == 1 else "score"
        named = self.datasets[0] if len(self.datasets) == 1 else f"mean of {len(self.datasets)} sets"
        return f"{metric} × 100, {named}"

    def notes(self) -> list[str]:
        """Tell how to read the scores."""
        shown = []
        for name in self.datasets:
            shares = [100 * self.result(point, name).coverage for point in self.points]
            low, high = f"{min(shares):.0f}", f"{max(shares):.0f}"
            shown.append(f"{name} {low} %" if low == high else f"{name} {low} to {high} %")
        last = column_titles(self.columns)[-1]
        return [
            "Scores times 100, items with a missing word skipped. Covered: " + ", ".join(shown) + ".",
            f"The last column is the paired difference in {last} with its 95 % interval, on the items that"
            " both cover; the intervals of the scores themselves are in the JSON and, as whiskers, in the picture.",
        ]


def series(name: str, results: Sequence[Result]) -> Series:
    """Make a series of a chart: scores times 100 with their intervals."""
    low, value, high = ([100 * getattr(one, part) for one in results] for part in ("low", "score", "high"))
    return Series(name, value, low, high)


def differences(results: Results, first: str, second: str, judging: EvaluationSettings) -> dict[str, Result]:
    """Return how much better `first` is than `second`, by data set."""
    return {one.dataset: one for one in compare(results, first, second, judging.resamples, judging.seed)}


def judged_sets(results: Results) -> list[str]:
    """List the data sets in results, averages left out."""
    return [name for name in dict.fromkeys(one.dataset for one in results) if name not in AVERAGE_TITLES]


def score_columns(results: Results) -> list[str]:
    """List the data sets in results, and their average if there are several."""
    names = judged_sets(results)
    return [*names, OVERALL] if len(names) > 1 else names


def column_titles(columns: Sequence[str]) -> list[str]:
    """Return the columns by their names for people."""
    return ["average" if name == OVERALL else name for name in columns]


def _signed(difference: Result | None) -> str:
    if difference is None or not isfinite(difference.low):
        return "-"
    return f"{100 * difference.score:+.1f} [{100 * difference.low:+.1f}, {100 * difference.high:+.1f}]"


def _hundred(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}" if isfinite(share) else "-"
