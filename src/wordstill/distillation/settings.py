"""The settings of a run: checked once where they enter, written into run.json, compared when a run is resumed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from wordstill.corpus.segment import SegmentSettings
from wordstill.corpus.vocabulary import VocabularySettings
from wordstill.errors import InputError
from wordstill.students.registry import Layer
from wordstill.teacher.encode import Pooling
from wordstill.teacher.precision import Precision
from wordstill.teacher.texts import Context


@dataclass(frozen=True)
class DistillSettings:
    """All that decides what comes out of a run, apart from the corpus itself."""

    teacher: str | None = None
    revision: str | None = None
    students: tuple[str, ...] = ("aggregate",)
    student_options: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)
    context: Context = "paragraph"
    layer: Layer = "last"
    pooling: Pooling = "mean"
    words: int | None = None
    field: str = "text"
    """Where the text is in JSON lines, parquet and Hub datasets."""
    dimensions: int | None = None
    epochs: int | None = None
    seed: int = 0
    precision: Precision = "auto"
    device: str = "auto"
    threads: int | None = None
    batch_tokens: int | None = None
    """Padded tokens in a batch; None: what suits the device (see `Teacher.usual_batch`)."""
    buffer_tokens: int = 400_000
    """Tokens that are sorted by length together: more of them, less padding."""
    longest_text: int = 512
    segmentation: SegmentSettings = dataclasses.field(default_factory=SegmentSettings)
    vocabulary: VocabularySettings = dataclasses.field(default_factory=VocabularySettings)
    lexicon: tuple[str, ...] = ()
    """Files (or `wordnet`) of words that belong together, for the students that can learn from them."""
    rare: Literal["mix", "leave"] = "mix"
    """Whether words with few occurrences are mixed with what the teacher says of them alone."""
    subwords: bool = True
    """Whether a model of character n-grams is stored with the vectors, for words outside them."""
    trust_remote_code: bool = False

    def __post_init__(self) -> None:
        for name, option in (
            ("words", "--words"),
            ("dimensions", "--dim"),
            ("epochs", "--epochs"),
            ("threads", "--threads"),
            ("batch_tokens", "--batch-tokens"),
            ("longest_text", "--longest-text"),
        ):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{option} must be at least 1, not {value}")
        if self.seed < 0:
            raise InputError(f"--seed must not be negative, but is {self.seed}")
        if not self.students:
            raise InputError("a run needs at least one student; name one with --student")

    def as_json(self) -> dict[str, Any]:
        """The settings as JSON holds them."""
        values = asdict(self)
        values["students"] = list(self.students)
        values["lexicon"] = list(self.lexicon)
        values["vocabulary"]["forced"] = list(self.vocabulary.forced)
        return values


def differences(first: Mapping[str, Any], second: Mapping[str, Any], before: str = "") -> list[str]:
    """The names of settings that differ, as `vocabulary.min_count (5 before, 3 now)`."""
    found = []
    for name in dict.fromkeys((*first, *second)):
        old, new = first.get(name), second.get(name)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += differences(old, new, f"{before}{name}.")
        elif old != new:
            shown = [text if len(text := repr(value)) <= 60 else text[:57] + "..." for value in (old, new)]
            found.append(f"{before}{name} ({shown[0]} before, {shown[1]} now)")
    return found
