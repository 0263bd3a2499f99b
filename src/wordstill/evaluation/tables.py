"""Results as text for people, as CSV and as LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence

from wordstill.evaluation.results import AVERAGE, COLUMNS, OVERALL, Part, Result, Results

HEADER = ("dataset", "vectors", "score", "95 % interval", "all", "covered", "coverage")
_TITLES = {AVERAGE: "average of 5", OVERALL: "mean of all"}
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def text_table(results: Results, bold: bool = False, parts: bool = False) -> str:
    """Aligned columns; a star (and bold type on a terminal) marks the best of several vectors on a set."""
    several = len({result.vectors for result in results}) > 1
    rows: list[tuple[tuple[str, ...], bool]] = []
    for group in _by_dataset(results):
        best = _best(group)
        for number, result in enumerate(group):
            title = _TITLES.get(result.dataset, result.dataset) if number == 0 else ""
            rows.append((_row(title, result, several and result in best), several and result in best))
            rows += [(_part_row(part), False) for part in _shown(result.parts, parts)]
    lines = _aligned([HEADER, *(row for row, _ in rows)])
    heading, rule = lines[0], "-" * len(lines[0])
    body = [
        f"{_BOLD}{line}{_PLAIN}" if bold and is_best else line
        for line, (_, is_best) in zip(lines[1:], rows, strict=True)
    ]
    return "\n".join([heading, rule, *body, *_differences(results), *_foot(results, several)]) + "\n"


def csv_table(results: Results) -> str:
    """One line a result (and a part of one), raw fractions, empty where there is no score."""
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
    """A tabular with booktabs' rules; the notes stand below as comments."""
    lines = [
        r"\begin{tabular}{llrrrr}",
        r"\toprule",
        r"dataset & vectors & score & 95\,\% interval & all & coverage \\",
        r"\midrule",
    ]
    several = len({result.vectors for result in results}) > 1
    for group in _by_dataset(results):
        best = _best(group)
        for number, result in enumerate(group):
            score = _hundred(result.score)
            score = rf"\textbf{{{score}}}" if several and result in best else score
            title = _TITLES.get(result.dataset, result.dataset) if number == 0 else ""
            interval = rf"{_hundred(result.low)}--{_hundred(result.high)}"
            cells = (_escaped(title), _escaped(result.vectors), score, interval, _hundred(result.score_all),
                     rf"{100 * result.coverage:.0f}\,\%")  # fmt: skip
            lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"% {note}" for note in results.notes]
    return "\n".join(lines) + "\n"


def _by_dataset(results: Results) -> Iterator[list[Result]]:
    names = dict.fromkeys(result.dataset for result in results)
    ordered = [name for name in names if name not in _TITLES] + [name for name in names if name in _TITLES]
    for name in ordered:
        yield [result for result in results if result.dataset == name]


def _best(group: Sequence[Result]) -> list[Result]:
    known = [result.score for result in group if not math.isnan(result.score)]
    return [result for result in group if known and result.score == max(known)]


def _shown(parts: Sequence[Part], every: bool) -> list[Part]:
    return [part for part in parts if every or part.name in ("semantic", "syntactic")]


def _row(title: str, result: Result, best: bool) -> tuple[str, ...]:
    interval = f"[{_hundred(result.low)}, {_hundred(result.high)}]" if not math.isnan(result.low) else ""
    return (
        title,
        result.vectors,
        _hundred(result.score) + ("*" if best else " "),
        interval,
        _hundred(result.score_all),
        f"{result.covered}/{result.items}",
        f"{100 * result.coverage:.0f} %",
    )


def _part_row(part: Part) -> tuple[str, ...]:
    coverage = 100 * part.covered / part.items if part.items else 0.0
    counts = f"{part.covered}/{part.items}"
    return (
        "",
        f"  {part.name}",
        _hundred(part.score) + " ",
        "",
        _hundred(part.score_all),
        counts,
        f"{coverage:.0f} %",
    )


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
    rows = [(_TITLES.get(one.dataset, one.dataset), *_row("", one, _clear(one))[1:]) for one in results.differences]
    lines = _aligned([("difference", *HEADER[1:]), *rows])
    return ["", lines[0], "-" * len(lines[0]), *lines[1:]]


def _clear(difference: Result) -> bool:
    return difference.low > 0 or difference.high < 0


def _foot(results: Results, several: bool) -> list[str]:
    foot = ["", "Scores times 100. score: items with a missing word skipped; all: every item counted."]
    if several:
        foot.append("*: the best of the vectors on that set.")
    if results.differences:
        foot.append("Differences are paired, on the items that both cover; *: the interval leaves out 0.")
    return foot + list(dict.fromkeys(results.notes))


def _hundred(score: float) -> str:
    return "-" if math.isnan(score) else f"{100 * score:.1f}"


def _escaped(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(letter, "\\" + letter if letter in "&%$#_{}" else letter) for letter in text)
