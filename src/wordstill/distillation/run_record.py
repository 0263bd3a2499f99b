"""run.json: what a run was told, read and made. One typed record, with one reader and one writer.

A record is written when a run begins (unfinished) and when it ends. `resume`, `evaluate`, `report`, `plot` and the
studies read it here. Records of older versions are read as far as they go: what they lack has its default.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from wordstill import __version__
from wordstill.errors import InputError
from wordstill.io.files import write_json

FILE = "run.json"

# The parts of a run's time, in the order in which a report shows them, and their names for people.
PARTS = {
    "loading": "loading the teacher",
    "vocabulary": "counting words",
    "preparing": "preparing teacher and students",
    "read": "reading",
    "teacher": "teacher",
    "pooling": "pooling",
    "keeping": "keeping words",
    "alone": "encoding words alone",
    "dictionary": "reading the dictionary",
    "others": "other teachers",
    "students": "students",
    "unseen": "predicting rare words",
    "mixing": "mixing the best of all views",
    "refining": "refining it by what lexicons know",
    "subwords": "fitting spellings",
    "writing": "writing vectors",
    "adding": "adding up shards",
    "checkpoint": "checkpoints",
    "other": "other",
}


@dataclass(frozen=True)
class CorpusRecord:
    """What was read. All but the fingerprint is known when the corpus is counted."""

    fingerprint: str = ""
    paragraphs: int = 0
    sentences: int = 0
    words: int = 0
    replaced_bytes: int = 0
    """Invalid UTF-8 sequences that were replaced."""
    vocabulary: int = 0
    """Words that were to get a vector."""
    seconds: float = 0.0


@dataclass(frozen=True)
class TeacherRecord:
    """Who taught."""

    name: str = ""
    layers: int = 0
    width: int = 0
    limit: int = 0
    """The most pieces that it reads at once."""
    fingerprint: str = ""
    """A hash of its weights, tokenizer and configuration."""


@dataclass(frozen=True)
class StudentRecord:
    """What one student made."""

    path: str
    """Its folder of vectors, inside the run's folder."""
    words: int = 0
    dimensions: int = 0
    loss: list[list[float]] = field(default_factory=list)
    """(words seen, mean loss) along the run."""
    unseen: dict[str, Any] = field(default_factory=dict)
    """How rare and unseen words got their vectors."""
    subwords_bytes: int = 0


@dataclass(frozen=True)
class BestRecord:
    """How `best` was made. Scores and gains are [mean, low, high], the ends being those of a 95 % interval."""

    views: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Of each view: its `weight`; its score `alone` and what it `adds` to the mix, on each kind of evidence."""
    scores: dict[str, list[float]] = field(default_factory=dict)
    """The score of the mix on each kind of evidence."""
    dictionary: str = ""
    defined: int = 0
    """Words that have a definition; others are predicted."""
    definitions: int = 0
    """Definitions that the teacher read."""
    lexicon: str = ""
    """What it was refined with; empty where it was not."""
    antonyms: str = ""
    strength: float = 0.0
    """How much a word takes from its neighbors; 0: any strength would have harmed what guards it."""
    tried: list[dict[str, Any]] = field(default_factory=list)
    """Of each strength tried: the gain on pairs held out, and on each of the guards."""

    def lines(self) -> list[tuple[str, str]]:
        """Tell people what was chosen, and why."""
        told = []
        for name, view in self.views.items():
            adds = [f"adds {_interval(gain)} by {kind}" for kind, gain in view.get("adds", {}).items()]
            told.append((f"best: {name}", "; ".join([f"weight {view['weight']:g}", *adds])))
        if self.dictionary:
            told.append(
                ("best: dictionary", f"{self.dictionary}: {self.definitions:,} definitions of {self.defined:,} words")
            )
        if self.lexicon:
            against = f", against {self.antonyms}" if self.antonyms else ""
            told.append(("best: graph-retrofit", f"strength {self.strength:g} with {self.lexicon}{against}"))
        for one in self.tried:
            gains = {"pairs held out": one["held_out"], **one["guards"]}
            shown = "; ".join(f"{_interval(gain)} by {kind}" for kind, gain in gains.items() if gain)
            told.append((f"best: strength {one['strength']:g}", shown))
        return told

    def lacking(self) -> str:
        """Tell what would have made it better, if anything."""
        if not self.dictionary and not self.lexicon:
            return (
                "best is made of text and teacher alone; a dictionary (--dictionary wordnet, or a file of your own) "
                "brought 6 points of similarity where it was measured, and WordNet's relations 2 more"
            )
        if not self.dictionary:
            return "best has no dictionary to read; one brought 3 to 6 points of similarity where it was measured"
        if not self.lexicon:
            return "best is not refined; --lexicon wordnet brought 2 points of similarity where it was measured"
        return ""


@dataclass(frozen=True)
class TimeRecord:
    """Seconds: the whole, each part of it (see PARTS), and each student. The parts add up to the whole."""

    total: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    students: dict[str, float] = field(default_factory=dict)

    def of_student(self, name: str) -> float:
        """What a student took; `best` is mixed and refined."""
        return self.students.get(name, self.parts.get("mixing", 0.0) + self.parts.get("refining", 0.0))

    def named_parts(self) -> list[tuple[str, float]]:
        """The parts that took any time, in order, by their names for people, the students one by one."""
        named = []
        for part, name in PARTS.items():
            if part == "students":
                named += [(student, spent) for student, spent in self.students.items() if spent]
            elif self.parts.get(part):
                named.append((name, self.parts[part]))
        return named


@dataclass(frozen=True)
class RunRecord:
    """All that run.json says."""

    settings: dict[str, Any]
    """`DistillSettings.as_json()`."""
    corpus: CorpusRecord = field(default_factory=CorpusRecord)
    version: str = __version__
    finished: bool = False
    students: dict[str, StudentRecord] = field(default_factory=dict)
    best: BestRecord | None = None
    """How `best` was made, where the run has it."""
    teacher: TeacherRecord | None = None
    seconds: TimeRecord = field(default_factory=TimeRecord)
    tokens: int = 0
    truncated_words: int = 0
    """Words with more pieces than the teacher can read."""
    words_without_pieces: int = 0
    """Words for which the teacher's tokenizer has no piece."""
    padding: float = 0.0
    """Tokens with padding, per token without."""
    precision: str = ""
    precision_choice: dict[str, Any] = field(default_factory=dict)
    peak_memory_bytes: int = 0
    elapsed_seconds: float = 0.0
    """Where several processes worked at once: from the beginning to the end. `seconds` are those of all of them."""
    shards: int = 0
    processors: dict[str, int] = field(default_factory=dict)
    """The kinds of processors that took part, and the batches that each did: their products differ in the last bits."""

    @property
    def words_per_second(self) -> float:
        """The speed of the whole run."""
        spent = self.elapsed_seconds or self.seconds.total
        return self.corpus.words / spent if spent else 0.0

    @property
    def tokens_per_second(self) -> dict[str, float]:
        """The tokens per second of the whole run, and of the teacher alone."""
        teacher = self.seconds.parts.get("teacher", 0.0)
        spent = {"run": self.seconds.total, "teacher_alone": teacher}
        return {name: round(self.tokens / seconds, 1) if seconds else 0.0 for name, seconds in spent.items()}

    def as_json(self) -> dict[str, Any]:
        """The record as run.json holds it."""
        values = asdict(self)
        students = {
            name: {key: value for key, value in student.items() if value or key == "loss"}
            for name, student in values["students"].items()
        }
        seconds = {part: self.seconds.parts.get(part, 0.0) for part in PARTS if part != "students"}
        return values | {
            "students": students,
            "seconds": {
                "total": self.seconds.total,
                **(seconds if self.finished else {}),
                "students": self.seconds.students,
            },
            "words_per_second": round(self.words_per_second, 1),
            "tokens_per_second": self.tokens_per_second,
        }

    def write(self, folder: Path) -> None:
        """Replace the run.json of a folder."""
        write_json(folder / FILE, self.as_json())


