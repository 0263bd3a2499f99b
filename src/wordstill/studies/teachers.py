"""Table 1 of Wang et al. (2021): several teachers on the same words.

  wordstill study teachers --teacher minilm models/mpnet models/smollm2 --corpus wiki.txt --words 200000 --out studies

aggregate and x2static (or other students) from each teacher, a run a teacher, over the same text. The paper compares
ELMo, GPT-2 and BERT (67.1, 62.7 and 69.8 on WordSim-353): models that read both directions teach better than one
that reads left to right.
"""

from __future__ import annotations

import argparse
import re
from functools import partial

from wordstill.errors import InputError
from wordstill.explore.charts import bar_chart
from wordstill.options import listed
from wordstill.studies import Study
from wordstill.studies.distilled import add_arguments, distilled
from wordstill.studies.points import Point, Scores, series


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this study's arguments."""
    add_arguments(parser, datasets=("ws353", "simlex999", "simverb3500", "men3k"), teachers=True)
    parser.add_argument(
        "--student", metavar="NAME,..", default="aggregate,x2static", help="the students (aggregate,x2static)"
    )


def run(arguments: argparse.Namespace) -> Study:
    """One run a teacher."""
    named = {folder_name(teacher): teacher for teacher in arguments.teacher}
    if len(named) < len(arguments.teacher):
        raise InputError("two teachers end in the same name; rename the folder of one of them")
    students = {name: dict[str, str]() for name in listed(arguments.student)}
    runs = {name: distilled(arguments, f"teacher-{name}", students, teacher=teacher) for name, teacher in named.items()}
    first = next(iter(runs))
    points = []
    for name, made in runs.items():
        for student in made.record["students"]:
            against = (student, first) if name != first else None
            points.append(
                Point(student, name, made.vectors(student), against, {"seconds": made.record["seconds"]["total"]})
            )
    scores = Scores(points, arguments)
    words = runs[first].record["corpus"]["words"]
    title = f"Teachers, {words:,} words of text"
    return Study(
        title=title,
        records=scores.records("teacher"),
        head=[*scores.head("student", "teacher", first), "seconds"],
        rows=[[*row, f"{point.more['seconds']:.0f}"] for row, point in zip(scores.rows(), points, strict=True)],
        draw=partial(
            bar_chart,
            scores.columns,
            [
                series(f"{point.place}, {point.line}", [scores.result(point, column) for column in scores.columns])
                for point in points
            ],
            title=title,
            y_label="score × 100",
        ),
        notes=[*scores.notes(), "Seconds are those of a teacher's whole run."],
    )


def folder_name(teacher: str) -> str:
    """The last part of a teacher's path or Hub name, as a folder can be called."""
    return re.sub(r"[^\w.-]", "-", teacher.rstrip("/").rpartition("/")[2]) or "teacher"
