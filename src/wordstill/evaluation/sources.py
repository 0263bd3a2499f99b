"""What is judged: vectors in memory, files, and run folders with all their students."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wordstill.distillation.run_record import FILE, read_record
from wordstill.errors import InputError
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class Source:
    """Vectors by name, loaded when their turn comes: only one of many is in memory at a time."""

    name: str
    load: Callable[[], Any]
    path: Path | None = None

    def word_vectors(self) -> WordVectors:
        """Load them; refuse what are no WordVectors, or have no words."""
        vectors = self.load()
        if not isinstance(vectors, WordVectors):
            raise InputError(f"{self.name} is a {type(vectors).__name__}; give WordVectors, or the path of some")
        if len(vectors) == 0:
            raise InputError(f"{self.name} has no words; there is nothing to show")
        return vectors


def sources(vectors: Any, allow_none: bool = False) -> list[Source]:
    """List everything to be judged, in order; refuse an empty list, unless there is something else to judge."""
    found = list(_sources(vectors))
    if not found and not allow_none:
        raise InputError("there are no vectors to evaluate; give at least one")
    names = [source.name for source in found]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two vectors are called {name!r}; give them different names")
    return found


def _sources(vectors: Any) -> Iterator[Source]:
    if isinstance(vectors, str | Path):
        yield from _at_paths([Path(vectors)])
    elif isinstance(vectors, Mapping) and _names_vectors(vectors):
        for name, value in vectors.items():
            if isinstance(value, str | Path):
                yield from _at_paths([Path(value)], str(name))
            else:
                yield _in_memory(str(name), value)
    elif isinstance(vectors, Sequence) and not hasattr(vectors, "index_to_key"):
        if all(isinstance(value, str | Path) for value in vectors):
            yield from _at_paths([Path(value) for value in vectors])
        else:
            yield from (_in_memory(f"vectors {number}", value) for number, value in enumerate(vectors, 1))
    else:
        yield _in_memory("vectors", vectors)


def _in_memory(name: str, vectors: Any) -> Source:
    return Source(name, lambda: vectors)


def _names_vectors(vectors: Mapping[Any, Any]) -> bool:
    """Tell whether the values are themselves vectors of many words, rather than one word's vector each."""
    return any(isinstance(value, str | Path | Mapping) or hasattr(value, "index_to_key") for value in vectors.values())


def _at_paths(paths: list[Path], name: str | None = None) -> Iterator[Source]:
    last = [path.resolve().name for path in paths]
    for path in paths:
        if not path.exists():
            raise InputError(f"there is no file or folder {path}; give vectors or a run folder")
        # The last part of the path names it, the whole path where two end alike.
        short = name or (path.resolve().name if last.count(path.resolve().name) == 1 else str(path))
        students = student_folders(path)
        if students is None:
            yield Source(short, partial(WordVectors.load, path), path)
        for student, folder in (students or {}).items():
            yield Source(f"{short}/{student}", partial(WordVectors.load, folder), folder)


def student_folders(run: Path) -> dict[str, Path] | None:
    """Find the folders of a run's students by name; None where `run` is no run folder.

    What run.json says is followed only inside its own folder: the file may come from anywhere.
    """
    record = read_record(run)
    if record is None:
        return None
    if not record.students:
        raise InputError(f"{run / FILE} names no students; is the run finished?")
    for name, student in record.students.items():
        inside = (run / student.path).resolve().is_relative_to(run.resolve())
        path = Path(student.path)
        if path.is_absolute() or not path.parts or ".." in path.parts or not inside:
            raise InputError(
                f"{run / FILE} says that the vectors of {name} are in {student.path!r}, which is not a folder inside"
                " the run; correct it, or name the folder of the vectors itself"
            )
    return {name: run / student.path for name, student in record.students.items()}
