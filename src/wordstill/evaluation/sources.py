"""What is judged: vectors in memory, files, and run folders with all their students."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wordstill.errors import InputError
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class Subject:
    """Vectors by name, loaded when their turn comes: only one of many is in memory at a time."""

    name: str
    load: Callable[[], Any]
    path: Path | None = None


def subjects(vectors: Any) -> list[Subject]:
    """Everything to be judged, in order."""
    found = list(_subjects(vectors))
    if not found:
        raise InputError("there are no vectors to evaluate; give at least one")
    names = [subject.name for subject in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two vectors are called {name!r}; give them different names")
    return found


def _subjects(vectors: Any) -> Iterator[Subject]:
    if isinstance(vectors, str | Path):
        yield from _at_paths([Path(vectors)])
    elif isinstance(vectors, Mapping) and _names_vectors(vectors):
        for name, value in vectors.items():
            if isinstance(value, str | Path):
                yield from _at_paths([Path(value)], str(name))
            else:
                yield Subject(str(name), partial(_same, value))
    elif isinstance(vectors, Sequence) and not hasattr(vectors, "index_to_key"):
        if all(isinstance(value, str | Path) for value in vectors):
            yield from _at_paths([Path(value) for value in vectors])
        else:
            for number, value in enumerate(vectors, 1):
                yield Subject(f"vectors {number}", partial(_same, value))
    else:
        yield Subject("vectors", partial(_same, vectors))


def _names_vectors(vectors: Mapping[Any, Any]) -> bool:
    """Whether the values are themselves vectors of many words, rather than one word's vector each."""
    return any(isinstance(value, str | Path | Mapping) or hasattr(value, "index_to_key") for value in vectors.values())


def _at_paths(paths: list[Path], name: str | None = None) -> Iterator[Subject]:
    last = [path.resolve().name for path in paths]
    for path in paths:
        if not path.exists():
            raise InputError(f"there is no file or folder {path}; give vectors or a run folder")
        # The last part of the path names it, the whole path where two end alike.
        short = name or (path.resolve().name if last.count(path.resolve().name) == 1 else str(path))
        students = run_students(path)
        if students is None:
            yield Subject(short, partial(WordVectors.load, path), path)
        for student, folder in (students or {}).items():
            yield Subject(f"{short}/{student}", partial(WordVectors.load, folder), folder)


def _same(vectors: Any) -> Any:
    return vectors


def run_students(path: Path) -> dict[str, Path] | None:
    """The students of a run folder by name, or None where `path` is no run folder."""
    record = path / "run.json"
    if not record.is_file():
        return None
    try:
        students = json.loads(record.read_text(encoding="utf-8"))["students"]
        found = {str(name): path / str(student["path"]) for name, student in students.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{record} does not say where its students are; is the run finished?") from None
    if not found:
        raise InputError(f"{record} names no students; is the run finished?")
    return found
