"""Search the options of a student on the dev halves of data sets, and report the winner on the test halves.

    found = wordstill.tune("x2static", {"negatives": ["5", "10"], "epochs": ["1", "5"]},
                           teacher="minilm", corpus="wiki.txt", out="search")
    found.winner.options, found.test[0].score

Every combination of the grid's values is a point. All points with the same settings of the distillation learn in one
run, from one pass of the teacher. Points are compared by the mean over the data sets' dev halves, with every item
counted: so no point gains by leaving words out. The test halves are opened for the winner alone.

The folder of the search holds its runs, `tune.json` and `tune.txt`. A search that was stopped goes on where it was,
and a larger grid in the same folder pays only for its new points.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from wordstill.distillation.run_folder import Run
from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings, Results, evaluate
from wordstill.evaluation.dataset_loading import load_datasets
from wordstill.evaluation.results import OVERALL
from wordstill.io.files import check_replaceable, only_marked, replacing, write_json
from wordstill.options import build, declared_fields
from wordstill.studies.distilled import distilled
from wordstill.studies.tuning_plan import (
    ONLY_RECORDS,
    RECORD,
    Options,
    TuneSettings,
    grid_points,
    own_options,
    pass_settings,
    plan_passes,
    read_on,
    shared_settings,
)

TABLE = "tune.txt"
ONLY_TABLES = only_marked(rb"\APoints of the search for ")


@dataclass(frozen=True)
class Tried:
    """A point of the grid with its scores on the dev halves; `student` names it in its run."""

    options: Options
    vectors: Path
    scores: Mapping[str, float]
    coverage: float

    @property
    def mean(self) -> float:
        """The mean over the data sets, by which points are compared."""
        values = list(self.scores.values())
        return sum(values) / len(values)

    def as_json(self, out: Path) -> dict[str, Any]:
        """Return what tune.json holds of it."""
        scores = {name: score if isfinite(score) else None for name, score in self.scores.items()}
        mean = self.mean if isfinite(self.mean) else None
        return {
            "options": self.options,
            "vectors": self.vectors.relative_to(out).as_posix(),
            "dev": scores,
            "mean": mean,
            "coverage": self.coverage,
        }


@dataclass(frozen=True)
class Tuned:
    """What a search found: every point, best first, and how the winner does on the test halves."""

    student: str
    points: list[Tried]
    test: Results
    notes: list[str] = field(default_factory=list)

    @property
    def winner(self) -> Tried:
        """The point that is best on the dev halves."""
        return self.points[0]

    @property
    def head(self) -> list[str]:
        """The columns of the table of the search."""
        return [*self.winner.options, *self.winner.scores, "mean", "% covered"]

    @property
    def rows(self) -> list[list[str]]:
        """The rows of the table of the search, best first."""
        return [
            [
                *point.options.values(),
                *(_hundred(score) for score in point.scores.values()),
                _hundred(point.mean),
                f"{100 * point.coverage:.0f}",
            ]
            for point in self.points
        ]


def tune(
    student: str | None = None,
    grid: Mapping[str, Iterable[Any]] | None = None,
    *,
    settings: TuneSettings | None = None,
    **keywords: Any,
) -> Tuned:
    """Search a grid of options of a student on the dev halves of data sets.

    >>> found = tune("closed", {"power": [0, 0.5], "view": ["sentence", "window"]}, teacher="minilm",
    ...              corpus="texts.txt", decide_on="many-pairs.tsv:dev", out="search")
    >>> len(found.points), sorted(found.winner.options), found.test[0].split
    (4, ['power', 'view'], 'test')

    student   a name of the registry of students
    grid      the values of each option to try; also of `teacher`, `context`, `layer`, `pooling`, `words`, `seed` and
              `min_count`, each value of which costs a pass of its own
    settings  everything that can be chosen, as one object, instead of keywords
    keywords  corpus, out, decide_on, together, and any setting of `DistillSettings` and `ExecutionSettings`
    """
    if settings is None:
        told = {name: tuple(map(str, values)) for name, values in (grid or {}).items()}
        settings = _settings(keywords | {"student": student or "", "grid": told})
    elif student or grid or keywords:
        raise InputError("give `settings`, or keywords, not both")
    for needed in settings.required:
        if not getattr(settings, needed):
            raise InputError(f"a search needs to know its {needed!r}; give it")
    judging = read_on(settings.decide_on)
    points = grid_points(settings)
    load_datasets(judging)  # what is missing is missed before hours of work
    out = Path(settings.out)
    check_replaceable(out / RECORD, ONLY_RECORDS)
    passes = plan_passes(settings, points)
    runs = [_distilled(settings, number, held) for number, held in enumerate(passes, 1)]
    tried = [one for run, held in zip(runs, passes, strict=True) for one in _judged(run, held, points, judging)]
    if not any(isfinite(one.mean) for one in tried):
        raise InputError(
            f"no point has a score on {settings.decide_on}: its dev halves are too small; name larger sets"
        )
    tried.sort(key=lambda one: -one.mean if isfinite(one.mean) else 2.0)  # stable: the first of equals wins
    test = evaluate({"winner": tried[0].vectors}, settings=replace(judging, split="test"))
    found = Tuned(settings.student, tried, test, _notes(settings))
    _keep(settings, passes, found)
    return found


def _distilled(settings: TuneSettings, number: int, held: Sequence[Options]) -> Run:
    """Return the finished run of one pass."""
    students = {
        f"point-{place:03d}={settings.student}": own_options(settings, one) for place, one in enumerate(held, 1)
    }
    changed = pass_settings(settings, held[0])
    return distilled(replace(settings, distill=changed), f"pass-{number:02d}", students)


def _judged(run: Run, held: Sequence[Options], asked: Sequence[Options], judging: EvaluationSettings) -> list[Tried]:
    """Judge the points of a run that the grid asks for; a student with several layers is a point per layer."""
    tried = []
    for place, options in enumerate(held, 1):
        if options not in asked:
            continue
        name = f"point-{place:03d}"
        for student, record in run.record.students.items():
            if student != name and not student.startswith(name + "/"):
                continue
            path = run.folder / record.path
            results = list(evaluate({name: path}, settings=replace(judging, resamples=0)))
            sets = [one for one in results if one.dataset != OVERALL and one.metric != "mean"]
            layer = {"layer": student.partition("/")[2]} if "/" in student else {}
            items = sum(one.items for one in sets)
            coverage = sum(one.covered for one in sets) / items if items else 0.0
            tried.append(Tried(options | layer, path, {one.dataset: one.score_all for one in sets}, coverage))
    return tried


def _keep(settings: TuneSettings, passes: Sequence[Sequence[Options]], found: Tuned) -> None:
    """Write the table of the search, for programs and for people."""
    out = Path(settings.out)
    record = {
        "tuned": settings.student,
        "told": shared_settings(settings),
        "passes": passes,
        "grid": {name: list(values) for name, values in settings.grid.items()},
        "points": [one.as_json(out) for one in found.points],
        "winner": {**found.winner.as_json(out), "test": [one.as_dict() for one in found.test]},
        "notes": found.notes,
    }
    write_json(out / RECORD, record, ours=ONLY_RECORDS)
    lines = ["\t".join(found.head), *("\t".join(row) for row in found.rows)]
    text = "\n".join([f"Points of the search for {settings.student}, best first", *lines, "", *found.notes, ""])
    text += "\nThe winner on the test halves:\n" + found.test.table() + "\n"
    with replacing(out / TABLE, ours=ONLY_TABLES) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace")


def _notes(settings: TuneSettings) -> list[str]:
    return [
        f"Scores times 100 on {settings.decide_on}, every item counted, a missing word's by its task's rule. The winner"
        " was chosen by their mean, and is reported on the test halves, which no choice has seen."
    ]


def _settings(keywords: Mapping[str, Any]) -> TuneSettings:
    """Make settings of keywords: those of the search, and any of its distillation and execution."""
    given: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in keywords.items()}
    own: dict[str, Any] = {
        item.name: given.pop(item.name) for item in declared_fields(TuneSettings) if item.name in given
    }
    return replace(build(TuneSettings, given), **own)


def _hundred(score: float) -> str:
    return f"{100 * score:.1f}" if isfinite(score) else "-"
