"""Which data sets are judged, and reading them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordstill.errors import InputError
from wordstill.evaluation import parsers
from wordstill.evaluation.datasets import DATASETS, Dataset
from wordstill.evaluation.lookup import Found, differing_files, find, locate
from wordstill.evaluation.tasks import TASKS, Settings

MUSE_TASKS = ("similarity", "analogy")


@dataclass(frozen=True)
class Loaded:
    """A data set that has been read (and halved, where a half is asked for)."""

    name: str
    task: str
    data: Any


def load_datasets(
    tasks: Sequence[str] | None, names: Sequence[str | Path] | None, settings: Settings
) -> tuple[list[Loaded], list[str]]:
    """The data sets asked for, and what the foot of the table must say of them."""
    chosen = _chosen_tasks(tasks, settings)
    notes: list[str] = []
    loaded: dict[str, Loaded] = {}
    for name, task, path in _here(chosen, notes) if names is None else _named(names, chosen, notes):
        if name in loaded:
            raise InputError(f"two data sets are called {name!r}; rename one of the files")
        data = TASKS[task].read(path)
        if settings.split is not None:
            data = TASKS[task].halve(data, settings.split)
        loaded[name] = Loaded(name, task, data)
    if not loaded:
        raise InputError(
            f"no data set of {', '.join(chosen)} is here; name a folder with some in $WORDSTILL_DATA,"
            " or get one (wordstill data list)"
        )
    if settings.split is not None:
        notes.append(f"Only the {settings.split} half of every set.")
    return list(loaded.values()), notes


def _chosen_tasks(tasks: Sequence[str] | None, settings: Settings) -> list[str]:
    known = list(MUSE_TASKS if settings.compat == "muse" else TASKS)
    for task in tasks or ():
        if task not in known:
            harness = " in MUSE" if settings.compat == "muse" else ""
            raise InputError(f"there is no task {task!r}{harness}; choose from {', '.join(known)}")
    return known if tasks is None else list(tasks)


def _here(tasks: list[str], notes: list[str]) -> Iterator[tuple[str, str, Path]]:
    absent = []
    for entry in DATASETS.values():
        if entry.task not in tasks:
            continue
        if (found := find(entry)) is None:
            absent.append(entry.name)
        else:
            notes += _not_pinned(entry, found)
            yield entry.name, entry.task, found.path
    if absent:
        notes.append(f"Not here and left out: {', '.join(absent)} (wordstill data get NAME).")


def _named(names: Sequence[str | Path], tasks: list[str], notes: list[str]) -> Iterator[tuple[str, str, Path]]:
    for name in names:
        entry = DATASETS.get(str(name))
        own = None if entry else _own(str(name))
        task = entry.task if entry else own[1] if own else ""
        if task not in tasks:
            raise InputError(f"{name} is for {task}, which is not among the tasks {', '.join(tasks)}")
        if entry:
            found = locate(entry)
            notes += _not_pinned(entry, found)
            yield entry.name, entry.task, found.path
        elif own:
            yield own


def _own(name: str) -> tuple[str, str, Path]:
    """A user's own file: FILE, or TASK:FILE where its first line does not tell."""
    task, _, rest = name.partition(":")
    if task not in ("similarity", "analogy", "categorization") or not rest:
        task, rest = "", name
    path = Path(rest)
    if not path.is_file():
        raise InputError(f"there is no data set and no file {rest!r}; known are {', '.join(DATASETS)}")
    return path.stem, task or parsers.kind_of(path), path


def _not_pinned(entry: Dataset, found: Found) -> list[str]:
    return [f"{path} is not the pinned file of {entry.name}." for path in differing_files(entry, found)]
