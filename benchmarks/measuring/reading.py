"""What reading costs: segmentation and tokenization against whole runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from measuring.turns import figures, in_turns, ratio
from measuring.workload import Workload, run_batches, time_run
from wordstill.corpus.segmented_text import Chunk, SegmentedCorpus, Segmenting, chunks
from wordstill.distillation.reading import Preparing
from wordstill.system.machine import this_machine
from wordstill.system.progress import log
from wordstill.teacher.load import Teacher
from wordstill.teacher.pieces import PieceTable


def reading_over_run(workload: Workload) -> dict[str, Any]:
    """Divide the time of segmentation and tokenization, done by one process, by that of the whole run."""
    teacher = workload.load_teacher()
    settings, source = workload.settings(), workload.source
    vocabulary = run_batches(workload, teacher, settings).vocabulary
    text, words = text_of_run(source)

    def seconds_per_word(work: Callable[[Chunk], object]) -> float:
        began = time.perf_counter()
        for chunk in text:
            work(chunk)
        return (time.perf_counter() - began) / words

    def segment_and_cut() -> float:
        prepare = Preparing(vocabulary, fresh_pieces(teacher), settings.context, teacher.limit)
        segment = Segmenting(source.segmenter, vocabulary.phrases)
        return seconds_per_word(lambda chunk: prepare(segment(chunk)))

    log.info("segmenting and tokenizing alone")
    sides = {
        "segment": lambda: seconds_per_word(lambda chunk: [source.segmenter(paragraph) for _, paragraph in chunk]),
        "both": segment_and_cut,
        "run": lambda: 1 / time_run(workload, students=("aggregate",)).words_per_second,
    }
    seconds = in_turns(sides, workload.repeats)
    return {
        "segmentation_over_run": ratio(seconds["segment"], seconds["run"]),
        "segmentation_and_tokenization_over_run": ratio(seconds["both"], seconds["run"]),
        "segmented_words_per_second": figures([1 / each for each in seconds["segment"]]),
        "prepared_words_per_second": figures([1 / each for each in seconds["both"]]),
        "cores": this_machine().cores,
    }


def text_of_run(source: SegmentedCorpus) -> tuple[list[Chunk], int]:
    """Return the stretches of text that a run reads, and how many words they have."""
    text: list[Chunk] = []
    words = 0
    for chunk in chunks(source.corpus.paragraphs()):
        text.append(chunk)
        words += sum(len(sentence) for _, paragraph in chunk for sentence in source.segmenter(paragraph))
        if not source.has_more(words):
            break
    return text, words


def fresh_pieces(teacher: Teacher) -> PieceTable:
    """Load the teacher's tokenizer as it was before it has seen a word."""
    from transformers import AutoTokenizer

    model: Any = teacher.model
    return PieceTable(AutoTokenizer.from_pretrained(model.config.name_or_path))
