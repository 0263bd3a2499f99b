"""Results as text for people, as CSV and as LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence

from wordstill.evaluation.results import AVERAGE_TITLES, COLUMNS, Part, Result, Results
from wordstill.evaluation.tasks import find_task
from wordstill.evaluation.tasks.task import times_hundred

HEADER = ("dataset", "vectors", "score", "95 % interval", "all", "covered", "coverage")
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
    names = (*COLUMNS[:3], "part", *COLUMNS[3:], "split", "compat")
    writer = csv.DictWriter(stream, names, restval="", lineterminator="\n")
    writer.writeheader()
    for result in (*results, *results.differences):
        values = result.as_dict()
        parts = values.pop("parts", [])
        writer.writerow(values)
        shared = {name: values.get(name, "") for name in ("vectors", "task", "dataset", "metric", "split", "compat")}
        for part in parts:
            coverage = part["covered"] / part["items"]
            own = {name: value for name, value in part.items() if name != "name"}
            writer.writerow({**shared, **own, "part": part["name"], "coverage": coverage})
    return stream.getvalue()


def latex_table(results: Results) -> str:
    """Write a tabular with booktabs' rules; the notes stand below as comments."""
    lines = [
        r"\begin{tabular}{llrrrr}",
        r"\toprule",
        r"dataset & vectors & score & 95\,\% interval & all & coverage \\",
        r"\midrule",
    ]
    for title, result, best in _ranked(results):
        score, low, high, every = (
            _cell(result, value) for value in (result.score, result.low, result.high, result.score_all)
        )
        score = rf"\textbf{{{score}}}" if best else score
        coverage = rf"{100 * result.coverage:.0f}\,\%"
        cells = (_escaped(title), _escaped(result.vectors), score, f"{low}--{high}", every, coverage)
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"% {note}" for note in results.notes]
    return "\n".join(lines) + "\n"


def _ranked(results: Results) -> Iterator[tuple[str, Result, bool]]:
    """Yield results with their titles and whether they are best: data set by data set, averages last."""
    names = dict.fromkeys(result.dataset for result in results)
    for name in sorted(names, key=lambda name: name in AVERAGE_TITLES):
        group = [result for result in results if result.dataset == name]
        known = [result.score for result in group if not math.isnan(result.score)]
        for number, result in enumerate(group):
            best = _several(results) and bool(known) and result.score == max(known)
            yield "" if number else AVERAGE_TITLES.get(name, name), result, best


def _several(results: Results) -> bool:
    return len({result.vectors for result in results}) > 1


def _shown_parts(result: Result, every: bool) -> list[Part]:
    task = find_task(result.task)
    return [part for part in result.parts if every or (task and part.name in task.main_parts)]


def _row(title: str, result: Result, best: bool) -> tuple[str, ...]:
    interval = "" if math.isnan(result.low) else f"[{_cell(result, result.low)}, {_cell(result, result.high)}]"
    score = _cell(result, result.score) + ("*" if best else " ")
    return (title, result.vectors, score, interval, *_all_and_coverage(result, result))


def _part_row(result: Result, part: Part) -> tuple[str, ...]:
    return ("", f"  {part.name}", _cell(result, part.score) + " ", "", *_all_and_coverage(result, part))


def _all_and_coverage(result: Result, one: Result | Part) -> tuple[str, str, str]:
    coverage = 100 * one.covered / one.items if one.items else 0.0
    return _cell(result, one.score_all), f"{one.covered}/{one.items}", f"{coverage:.0f} %"


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
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
    rows = [
        (AVERAGE_TITLES.get(one.dataset, one.dataset), *_row("", one, _clear(one))[1:]) for one in results.differences
    ]
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
    return foot + list(dict.fromkeys(results.notes))


def _cell(result: Result, score: float) -> str:
    task = find_task(result.task)
    return "-" if math.isnan(score) else (task.cell if task else times_hundred)(score)


def _escaped(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(letter, "\\" + letter if letter in "&%$#_{}" else letter) for letter in text)
