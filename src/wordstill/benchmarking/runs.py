"""Whole runs against the bare teacher; what precisions gain; what reading costs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from wordstill.benchmarking.material import Finished, Subject, bare_forward, prepare, source_of, whole_run
from wordstill.benchmarking.repeated import figure, figures, in_turns, ratio
from wordstill.corpus.segmented_text import Segmenting
from wordstill.distillation.reading import Preparing, Reading
from wordstill.errors import InputError
from wordstill.system.machine import this_machine
from wordstill.system.workers import chunks
from wordstill.teacher.faster import use_threads
from wordstill.teacher.load import Teacher, load_teacher
from wordstill.teacher.pieces import PieceTable
from wordstill.teacher.precision import LEAST_COSINE, Choice, Sample, keep, settle

FAST = tuple(LEAST_COSINE)


def teacher_of(subject: Subject) -> Teacher:
    """The teacher, with the threads asked for."""
    use_threads(subject.threads)
    return load_teacher(subject.teacher)


def run_over_teacher(subject: Subject) -> dict[str, Any]:
    """The bare forward pass over the whole run: 1 would be a run that costs nothing itself.

    The bare pass goes over every batch of the run right after the run's own.
    """
    use_threads(subject.threads)
    subject.say("warming up")
    whole_run(subject, words=1000, students=subject.students[-1])
    results: dict[str, Any] = {}
    for precision in subject.precisions:
        sets = {}
        try:
            for students in subject.students:
                subject.say(f"whole runs of {','.join(students)} in {precision}, each batch twice")
                given = {"students": students, "precision": precision}
                runs = [whole_run(subject, bare_forward, **given) for _ in range(subject.repeats)]
                sets[",".join(students)] = _shares(runs)
        except InputError as error:
            results[precision] = {"note": str(error)}
            continue
        results[precision] = sets
    return results


def _shares(runs: Sequence[Finished]) -> dict[str, Any]:
    bare, record = [run.beside for run in runs], runs[-1].record
    return {
        "teacher_over_run": ratio(bare, [run.warm for run in runs]),
        "teacher_inside_run": figures([run.record["seconds"]["teacher"] / run.warm for run in runs]),
        "teacher_over_run_with_loading": ratio(bare, [run.seconds for run in runs]),
        "bare_teacher_seconds": figures(bare),
        "run_seconds": figures([run.warm for run in runs]),
        "words_per_second": figures([run.words_per_second for run in runs]),
        "words": record["corpus"]["words"],
        "tokens": record["tokens"],
        "padding": record["padding"],
        "peak_memory_bytes": record["peak_memory_bytes"],
        "seconds": record["seconds"],
    }


def precisions(subject: Subject) -> dict[str, Any]:
    """Each faster way over float32, the teacher alone, with the mean cosine of the word vectors."""
    teacher = teacher_of(subject)
    prepared = prepare(subject, teacher, subject.settings(words=min(subject.words, 20_000)))
    batches = prepared.batches[:4]
    sample = Sample(teacher, batches, [teacher.layers])
    results: dict[str, Any] = {}
    for way in FAST:
        subject.say(f"the teacher in {way}")
        try:
            fast, choice = settle(teacher, way, batches, [teacher.layers], prepared.tokens, subject.say)  # type: ignore[arg-type]
        except InputError as error:
            results[way] = {"note": str(error)}
            continue
        turns = [sample.speeds(fast, teacher) for _ in range(subject.repeats)]
        mine, plain = zip(*turns, strict=True)
        measured = Choice(
            tokens_per_second={way: max(mine), "float32": max(plain)}, preparing=choice.preparing, cosine=choice.cosine
        )
        keep(teacher, way, measured)
        results[way] = {
            "over_float32": ratio(mine, plain),
            "tokens_per_second": figures(mine),
            "float32_tokens_per_second": figures(plain),
            "cosine": choice.cosine,
            "preparing_seconds": figure(choice.preparing[way]),
        }
    return results


def reading(subject: Subject) -> dict[str, Any]:
    """Segmentation and tokenization, done by one process, over the whole run."""
    teacher = teacher_of(subject)
    settings = subject.settings()
    prepared = prepare(subject, teacher, settings)
    source = source_of(subject)
    text = []
    words = 0
    for chunk in chunks(source.corpus.paragraphs()):
        text.append(chunk)
        words += sum(len(sentence) for _, paragraph in chunk for sentence in source.segmenter(paragraph))
        if not source.has_more(words):
            break

    def segment() -> float:
        began = time.perf_counter()
        for chunk in text:
            for _, paragraph in chunk:
                source.segmenter(paragraph)
        return (time.perf_counter() - began) / words

    def segment_and_cut() -> float:
        prepare = Preparing(prepared.vocabulary, fresh_pieces(teacher), settings.context, teacher.limit)
        work = Reading(Segmenting(source.segmenter, prepared.vocabulary.phrases), prepare)
        began = time.perf_counter()
        for chunk in text:
            work(chunk)
        return (time.perf_counter() - began) / words

    def whole() -> float:
        run = whole_run(subject, students=("aggregate",))
        return 1 / run.words_per_second

    subject.say("segmenting and tokenizing alone")
    seconds = in_turns({"segment": segment, "both": segment_and_cut, "run": whole}, subject.repeats)
    return {
        "segmentation_over_run": ratio(seconds["segment"], seconds["run"]),
        "segmentation_and_tokenization_over_run": ratio(seconds["both"], seconds["run"]),
        "segmented_words_per_second": figures([1 / each for each in seconds["segment"]]),
        "prepared_words_per_second": figures([1 / each for each in seconds["both"]]),
        "cores": this_machine().cores,
    }


def fresh_pieces(teacher: Teacher) -> PieceTable:
    """The teacher's tokenizer before it has seen a word."""
    from transformers import AutoTokenizer

    model: Any = teacher.model
    return PieceTable(AutoTokenizer.from_pretrained(model.config.name_or_path))
