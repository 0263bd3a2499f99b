"""The runs behind the papers' tables: as few passes of each teacher as possible, and no failure that stops the rest.

Students of one teacher that read the same kind of text share a run. Which student is in which run is written down in
`runs.json` before any work: so a stopped study finds its runs again, and a student that is new gets a run of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from wordstill.corpus.parsing import parse
from wordstill.distillation.run_folder import Run
from wordstill.distillation.settings import differences
from wordstill.errors import InputError
from wordstill.io.files import only_marked, write_json
from wordstill.io.reading import read_json
from wordstill.students.registry import STUDENTS, choose_students
from wordstill.studies.distilled import DistilledStudySettings, distilled
from wordstill.studies.side_by_side import side_by_side
from wordstill.studies.table_rows import RowKind
from wordstill.studies.teachers import folder_name
from wordstill.system.machine import usable_cores
from wordstill.system.progress import log

PLAN = "runs.json"
ONLY_PLANS = only_marked(rb'\A\{\s*"runs of the tables": ')

# Students whose runs take longest of those that read words.
SLOW = frozenset({"contextlstm"})

Place = tuple[str, str, str]
"""A student, what it reads, and its teacher: what tells the vectors of two rows apart."""


@dataclass(frozen=True)
class Made:
    """The vectors of one row: a folder per layer (one, for most students), or why there are none."""

    layers: Mapping[str, Path] = field(default_factory=dict)
    words: int = 0
    failure: str = ""

    @property
    def last(self) -> Path:
        """The vectors of the last layer."""
        return list(self.layers.values())[-1]


@dataclass(frozen=True)
class Planned:
    """One run: its folder, the settings it has of its own, and its students with their options."""

    folder: str
    reads: str
    teacher: str
    students: Mapping[str, Mapping[str, str]]


def make_rows(
    settings: DistilledStudySettings, kinds: Iterable[RowKind], teachers: Sequence[str], parser: str = ""
) -> dict[Place, Made]:
    """Distill what the rows need, and return their vectors; runs that are there are used again.

    Students that read parses get the corpus as `parser`, a spaCy pipeline, parses it. If a run of several students
    fails, each of them gets a run of its own: so only those whose fault it was have no vectors in the end. A teacher
    has all cores for itself; the runs without one compute on one core each, and go side by side.
    """
    places = [
        (kind.student, kind.reads, teacher)
        for kind in kinds
        for teacher in ([""] if kind.reads == "words" else teachers)
    ]
    made: dict[Place, Made] = {}
    for student, reads, teacher in places:
        if student not in STUDENTS:
            made[student, reads, teacher] = Made(failure=f"there is no student {student!r} in this version")
    planned = plan_runs(settings, [place for place in places if place not in made])
    wanted = [run for run in planned if any((one, run.reads, run.teacher) in places for one in run.students)]
    taught = [run for run in wanted if run.teacher]
    untaught = [run for run in wanted if not run.teacher]
    done = [(run, _made(settings, run, parser)) for run in taught]
    done += _side_by_side(settings, untaught, parser)
    for run, students in done:
        made |= {(student, run.reads, run.teacher): one for student, one in students.items()}
    return made


def _side_by_side(
    settings: DistilledStudySettings, runs: Sequence[Planned], parser: str
) -> list[tuple[Planned, dict[str, Made]]]:
    """Make runs without a teacher; the corpus is parsed beside those that read no parses, and the others follow."""
    workers = settings.distill.threads or usable_cores()
    parsing = [run for run in runs if parser and _reads_parses(run)]
    # The slow ones begin first, so that no core is without work at the end.
    plain = sorted((run for run in runs if run not in parsing), key=lambda run: not SLOW.intersection(run.students))
    tasks: list[Callable[[], dict[str, Made]]] = [partial(_made, settings, run, parser) for run in (*plain, *parsing)]
    if not parsing or _parses(settings, parser).exists():
        done = _called(tasks, workers)
    else:
        _, *done = _called([partial(_try_to_parse, settings, parser), *tasks[: len(plain)]], workers)
        done += _called(tasks[len(plain) :], workers)
    return list(zip([*plain, *parsing], done, strict=True))


def _called(tasks: Sequence[Callable[[], dict[str, Made]]], workers: int) -> list[dict[str, Made]]:
    """Call tasks side by side; where a process dies of it, for want of memory as a rule, one after the other here."""
    try:
        return side_by_side(_call, tasks, workers, "runs without a teacher")
    except InputError as error:
        log.warning("%s; going on with one run at a time", error)
        return [task() for task in tasks]


def _call(task: Callable[[], dict[str, Made]]) -> dict[str, Made]:
    return task()


def _try_to_parse(settings: DistilledStudySettings, parser: str) -> dict[str, Made]:
    """Parse the corpus, if it can be; if not, the rows that read parses try again, and say why there are none."""
    with suppress(Exception):
        _parsed(settings, parser)
    return {}


def plan_runs(settings: DistilledStudySettings, places: Iterable[Place]) -> list[Planned]:
    """Return the runs of earlier calls, and further ones for the students that none of them has."""
    path = Path(settings.out) / PLAN
    told = _told(settings)
    runs: list[Planned] = []
    if path.exists():
        before = read_json(path)
        _refuse_changes(settings, before["told"], told)
        runs = [Planned(**one) for one in before["runs"]]
    fresh: dict[str, Planned] = {}
    for student, reads, teacher in dict.fromkeys(places):
        options = dict(settings.distill.student_options.get(student, {}))
        there = [run for run in runs if (run.reads, run.teacher) == (reads, teacher)]
        having = [run for run in there if student in run.students]
        if having:
            _refuse_changes(settings, {student: having[0].students[student]}, {student: options})
            continue
        # Students without a teacher have no pass to share.
        folder = f"{folder_name(teacher)}-{reads}-{len(there) + 1}" if teacher else f"{reads}-{student}"
        planned = fresh.get(folder, Planned(folder, reads, teacher, {}))
        fresh[folder] = replace(planned, students={**planned.students, student: options})
    runs += fresh.values()
    plan = {"runs of the tables": len(runs), "told": told, "runs": [asdict(run) for run in runs]}
    write_json(path, plan, ours=ONLY_PLANS)
    return runs


def _refuse_changes(settings: DistilledStudySettings, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if changed := differences(before, now):
        told = ", ".join(changed)
        raise InputError(f"the runs in {settings.out} have other settings: {told}; choose another --out")


def _told(settings: DistilledStudySettings) -> dict[str, Any]:
    """Return what all runs share, as JSON holds it."""
    corpus = settings.corpus if isinstance(settings.corpus, (tuple, list)) else (settings.corpus,)
    shared = settings.distill.as_json()
    for name in ("teacher", "students", "student_options"):
        shared.pop(name)
    return dict(json.loads(json.dumps({"corpus": list(map(str, corpus)), "distill": shared})))


def _made(settings: DistilledStudySettings, run: Planned, parser: str) -> dict[str, Made]:
    """Return what one run makes of its students, or what runs of each of them make where it fails."""
    changed: dict[str, Any] = {"teacher": run.teacher or None}
    told = replace(settings, distill=replace(settings.distill, student_options={}))
    if run.teacher:
        changed |= {"context": run.reads, "layer": "all"}
    else:  # others run on the other cores
        changed["threads"] = 1
        told = replace(told, execution=replace(settings.execution, workers=0))
    try:
        if parser and _reads_parses(run):
            told = replace(told, corpus=_parsed(settings, parser))
        finished = distilled(told, run.folder, run.students, **changed)
    except Exception as error:  # whatever it is, the other rows do not depend on it
        reason = str(error) or type(error).__name__
        log.warning("the run in %s failed: %s", run.folder, reason)
        if len(run.students) == 1:
            return {student: Made(failure=reason) for student in run.students}
        alone: dict[str, Made] = {}
        for student, options in run.students.items():
            own = replace(run, folder=f"{run.folder}-{student}", students={student: options})
            alone |= _made(settings, own, parser)
        return alone
    return {student: _of_student(finished, student) for student in run.students}


def _reads_parses(run: Planned) -> bool:
    try:
        return any(one.needs().parses for one in choose_students(tuple(run.students), run.students).values())
    except InputError:  # an option that there is not: the run says so itself
        return False


def _parses(settings: DistilledStudySettings, parser: str) -> Path:
    return Path(settings.out) / f"parsed-{folder_name(parser)}.conllu"


def _parsed(settings: DistilledStudySettings, parser: str) -> Path:
    """Return the corpus with its parses; it is parsed once."""
    path = _parses(settings, parser)
    corpus = settings.corpus if isinstance(settings.corpus, (tuple, list)) else (settings.corpus,)
    if not path.exists():
        parse(corpus, parser=parser, out=path, field=settings.distill.field, words=settings.distill.words)
    return path


def _of_student(run: Run, student: str) -> Made:
    """Find the vectors of a student in a run: one folder, or one per layer."""
    found = {
        name: one for name, one in run.record.students.items() if name == student or name.startswith(student + "/")
    }
    layers = {name.partition("/")[2]: run.folder / one.path for name, one in found.items()}
    return Made(dict(sorted(layers.items())), run.record.corpus.words)
