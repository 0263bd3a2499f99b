"""Other teachers of a run: a small model reads the text, a larger one what there is little of.

    wordstill distill --teacher minilm --other-teacher models/mpnet --dictionary wordnet ...

A dictionary and the words alone are a small part of what a teacher reads, so a teacher that is ten times as slow can
read them. Each other teacher does a run of its own inside the state of the run: the same vocabulary, no text, and the
students that its views name. It is resumed, shared out and spread over machines as every run is. Its vectors stand in
the folder of the outer run as `definition-mpnet`, `alone-mpnet`, and are views of `best`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.run_folder import Run
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.writing import Writer
from wordstill.errors import InputError
from wordstill.options import listed
from wordstill.vectors import WordVectors

# What another teacher can read: no text, only the vocabulary.
VIEWS = ("definition", "alone")


class OtherTeacher(NamedTuple):
    """A teacher, how its students are told from those of others, and which students it has."""

    model: str
    label: str
    views: tuple[str, ...]

    @property
    def students(self) -> dict[str, str]:
        """The names of its students in the outer run, and which view each is."""
        return {f"{view}-{self.label}": view for view in self.views}


def other_teachers(settings: DistillSettings) -> list[OtherTeacher]:
    """Read what `--other-teacher` says; refuse two of one name, and a definition where there is no dictionary."""
    found = [_read(text, dictionary=bool(settings.dictionary)) for text in settings.other_teachers]
    for place, one in enumerate(found):
        if any(one.label == before.label for before in found[:place]):
            raise InputError(f"two other teachers are called {one.label!r}; rename the folder of one of them")
        if "definition" in one.views and not settings.dictionary:
            raise InputError(f"{one.model} shall read a dictionary: name one with --dictionary (a file, or wordnet)")
    if found and settings.teacher is None:
        raise InputError("--other-teacher stands beside a first one; name that with --teacher")
    own = {text.rpartition("=")[0] or text for text in settings.students}
    for name in (name for one in found for name in one.students):
        if name in own:
            raise InputError(f"two students are called {name!r}; name one of them otherwise")
    return found


def other_students(settings: DistillSettings) -> dict[str, str]:
    """Return the names of all other teachers' students, and which view each is."""
    return {name: view for one in other_teachers(settings) for name, view in one.students.items()}


def inner_settings(settings: DistillSettings, vocabulary: Vocabulary) -> dict[str, DistillSettings]:
    """Return the settings of each other teacher's own run, by its label."""
    words = replace(settings.vocabulary, forced=tuple(vocabulary.words))
    return {
        one.label: replace(
            settings,
            teacher=one.model,
            other_teachers=(),
            students=one.views,
            student_options={},
            revision=None,
            layer="auto",
            vocabulary=words,
            dictionary=settings.dictionary if "definition" in one.views else (),
            lexicon=(),
            dimensions=None,
            subwords=False,
            words=None,
        )
        for one in other_teachers(settings)
    }


def write_others(writer: Writer, runs: Mapping[str, Run]) -> dict[str, WordVectors]:
    """Write the vectors of other teachers beside those of the first; return them by their names."""
    counts = dict(zip(writer.job.order.vocabulary.words, writer.job.order.vocabulary.counts.tolist(), strict=True))
    made: dict[str, WordVectors] = {}
    for one in other_teachers(writer.job.order.settings):
        run = runs[one.label]
        for name, view in one.students.items():
            found = run.vectors(view)
            card = {**dict(found.card.get("method", {})), "teacher": found.card.get("teacher")}
            vectors = WordVectors(found.words, found.matrix, [counts[word] for word in found.words], card)
            writer.write(name, vectors, unseen=run.record.students[view].unseen)
            made[name] = vectors
        writer.job.clock.add({"others": run.record.seconds.total})
    return made


def _read(text: str, *, dictionary: bool) -> OtherTeacher:
    """Read MODEL or MODEL:VIEW,VIEW."""
    model, colon, named = text.rpartition(":")
    views = tuple(listed(named))
    if not colon or not views or not all(re.fullmatch(r"[a-z]+", view) for view in views) or Path(text).exists():
        model, views = text, VIEWS if dictionary else ("alone",)
    unknown = [view for view in views if view not in VIEWS]
    if unknown:
        raise InputError(f"another teacher reads {' or '.join(VIEWS)}, not {unknown[0]!r} (in {text!r})")
    label = re.sub(r"[^\w.-]+", "-", Path(model).name).strip(".-")
    if not label:
        raise InputError(f"--other-teacher takes a model, or MODEL:VIEW,VIEW, not {text!r}")
    return OtherTeacher(model, label, tuple(dict.fromkeys(views)))
