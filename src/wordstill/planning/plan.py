"""Estimate the cost of a large run: hours, memory and disk, on one machine or several.

A small run of the same students is timed, part by part. What grows with the words is multiplied by the words; what
grows with the vocabulary, by the vocabulary. The students themselves tell how large their states get (`state_size`).
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.corpus.segmented_text import MOST_BYTES
from wordstill.corpus.vocabulary import Vocabulary, VocabularySettings
from wordstill.distillation.distill import distill
from wordstill.distillation.kept_contexts import kept_bytes
from wordstill.distillation.preparing import load
from wordstill.distillation.rare_words import AloneFeatures
from wordstill.distillation.run_record import RunRecord
from wordstill.errors import InputError
from wordstill.planning.made_text import write_made_text
from wordstill.planning.settings import PlannedRun
from wordstill.planning.state_size import state_size
from wordstill.planning.teacher_speed import Speed, measure_speeds
from wordstill.students.registry import Chosen, choose_students, make_students
from wordstill.students.student import Brief, Student
from wordstill.system.machine import this_machine
from wordstill.system.memory import peak_memory
from wordstill.system.progress import log
from wordstill.teacher.load import Teacher

MACHINES = (1, 2, 4, 8, 16, 32, 64)
# Bytes per second between machines, for the sums that are added up: a network of 1 Gbit/s.
NETWORK = 125e6
# A word's letters, its count and its place in the table of words.
WORD_BYTES = 200
# A word of kept text, and its share of the distinct words: 7.9 measured.
TEXT_BYTES = 8
# The tokens of a word, roughly, and the words of a text that is worth measuring on.
TOKENS_PER_WORD = 1.4
FEWEST_WORDS, MOST_WORDS = 4_000, 500_000


@dataclass(frozen=True)
class Rates:
    """The seconds of each part of a run, as measured."""

    words: int
    """Words of the text that was measured on."""
    tokens_a_word: float
    sentences_a_word: float
    per_word: Mapping[str, float]
    """Seconds per word of the parts that grow with the text, without the students."""
    students: Mapping[str, float]
    """Seconds per word of each student."""
    per_vocabulary_word: float
    """Seconds per word of the vocabulary."""
    loading: float
    """Seconds until the teacher is ready."""
    process_bytes: int
    """Memory without tables: the libraries, the teacher, a batch on its way."""

    @property
    def efficiency(self) -> float:
        """The teacher's share of the time that grows with the text."""
        return self.per_word["teacher"] / (sum(self.per_word.values()) + sum(self.students.values()))


@dataclass(frozen=True)
class Estimate:
    """What a planned run would take, from the rates that were measured."""

    planned: PlannedRun
    chosen: Mapping[str, Chosen]
    teacher: Teacher
    rates: Rates

    def seconds(self, speed: Speed, machines: int) -> float:
        """Estimate the whole run, with the text shared out evenly over machines like this one."""
        rates = self.rates
        shared = sum(rates.per_word.values()) - rates.per_word["teacher"] * (1 - 1 / speed.gain)
        single = 0.0
        for name, spent in rates.students.items():
            if divides(self.chosen[student_name(name)]):
                shared += spent
            else:
                single += spent
        fixed = rates.loading + speed.preparing + self.planned.expected_vocabulary * rates.per_vocabulary_word
        sums = sum(size for name, size in self.states().items() if divides(self.chosen[name]))
        adding = math.ceil(math.log2(machines)) * sums / NETWORK
        return self.planned.total_words * (shared / machines + single) + fixed + adding

    def states(self) -> dict[str, int]:
        """Return the bytes of each student's state, all its layers together."""
        sizes = dict.fromkeys(self.chosen, 0)
        for name in map(student_name, self.students):
            size = state_size(self.chosen[name])
            sizes[name] += size.bytes(self.planned.expected_vocabulary, self.teacher.width)
        return sizes

    def memory(self) -> dict[str, int]:
        """Return the bytes of every large thing in memory, and their sum."""
        size = self.planned.expected_vocabulary
        columns = AloneFeatures(self.brief, self.teacher.layers).columns if self.reads_text else 0
        parts = {
            **self.states(),
            "words alone": 4 * size * columns,
            "making vectors": 8 * size * self.teacher.width,
            "words and counts": WORD_BYTES * size,
            "process": self.rates.process_bytes,
        }
        return {**parts, "total": sum(parts.values())}

    def disk(self) -> dict[str, int]:
        """Return the bytes of what is kept for further epochs, of the kept text, and of the vectors in the end."""
        planned, width = self.planned, self.teacher.width
        sentences = math.ceil(planned.total_words * self.rates.sentences_a_word)
        needs = {name: student.needs for name, student in self.students.items()}
        columns = min(planned.run.dimensions or width, width)
        return {
            **kept_bytes(needs, sentences, planned.total_words, width),
            "text": round(min(MOST_BYTES, TEXT_BYTES * planned.total_words)) if self.reads_text else 0,
            "vectors": 4 * columns * planned.expected_vocabulary * len(self.students),
        }

    @cached_property
    def brief(self) -> Brief:
        """A vocabulary of one word: enough to ask the students what they need."""
        return Brief(Vocabulary(["the"], np.ones(1, dtype=np.int64)), self.teacher.width, self.teacher.layers, 1)

    @cached_property
    def students(self) -> dict[str, Student]:
        """The students of the run, one per layer where it has all layers."""
        return make_students(self.chosen, self.brief, self.planned.run.layer, self.teacher.layers)

    @property
    def reads_text(self) -> bool:
        """Whether any student learns from text; then rare words are encoded alone besides."""
        return any(student.needs.text for student in self.students.values())


