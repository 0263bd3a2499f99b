"""What is measured on: a corpus, a teacher, whole runs, and the very batches that a run would feed to its teacher."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import MOST_BYTES, SegmentedCorpus
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.counting import Counted, Counting
from wordstill.distillation.distill import distill
from wordstill.distillation.opening import in_processes
from wordstill.distillation.reading import Preparing, buffers, shard_texts
from wordstill.distillation.run_folder import RunState
from wordstill.distillation.run_record import RunRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.teaching import BesideTeacher, beside_teacher
from wordstill.errors import InputError
from wordstill.kernels.sampling import generator
from wordstill.options import Options, listed, setting
from wordstill.studies.demo import demo_corpus
from wordstill.system.threads import use_threads
from wordstill.system.workers import counting_workers
from wordstill.teacher.encode import Grid, forward
from wordstill.teacher.load import Teacher, load_teacher
from wordstill.teacher.texts import Text, make_batches

STUDENT_SETS = (("aggregate",), ("aggregate", "closed"), ("aggregate", "closed", "x2static"))
PRECISIONS = ("float32", "int8", "bfloat16", "float16")


@dataclass(frozen=True)
class Workload(Options):
    """What is measured, and how often."""

    corpus: tuple[str | Path, ...] = setting((), "text to measure on (the demo's corpus)", metavar="F")
    words: int = setting(60_000, "how much of it", low=1000)
    teacher: str = setting("minilm", "a model folder, a Hub name, or 'minilm'", metavar="T")
    repeats: int = setting(3, "turns of each side", low=1, metavar="R")
    precisions: tuple[str, ...] = setting(
        ("float32",),
        f"of whole runs: {', '.join(PRECISIONS)} (float32)",
        metavar="P,..",
        read=lambda text: tuple(listed(text)),
    )
    students: tuple[tuple[str, ...], ...] = setting(
        STUDENT_SETS,
        "of whole runs (aggregate; then closed too; then x2static too)",
        metavar="S,..",
        read=lambda text: (tuple(listed(text)),),
    )
    """Each set is measured by itself against the teacher; the last one against the plain loop."""
    threads: int | None = setting(None, "threads to compute with", low=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.precisions:
            if name not in PRECISIONS:
                raise InputError(f"--precisions takes {', '.join(PRECISIONS)}, not {name!r}")

    @property
    def paths(self) -> list[Path]:
        """The files of the corpus."""
        return [Path(path) for path in self.corpus] or [demo_corpus()]

    @property
    def source(self) -> SegmentedCorpus:
        """The corpus, up to the words to read."""
        return SegmentedCorpus(Corpus(self.paths), Segmenter(), self.words)

    def settings(self, **changed: Any) -> DistillSettings:
        """Return the settings of a run on it."""
        given = {"teacher": self.teacher, "words": self.words, "threads": self.threads, "precision": "float32"}
        return DistillSettings(**{**given, **changed})

    def load_teacher(self) -> Teacher:
        """Load the teacher, and compute with the threads asked for."""
        use_threads(self.threads)
        return load_teacher(self.teacher)

    def vocabulary(self, settings: DistillSettings) -> Vocabulary:
        """Count the words of the corpus."""
        with tempfile.TemporaryDirectory() as name:
            return _count(self.source, settings, Path(name))[0]

    def sentences(self, words: int, seed: int = 0) -> Iterator[list[str]]:
        """Draw sentences at random from all the text that a run reads, about so many words in all."""
        source, draw, share = self.source, random.Random(seed), words / self.words
        read = 0
        for _, text in source.corpus.paragraphs():
            if not source.has_more(read):
                return
            sentences = source.segmenter(text)
            read += sum(map(len, sentences))
            yield from (sentence for sentence in sentences if draw.random() < share)


class RunBatches(NamedTuple):
    """The batches that a run would feed to its teacher."""

    batches: list[list[Text]]
    vocabulary: Vocabulary
    tokens: int


def run_batches(workload: Workload, teacher: Teacher, settings: DistillSettings) -> RunBatches:
    """Read, segment and cut the corpus as a run with these settings does."""
    source = workload.source
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    size = settings.batch_tokens or teacher.usual_batch
    batches: list[list[Text]] = []
    with tempfile.TemporaryDirectory() as name:
        vocabulary, _, text, shards = _count(source, settings, Path(name))
        prepare = Preparing(vocabulary, teacher.pieces, settings.context, teacher.limit)
        for shard, chunks in shard_texts(source, text, vocabulary.phrases, shards, in_processes(0)):
            paragraphs = (paragraph for chunk in chunks for paragraph in prepare(chunk))
            for number, buffer in enumerate(buffers(paragraphs, settings.buffer_tokens)):
                order = generator(settings.seed, 3, shard.number, number)
                batches += make_batches(buffer.texts, size, special, order)
    tokens = sum(len(row.pieces) + special for texts in batches for text in texts for row in text.rows)
    return RunBatches(batches, vocabulary, tokens)


def _count(source: SegmentedCorpus, settings: DistillSettings, folder: Path) -> Counted:
    """Count the words of a corpus, and keep its text in a folder."""
    with Counting(RunState(folder), source, settings, "", in_processes(counting_workers()), MOST_BYTES) as counting:
        return counting.finish()


def bare_forward(teacher: Teacher, grid: Grid, layers: Sequence[int]) -> None:
    """Run the teacher over a batch that is laid out already: the work that no run can do without."""
    states = forward(teacher, grid, layers)
    float(states[layers[-1]][0, 0, 0])  # a GPU is done when it answers


class TimedRun(NamedTuple):
    """What a whole run took, without what was done beside it."""

    seconds: float
    """From the call to the vectors on disk."""
    starting: float
    """Seconds of these that are the same for any amount of text: loading and compiling the teacher."""
    beside: float
    """Seconds of what was done between its batches."""
    record: RunRecord

    @property
    def warm(self) -> float:
        """The seconds that grow with the text."""
        return self.seconds - self.starting

    @property
    def words_per_second(self) -> float:
        """The speed of the whole, loading and compiling left out."""
        return self.record.corpus.words / self.warm


def time_run(workload: Workload, beside: BesideTeacher | None = None, **changed: Any) -> TimedRun:
    """Make a run as a user starts it, in a folder that is gone afterwards.

    After the teacher's pass over each batch `beside` is called, and timed by itself. A machine's speed changes within
    seconds, so two sides are best compared when they take turns batch by batch.
    """
    spent = 0.0

    def timed_beside(teacher: Teacher, grid: Grid, layers: Sequence[int]) -> None:
        nonlocal spent
        began = time.perf_counter()
        if beside is not None:
            beside(teacher, grid, layers)
        spent += time.perf_counter() - began

    listening = nullcontext() if beside is None else beside_teacher(timed_beside)
    with tempfile.TemporaryDirectory() as name, listening:
        began = time.perf_counter()
        record = distill(workload.paths, out=Path(name) / "run", settings=workload.settings(**changed)).record
        seconds = time.perf_counter() - began - spent
    clock = record.seconds
    parts = clock.parts | {"other": clock.parts["other"] - spent}  # no part of the run had it
    record = replace(record, seconds=replace(clock, total=clock.total - spent, parts=parts))
    growing = record.seconds.total - parts["loading"] - parts.get("preparing", 0.0)
    return TimedRun(seconds, max(0.0, seconds - growing), spent, record)
