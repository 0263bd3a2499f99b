"""What is measured on: a corpus, a teacher, and the very batches that a run would feed to it."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from wordstill.corpus.paragraphs import SegmentedCorpus
from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import MOST_BYTES
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation import distill as distillation
from wordstill.distillation.counting import Counted, Counting
from wordstill.distillation.job import Job
from wordstill.distillation.reading import read_buffers
from wordstill.distillation.run_folder import RunFolder
from wordstill.distillation.settings import DistillSettings
from wordstill.kernels.sampling import generator
from wordstill.teacher.encode import Grid, forward
from wordstill.teacher.load import Teacher
from wordstill.teacher.texts import Text, make_batches

STUDENT_SETS = (("aggregate",), ("aggregate", "closed"), ("aggregate", "closed", "x2static"))


@dataclass(frozen=True)
class Subject:
    """What a benchmark is about, as the command line has it."""

    corpus: tuple[Path, ...]
    teacher: str = "minilm"
    words: int = 60_000
    repeats: int = 3
    precisions: tuple[str, ...] = ("float32",)
    students: tuple[tuple[str, ...], ...] = STUDENT_SETS
    """Of whole runs: each set by itself against the teacher; the last one against the plain loop."""
    threads: int | None = None
    say: Callable[[str], None] = lambda text: None

    def settings(self, **changed: Any) -> DistillSettings:
        """The settings of a run on it."""
        given = {"teacher": self.teacher, "words": self.words, "threads": self.threads, "precision": "float32"}
        return DistillSettings(**{**given, **changed})


class Prepared(NamedTuple):
    """The batches of a run, without the run."""

    batches: list[list[Text]]
    vocabulary: Vocabulary
    words: int
    tokens: int


def prepare(subject: Subject, teacher: Teacher, settings: DistillSettings) -> Prepared:
    """Read, segment and cut the corpus as a run with these settings does."""
    with tempfile.TemporaryDirectory() as name:
        vocabulary, counted, text = counted_of(subject, settings, Path(name))
        job = Job(Path(name) / "checkpoint", Path(name) / "kept", {}, teacher.width, float("inf"))
        special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
        batches: list[list[Text]] = []
        for number, buffer in enumerate(read_buffers(source_of(subject), text, vocabulary, teacher, settings, job)):
            size = settings.batch_tokens or teacher.usual_batch
            batches += make_batches(buffer.texts, size, special, generator(settings.seed, 3, number))
    tokens = sum(len(row.pieces) + special for texts in batches for text in texts for row in text.rows)
    return Prepared(batches, vocabulary, int(counted["words"]), tokens)


def counted_of(subject: Subject, settings: DistillSettings, folder: Path) -> Counted:
    """The corpus's words, counted and kept."""
    with Counting(RunFolder(folder), source_of(subject), settings, "", keep_bytes=MOST_BYTES) as counting:
        return counting.finish(quiet=True)


def source_of(subject: Subject) -> SegmentedCorpus:
    """The corpus, up to the words to read."""
    return SegmentedCorpus(Corpus(subject.corpus), Segmenter(), subject.words)


def sentences_of(subject: Subject, words: int, seed: int = 0) -> Iterator[list[str]]:
    """Sentences drawn at random from all the text that a run reads, about so many words in all."""
    source = source_of(subject)
    draw, share = random.Random(seed), words / subject.words
    read = 0
    for _, text in source.corpus.paragraphs():
        if not source.has_more(read):
            return
        sentences = source.segmenter(text)
        read += sum(map(len, sentences))
        yield from (sentence for sentence in sentences if draw.random() < share)


def bare_forward(teacher: Teacher, grid: Grid, layers: Sequence[int]) -> None:
    """The teacher's own work on a batch that is laid out already: what no run can do without."""
    states = forward(teacher, grid, layers)
    float(states[layers[-1]][0, 0, 0])  # a GPU is done when it answers


class Finished(NamedTuple):
    """What a whole run took, without what was done beside it."""

    seconds: float
    """From the call to the vectors on disk."""
    preparing: float
    """Of these, until the teacher was loaded and compiled: the same for any amount of text."""
    beside: float
    """The seconds of what was done between its batches."""
    record: dict[str, Any]

    @property
    def warm(self) -> float:
        """The seconds that grow with the text."""
        return self.seconds - self.preparing

    @property
    def words_per_second(self) -> float:
        """The speed of the whole, loading and compiling left out."""
        return float(self.record["corpus"]["words"]) / self.warm


Work = Callable[[Teacher, Grid, Sequence[int]], None]


def whole_run(subject: Subject, beside: Work | None = None, **changed: Any) -> Finished:
    """A run as a user starts it, in a folder that is gone afterwards.

    After the teacher's pass over each batch `beside` is done, timed by itself: a machine's speed changes within
    seconds, so two sides are best compared when they take turns batch by batch.
    """
    spent = 0.0

    def forward_and_more(teacher: Teacher, grid: Grid, layers: Sequence[int]) -> Any:
        nonlocal spent
        states = forward(teacher, grid, layers)
        if beside is not None:
            began = time.perf_counter()
            beside(teacher, grid, layers)
            spent += time.perf_counter() - began
        return states

    with tempfile.TemporaryDirectory() as name, mock.patch.object(distillation, "forward", forward_and_more):
        began = time.perf_counter()
        run = distillation.distill(subject.corpus, out=Path(name) / "run", settings=subject.settings(**changed))
        seconds = time.perf_counter() - began - spent
    parts = run.record["seconds"]
    parts["teacher"] = round(parts["teacher"] - spent, 3)
    parts["total"] = round(parts["total"] - spent, 3)
    counting_and_after = parts["total"] - parts["preparing"] + parts["vocabulary"]
    return Finished(seconds, max(0.0, seconds - counting_and_after), spent, run.record)
