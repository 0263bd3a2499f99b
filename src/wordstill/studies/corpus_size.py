"""Figure 1 of Gupta and Jaggi (2021): quality against corpus size.

  wordstill study corpus-size --teacher minilm --corpus wiki.txt --words 125000 250000 500000 --out studies

aggregate and x2static (or other students) on the first words of a corpus, a run per size. The paper finds that
averages level off while x2static goes on to grow. More text also brings more words, and so more, and rarer, pairs
to be judged on: --same-words judges all sizes on the words of the smallest. (Paired differences always are on the
pairs that both cover.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from wordstill.explore.charts import line_chart
from wordstill.options import setting
from wordstill.studies.contract import Study
from wordstill.studies.distilled import StudentsComparisonSettings, distilled
from wordstill.studies.points import Point, Scores


@dataclass(frozen=True)
class CorpusSizeSettings(StudentsComparisonSettings):
    """What the study of corpus sizes is told."""

    about = "quality against corpus size (Gupta and Jaggi, Figure 1)"
    required = (*StudentsComparisonSettings.required, "words")
    several = (*StudentsComparisonSettings.several, "words")

    words: tuple[int, ...] = setting((), "the sizes to compare, in words", option="")
    same_words: bool = setting(False, "judge on the words that the smallest corpus has")
    datasets: tuple[str | Path, ...] = setting(("simlex999", "rw2034"), "the data sets to judge on", option="")


def run(settings: CorpusSizeSettings) -> Study:
    """Distill one run per size, and score each student."""
    sizes = sorted(set(settings.words))
    students: dict[str, dict[str, str]] = {name: {} for name in settings.students}
    runs = {size: distilled(settings, f"words-{size}", students, words=size) for size in sizes}
    points = []
    for name in runs[sizes[0]].record.students:
        for size, made in runs.items():
            against = (name, sizes[0]) if size > sizes[0] else None
            points.append(Point(name, size, made.vectors(name), against, {"corpus_words": made.record.corpus.words}))
    if settings.same_words:
        points = with_words_of(sizes[0], points)
    scores = Scores(points, settings.judging)
    return scores.study(
        "Quality against corpus size" + (", the words of the smallest" if settings.same_words else ""),
        partial(
            line_chart,
            sizes,
            [line for name in scores.datasets for line in scores.series(name, f", {name}")],
            x_label="words of text",
            y_label="score × 100",
            log_x=True,
            tick_labels=[short(size) for size in sizes],
        ),
        line="student",
        place="words",
        against=f"{sizes[0]:,} words",
    )


def with_words_of(size: int, points: Sequence[Point]) -> list[Point]:
    """Leave only the words that the point of this size on the same line has."""
    words = {point.line: point.vectors.words for point in points if point.place == size}
    return [
        replace(point, vectors=point.vectors.take(word for word in words[point.line] if word in point.vectors))
        for point in points
    ]


def short(number: int) -> str:
    """Write a number as an axis has room for it: 250k, 1.5M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size:
            return f"{number / size:.4g}{unit}"
    return str(number)
