"""Which data sets are judged, and reading them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from wordstill.errors import InputError
from wordstill.evaluation.dataset_lines import read_lines, split_fields
from wordstill.evaluation.datasets import DATASETS, Dataset
from wordstill.evaluation.lookup import Found, differing_files, find, locate
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.tasks import all_tasks, find_task
from wordstill.evaluation.tasks.task import Task


@dataclass(frozen=True)
class LoadedDataset:
    """A data set that has been read (and halved, where a half is asked for)."""

    name: str
    task: Task
    data: Any


class Wanted(NamedTuple):
    """A data set to be read: its name, the name of its task, its file or folder, and all its files."""

    name: str
    task: str
    path: Path
    files: Sequence[Path]


def load_datasets(settings: EvaluationSettings) -> tuple[list[LoadedDataset], list[str]]:
    """Read the data sets asked for; return them, and what the foot of the table must say of them."""
    tasks = _chosen_tasks(settings)
    notes: list[str] = []
    loaded: dict[tuple[str, str], LoadedDataset] = {}
    for wanted in _here(tasks, notes) if settings.datasets is None else _named(settings, tasks, notes):
        task, key = tasks[wanted.task], (wanted.task, wanted.name)
        if key in loaded:
            raise InputError(f"two data sets are called {wanted.name!r}; rename one of the files")
        if task.read_files is not None and len(wanted.files) > 1:
            data = task.read_files(wanted.files)
        else:
            data = task.read(wanted.path)
        if settings.split is not None:
            data = task.halve(data, settings.split)
        loaded[key] = LoadedDataset(wanted.name, task, data)
    if not loaded:
        raise InputError(
            f"no data set of {', '.join(tasks)} is here; name a folder with some in $WORDSTILL_DATA,"
            " or get one (wordstill data list)"
        )
    if settings.split is not None:
        notes.append(f"Only the {settings.split} half of every set.")
    return list(loaded.values()), notes


def _chosen_tasks(settings: EvaluationSettings) -> dict[str, Task]:
    """Choose the tasks that are named, or all where data sets are named, or else the quick ones."""
    known = {task.name: task for task in all_tasks() if settings.compat is None or settings.compat in task.harnesses}
    for name in settings.tasks or ():
        if name not in known:
            harness = f" in {settings.compat.upper()}" if settings.compat else ""
            raise InputError(f"there is no task {name!r}{harness}; choose from {', '.join(known)}")
    if settings.tasks is not None:
        return {name: known[name] for name in settings.tasks}
    return {name: task for name, task in known.items() if task.quick or settings.datasets is not None}


def _here(tasks: Mapping[str, Task], notes: list[str]) -> Iterator[Wanted]:
    absent = []
    for entry in DATASETS.values():
        judges = _judges(entry.task, tasks)
        if not judges:
            continue
        if (found := find(entry)) is None:
            absent.append(entry.name)
        else:
            notes += _not_pinned(entry, found)
            yield from (Wanted(entry.name, task, found.path, found.files) for task in judges)
    if absent:
        notes.append(f"Not here and left out: {', '.join(absent)} (wordstill data get NAME).")


def _judges(data_of: str, tasks: Mapping[str, Task], named: bool = True) -> list[str]:
    """List the tasks that judge by data of a task; where none is named, a probe waits until it is."""
    return [name for name, task in tasks.items() if name == data_of or (named and task.data_of == data_of)]


def _named(settings: EvaluationSettings, tasks: Mapping[str, Task], notes: list[str]) -> Iterator[Wanted]:
    for given in map(str, settings.datasets or ()):
        entry = DATASETS.get(given)
        own = None if entry else _own_file(given)
        data_of = entry.task if entry else own.task if own else ""
        judges = _judges(data_of, tasks, settings.tasks is not None)
        if not judges:
            raise InputError(f"{given} is for {data_of}, which is not among the tasks {', '.join(tasks)}")
        if entry:
            found = locate(entry)
            notes += _not_pinned(entry, found)
            yield from (Wanted(given, task, found.path, found.files) for task in judges)
        elif own:
            yield from (own._replace(task=task) for task in judges)


def _own_file(name: str) -> Wanted:
    """Find a user's own file, FILE or TASK:FILE, or TASK:FOLDER of a set with a file per part."""
    task, _, rest = name.partition(":")
    if not rest or task not in [one.name for one in all_tasks() if one.recognizes is not None]:
        task, rest = "", name
    path = Path(rest)
    known = find_task(task)
    if path.is_dir() and known is not None and known.read_files is not None:
        return Wanted(path.name, task, path, sorted(file for file in path.iterdir() if file.is_file()))
    if not path.is_file():
        raise InputError(f"there is no data set and no file {rest!r}; known are {', '.join(DATASETS)}")
    return Wanted(path.stem, task or recognized_task(path), path, [path])


def recognized_task(path: Path) -> str:
    """Tell the name of the task that a user's own file is for, from its first line that is no comment."""
    number, line = next(read_lines(path), (0, ""))
    fields = split_fields(line, f"{path}, line {number}")
    for task in all_tasks():
        if task.recognizes is not None and task.recognizes(line, fields):
            return task.name
    names = ", ".join(task.name for task in all_tasks() if task.recognizes is not None)
    raise InputError(f"{path} looks like no data set of {names}; if it is one, name its task: TASK:{path}")


def _not_pinned(entry: Dataset, found: Found) -> list[str]:
    return [f"{path} is not the pinned file of {entry.name}." for path in differing_files(entry, found)]
