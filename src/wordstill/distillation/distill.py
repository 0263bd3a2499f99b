"""The main job on one page: corpus -> teacher -> students -> vectors.

    from wordstill import distill
    run = distill("texts.txt", teacher="minilm", students=["aggregate", "closed"], out="run")
    run.vectors("closed").most_similar("river")

or `wordstill distill --teacher minilm --corpus texts.txt --student aggregate,closed --out run`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from wordstill.corpus.paragraphs import SegmentedCorpus
from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import MOST_BYTES, KeptText
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.counting import Counting
from wordstill.distillation.finish import Run, finish
from wordstill.distillation.job import CHECKPOINT_SECONDS, Job
from wordstill.distillation.kept_contexts import KEEP_BYTES, kept_bytes, store_name
from wordstill.distillation.rare_words import ALONE, WordsAlone, wanted
from wordstill.distillation.reading import read_buffers
from wordstill.distillation.run_folder import RunFolder
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.words_alone import show
from wordstill.errors import InputError
from wordstill.kernels.sampling import generator
from wordstill.lexicons.graph import lay_over
from wordstill.lexicons.lexicon import read_lexicons
from wordstill.students.registry import choose_students, make_students
from wordstill.students.student import Student, Task
from wordstill.system.large_tables import Tables, half_of_memory
from wordstill.system.machine import guard
from wordstill.system.progress import Progress
from wordstill.system.workers import counting_workers, reading_workers
from wordstill.teacher.encode import forward, lay_out, to_batch
from wordstill.teacher.faster import few_full_collections, numpy_on_one_thread, use_threads
from wordstill.teacher.load import Teacher, load_teacher
from wordstill.teacher.piece_means import piece_means
from wordstill.teacher.precision import Choice, Precision, again, settle
from wordstill.teacher.texts import Text, make_batches


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
    workers: int | None = None,
) -> Run:
    """Distill a teacher over a corpus into the vectors of each student, in the folder `out`.

    >>> run = distill("texts.txt", teacher="minilm", students=["closed"], out="run-example")
    >>> run.vectors("closed").vector_size
    384

    `settings` has everything that can be chosen; `teacher` and `students` are for calls that need no more. Without a
    corpus there are only students that need none, and the words are those of `settings.vocabulary.forced`.
    Without `quiet` progress is shown on standard error; `say` is told what a curious user may want to know.
    `workers` processes read ahead (None: as many as help here; 0: none); their number changes no result.
    Students that learn more than once keep what they need in `out`: at most `keep_bytes`, or the run does not begin.
    The corpus as words is kept there too while the teacher reads, in at most 2 GB and a quarter of the free disk.
    """
    settings = settings or DistillSettings(teacher=teacher, students=tuple(students))
    chosen = choose_students(settings.students, settings.student_options, settings.epochs)
    paths = [corpus] if isinstance(corpus, (str, Path)) else list(corpus)
    source = None
    learners_of_text = [name for name, one in chosen.items() if one.method.student.reads == "corpus"]
    if paths:
        source = SegmentedCorpus(Corpus(paths, field=settings.field), Segmenter(settings.segmentation), settings.words)
    else:
        if learners_of_text:
            raise InputError(f"{learners_of_text[0]} learns from text: name some with --corpus")
        if not settings.vocabulary.forced:
            raise InputError("without a corpus the words must come from a list: name one with --vocabulary")
    folder = RunFolder(Path(out))
    folder.refuse(resume=resume, overwrite=overwrite)
    with folder.locked(), few_full_collections():
        fingerprint = source.corpus.fingerprint() if source else ""
        finished = folder.open(settings, fingerprint, resume=resume, overwrite=overwrite)
        if finished is not None:
            return Run(folder.path, finished)
        guard()
        use_threads(settings.threads)
        if settings.teacher is None:
            raise InputError("the students of this run learn from a teacher; name one with --teacher")
        counters = counting_workers() if workers is None else workers
        # It is a convenience: a disk is not filled by it.
        keep_text = min(MOST_BYTES, shutil.disk_usage(folder.path).free / 4) if learners_of_text else 0
        with Counting(folder, source, settings, fingerprint, counters, keep_text) as counting:
            model = load_teacher(
                settings.teacher,
                revision=settings.revision,
                device=settings.device,
                longest=settings.longest_text,
                trust_remote_code=settings.trust_remote_code,
            )
            say(
                f"teacher {model.name}: {model.layers} layers, {model.width} dimensions, "
                f"texts of up to {model.limit} pieces, on {model.device}"
            )
            vocabulary, counted, text = counting.finish(quiet=quiet)
        readers = reading_workers(model.device.type) if workers is None else workers
        layer = settings.layer if isinstance(settings.layer, str) else model.layer(settings.layer)
        tables = Tables(folder.kept / "+tables", half_of_memory())
        lexicon = read_lexicons(settings.lexicon)
        graph = None if lexicon is None else lay_over(lexicon, vocabulary.numbers)
        task = Task(vocabulary, model.width, model.layers, counted["words"], settings.seed, tables, graph)
        learners = make_students(chosen, task, layer, model.layers)
        if wanted(settings.rare, vocabulary, learners):
            learners[ALONE] = WordsAlone(task, model.layers)
        if graph is not None:
            say(f"the lexicon joins {len(graph.rows):,} words of the vocabulary in {graph.pairs:,} pairs")
        say(f"{counted['words']:,} words in the corpus, {len(vocabulary):,} words in the vocabulary")
        reserve(learners, counted, model.width, folder, keep_bytes, say)
        job = Job(folder.checkpoint, folder.kept, learners, model.width, checkpoint_seconds)
        with job.guarded():
            with numpy_on_one_thread():
                fast = model
                if source and any(learner.reads == "corpus" for learner in learners.values()):
                    fast = teach(job, source, text, vocabulary, model, settings, counted["words"], readers, quiet=quiet)
                folder.text.unlink(missing_ok=True)
                show(job, vocabulary, model, fast, settings, quiet=quiet)
                replay(job, settings.seed, counted["words"], quiet=quiet)
            return finish(job, folder, settings, model, vocabulary, counted)


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


def teach(
    job: Job,
    source: SegmentedCorpus,
    text: KeptText,
    vocabulary: Vocabulary,
    teacher: Teacher,
    settings: DistillSettings,
    total: int,
    workers: int,
    *,
    quiet: bool,
) -> Teacher:
    """One pass of the teacher over the corpus feeds every student at once; gives the teacher as it computed."""
    at = job.standing
    if at.taught:
        return again(teacher, Choice(**at.precision)) if at.precision else teacher
    at.batch_tokens = at.batch_tokens or settings.batch_tokens or teacher.usual_batch
    layers = sorted(
        {layer for student in job.students.values() if student.reads == "corpus" for layer in student.layers}
    )
    by_piece = sorted({layer for student in job.students.values() if student.pieces for layer in student.layers})
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    fast: Teacher | None = None
    with (
        closing(read_buffers(source, text, vocabulary, teacher, settings, job, workers)) as buffers,
        Progress("distilling", total, at.words, quiet=quiet) as progress,
    ):
        while True:
            with job.clock("read"):
                buffer = next(buffers, None)
            if buffer is None:
                break
            order = generator(settings.seed, 3, at.buffers)
            batches = make_batches(buffer.texts, at.batch_tokens, special, order)
            if fast is None:
                with job.clock("preparing"), progress.paused():
                    tokens = total * buffer.tokens / max(1, buffer.words - at.words)
                    sample = make_batches(buffer.texts[:128], teacher.usual_batch, special, order)[:4]
                    fast = made_fast(job, teacher, settings.precision, sample, layers, tokens, progress.say)
            for texts in batches[at.batches :]:
                with job.clock("read"):
                    grid = lay_out(fast, texts)
                with job.clock("teacher"):
                    hidden = forward(fast, grid, layers)
                with job.clock("pooling"):
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
            at.dropped.truncated += buffer.dropped.truncated
            at.dropped.invisible += buffer.dropped.invisible
            at.buffers, at.batches = at.buffers + 1, 0
    at.taught = True
    if job.kept:
        job.save()  # the replays read what was kept: the teacher need never run again
    return fast or teacher


def made_fast(
    job: Job,
    teacher: Teacher,
    asked: Precision,
    sample: Sequence[Sequence[Text]],
    layers: Sequence[int],
    tokens: float,
    say: Callable[[str], None],
) -> Teacher:
    """The teacher in the precision that was asked for, is best, or was chosen before this run was stopped."""
    at = job.standing
    if at.precision:
        return again(teacher, Choice(**at.precision))
    fast, choice = settle(teacher, asked, sample, layers, tokens, say)
    at.precision = asdict(choice)
    say(f"the teacher computes in {choice.precision}: {choice.why}")
    return fast


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
