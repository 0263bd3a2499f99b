"""Table 1 of Wang et al. (2021): several teachers on the same words.

  wordstill study teachers --teacher minilm models/mpnet models/smollm2 --corpus wiki.txt --words 200000 --out studies

aggregate and x2static (or other students) from each teacher, a run per teacher, over the same text. The paper compares
ELMo, GPT-2 and BERT (67.1, 62.7 and 69.8 on WordSim-353): models that read both directions teach better than one
that reads left to right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from wordstill.errors import InputError
from wordstill.explore.charts import bar_chart
from wordstill.options import setting
from wordstill.studies.contract import Study
from wordstill.studies.distilled import StudentsComparisonSettings, distilled
from wordstill.studies.points import Point, Scores, column_titles, series


@dataclass(frozen=True)
class TeachersSettings(StudentsComparisonSettings):
    """What the study of teachers is told."""

    about = "several teachers on the same words (Wang et al., Table 1)"
    several = (*StudentsComparisonSettings.several, "teacher")

    teacher: tuple[str, ...] = setting((), "the teachers to compare", option="")


def run(settings: TeachersSettings) -> Study:
    """Distill one run per teacher, and score each student."""
    named = {folder_name(teacher): teacher for teacher in settings.teacher}
    if len(named) < len(settings.teacher):
        raise InputError("two teachers end in the same name; rename the folder of one of them")
    students: dict[str, dict[str, str]] = {name: {} for name in settings.students}
    runs = {name: distilled(settings, f"teacher-{name}", students, teacher=teacher) for name, teacher in named.items()}
    first = next(iter(runs))
    points = []
    for name, made in runs.items():
        spent = {"seconds": round(made.record.seconds.total, 3)}
        for student in made.record.students:
            against = (student, first) if name != first else None
            points.append(Point(student, name, made.vectors(student), against, spent))
    scores = Scores(points, settings.judging)
    bars = [
        series(f"{point.place}, {point.line}", [scores.result(point, column) for column in scores.columns])
        for point in points
    ]
    return scores.study(
        f"Teachers, {runs[first].record.corpus.words:,} words of text",
        partial(bar_chart, column_titles(scores.columns), bars, y_label="score × 100"),
        line="student",
        place="teacher",
        against=first,
        more={"seconds": ".0f"},
        notes=["Seconds are those of a teacher's whole run."],
    )


def folder_name(teacher: str) -> str:
    """Return the last part of a teacher's path or Hub name, as a folder can be called."""
    return re.sub(r"[^\w.-]", "-", teacher.rstrip("/").rpartition("/")[2]) or "teacher"
