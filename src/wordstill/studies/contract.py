"""What every study takes and returns: settings that check themselves, and a Study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from wordstill.errors import InputError
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.options import Options, declared_fields, inner_settings, setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Table:
    """One table of a study that has several; `published` are the numbers of the rows whose figures are a paper's."""

    title: str
    head: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)
    published: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Study:
    """What a study found.

    records  one JSON object per measurement, raw numbers
    head     the columns of the table for people, and `rows`, its rows
    draw     makes the chart; called only when a picture is asked for
    notes    what a reader of the table must know
    tables   all tables, of a study that has several; `head` and `rows` are then those of the first
    """

    title: str
    records: list[dict[str, Any]]
    head: list[str]
    rows: list[list[str]]
    draw: Callable[[], Figure]
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @property
    def every_table(self) -> list[Table]:
        """The tables of the study: those it has, or its only one."""
        return self.tables or [Table(self.title, self.head, self.rows)]


@dataclass(frozen=True)
class StudySettings(Options):
    """What a study is told.

    A study that compares several teachers has a setting `teacher` of its own. It takes the place of the one in its
    `distill`, from which it has its option on the command line; so for every name that stands in both.

    about     what it compares, in one line
    required  the settings without which it does not begin
    several   the settings of which the command line takes several values
    chosen    the settings of `distill` that the study chooses itself
    offered   the settings of its evaluation that its command has besides those of all studies
    writes    the kinds of files that its command leaves in `out`
    """

    about: ClassVar[str] = ""
    required: ClassVar[tuple[str, ...]] = ()
    several: ClassVar[tuple[str, ...]] = ()
    chosen: ClassVar[tuple[str, ...]] = ()
    offered: ClassVar[tuple[str, ...]] = ()
    writes: ClassVar[tuple[str, ...]] = ("json", "png")

    def __post_init__(self) -> None:
        super().__post_init__()
        own = {*self.chosen, *(item.name for item in declared_fields(type(self)))}
        for name, inner in inner_settings(type(self)).items():
            for item in declared_fields(inner):
                if item.name in own and getattr(getattr(self, name), item.name) != item.default:
                    raise InputError(f"the study does not read {item.name!r} of its `{name}`; leave it out there")


@dataclass(frozen=True)
class ScoredStudySettings(StudySettings):
    """What a study that judges vectors is told."""

    datasets: tuple[str | Path, ...] = setting((), "the data sets to judge on", option="")
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)

    @property
    def judging(self) -> EvaluationSettings:
        """How vectors are judged, on the data sets of this study."""
        return replace(self.evaluation, datasets=self.datasets)