def read_record(folder: Path) -> RunRecord | None:
    """Read the run.json of a folder; None where there is none."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as JSON; is this the folder of a run?") from error
    if not isinstance(found, dict) or not isinstance(found.get("settings"), dict):
        raise InputError(f"{path} is no run.json of wordstill; choose another folder")
    try:
        return _record(found)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise InputError(f"{path} is damaged, or of a version that cannot be read here: {error}") from error


def record_above(vectors: Path, levels: int = 3) -> tuple[Path, RunRecord] | None:
    """Find the run that made the vectors in a folder: its folder and its record; None where no run.json tells."""
    vectors = vectors.resolve()
    for folder in list(vectors.parents)[:levels]:  # run/aggregate/layer-06
        if (record := read_record(folder)) is not None:
            made = [folder / student.path for student in record.students.values()]
            return (folder, record) if vectors in made else None
    return None


def _record(found: Mapping[str, Any]) -> RunRecord:
    students = {str(name): _made(StudentRecord, one) for name, one in dict(found.get("students", {})).items()}
    for student in students.values():
        if not isinstance(student.path, str):
            raise TypeError("a student's path is no text")
    spent = dict(found.get("seconds", {}))
    time = TimeRecord(
        total=float(spent.get("total", 0.0)),
        parts={part: float(spent[part]) for part in PARTS if part in spent and part != "students"},
        students={str(name): float(value) for name, value in dict(spent.get("students", {})).items()},
    )
    teacher, best = found.get("teacher"), found.get("best")
    given = {name: found[name] for name in _names(RunRecord) if name in found}
    return RunRecord(
        **given
        | {
            "corpus": _made(CorpusRecord, found.get("corpus", {})),
            "students": students,
            "seconds": time,
            "best": None if best is None else _made(BestRecord, best),
            "teacher": None if teacher is None else _made(TeacherRecord, teacher),
        }
    )


def _interval(gain: list[float]) -> str:
    mean, low, high = gain
    return f"{mean:+.3f} ({low:+.3f} to {high:+.3f})"


Made = TypeVar("Made")


def _made(kind: type[Made], found: Mapping[str, Any]) -> Made:
    """Make a part of the record; what this version does not know is left out."""
    return kind(**{name: value for name, value in dict(found).items() if name in _names(kind)})


def _names(kind: type) -> set[str]:
    return {item.name for item in fields(kind)}
