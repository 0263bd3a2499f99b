"""Every student by name. A new method is one new file and one line here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Literal, NamedTuple

from wordstill.errors import InputError
from wordstill.options import read_settings
from wordstill.students.student import Student, Task


class Method(NamedTuple):
    """A student's module and class; `each_layer`: with `--layer all` there is one student a layer.

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


STUDENTS: dict[str, Method] = {
    "aggregate": Method("aggregate", "Aggregate", each_layer=True),
    "closed": Method("closed", "Closed"),
    "x2static": Method("x2static", "X2Static"),
    "dynamic-skipgram": Method("dynamic_skipgram", "DynamicSkipgram"),
    "context-to-vec": Method("context_to_vec", "ContextToVec"),
    "principal": Method("principal", "Principal", each_layer=True),
    "alone": Method("alone", "Alone", each_layer=True),
    "table": Method("table", "Table"),
}

# What else a run's folder holds.
RESERVED = {"checkpoint", "kept", "corpus"}

Layer = int | Literal["last", "all"]


class Chosen(NamedTuple):
    """A method with its settings, as one run has it."""

    method: Method
    settings: Any


def choose_students(
    names: Sequence[str], options: Mapping[str, Mapping[str, str]], epochs: int | None = None
) -> dict[str, Chosen]:
    """The students named, with `options` ({name: {option: text}}) and `epochs` applied.

    `paper=x2static` is the student x2static under the name `paper`: so one run can have it twice.
    """
    chosen: dict[str, Chosen] = {}
    for text in names:
        name, _, method = text.rpartition("=")
        name = name or method
        if method not in STUDENTS:
            raise InputError(f"there is no student {method!r}; there are: {', '.join(STUDENTS)}")
        if name in chosen:
            raise InputError(f"two students are called {name!r}; name one of them otherwise, as in second={method}")
        if not re.fullmatch(r"[\w-][\w.-]*", name) or name in RESERVED:
            raise InputError(f"{name!r} cannot name a student's folder; use letters, digits, - and _")
        settings = read_settings(STUDENTS[method].settings, name, options.get(name, {}))
        if epochs is not None and hasattr(settings, "epochs") and "epochs" not in options.get(name, {}):
            settings = replace(settings, epochs=epochs)
        chosen[name] = Chosen(STUDENTS[method], settings)
    for name in options:
        if name not in chosen:
            raise InputError(f"an option is set for {name!r}, which is not among the students: {', '.join(chosen)}")
    return chosen


def make_students(chosen: Mapping[str, Chosen], task: Task, layer: Layer, last: int) -> dict[str, Student]:
    """One student a name, and one a layer for those that can have all (`aggregate/layer-06`)."""
    students: dict[str, Student] = {}
    for name, (method, settings) in chosen.items():
        if layer == "all" and method.each_layer:
            for number in range(last + 1):
                students[f"{name}/layer-{number:02d}"] = method.student(replace(task, layer=number), settings)
        else:
            at = last if isinstance(layer, str) else layer
            students[name] = method.student(replace(task, layer=at), settings)
    return students
