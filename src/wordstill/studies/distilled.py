"""What the studies that distill share: their settings, and runs that are made once and found again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from wordstill.distillation.distill import distill
from wordstill.distillation.run_folder import Run
from wordstill.distillation.settings import DistillSettings, ExecutionSettings
from wordstill.errors import InputError
from wordstill.options import setting
from wordstill.studies.contract import ScoredStudySettings, StudySettings
from wordstill.system.progress import log

FOUR_SETS = ("ws353", "simlex999", "simverb3500", "men3k")


@dataclass(frozen=True)
class DistilledStudySettings(StudySettings):
    """What a study that distills is told."""

    required: ClassVar[tuple[str, ...]] = ("corpus", "teacher", "out")
    several: ClassVar[tuple[str, ...]] = ("corpus",)
    chosen: ClassVar[tuple[str, ...]] = ("students", "rare", "subwords")

    corpus: str | Path | tuple[str | Path, ...] = setting((), "files or folders of text", metavar="F")
    out: str | Path = setting("", "the folder where runs are kept, and used again", metavar="FOLDER")
    distill: DistillSettings = field(default_factory=DistillSettings)
    execution: ExecutionSettings = field(default_factory=ExecutionSettings)


@dataclass(frozen=True)
class ComparisonSettings(ScoredStudySettings, DistilledStudySettings):
    """What a study that distills and then judges is told."""

    datasets: tuple[str | Path, ...] = setting(FOUR_SETS, "the data sets to judge on", option="")


@dataclass(frozen=True)
class StudentsComparisonSettings(ComparisonSettings):
    """What a study that compares any students is told."""

    students: tuple[str, ...] = setting(("aggregate", "x2static"), "the students to compare", option="")


def distilled(
    settings: DistilledStudySettings, name: str, students: Mapping[str, Mapping[str, str]], **changed: Any
) -> Run:
    """Return the run in the folder `name` of `out`: found if it is finished, else distilled or gone on with.

    A run of other settings in that folder is refused.

    students  the options of each student: {"wide=closed": {"window": "8"}}. These come before what the settings say
              of a student by its own name, and that before what they say of its method
    changed   settings of the distillation that this run has instead of those of the study
    """
    told = replace(
        settings.distill,
        students=tuple(students),
        student_options=_student_options(settings.distill.student_options, students),
        # The methods as they are, without our help for rare and unseen words.
        rare="leave",
        subwords=False,
        **changed,
    )
    folder = Path(settings.out) / name
    log.info("the run in %s", folder)
    return distill(settings.corpus, out=folder, settings=told, resume=True, **asdict(settings.execution))


def _student_options(
    given: Mapping[str, Mapping[str, str]], students: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Join what is given for methods and students with each student's own options; refuse what is for none of them."""
    known = dict.fromkeys(part for student in students for part in student.split("="))
    for owner in given:
        if owner not in known:
            raise InputError(f"an option is set for {owner!r}, which is not among the students: {', '.join(known)}")
    options = {}
    for student, own in students.items():
        alias, _, method = student.rpartition("=")
        options[alias or method] = {**given.get(method, {}), **given.get(alias, {}), **own}
    return {student: own for student, own in options.items() if own}
