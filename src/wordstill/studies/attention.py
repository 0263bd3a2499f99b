"""Figure 5 of Wang et al. (2021): dynamic-skipgram with and without attention, over training.

  wordstill study attention --teacher minilm --corpus wiki.txt --words 500000 --out studies

One pass of the teacher feeds a student for each number of epochs, with attention and without; both read whole
windows (`subsample=0`), as in the paper, where attention takes the place of leaving frequent words out. Each point is
a whole training, its learning rate falling to zero at its end; with --set dynamic-skipgram.schedule=constant the
points are moments of one training. Point 0 is the closed form from which both start. The paper finds slower
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
    epochs = sorted(set(arguments.epochs))
    given = [text.partition("=")[0] for text in arguments.set]
    whole = {} if "dynamic-skipgram.subsample" in given else {"subsample": "0"}
    students = {
        f"{line.replace(' ', '-')}-{number}=dynamic-skipgram": {**whole, "attention": switch, "epochs": str(number)}
        for number in epochs
        for line, switch in LINES.items()
    }
    made = distilled(arguments, "attention", {"start=closed": {"view": "window"}, **students})
    losses = {name: student["loss"] for name, student in made.record["students"].items()}
    points = []
    for line in LINES:
        points.append(Point(line, 0, made.vectors("start")))
        for number in epochs:
            name = f"{line.replace(' ', '-')}-{number}"
            against = ("no attention", number) if line == "attention" else None
            points.append(Point(line, number, made.vectors(name), against, {"loss": losses[name]}))
    scores = Scores(points, arguments)
    title = f"With and without attention, {made.record['corpus']['words']:,} words of text"
    return Study(
        title=title,
        records=scores.records("epochs"),
        head=scores.head("", "epochs", "no attention"),
        rows=scores.rows(),
        draw=partial(
            line_chart,
            [0, *epochs],
            [scores.series(line, scores.columns[-1]) for line in scores.lines],
            title=title,
            x_label="epochs",
            y_label=scores.y_label,
        ),
        notes=scores.notes(),
    )
