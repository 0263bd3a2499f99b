"""The pass over the text: the teacher reads it once, and every student that learns from text sees every batch.

A run without a teacher reads the same text: its students see the words alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace
from typing import TypeAlias

from wordstill.corpus.segmented_text import KeptText, SegmentedCorpus
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.job import Job
from wordstill.distillation.reading import read_buffers, read_words
from wordstill.distillation.run_record import CorpusRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.kernels.sampling import generator
from wordstill.system.progress import Progress, log
from wordstill.system.workers import reading_workers
from wordstill.teacher.encode import Grid, forward, lay_out, to_batch
from wordstill.teacher.load import Teacher
from wordstill.teacher.piece_means import piece_means
from wordstill.teacher.precision import Choice, Precision, choose_precision, recreate
from wordstill.teacher.texts import Text, make_batches

BesideTeacher: TypeAlias = Callable[[Teacher, Grid, Sequence[int]], None]
_beside: ContextVar[BesideTeacher | None] = ContextVar("beside", default=None)


@contextmanager
def beside_teacher(work: BesideTeacher) -> Iterator[None]:
    """Call `work` after the teacher's pass over each batch of the runs inside: benchmarks compare the two."""
    token = _beside.set(work)
    try:
        yield
    finally:
        _beside.reset(token)


def read_text(
    job: Job,
    source: SegmentedCorpus,
    text: KeptText,
    vocabulary: Vocabulary,
    teacher: Teacher | None,
    settings: DistillSettings,
    counted: CorpusRecord,
    workers: int | None,
) -> Teacher | None:
    """Show the text to the students; return the teacher as it computed, in the precision that was chosen."""
    at = job.standing
    needs = [student.needs for student in job.students.values() if student.needs.text]
    reader = teacher if any(one.teacher for one in needs) else None
    if workers is None:
        workers = reading_workers(reader.device.type if reader else "cpu")
    if not needs:
        return teacher
    if at.taught:
        return recreate(reader, Choice(**at.precision)) if reader and at.precision else teacher
    if reader is None:
        _read_words(job, source, text, vocabulary, counted.words, workers)
    else:
        teacher = _teach(job, source, text, vocabulary, reader, settings, counted.words, workers)
    at.taught = True
    if job.kept:
        job.save()  # the replays read what was kept: the teacher need never run again
    return teacher


def _teach(
    job: Job,
    source: SegmentedCorpus,
    text: KeptText,
    vocabulary: Vocabulary,
    teacher: Teacher,
    settings: DistillSettings,
    total: int,
    workers: int,
) -> Teacher:
    at, clock, beside = job.standing, job.clock, _beside.get()
    at.batch_tokens = at.batch_tokens or settings.batch_tokens or teacher.usual_batch
    needs = [student.needs for student in job.students.values() if student.needs.text]
    layers = sorted({layer for one in needs for layer in one.layers})
    by_piece = sorted({layer for one in needs if one.shown == "pieces" for layer in one.layers})
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    fast: Teacher | None = None
    with (
        closing(read_buffers(source, text, vocabulary, teacher, settings, at, workers)) as buffers,
        Progress("distilling", total, at.words) as progress,
    ):
        while True:
            with clock.part("read"):
                buffer = next(buffers, None)
            if buffer is None:
                break
            with clock.part("read"):
                order = generator(settings.seed, 3, at.buffers)
                batches = make_batches(buffer.texts, at.batch_tokens, special, order)
            if fast is None:
                with clock.part("preparing"), progress.paused():
                    tokens = total * buffer.tokens / max(1, buffer.words - at.words)
                    sample = make_batches(buffer.texts[:128], teacher.usual_batch, special, order)[:4]
                    fast = _in_precision(job, teacher, settings.precision, sample, layers, tokens)
            for texts in batches[at.batches :]:
                with clock.part("read"):
                    grid = lay_out(fast, texts)
                with clock.part("teacher"):
                    hidden = forward(fast, grid, layers)
                if beside is not None:
                    beside(fast, grid, layers)
                with clock.part("pooling"):
                    batch = to_batch(texts, grid, hidden, settings.pooling)
                    if by_piece:
                        states = {layer: hidden[layer] for layer in by_piece}
                        means = piece_means(teacher, texts, grid, states, batch, settings.context)
                        batch = replace(batch, pieces=means)
                job.observe(batch)
                at.batches += 1
                at.tokens += int(grid.mask.sum())
                at.padded += grid.mask.size
                progress.advance(len(batch.words))
                job.rest()
            at.position, at.words = buffer.position, buffer.words
            at.dropped += buffer.dropped
            at.buffers, at.batches = at.buffers + 1, 0
    return fast or teacher


def _in_precision(
    job: Job,
    teacher: Teacher,
    asked: Precision,
    sample: Sequence[Sequence[Text]],
    layers: Sequence[int],
    tokens: float,
) -> Teacher:
    """Return the teacher in the precision that was asked for, is best, or was chosen before this run was stopped."""
    at = job.standing
    if at.precision:
        return recreate(teacher, Choice(**at.precision))
    fast, choice = choose_precision(teacher, asked, sample, layers, tokens)
    at.precision = asdict(choice)
    log.info("the teacher computes in %s: %s", choice.precision, choice.why)
    return fast


def _read_words(
    job: Job, source: SegmentedCorpus, text: KeptText, vocabulary: Vocabulary, total: int, workers: int
) -> None:
    """Show the words alone, a stretch of text at a time."""
    at = job.standing
    with (
        closing(read_words(source, text, vocabulary, at, workers)) as batches,
        Progress("reading", total, at.words) as progress,
    ):
        while True:
            with job.clock.part("read"):
                found = next(batches, None)
            if found is None:
                break
            batch, position, words = found
            job.observe(batch)
            progress.advance(words - at.words)
            at.position, at.words, at.buffers = position, words, at.buffers + 1
            job.rest()
