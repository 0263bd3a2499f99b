"""Figure 1 of Gupta and Jaggi (2021): quality against corpus size.

  wordstill study corpus-size --teacher minilm --corpus wiki.txt --words 125000 250000 500000 --out studies

aggregate and x2static (or other students) on the first words of a corpus, a run a size. The paper finds that
averages level off while x2static goes on to grow. More text also brings more words, and so more, and rarer, pairs
to be judged on: --same-words judges all sizes on the words of the smallest. (Paired differences always are on the
pairs that both cover.)
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial

from wordstill.explore.charts import line_chart
from wordstill.options import listed
from wordstill.studies import Study
from wordstill.studies.distilled import add_arguments, distilled
from wordstill.studies.points import Point, Scores


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this study's arguments."""
    add_arguments(parser, datasets=("simlex999", "rw2034"), sizes=True)
    add = parser.add_argument
    add("--student", metavar="NAME,..", default="aggregate,x2static", help="the students (aggregate,x2static)")
    add("--same-words", action="store_true", help="judge on the words that the smallest corpus has")


def run(arguments: argparse.Namespace) -> Study:
    """One run a size."""
    students = {name: dict[str, str]() for name in listed(arguments.student)}
    sizes = sorted(set(arguments.words))
    runs = {size: distilled(arguments, f"words-{size}", students, words=size) for size in sizes}
    points = []
    for name in runs[sizes[0]].record["students"]:
        for size, made in runs.items():
            against = (name, sizes[0]) if size > sizes[0] else None
            read = {"corpus_words": made.record["corpus"]["words"]}
            points.append(Point(name, size, made.vectors(name), against, read))
    if arguments.same_words:
        first = {point.line: point.vectors.words for point in points if point.place == sizes[0]}
        points = [
            replace(point, vectors=point.vectors.take(word for word in first[point.line] if word in point.vectors))
            for point in points
        ]
    scores = Scores(points, arguments)
    title = "Quality against corpus size" + (", the words of the smallest" if arguments.same_words else "")
    return Study(
        title=title,
        records=scores.records("words"),
        head=scores.head("student", "words", f"{sizes[0]:,} words"),
        rows=scores.rows(),
        draw=partial(
            line_chart,
            sizes,
            [scores.series(line, name, f"{line}, {name}") for name in scores.datasets for line in scores.lines],
            title=title,
            x_label="words of text",
            y_label="score × 100",
            log_x=True,
            tick_labels=[short(size) for size in sizes],
        ),
        notes=scores.notes(),
    )


def short(number: int) -> str:
    """A number as an axis has room for it: 250k, 1.5M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size:
            return f"{number / size:.4g}{unit}"
    return str(number)
