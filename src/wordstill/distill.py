"""The main job on one page: corpus -> teacher -> students -> vectors.

    from wordstill import distill
    run = distill("texts.txt", teacher="minilm", students=["aggregate", "closed"], out="run")
    run.vectors("closed").most_similar("river")

or `wordstill distill --teacher minilm --corpus texts.txt --student aggregate,closed --out run`.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wordstill import __version__
from wordstill.corpus.paragraphs import SegmentedCorpus
from wordstill.corpus.read import Corpus, Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.vocabulary import Counts, Phrases, Vocabulary
from wordstill.errors import InputError
from wordstill.progress import Progress
from wordstill.runs import RunFolder
from wordstill.settings import DistillSettings
from wordstill.students.registry import choose_students, make_students
from wordstill.students.student import Student, Task
from wordstill.teacher.batching import Dropped, Text, make_batches, make_texts
from wordstill.teacher.encode import forward, lay_out, to_batch
from wordstill.teacher.load import Teacher, load_teacher
from wordstill.teacher.runtime import use_threads
from wordstill.training.job import CHECKPOINT_SECONDS, Job
from wordstill.training.kept import KEEP_BYTES, kept_bytes, store_name
from wordstill.training.sampling import generator
from wordstill.training.show import show
from wordstill.training.tables import Tables, half_of_memory
from wordstill.vectors import Array, WordVectors


class Run(NamedTuple):
    """A finished run: its folder, and what its run.json says."""

    folder: Path
    record: dict[str, Any]

    def vectors(self, student: str) -> WordVectors:
        """The vectors of one student, memory-mapped."""
        if student not in self.record["students"]:
            raise InputError(
                f"the run in {self.folder} has no {student!r}; it has: {', '.join(self.record['students'])}"
            )
        return WordVectors.load(self.folder / self.record["students"][student]["path"])


def distill(
    corpus: str | Path | Sequence[str | Path] = (),
    *,
    out: str | Path,
    teacher: str | None = None,
    students: Sequence[str] = ("aggregate",),
    settings: DistillSettings | None = None,
    resume: bool = False,
    overwrite: bool = False,
    quiet: bool = True,
    say: Callable[[str], None] = lambda text: None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    keep_bytes: float = KEEP_BYTES,
) -> Run:
    """Distill a teacher over a corpus into the vectors of each student, in the folder `out`.

    `settings` has everything that can be chosen; `teacher` and `students` are for calls that need no more. Without a
    corpus there are only students that need none, and the words are those of `settings.vocabulary.forced`.
    Without `quiet` progress is shown on standard error; `say` is told what a curious user may want to know.
    Students that learn more than once keep what they need in `out`: at most `keep_bytes`, or the run does not begin.
    """
    settings = settings or DistillSettings(teacher=teacher, students=tuple(students))
    chosen = choose_students(settings.students, settings.student_options, settings.epochs)
    paths = [corpus] if isinstance(corpus, (str, Path)) else list(corpus)
    source = None
    if paths:
        source = SegmentedCorpus(Corpus(paths, field=settings.field), Segmenter(settings.segmentation), settings.words)
    else:
        readers = [name for name, one in chosen.items() if one.method.student.reads == "corpus"]
        if readers:
            raise InputError(f"{readers[0]} learns from text: name some with --corpus")
        if not settings.vocabulary.forced:
            raise InputError("without a corpus the words must come from a list: name one with --vocabulary")
    folder = RunFolder(Path(out))
    folder.refuse(resume=resume, overwrite=overwrite)
    with folder.locked():
        fingerprint = source.corpus.fingerprint() if source else ""
        finished = folder.open(settings, fingerprint, resume=resume, overwrite=overwrite)
        if finished is not None:
            return Run(folder.path, finished)
        use_threads(settings.threads)
        if settings.teacher is None:
            raise InputError("the students of this run learn from a teacher; name one with --teacher")
        model = load_teacher(
            settings.teacher,
            revision=settings.revision,
            device=settings.device,
            precision=settings.precision,
            longest=settings.longest_text,
            trust_remote_code=settings.trust_remote_code,
        )
        say(
            f"teacher {model.name}: {model.layers} layers, {model.width} dimensions, "
            f"texts of up to {model.limit} pieces, {model.precision} on {model.device}"
        )
        vocabulary, counted = count(folder, source, settings, fingerprint, quiet=quiet)
        layer = settings.layer if isinstance(settings.layer, str) else model.layer(settings.layer)
        tables = Tables(folder.kept / "+tables", half_of_memory())
        task = Task(vocabulary, model.width, model.layers, counted["words"], settings.seed, tables)
        learners = make_students(chosen, task, layer, model.layers)
        say(f"{counted['words']:,} words in the corpus, {len(vocabulary):,} words in the vocabulary")
        reserve(learners, counted, model.width, folder, keep_bytes, say)
        job = Job(folder.checkpoint, folder.kept, learners, model.width, checkpoint_seconds)
        with job.guarded():
            if source and any(learner.reads == "corpus" for learner in learners.values()):
                teach(job, source, vocabulary, model, settings, counted["words"], quiet=quiet)
            show(job, vocabulary, model, settings, quiet=quiet)
            replay(job, settings.seed, counted["words"], quiet=quiet)
            return finish(job, folder, settings, model, counted)


def count(
    folder: RunFolder, source: SegmentedCorpus | None, settings: DistillSettings, fingerprint: str, *, quiet: bool
) -> tuple[Vocabulary, dict[str, Any]]:
    """The vocabulary with its counts: one fast pass over the corpus, or what the run's folder kept of it."""
    began = time.monotonic()
    plain = replace(
        settings.segmentation,
        min_sentences=0,
        min_characters=0,
        min_sentence_words=1,
        max_kept_sentence_words=None,
    )
    phrases = Phrases.of(settings.vocabulary.forced, Segmenter(plain), settings.vocabulary.lowercase)
    kept = folder.load_vocabulary(fingerprint, phrases)
    if kept is not None:
        return kept
    counts = Counts(phrases)
    paragraphs = sentences = words = 0
    with Progress("counting words", settings.words, quiet=quiet) as progress:
        for paragraph in source.paragraphs() if source else ():
            for sentence in paragraph.sentences:
                counts.add(sentence)
            paragraphs, sentences = paragraphs + 1, sentences + len(paragraph.sentences)
            words += paragraph.words
            progress.advance(paragraph.words)
    if source and not words:
        raise InputError("the corpus has no words (after its filters, if any); give other text with --corpus")
    if source:
        vocabulary = counts.vocabulary(settings.vocabulary)
    else:
        key = str.lower if settings.vocabulary.lowercase else str
        listed = list(dict.fromkeys(key(word) for word in settings.vocabulary.forced))
        vocabulary = Vocabulary(listed, np.zeros(len(listed), dtype=np.int64), phrases)
    counted = {
        "fingerprint": fingerprint,
        "paragraphs": paragraphs,
        "sentences": sentences,
        "words": words,
        "replaced_bytes": source.corpus.replaced_bytes if source else 0,
        "vocabulary": len(vocabulary),
        "seconds": time.monotonic() - began,
    }
    folder.save_vocabulary(vocabulary, counted)
    return vocabulary, counted


