"""Measure the parts of a run on this machine: small runs of the same students, timed part by part.

The shards are done first and the run is finished afterwards, as on several machines. So what a worker does (the parts
of a shard) and what one machine does after all of them are told apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from wordstill.corpus.segmented_text import KeptText
from wordstill.corpus.vocabulary import Counts, Phrases, VocabularySettings
from wordstill.distillation.checkpoint import load_record
from wordstill.distillation.counting import open_corpus, words_of
from wordstill.distillation.distill import distill
from wordstill.distillation.order import Order
from wordstill.distillation.run_record import RunRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shards import Cutter
from wordstill.distillation.share import distill_share
from wordstill.planning.made_text import made_word, write_made_text
from wordstill.planning.replaying import measure_replays
from wordstill.planning.settings import PlannedRun
from wordstill.students.student import Needs
from wordstill.system.clock import OTHER
from wordstill.system.memory import peak_memory
from wordstill.system.progress import log
from wordstill.system.workers import counting_workers

# The tokens of a word, roughly, and the words of a text that is worth measuring on.
TOKENS_PER_WORD = 1.4
FEWEST_WORDS, MOST_WORDS = 4_000, 500_000
# Counting is fast: so many words are counted, in 20 seconds of measuring.
WORDS_COUNTED = 200_000
# Words that a text need not have: so every run encodes words alone.
WORDS_ALONE = 300
STUDENT = "students."


@dataclass(frozen=True)
class Rates:
    """The seconds of each part of a run, as measured."""

    words: int
    """Words of the text that was measured on."""
    tokens_a_word: float
    sentences_a_word: float
    counting: float
    """Seconds per word to count words, on this machine."""
    counting_on_driver: float
    """The part of it that is not done by workers."""
    per_word: Mapping[str, float]
    """Seconds per word of what a worker does with text, without the students."""
    students: Mapping[str, float]
    """Seconds per word of each student in the pass over the text."""
    replays: Mapping[str, float]
    """Seconds per word of what each student learns after the pass, all epochs together."""
    alone: float
    """Seconds per word of the vocabulary to encode it alone, on a worker."""
    starting: float
    """Seconds of the students' beginning after the pass, whatever the size of the text."""
    loading: float
    """Seconds until the teacher is ready."""
    process_bytes: int
    """Memory without tables: the libraries, the teacher, a batch on its way."""

    @property
    def efficiency(self) -> float:
        """The teacher's share of the time that grows with the text."""
        parts = (*self.per_word.values(), *self.students.values(), *self.replays.values())
        return self.per_word["teacher"] / (sum(parts) + self.counting)


class MeasuredRun(NamedTuple):
    """A small run: its record, and the seconds that its shards took."""

    record: RunRecord
    shards: Mapping[str, float]


class CountingSpeed(NamedTuple):
    """Seconds per word of counting."""

    machine: float
    """On this machine."""
    on_driver: float
    """The part of it that is not done by workers: reading the text, adding up counts, keeping the text."""


def measure_rates(planned: PlannedRun, order: Order, tokens_per_second: float, folder: Path) -> Rates:
    """Run the same students over a text that takes the teacher about a third of `planned.seconds`."""
    words = int(np.clip(tokens_per_second * planned.seconds / 3 / TOKENS_PER_WORD, FEWEST_WORDS, MOST_WORDS))
    paths = list(planned.corpus) or [str(write_made_text(folder / "made.txt", words))]
    # The vectors are not reduced: their sizes tell what the tables took.
    vocabulary = VocabularySettings(min_count=1, forced=tuple(map(made_word, range(WORDS_ALONE))))
    settings = replace(planned.run, precision="float32", dimensions=None, vocabulary=vocabulary)

    def measured(size: int) -> MeasuredRun:
        return measure_run(paths, folder / f"run-{size}", replace(settings, words=size))

    measured(500)  # the compiled loops are compiled now
    log.info("a run over %s words", f"{words:,}")
    run = measured(words)
    counted = int(np.clip(WORDS_COUNTED / 20 * planned.seconds, FEWEST_WORDS, WORDS_COUNTED))
    longer = list(planned.corpus) or [str(write_made_text(folder / "longer.txt", counted))]
    counting = measure_counting(longer, folder / "kept-text", replace(settings, words=counted))
    return rates_of(run, order.needs, measure_replays(order), counting)


def measure_run(paths: list[str], out: Path, settings: DistillSettings) -> MeasuredRun:
    """Do all shards of a run, note what they took, and finish it."""
    distill_share(paths, out=out, share="1/1", settings=settings)
    shards: dict[str, float] = {}
    for folder in (out / "unfinished" / "shards").iterdir():
        for part, seconds in (load_record(folder / "checkpoint") or {"seconds": {}})["seconds"].items():
            shards[part] = shards.get(part, 0.0) + seconds
    return MeasuredRun(distill(paths, out=out, settings=settings, resume=True).record, shards)


def measure_counting(paths: list[str], kept: Path, settings: DistillSettings) -> CountingSpeed:
    """Count the words of a text in this process, and work out what this machine's processes take together."""
    source, phrases = open_corpus(paths, settings), Phrases(settings.vocabulary.lowercase)
    assert source is not None
    finding = words = 0.0

    def timed(work: Callable[[Any], Any], given: Iterator[Any], ahead: int) -> Iterator[tuple[Any, Any]]:
        nonlocal finding
        for one in given:
            began = time.perf_counter()
            found = work(one)
            finding += time.perf_counter() - began
            yield one, found

    counts, cutter = Counts(phrases), Cutter(settings.shard_words)
    began = time.perf_counter()
    for chunk in KeptText(kept).write(words_of(source, phrases, timed), np.inf):
        counts.add(chunk.keys, chunk.counts())
        cutter.add(chunk.paragraphs)
        words += int(chunk.paragraphs[:, 3].sum())
    on_driver = time.perf_counter() - began - finding
    return CountingSpeed((finding / max(1, counting_workers()) + on_driver) / words, on_driver / words)


def rates_of(
    run: MeasuredRun, needs: Mapping[str, Needs], replays: Mapping[str, float], counting: CountingSpeed
) -> Rates:
    """Work out the rates of a run, given how fast its students learn after the pass and how fast words are counted."""
    record, parts, shards = run.record, run.record.seconds.parts, run.shards
    words, vocabulary = record.corpus.words, max(1, record.corpus.vocabulary)
    students: dict[str, float] = {}
    alone = shards.get("alone", 0.0)
    starting = 0.0
    for name, need in needs.items():
        inside = shards.get(STUDENT + name, 0.0)
        students[name] = inside / words if need.text else 0.0
        alone += 0.0 if need.text else inside
        # What follows the pass and is not learning: making the closed form that it starts from.
        follows = record.seconds.students[name] - inside - replays[name] * words
        starting += max(0.0, follows) if need.replays else 0.0
    tables = sum(student.words * student.dimensions * 4 for student in record.students.values())
    return Rates(
        words=words,
        tokens_a_word=record.tokens / words,
        sentences_a_word=record.corpus.sentences / words,
        counting=counting.machine,
        counting_on_driver=counting.on_driver,
        per_word={part: shards.get(part, 0.0) / words for part in ("read", "teacher", "pooling", "keeping", OTHER)},
        students=students,
        replays=dict(replays),
        alone=alone / vocabulary,
        starting=starting,
        loading=parts.get("loading", 0.0) + parts.get("preparing", 0.0),
        process_bytes=max(0, peak_memory() - tables),
    )
