"""What a search is told, its points, and which of them share a run."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wordstill.distillation.settings import DistillSettings, differences
from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings
from wordstill.evaluation.tasks import TASKS
from wordstill.io.files import only_marked, write_json
from wordstill.io.reading import read_json
from wordstill.options import declared_fields, listed, setting
from wordstill.students.registry import STUDENTS, choose_students
from wordstill.studies.distilled import DistilledStudySettings

Options = dict[str, str]

RECORD = "tune.json"
# How it begins; no other file is replaced by it.
ONLY_RECORDS = only_marked(rb'\A\{\s*"tuned": ')
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


def grid_points(settings: TuneSettings) -> list[Options]:
    """List the points of the grid, each checked: every option must be one that the student or the pass has."""
    own = {"preset", *(item.name for item in declared_fields(STUDENTS[settings.student].settings))}
    for option in settings.grid:
        if option not in own and option not in OF_THE_PASS:
            known = ", ".join(sorted(own | set(OF_THE_PASS)))
            raise InputError(f"{settings.student} has no option {option!r} that a grid could vary; there are: {known}")
    points = [dict(zip(settings.grid, values, strict=True)) for values in itertools.product(*settings.grid.values())]
    for point in points:
        chosen = own_options(settings, point)
        choose_students((settings.student,), {settings.student: chosen} if chosen else {})
        pass_settings(settings, point)
    return points


def plan_passes(settings: TuneSettings, points: Sequence[Options]) -> list[list[Options]]:
    """Share the points out over runs: those of an earlier search in this folder first, then one run per new pass.

    The plan is written before any work, so that a search that was killed finds its runs again.
    """
    path = Path(settings.out) / RECORD
    told = shared_settings(settings)
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
            shared = {name: value for name, value in point.items() if _ispass_settings(settings, name)}
            groups.setdefault(json.dumps(shared, sort_keys=True), []).append(point)
    for group in groups.values():
        passes += [group[low : low + settings.together] for low in range(0, len(group), settings.together)]
    write_json(path, {"tuned": settings.student, "told": told, "passes": passes}, ours=ONLY_RECORDS)
    return passes


def shared_settings(settings: TuneSettings) -> dict[str, Any]:
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


def _ispass_settings(settings: TuneSettings, option: str) -> bool:
    """Tell whether an option is of the distillation; a student's own option of the same name comes first."""
    own = {item.name for item in declared_fields(STUDENTS[settings.student].settings)}
    return option in OF_THE_PASS and option not in own


def own_options(settings: TuneSettings, point: Options) -> Options:
    return {name: value for name, value in point.items() if not _ispass_settings(settings, name)}


def pass_settings(settings: TuneSettings, point: Options) -> DistillSettings:
    """Return the settings of the distillation at a point."""
    distill = settings.distill
    vocabulary = {item.name: item for item in declared_fields(type(distill.vocabulary))}
    own = {item.name: item for item in declared_fields(DistillSettings)}
    for name, value in point.items():
        if not _ispass_settings(settings, name):
            continue
        if name in own:
            distill = replace(distill, **{name: own[name].parse(value)})
        else:
            distill = replace(distill, vocabulary=replace(distill.vocabulary, **{name: vocabulary[name].parse(value)}))
    return distill
