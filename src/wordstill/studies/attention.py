"""Figure 5 of Wang et al. (2021): dynamic-skipgram with and without attention, over training.

  wordstill study attention --teacher minilm --corpus wiki.txt --words 500000 --out studies

One pass of the teacher feeds a student for each number of epochs, with attention and without; both read whole
windows (`subsample=0`), as in the paper, where attention takes the place of leaving frequent words out. Each point is
a whole training, its learning rate falling to zero at its end; with --set dynamic-skipgram.schedule=constant the
points are moments of one training. Point 0 is the closed form from which both start (with
--set dynamic-skipgram.preset=paper they start at random, and there is no such point). The paper finds slower
convergence without attention, and 65.8 instead of 66.3 at best.
"""

from __future__ import annotations

import argparse
from functools import partial

from wordstill.explore.charts import line_chart
from wordstill.studies import Study
from wordstill.studies.distilled import add_arguments, distilled
from wordstill.studies.points import Point, Scores

LINES = {"attention": "true", "no attention": "false"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this study's arguments."""
    add_arguments(parser, datasets=("ws353", "simlex999", "simverb3500", "men3k"))
    parser.add_argument("--epochs", metavar="N", nargs="+", type=int, default=[1, 2, 4], help="the points (1 2 4)")


def run(arguments: argparse.Namespace) -> Study:
    """One run with the start, and a student with and without attention for each number of epochs."""
    from wordstill.options import given_options, read_settings
    from wordstill.students.dynamic_skipgram import DynamicSkipgramSettings

    epochs = sorted(set(arguments.epochs))
    given = given_options(arguments.set).get("dynamic-skipgram", {})
    settings = read_settings(DynamicSkipgramSettings, "dynamic-skipgram", given)
    students = {}
    if settings.init == "closed":
        students["start=closed"] = {"view": "window", "window": str(settings.window)}
    for number in epochs:
        for line, switch in LINES.items():
            options = {"subsample": "0", **given, "attention": switch, "epochs": str(number)}
            students[f"{folder_name(line, number)}=dynamic-skipgram"] = options
    made = distilled(arguments, "attention", students)
    points = []
    for line in LINES:
        if settings.init == "closed":
            points.append(Point(line, 0, made.vectors("start")))
        for number in epochs:
            name = folder_name(line, number)
            against = ("no attention", number) if line == "attention" else None
            loss = made.record["students"][name]["loss"]
            points.append(Point(line, number, made.vectors(name), against, {"loss": loss}))
    scores = Scores(points, arguments)
    title = f"With and without attention, {made.record['corpus']['words']:,} words of text"
    return Study(
        title=title,
        records=scores.records("epochs"),
        head=scores.head("", "epochs", "no attention"),
        rows=scores.rows(),
        draw=partial(
            line_chart,
            [point.place for point in points if point.line == "attention"],
            [scores.series(line, scores.columns[-1]) for line in scores.lines],
            title=title,
            x_label="epochs",
            y_label=scores.y_label,
        ),
        notes=scores.notes(),
    )


def folder_name(line: str, epochs: int) -> str:
    """What a student is called in the run."""
    return f"{line.replace(' ', '-')}-{epochs}"
