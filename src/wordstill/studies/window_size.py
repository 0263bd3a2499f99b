"""Figure 4 of Wang et al. (2021): how far a window should reach.

  wordstill study window-size --teacher minilm --corpus wiki.txt --words 500000 --out studies

dynamic-skipgram, and closed with view=window beside it, with windows of 1, 2, 5 and 8 words to each side, all of
them fed by one pass of the teacher. The paper finds that more context helps up to 5 (54.8 on WordSim-353 for 1), and
that 8 costs twice the time for little more; the seconds of each student are in the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from wordstill.explore.charts import line_chart
from wordstill.options import parse, setting
from wordstill.studies.contract import Study
from wordstill.studies.distilled import ComparisonSettings, distilled
from wordstill.studies.points import Point, Scores

METHODS: dict[str, dict[str, str]] = {"dynamic-skipgram": {}, "closed": {"view": "window"}}


@dataclass(frozen=True)
class WindowSizeSettings(ComparisonSettings):
    """What the study of window sizes is told."""

    about = "window students with windows of 1, 2, 5 and 8 words (Wang et al., Figure 4)"
    several = (*ComparisonSettings.several, "windows")

    windows: tuple[int, ...] = setting(
        (1, 2, 5, 8),
        "the windows (1 2 5 8)",
        metavar="N",
        read=lambda texts: tuple(parse(int, "--windows", text) for text in texts),
    )


def run(settings: WindowSizeSettings) -> Study:
    """Distill one run with a student per method and window, and score each."""
    windows = sorted(set(settings.windows))
    students = {
        f"{method}-{window}={method}": {**options, "window": str(window)}
        for method, options in METHODS.items()
        for window in windows
    }
    made = distilled(settings, "window-size", students)
    points = []
    for method in METHODS:
        for window in windows:
            against = (method, windows[0]) if window > windows[0] else None
            name = f"{method}-{window}"
            spent = {"seconds": round(made.record.seconds.students[name], 3)}
            points.append(Point(method, window, made.vectors(name), against, spent))
    scores = Scores(points, settings.judging)
    return scores.study(
        f"Windows of {', '.join(map(str, windows))} words, {made.record.corpus.words:,} words of text",
        partial(
            line_chart,
            windows,
            scores.series(scores.columns[-1]),
            x_label="window: words to each side",
            y_label=scores.y_label,
        ),
        line="student",
        place="window",
        against=f"window {windows[0]}",
        more={"seconds": ".1f"},
    )
