"""Results as text for people, as CSV and as LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wordstill.escaping import for_csv, for_latex, for_terminal
from wordstill.evaluation.results import AVERAGE_TITLES, COLUMNS, OPTIONAL, OVERALL, Part, Result, Results
from wordstill.evaluation.tasks import find_task
from wordstill.evaluation.tasks.task import times_hundred

HEADER = ("dataset", "vectors", "score", "95 % interval", "all", "covered", "coverage")
CSV_COLUMNS = (*COLUMNS[:3], "part", *COLUMNS[3:], *OPTIONAL)
LATEX_HEAD = "\n".join(
    [
        r"\begin{tabular}{llrrrr}",
        r"\toprule",
        r"dataset & vectors & score & 95\,\% interval & all & coverage \\",
        r"\midrule",
    ]
)
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def text_table(results: Results, bold: bool = False, parts: bool = False) -> str:
    """Write aligned columns; a star (and bold type on a terminal) marks the best of several vectors on a set."""
    rows: list[tuple[tuple[str, ...], bool]] = []
    for title, result, best in _ranked(results):
        rows.append((_row(title, result, best), best))
        rows += [(_part_row(result, part), False) for part in _shown_parts(result, parts)]
    lines = _aligned([HEADER, *(row for row, _ in rows)])
    heading, rule = lines[0], "-" * len(lines[0])
    body = [
        f"{_BOLD}{line}{_PLAIN}" if bold and is_best else line
        for line, (_, is_best) in zip(lines[1:], rows, strict=True)
    ]
    return "\n".join([heading, rule, *body, *_differences(results), *_foot(results)]) + "\n"


def csv_table(results: Results) -> str:
    """Write a line per result and per part of one: raw fractions, empty where there is no score."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, CSV_COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for result in (*results, *results.differences):
        values = result.as_dict()
        parts = values.pop("parts", [])
        writer.writerow(_csv_cells(values))
        shared = {name: values.get(name, "") for name in ("vectors", "task", "dataset", "metric", "split", "compat")}
        for part in parts:
            coverage = part["covered"] / part["items"]
            own = {name: value for name, value in part.items() if name != "name"}
            writer.writerow(_csv_cells({**shared, **own, "part": part["name"], "coverage": coverage}))
    return stream.getvalue()


def latex_table(results: Results) -> str:
    """Write a tabular with booktabs' rules; the notes stand below as comments."""
    lines = [LATEX_HEAD]
    for title, result, best in _ranked(results):
        score, low, high, every = (
            _cell(result, value) for value in (result.score, result.low, result.high, result.score_all)
        )
        score = rf"\textbf{{{score}}}" if best else score
        coverage = rf"{100 * result.coverage:.0f}\,\%"
        cells = (for_latex(title), for_latex(result.vectors), score, f"{low}--{high}", every, coverage)
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"% {for_latex(note)}" for note in results.notes]
    return "\n".join(lines) + "\n"


def _ranked(results: Results) -> Iterator[tuple[str, Result, bool]]:
    """Yield results with their titles and whether they are best: data set by data set, averages last."""
    keys = dict.fromkeys((result.task, result.dataset) for result in results)
    for task, name in sorted(keys, key=lambda key: key[1] in AVERAGE_TITLES):
        group = [result for result in results if (result.task, result.dataset) == (task, name)]
        known = [result.score for result in group if not math.isnan(result.score)]
        for number, result in enumerate(group):
            best = _several(results) and bool(known) and result.score == max(known)
            yield "" if number else titled(result, several_tasks(results)), result, best


def several_tasks(results: Results) -> bool:
    """Tell whether the same data set was judged by several tasks."""
    keys = {(result.task, result.dataset) for result in results if result.dataset not in AVERAGE_TITLES}
    return len({dataset for _, dataset in keys}) < len(keys)


def titled(result: Result, with_task: bool = False) -> str:
    """Return what a table calls the data set of a result."""
    if result.dataset == OVERALL and result.task != OVERALL:
        return f"mean of {result.task}"
    name = AVERAGE_TITLES.get(result.dataset, result.dataset)
    return f"{name}, {result.task}" if with_task and result.dataset not in AVERAGE_TITLES else name


def _several(results: Results) -> bool:
    return len({result.vectors for result in results}) > 1


def _shown_parts(result: Result, every: bool) -> list[Part]:
    task = find_task(result.task)
    return [part for part in result.parts if every or (task and part.name in task.main_parts)]


def _row(title: str, result: Result, best: bool) -> tuple[str, ...]:
    interval = "" if math.isnan(result.low) else f"[{_cell(result, result.low)}, {_cell(result, result.high)}]"
    score = _cell(result, result.score) + _spread(result, result.deviation) + ("*" if best else " ")
    return (title, result.vectors, score, interval, *_all_and_coverage(result, result))


def _part_row(result: Result, part: Part) -> tuple[str, ...]:
    score = _cell(result, part.score) + _spread(result, part.deviation) + " "
    return ("", f"  {part.name}", score, "", *_all_and_coverage(result, part))


def _spread(result: Result, deviation: float | None) -> str:
    return "" if deviation is None else f" ±{_cell(result, deviation)}"


def _all_and_coverage(result: Result, one: Result | Part) -> tuple[str, str, str]:
    coverage = 100 * one.covered / one.items if one.items else 0.0
    return _cell(result, one.score_all), f"{one.covered}/{one.items}", f"{coverage:.0f} %"


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    rows = [tuple(map(for_terminal, row)) for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    # Names to the left, numbers to the right.
    return [
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _differences(results: Results) -> list[str]:
    if not results.differences:
        return []
    rows = []
    for one in results.differences:
        rows.append((titled(one, several_tasks(results)), *_row("", one, _clear(one))[1:]))
        rows += [_part_row(one, part) for part in _shown_parts(one, False)]
    lines = _aligned([("difference", *HEADER[1:]), *rows])
    return ["", lines[0], "-" * len(lines[0]), *lines[1:]]


def _clear(difference: Result) -> bool:
    return difference.low > 0 or difference.high < 0


def _foot(results: Results) -> list[str]:
    foot = ["", "Scores times 100. score: items with a missing word skipped; all: every item counted."]
    if _several(results):
        foot.append("*: the best of the vectors on that set.")
    if results.differences:
        foot.append("Differences are paired, on the items that both cover; *: the interval leaves out 0.")
    return foot + [for_terminal(note) for note in dict.fromkeys(results.notes)]


def _cell(result: Result, score: float) -> str:
    task = find_task(result.task)
    return "-" if math.isnan(score) else (task.cell if task else times_hundred)(score)


def _csv_cells(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: for_csv(value) if isinstance(value, str) else value for name, value in values.items()}
