"""Search the options of a student on the dev halves of data sets, and report the winner on the test halves.

    found = wordstill.tune("x2static", {"negatives": ["5", "10"], "epochs": ["1", "5"]},
                           teacher="minilm", corpus="wiki.txt", out="search")

Every combination of the grid's values is a point. All points with the same settings of the distillation learn in one
run, from one pass of the teacher. Points are compared by the mean over the data sets' dev halves, with every item
counted: so no point gains by leaving words out. The test halves are opened for the winner alone.

The folder of the search holds its runs, `tune.json` and `tune.txt`. A search that was stopped goes on where it was,
and a larger grid in the same folder pays only for its new points.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from wordstill.distillation.run_folder import Run
from wordstill.distillation.settings import DistillSettings, differences
from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings, Results, evaluate
from wordstill.evaluation.dataset_loading import load_datasets
from wordstill.evaluation.results import OVERALL
from wordstill.evaluation.tasks import TASKS
from wordstill.io.files import check_replaceable, only_marked, replacing, write_json
from wordstill.io.reading import read_json
from wordstill.options import build, declared_fields, listed, setting
from wordstill.students.registry import STUDENTS, choose_students
from wordstill.studies.distilled import DistilledStudySettings, distilled

Options = dict[str, str]

RECORD, TABLE = "tune.json", "tune.txt"
# How the two files begin; no other file is replaced by them.
ONLY_RECORDS = only_marked(rb'\A\{\s*"tuned": ')
ONLY_TABLES = only_marked(rb"\APoints of the search for ")
# Settings of the distillation that a grid may vary besides the student's own options; each value has its own pass.
OF_THE_PASS = ("teacher", "context", "layer", "pooling", "words", "seed", "min_count")


def read_grid(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read `["window=2,5", "epochs=1,5"]` as `{"window": ("2", "5"), "epochs": ("1", "5")}`."""
    grid: dict[str, tuple[str, ...]] = {}
    for text in texts:
        option, equals, values = text.partition("=")
        chosen = tuple(dict.fromkeys(listed(values)))
        if not (option and equals and chosen):
            raise InputError(f"--grid takes OPTION=VALUE,VALUE.., such as window=2,5,10, not {text!r}")
        if option in grid:
            raise InputError(f"--grid names {option!r} twice; give all its values at once")
        grid[option] = chosen
    return grid


def read_on(text: str) -> EvaluationSettings:
    """Read `similarity:dev` or `ws353,my-pairs.tsv:dev`: tasks or data sets, judged on their dev halves alone."""
    names, _, half = text.rpartition(":")
    chosen = listed(names)
    if half != "dev" or not chosen:
        raise InputError(
            f"--on takes TASKS:dev or DATASETS:dev, such as similarity:dev, not {text!r}; the test halves are for"
            " reporting the winner"
        )
    tasks = tuple(name for name in chosen if name in TASKS)
    datasets = tuple(name for name in chosen if name not in TASKS)
    if tasks and datasets:
        raise InputError(f"--on names tasks or data sets, not both: {', '.join(tasks)} beside {', '.join(datasets)}")
    return EvaluationSettings(tasks=tasks or None, datasets=datasets or None, split="dev")


