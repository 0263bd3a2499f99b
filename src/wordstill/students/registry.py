"""Every student by name. A new method is one new file and one line here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Literal, NamedTuple

from wordstill.errors import InputError
from wordstill.options import read_settings
from wordstill.students.student import Brief, Needs, Student


class StudentEntry(NamedTuple):
    """A student's module and class; `each_layer`: with `--layer all` there is one student per layer.

    The module is imported when the student is made: listing the names needs numpy alone.
    """

    module: str
    name: str
    each_layer: bool = False

    @property
    def student(self) -> Any:
        """The student's class."""
        return getattr(import_module(f"wordstill.students.{self.module}"), self.name)

    @property
    def settings(self) -> Any:
        """The class of its settings."""
        return getattr(import_module(f"wordstill.students.{self.module}"), f"{self.name}Settings")


STUDENTS: dict[str, StudentEntry] = {
    "aggregate": StudentEntry("aggregate", "Aggregate", each_layer=True),
    "closed": StudentEntry("closed", "Closed"),
    "x2static": StudentEntry("x2static", "X2Static"),
    "dynamic-skipgram": StudentEntry("dynamic_skipgram", "DynamicSkipgram"),
    "context-to-vec": StudentEntry("context_to_vec", "ContextToVec"),
    "principal": StudentEntry("principal", "Principal", each_layer=True),
    "deps": StudentEntry("deps", "Deps"),
    "contextlstm": StudentEntry("contextlstm", "ContextLstm"),
    "syngcn": StudentEntry("syngcn", "SynGcn"),
    "alone": StudentEntry("alone", "Alone", each_layer=True),
    "asked": StudentEntry("asked", "Asked"),
    "table": StudentEntry("table", "Table"),
    "definition": StudentEntry("definition", "Definition"),
    "skipgram": StudentEntry("word2vec", "Skipgram"),
    "skipgram-context": StudentEntry("word2vec", "SkipgramContext"),
    "cbow": StudentEntry("word2vec", "Cbow"),
    "fasttext": StudentEntry("word2vec", "FastText"),
    "glove": StudentEntry("glove", "Glove"),
    "sent2vec": StudentEntry("sent2vec", "Sent2Vec"),
    "sentence": StudentEntry("sentence", "Sentence"),
}

# No student that learns, but a mix of others, which a run with it has besides (see `distillation/best.py`).
BEST = "best"

# What a student may be called: its name is that of its folder of vectors.
NAME = re.compile(r"[\w-][\w.-]*")
# What else a run's folder may hold.
RESERVED = {"checkpoint", "corpus", "kept", "unfinished"}

Layer = int | Literal["auto", "last", "all"]


class Chosen(NamedTuple):
    """A student with its settings, as one run has it."""

    entry: StudentEntry
    settings: Any

    def needs(self, layer: int = 0) -> Needs:
        """Tell what it will need, before it is made."""
        needs: Needs = self.entry.student.needs_of(self.settings, layer)
        return needs

    def make(self, brief: Brief) -> Student:
        """Make the student."""
        student: Student = self.entry.student(brief, self.settings)
        return student


def learning_students(names: Sequence[str], *, dictionary: bool) -> tuple[str, ...]:
    """Return the students that learn: those named, and for `best` the views that it is mixed of."""
    others = tuple(name for name in names if name != BEST)
    for text in others:
        name, _, method = text.rpartition("=")
        if method == BEST:
            raise InputError(f"best has its own name, and none besides; write best instead of {text}")
        if name == BEST and len(others) < len(names):
            raise InputError(f"two students are called {BEST!r}; name one of them otherwise, as in second={method}")
    if len(others) == len(names):
        return others
    return tuple(dict.fromkeys((*best_views(dictionary=dictionary), *others)))


def best_views(*, dictionary: bool) -> tuple[str, ...]:
    """Name the students that `best` is mixed of."""
    return ("aggregate", "closed", "definition" if dictionary else "asked")


def choose_students(
    names: Sequence[str], options: Mapping[str, Mapping[str, str]], epochs: int | None = None
) -> dict[str, Chosen]:
    """Choose the students named, with `options` ({name: {option: text}}) and `epochs` applied.

    `paper=x2static` is the student x2static under the name `paper`: so one run can have it twice.
    """
    chosen: dict[str, Chosen] = {}
    for text in names:
        name, _, method = text.rpartition("=")
        name = name or method
        if method not in STUDENTS:
            raise InputError(f"there is no student {method!r}; there are: {', '.join((BEST, *STUDENTS))}")
        if name in chosen:
            raise InputError(f"two students are called {name!r}; name one of them otherwise, as in second={method}")
        if not NAME.fullmatch(name) or name in RESERVED:
            raise InputError(f"{name!r} cannot name a student's folder; use letters, digits, - and _")
        settings = read_settings(STUDENTS[method].settings, name, options.get(name, {}))
        if epochs is not None and hasattr(settings, "epochs") and "epochs" not in options.get(name, {}):
            settings = replace(settings, epochs=epochs)
        chosen[name] = Chosen(STUDENTS[method], settings)
    for name in options:
        if name not in chosen:
            raise InputError(f"an option is set for {name!r}, which is not among the students: {', '.join(chosen)}")
    return chosen


def make_students(chosen: Mapping[str, Chosen], brief: Brief, layer: Layer, last: int) -> dict[str, Student]:
    """Make one student per name, and one per layer for those that can have all (`aggregate/layer-06`)."""
    students: dict[str, Student] = {}
    for name, one in chosen.items():
        if layer == "all" and one.entry.each_layer and one.needs().teacher:
            for number in range(last + 1):
                students[f"{name}/layer-{number:02d}"] = one.make(replace(brief, layer=number))
        else:
            students[name] = one.make(replace(brief, layer=last if isinstance(layer, str) else layer))
    return students
