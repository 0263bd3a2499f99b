"""Which data sets are judged, and reading them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordstill.errors import InputError
from wordstill.evaluation.dataset_lines import read_lines, split_fields
from wordstill.evaluation.datasets import DATASETS, Dataset
from wordstill.evaluation.lookup import Found, differing_files, find, locate
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.evaluation.tasks import all_tasks
from wordstill.evaluation.tasks.task import Task


@dataclass(frozen=True)
class LoadedDataset:
    """A data set that has been read (and halved, where a half is asked for)."""

    name: str
    task: Task
    data: Any


def load_datasets(settings: EvaluationSettings) -> tuple[list[LoadedDataset], list[str]]:
    """Read the data sets asked for; return them, and what the foot of the table must say of them."""
    tasks = _chosen_tasks(settings)
    notes: list[str] = []
    loaded: dict[str, LoadedDataset] = {}
    for name, task, path in _here(tasks, notes) if settings.datasets is None else _named(settings, tasks, notes):
        if name in loaded:
            raise InputError(f"two data sets are called {name!r}; rename one of the files")
        data = tasks[task].read(path)
        if settings.split is not None:
            data = tasks[task].halve(data, settings.split)
        loaded[name] = LoadedDataset(name, tasks[task], data)
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


def _here(tasks: Mapping[str, Task], notes: list[str]) -> Iterator[tuple[str, str, Path]]:
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


def _named(
    settings: EvaluationSettings, tasks: Mapping[str, Task], notes: list[str]
) -> Iterator[tuple[str, str, Path]]:
    for given in map(str, settings.datasets or ()):
        entry = DATASETS.get(given)
        name, task, path = (given, entry.task, Path()) if entry else _own_file(given)
        if task not in tasks:
            raise InputError(f"{given} is for {task}, which is not among the tasks {', '.join(tasks)}")
        if entry:
            found = locate(entry)
            notes += _not_pinned(entry, found)
            path = found.path
        yield name, task, path


def _own_file(name: str) -> tuple[str, str, Path]:
    """Find a user's own file, FILE or TASK:FILE: its name as a data set, its task, its path."""
    task, _, rest = name.partition(":")
    if not rest or task not in [one.name for one in all_tasks() if one.recognizes is not None]:
        task, rest = "", name
    path = Path(rest)
    if not path.is_file():
        raise InputError(f"there is no data set and no file {rest!r}; known are {', '.join(DATASETS)}")
    return path.stem, task or recognized_task(path), path


def recognized_task(path: Path) -> str:
    """Tell the name of the task that a user's own file is for, from its first line that is no comment."""
    _, line = next(read_lines(path), (0, ""))
    for task in all_tasks():
        if task.recognizes is not None and task.recognizes(line, split_fields(line)):
            return task.name
    names = ", ".join(task.name for task in all_tasks() if task.recognizes is not None)
    raise InputError(f"{path} looks like no data set of {names}; if it is one, name its task: TASK:{path}")


def _not_pinned(entry: Dataset, found: Found) -> list[str]:
    return [f"{path} is not the pinned file of {entry.name}." for path in differing_files(entry, found)]