def plan(planned: PlannedRun) -> dict[str, Any]:
    """Measure for about `planned.seconds`, and return what the run would take, as JSON holds it."""
    run = planned.run
    chosen = choose_students(run.students, run.student_options, run.epochs)
    teacher = load(run, chosen)
    if teacher is None:
        raise InputError("a plan needs a teacher and a student that learns from it")
    log.info("measuring %s", run.teacher)
    speeds, reasons = measure_speeds(teacher, ("bfloat16", "int8") if planned.measure else (), planned.seconds / 6)
    rates = measure_rates(planned, speeds["float32"].tokens_per_second)
    estimate = Estimate(planned, chosen, teacher, rates)
    rows = [
        {
            "machines": machines,
            "hours": {name: round(estimate.seconds(speed, machines) / 3600, 3) for name, speed in speeds.items()},
        }
        for machines in MACHINES
    ]
    return {
        "teacher": {"name": run.teacher, "layers": teacher.layers, "width": teacher.width},
        "words": planned.total_words,
        "vocabulary": planned.expected_vocabulary,
        "vocabulary_is_estimated": planned.vocabulary_size is None,
        "machine": {"cores": this_machine().cores, "memory_bytes": this_machine().memory},
        "precisions": {name: asdict(speed) for name, speed in speeds.items()},
        "precisions_that_do_not_work": reasons,
        "measured": {**asdict(rates), "efficiency": round(rates.efficiency, 4)},
        "hours": rows,
        "memory_bytes": estimate.memory(),
        "disk_bytes": estimate.disk(),
        "divides": {name: divides(one) for name, one in chosen.items()},
    }


def student_name(name: str) -> str:
    """Return the name of a student without its layer: aggregate for aggregate/layer-06."""
    return name.partition("/")[0]


def divides(chosen: Chosen) -> bool:
    """Tell whether parts of a corpus can be learned apart and added up: the student's state is sums."""
    return hasattr(chosen.entry.student, "merge")


def measure_rates(planned: PlannedRun, tokens_per_second: float) -> Rates:
    """Run the same students over a text that takes the teacher about a third of `planned.seconds`."""
    words = int(np.clip(tokens_per_second * planned.seconds / 3 / TOKENS_PER_WORD, FEWEST_WORDS, MOST_WORDS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = list(planned.corpus) or [str(write_made_text(folder / "made.txt", words))]

        def measured(size: int) -> RunRecord:
            # The vectors are not reduced: their sizes tell what the tables took.
            settings = replace(
                planned.run,
                words=size,
                precision="float32",
                dimensions=None,
                vocabulary=VocabularySettings(min_count=1),
            )
            return distill(paths, out=folder / f"run-{size}", settings=settings).record

        measured(500)  # the compiled loops are compiled now
        log.info("a run over %s words, and one over a quarter of them", f"{words:,}")
        return rates_of(measured(words // 4), measured(words))


def rates_of(short: RunRecord, long: RunRecord) -> Rates:
    """Work out the rates of two runs of the same students over a shorter and a longer text."""
    read, parts = long.corpus.words, long.seconds.parts
    more = read - short.corpus.words
    students, starting = {}, 0.0
    for name, spent in long.seconds.students.items():
        # Some students have work that does not grow with the text: a closed form to start from.
        grown = (spent - short.seconds.students[name]) / more if more > 0 else spent / read
        students[name] = min(max(grown, 0.0), spent / read)
        starting += spent - students[name] * read
    growing = {part: parts.get(part, 0.0) for part in ("read", "teacher", "pooling", "keeping")}
    by_vocabulary = sum(parts.get(part, 0.0) for part in ("alone", "unseen", "subwords")) + starting
    tables = sum(student.words * student.dimensions * 4 for student in long.students.values())
    return Rates(
        words=read,
        tokens_a_word=long.tokens / read,
        sentences_a_word=long.corpus.sentences / read,
        per_word={part: spent / read for part, spent in {"counting": long.corpus.seconds, **growing}.items()},
        students=students,
        per_vocabulary_word=by_vocabulary / max(1, long.corpus.vocabulary),
        loading=parts.get("loading", 0.0) + parts.get("preparing", 0.0),
        process_bytes=max(0, peak_memory() - tables),
    )