def reserve(
    students: Mapping[str, Student],
    counted: Mapping[str, Any],
    width: int,
    folder: RunFolder,
    allowed: float,
    say: Callable[[str], None],
) -> None:
    """Tell what will be kept on disk for further epochs, and refuse to begin if it is more than allowed."""
    needed = kept_bytes(students, counted["sentences"], counted["words"], width)
    for store, size in needed.items():
        what = f"{store} keeps its contexts on disk while it learns"
        if store not in students:
            sharing = [name for name, student in students.items() if store_name(name, student) == store]
            what = f"word vectors are kept on disk for {' and '.join(sharing)}"
        say(f"{what}: {size / 1e6:,.0f} MB in {folder.kept / store}")
    total = sum(needed.values())
    if total > allowed:
        raise InputError(
            f"further epochs and starts from a closed form need {total / 1e9:,.3g} GB on disk for this corpus, and "
            f"--keep-bytes allows {allowed / 1e9:,.3g} GB; allow more, read fewer --words, or choose preset=paper "
            "(one epoch from a random start)"
        )


@dataclass
class Buffer:
    """Texts that are sorted by length together, and where the reader stands behind them."""

    texts: list[Text]
    dropped: Dropped
    position: Position
    words: int


def read_buffers(
    source: SegmentedCorpus, vocabulary: Vocabulary, teacher: Teacher, settings: DistillSettings, job: Job
) -> Iterator[Buffer]:
    """The corpus from where the job stands on, as texts that fit the teacher."""
    at = job.standing
    buffer = Buffer([], Dropped(), at.position, at.words)
    size = 0
    for paragraph in source.paragraphs(at.position, at.words):
        read = [vocabulary.read(sentence) for sentence in paragraph.sentences]
        pieces, lengths = teacher.pieces([word for words, _ in read for word in words])
        texts = make_texts(
            np.concatenate([numbers for _, numbers in read]),
            pieces,
            lengths,
            [len(words) for words, _ in read],
            settings.context,
            teacher.limit,
            buffer.dropped,
        )
        buffer.texts.extend(texts)
        buffer.position, buffer.words = paragraph.position, buffer.words + paragraph.words
        size += len(pieces)
        if size >= settings.buffer_tokens:
            yield buffer
            buffer = Buffer([], Dropped(), buffer.position, buffer.words)
            size = 0
    if buffer.texts or buffer.position != at.position:
        yield buffer


