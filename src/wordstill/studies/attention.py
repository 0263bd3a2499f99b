"""Figure 5 of Wang et al. (2021): dynamic-skipgram with and without attention, over training.

  wordstill study attention --teacher minilm --corpus wiki.txt --words 500000 --out studies

One pass of the teacher feeds a student for each number of epochs (1, 2 and 4), with attention and without; both read
whole windows (`subsample=0`), as in the paper, where attention takes the place of leaving frequent words out. Each
point is a whole training, its learning rate falling to zero at its end; with --set dynamic-skipgram.schedule=constant
the points are moments of one training. Point 0 is the closed form from which both start (with
--set dynamic-skipgram.preset=paper they start at random, and there is no such point). The paper finds slower
convergence without attention, and 65.8 instead of 66.3 at best.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from wordstill.explore.charts import line_chart
from wordstill.options import read_settings, setting
from wordstill.studies.contract import Study
from wordstill.studies.distilled import ComparisonSettings, distilled
from wordstill.studies.points import Point, Scores

LINES = {"attention": "true", "no attention": "false"}


@dataclass(frozen=True)
class AttentionSettings(ComparisonSettings):
    """What the study of attention over training is told."""

    about = "dynamic-skipgram with and without attention over training (Wang et al., Figure 5)"
    several = (*ComparisonSettings.several, "epochs")

    epochs: tuple[int, ...] = setting((1, 2, 4), "the numbers of epochs to compare", option="")


def run(settings: AttentionSettings) -> Study:
    """Distill one run with the start, and a student with and without attention per number of epochs; score each."""
    from wordstill.students.dynamic_skipgram import DynamicSkipgramSettings  # numba, which `--help` need not wait for

    epochs = sorted(set(settings.epochs))
    given = settings.distill.student_options.get("dynamic-skipgram", {})
    skipgram = read_settings(DynamicSkipgramSettings, "dynamic-skipgram", given)
    students = {}
    if skipgram.init == "closed":
        students["start=closed"] = {"view": "window", "window": str(skipgram.window)}
    for number in epochs:
        for line, switch in LINES.items():
            options = {"subsample": "0", **given, "attention": switch, "epochs": str(number)}
            students[f"{student_name(line, number)}=dynamic-skipgram"] = options
    made = distilled(settings, "attention", students)
    points = []
    for line in LINES:
        if skipgram.init == "closed":
            points.append(Point(line, 0, made.vectors("start")))
        for number in epochs:
            name = student_name(line, number)
            against = ("no attention", number) if line == "attention" else None
            points.append(Point(line, number, made.vectors(name), against, {"loss": made.record.students[name].loss}))
    scores = Scores(points, settings.judging)
    return scores.study(
        f"With and without attention, {made.record.corpus.words:,} words of text",
        partial(
            line_chart,
            [point.place for point in points if point.line == "attention"],
            scores.series(scores.columns[-1]),
            x_label="epochs",
            y_label=scores.y_label,
        ),
        line="",
        place="epochs",
        against="no attention",
    )


def student_name(line: str, epochs: int) -> str:
    """Name the student of a point in the run."""
    return f"{line.replace(' ', '-')}-{epochs}"
