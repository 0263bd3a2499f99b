"""Figure 4 of Wang et al. (2021): how far a window should reach.

  wordstill study window-size --teacher minilm --corpus wiki.txt --words 500000 --out studies

dynamic-skipgram, and closed with view=window beside it, with windows of 1, 2, 5 and 8 words to each side, all of
them fed by one pass of the teacher. The paper finds that more context helps up to 5 (54.8 on WordSim-353 for 1), and
that 8 costs twice the time for little more; the seconds of each student are in the table.
"""

from __future__ import annotations

import argparse
from functools import partial

from wordstill.explore.charts import line_chart
from wordstill.studies import Study
from wordstill.studies.distilled import add_arguments, distilled
from wordstill.studies.points import Point, Scores

METHODS = {"dynamic-skipgram": {}, "closed": {"view": "window"}}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this study's arguments."""
    add_arguments(parser, datasets=("ws353", "simlex999", "simverb3500", "men3k"))
    parser.add_argument(
        "--windows", metavar="N", nargs="+", type=int, default=[1, 2, 5, 8], help="the windows (1 2 5 8)"
    )


def run(arguments: argparse.Namespace) -> Study:
    """One run with a student a method and window."""
    windows = sorted(set(arguments.windows))
    students = {
        f"{method}-{window}={method}": {**options, "window": str(window)}
        for method, options in METHODS.items()
        for window in windows
    }
    made = distilled(arguments, "window-size", students)
    seconds = made.record["seconds"]["students"]
    points = []
    for method in METHODS:
        for window in windows:
            against = (method, windows[0]) if window > windows[0] else None
            name = f"{method}-{window}"
            points.append(Point(method, window, made.vectors(name), against, {"seconds": seconds[name]}))
    scores = Scores(points, arguments)
    title = f"Windows of {', '.join(map(str, windows))} words, {made.record['corpus']['words']:,} words of text"
    return Study(
        title=title,
        records=scores.records("window"),
        head=[*scores.head("student", "window", f"window {windows[0]}"), "seconds"],
        rows=[[*row, f"{point.more['seconds']:.1f}"] for row, point in zip(scores.rows(), points, strict=True)],
        draw=partial(
            line_chart,
            windows,
            [scores.series(line, scores.columns[-1]) for line in scores.lines],
            title=title,
            x_label="window: words to each side",
            y_label=scores.y_label,
        ),
        notes=scores.notes(),
    )