@dataclass(frozen=True)
class TuneSettings(DistilledStudySettings):
    """What a search is told."""

    about = "search the options of a student on the dev halves"
    required = ("student", "grid", "corpus", "out")

    student: str = setting("", "the student whose options are searched", option="")
    grid: Mapping[str, tuple[str, ...]] = setting(
        help="an option with the values to try", factory=dict, metavar="OPTION=A,B,..", read=read_grid
    )
    decide_on: str = setting(
        "similarity:dev", "tasks or data sets whose dev halves decide", option="--on", metavar="NAME,..:dev"
    )
    together: int = setting(32, "points that learn in one run at most; more need more memory", low=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        read_on(self.decide_on)
        if self.student and self.student not in STUDENTS:
            raise InputError(f"there is no student {self.student!r}; there are: {', '.join(STUDENTS)}")


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
    tried.sort(key=lambda one: -one.mean if isfinite(one.mean) else 2.0)  # stable: the first of equals wins
    test = evaluate({"winner": tried[0].vectors}, settings=replace(judging, split="test"))
    found = Tuned(settings.student, tried, test, _notes(settings))
    _keep(settings, passes, found)
    return found


def grid_points(settings: TuneSettings) -> list[Options]:
    """List the points of the grid, each checked: every option must be one that the student or the pass has."""
    own = {"preset", *(item.name for item in declared_fields(STUDENTS[settings.student].settings))}
    for option in settings.grid:
        if option not in own and option not in OF_THE_PASS:
            known = ", ".join(sorted(own | set(OF_THE_PASS)))
            raise InputError(f"{settings.student} has no option {option!r} that a grid could vary; there are: {known}")
    points = [dict(zip(settings.grid, values, strict=True)) for values in itertools.product(*settings.grid.values())]
    for point in points:
        own_options = _own(settings, point)
        choose_students((settings.student,), {settings.student: own_options} if own_options else {})
        _of_pass(settings, point)
    return points


def plan_passes(settings: TuneSettings, points: Sequence[Options]) -> list[list[Options]]:
    """Share the points out over runs: those of an earlier search in this folder first, then one run per new pass.

    The plan is written before any work, so that a search that was killed finds its runs again.
    """
    path = Path(settings.out) / RECORD
    told = _told(settings)
    passes: list[list[Options]] = []
    if path.exists():
        before = read_json(path)
        if changed := differences(before["told"], told):
            raise InputError(f"{path} is of another search: {', '.join(changed)}; choose another --out")
        passes = before["passes"]
    planned = [point for held in passes for point in held]
    groups: dict[str, list[Options]] = {}
    for point in points:
        if point not in planned:
            shared = {name: value for name, value in point.items() if _is_of_pass(settings, name)}
            groups.setdefault(json.dumps(shared, sort_keys=True), []).append(point)
    for group in groups.values():
        passes += [group[low : low + settings.together] for low in range(0, len(group), settings.together)]
    write_json(path, {"tuned": settings.student, "told": told, "passes": passes}, ours=ONLY_RECORDS)
    return passes


def _distilled(settings: TuneSettings, number: int, held: Sequence[Options]) -> Run:
    """Return the finished run of one pass."""
    students = {f"point-{place:03d}={settings.student}": _own(settings, one) for place, one in enumerate(held, 1)}
    changed = _of_pass(settings, held[0])
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
        "told": _told(settings),
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


def _told(settings: TuneSettings) -> dict[str, Any]:
    """Return what all points of a search share, as JSON holds it."""
    corpus = settings.corpus if isinstance(settings.corpus, (tuple, list)) else (settings.corpus,)
    shared = settings.distill.as_json()
    for name in ("students", "threads", "device"):
        shared.pop(name)
    told = {
        "student": settings.student,
        "on": settings.decide_on,
        "corpus": [str(one) for one in corpus],
        "distill": shared,
    }
    return dict(json.loads(json.dumps(told)))


def _is_of_pass(settings: TuneSettings, option: str) -> bool:
    """Tell whether an option is of the distillation; a student's own option of the same name comes first."""
    own = {item.name for item in declared_fields(STUDENTS[settings.student].settings)}
    return option in OF_THE_PASS and option not in own


def _own(settings: TuneSettings, point: Options) -> Options:
    return {name: value for name, value in point.items() if not _is_of_pass(settings, name)}


def _of_pass(settings: TuneSettings, point: Options) -> DistillSettings:
    """Return the settings of the distillation at a point."""
    distill = settings.distill
    vocabulary = {item.name: item for item in declared_fields(type(distill.vocabulary))}
    own = {item.name: item for item in declared_fields(DistillSettings)}
    for name, value in point.items():
        if not _is_of_pass(settings, name):
            continue
        if name in own:
            distill = replace(distill, **{name: own[name].parse(value)})
        else:
            distill = replace(distill, vocabulary=replace(distill.vocabulary, **{name: vocabulary[name].parse(value)}))
    return distill


def _settings(keywords: Mapping[str, Any]) -> TuneSettings:
    """Make settings of keywords: those of the search, and any of its distillation and execution."""
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in keywords.items()}
    own = {item.name: given.pop(item.name) for item in declared_fields(TuneSettings) if item.name in given}
    return replace(build(TuneSettings, given), **own)


def _hundred(score: float) -> str:
    return f"{100 * score:.1f}" if isfinite(score) else "-"