def teach(
    job: Job,
    source: SegmentedCorpus,
    vocabulary: Vocabulary,
    teacher: Teacher,
    settings: DistillSettings,
    total: int,
    *,
    quiet: bool,
) -> None:
    """One pass of the teacher over the corpus feeds every student at once."""
    at = job.standing
    if at.taught:
        return
    layers = sorted(
        {layer for student in job.students.values() if student.reads == "corpus" for layer in student.layers}
    )
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    buffers = read_buffers(source, vocabulary, teacher, settings, job)
    with Progress("distilling", total, at.words, quiet=quiet) as progress:
        while True:
            with job.clock("read"):
                buffer = next(buffers, None)
            if buffer is None:
                break
            order = generator(settings.seed, 3, at.buffers)
            batches = make_batches(buffer.texts, settings.batch_tokens, special, order)
            for texts in batches[at.batches :]:
                with job.clock("read"):
                    grid = lay_out(teacher, texts)
                with job.clock("teacher"):
                    hidden = forward(teacher, grid, layers)
                with job.clock("pooling"):
                    batch = to_batch(texts, grid, hidden, settings.pooling)
                job.observe(batch)
                at.batches += 1
                at.tokens += int(grid.mask.sum())
                at.padded += grid.mask.size
                progress.advance(len(batch.words))
                job.rest()
            at.position, at.words = buffer.position, buffer.words
            at.dropped.truncated += buffer.dropped.truncated
            at.dropped.invisible += buffer.dropped.invisible
            at.buffers, at.batches = at.buffers + 1, 0
    at.taught = True
    if job.kept:
        job.save()  # the replays read what was kept: the teacher need never run again


def replay(job: Job, seed: int, words: int, *, quiet: bool) -> None:
    """Further epochs of the students that want them, over the contexts kept from the teacher's pass."""
    for name, student in job.students.items():
        if not student.replays:
            continue
        at = job.standing.replayed.setdefault(name, [0, 0])
        replays = student.replays
        with Progress(f"training {name}", words * replays, words * at[0], quiet=quiet) as progress:
            while at[0] < replays:
                for block in job.store(name).blocks(seed, at[0], at[1]):
                    job.replay(name, block)
                    at[1] += 1
                    progress.advance(len(block.words))
                    job.rest()
                at[0], at[1] = at[0] + 1, 0


def finish(job: Job, folder: RunFolder, settings: DistillSettings, teacher: Teacher, counted: dict[str, Any]) -> Run:
    """Write the vectors of each student, then run.json: a run is finished when run.json says so."""
    at = job.standing
    made = {}
    for name, student in job.students.items():
        vectors = student.vectors()
        if settings.dimensions is not None and settings.dimensions < vectors.vector_size:
            vectors = vectors.map(lambda matrix: reduce_dimensions(matrix, settings.dimensions or 0))
        vectors.card = {
            **card(settings, teacher, counted),
            **vectors.card,
            "dimensions": vectors.vector_size,
            "words": len(vectors),
        }
        vectors.save(folder.path / name)
        made[name] = {
            "path": name,
            "words": len(vectors),
            "dimensions": vectors.vector_size,
            "loss": [[words, round(loss, 6)] for words, loss in student.losses],
        }
    seconds = at.seconds
    total = job.total_seconds()
    record = {
        "version": __version__,
        "finished": True,
        "settings": settings.as_json(),
        "teacher": {
            "name": teacher.name,
            "layers": teacher.layers,
            "width": teacher.width,
            "limit": teacher.limit,
        },
        "corpus": counted,
        "tokens": at.tokens,
        "truncated_words": at.dropped.truncated,
        "words_without_pieces": at.dropped.invisible,
        "padding": round(at.padded / max(1, at.tokens), 4),
        "precision": teacher.precision,
        "seconds": {
            "total": round(total, 3),
            "vocabulary": round(counted["seconds"], 3),
            **{part: round(seconds.get(part, 0.0), 3) for part in ("read", "teacher", "pooling", "keeping")},
            "students": {name: round(seconds.get(f"students.{name}", 0.0), 3) for name in job.students},
            "checkpoint": round(seconds.get("checkpoint", 0.0), 3),
        },
        "words_per_second": round(counted["words"] / total, 1),
        "tokens_per_second": {
            "run": round(at.tokens / total, 1),
            "teacher_alone": round(at.tokens / max(1e-9, seconds.get("teacher", 0.0)), 1),
        },
        "peak_memory_bytes": peak_memory(),
        "students": made,
    }
    folder.write_record(record)
    job.clean()
    return Run(folder.path, record)


def card(settings: DistillSettings, teacher: Teacher, counted: dict[str, Any]) -> dict[str, Any]:
    """What the vectors' model card tells of their making; nothing that differs between two equal runs."""
    return {
        "teacher": teacher.name,
        "revision": teacher.revision,
        "context": settings.context,
        "lowercase": settings.vocabulary.lowercase,
        "corpus": {key: counted[key] for key in ("fingerprint", "paragraphs", "sentences", "words")},
        "settings": settings.as_json(),
        "version": __version__,
    }


def reduce_dimensions(matrix: Array, dimensions: int) -> Array:
    """The `dimensions` directions that keep most of the dot products between rows (uncentred PCA)."""
    values, directions = np.linalg.eigh(matrix.T.astype(np.float64) @ matrix)
    kept = directions[:, np.argsort(-values)[:dimensions]]
    # The sign of an eigenvector is arbitrary; fixed, so that equal runs give equal bytes on any machine.
    kept *= np.where(kept[np.abs(kept).argmax(axis=0), np.arange(dimensions)] < 0, -1.0, 1.0)
    return matrix @ kept.astype(np.float32)


def peak_memory() -> int:
    """The most memory this process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
