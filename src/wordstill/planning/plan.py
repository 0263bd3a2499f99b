"""The cost of bigger work, from a short measurement on this machine: hours, memory, disk, on one machine or several.

A small run of the same students is timed, part by part. What grows with the words is multiplied by the words; what
grows with the vocabulary, by the vocabulary. Memory is asked of the students themselves (`benchmarking.state`).
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.benchmarking.material import Subject, whole_run
from wordstill.corpus.segmented_text import MOST_BYTES
from wordstill.corpus.vocabulary import Vocabulary, VocabularySettings
from wordstill.distillation.kept_contexts import kept_bytes
from wordstill.distillation.rare_words import WordsAlone
from wordstill.planning.made_text import write_made_text
from wordstill.planning.state_size import state_size
from wordstill.planning.teacher_speed import Speed, speeds
from wordstill.students.registry import Chosen, Layer, choose_students, make_students
from wordstill.students.student import Task
from wordstill.system.machine import this_machine
from wordstill.system.memory import peak_memory
from wordstill.teacher.faster import use_threads
from wordstill.teacher.load import Teacher, load_teacher

MACHINES = (1, 2, 4, 8, 16, 32, 64)
# Bytes a second between machines, for the sums that are added up: a network of 1 Gbit/s.
NETWORK = 125e6
# A word's letters, its count and its place in the table of words.
WORD_BYTES = 200
# A word of kept text, and its share of the distinct words: 7.9 measured.
TEXT_BYTES = 8
# Wikipedia with a minimal count of 5, as measured: 14,042 words in a million, 37,866 in five.
GROWTH, IN_A_MILLION = 0.62, 14_000


@dataclass(frozen=True)
class Job:
    """What is to be planned."""

    teacher: str
    words: int
    students: tuple[str, ...] = ("aggregate",)
    options: Mapping[str, Mapping[str, str]] | None = None
    vocabulary: int | None = None
    layer: Layer = "last"
    dimensions: int | None = None
    threads: int | None = None

    @property
    def vocabulary_size(self) -> int:
        """What was asked for, or what Wikipedia would have."""
        return self.vocabulary or max(1, round(IN_A_MILLION * (self.words / 1e6) ** GROWTH))


@dataclass(frozen=True)
class Rates:
    """Seconds of each part of a run, as measured."""

    words: int
    """Of the text that was measured on."""
    tokens_a_word: float
    sentences_a_word: float
    per_word: Mapping[str, float]
    """Parts that grow with the text; `students` are apart."""
    students: Mapping[str, float]
    """Seconds a word of each student."""
    per_vocabulary_word: float
    loading: float
    process_bytes: int
    """Memory without tables: the libraries, the teacher, a batch on its way."""

    @property
    def efficiency(self) -> float:
        """The teacher's share of the time that grows with the text."""
        return self.per_word["teacher"] / (sum(self.per_word.values()) + sum(self.students.values()))


def plan(
    job: Job,
    corpus: Sequence[Path] = (),
    measure: Sequence[str] = (),
    seconds: float = 20.0,
    say: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Measure for about `seconds`, and tell what the job would take."""
    chosen = choose_students(job.students, job.options or {})
    use_threads(job.threads)
    teacher = load_teacher(job.teacher)
    say(f"measuring {job.teacher}")
    found, reasons = speeds(teacher, measure, seconds / 6, say)
    rates = rates_of(job, corpus, found["float32"].tokens_per_second, seconds / 3, say)
    rows = [
        {
            "machines": machines,
            "hours": {
                name: round(seconds_of(job, chosen, teacher, rates, speed, machines) / 3600, 3)
                for name, speed in found.items()
            },
        }
        for machines in MACHINES
    ]
    return {
        "teacher": {"name": job.teacher, "layers": teacher.layers, "width": teacher.width},
        "words": job.words,
        "vocabulary": job.vocabulary_size,
        "vocabulary_is_estimated": job.vocabulary is None,
        "machine": {"cores": this_machine().cores, "memory_bytes": this_machine().memory},
        "precisions": {name: asdict(speed) for name, speed in found.items()},
        "precisions_that_do_not_work": reasons,
        "measured": {**asdict(rates), "efficiency": round(rates.efficiency, 4)},
        "hours": rows,
        "memory_bytes": memory_of(job, chosen, teacher, rates),
        "disk_bytes": disk_of(job, chosen, teacher, rates),
        "divides": {name: divides(one) for name, one in chosen.items()},
    }


def rates_of(
    job: Job, corpus: Sequence[Path], tokens_per_second: float, seconds: float, say: Callable[[str], None]
) -> Rates:
    """A real run of the same students over a text that takes the teacher about so many seconds."""
    with tempfile.TemporaryDirectory() as name:
        words = int(np.clip(tokens_per_second * seconds / 1.4, 4_000, 500_000))
        paths = tuple(corpus) or (write_made_text(Path(name) / "made.txt", words),)
        subject = Subject(paths, job.teacher, words, threads=job.threads)
        given: dict[str, Any] = {
            "students": job.students,
            "student_options": job.options or {},
            "layer": job.layer,
            "vocabulary": VocabularySettings(min_count=1),
        }
        whole_run(subject, **{**given, "words": 500})  # the compiled loops are compiled now
        say(f"a run over {words:,} words, and one over a quarter of them")
        short = whole_run(subject, **{**given, "words": words // 4})
        run = whole_run(subject, **given)
    record, parts = run.record, run.record["seconds"]
    read = record["corpus"]["words"]
    more = read - short.record["corpus"]["words"]
    students, starting = {}, 0.0
    for name, spent in parts["students"].items():
        # Some students have work that does not grow with the text: a closed form to start from.
        grown = (spent - short.record["seconds"]["students"][name]) / more if more > 0 else spent / read
        students[name] = min(max(grown, 0.0), spent / read)
        starting += spent - students[name] * read
    state = sum(each["words"] * each["dimensions"] * 4 for each in record["students"].values())
    return Rates(
        words=read,
        tokens_a_word=record["tokens"] / read,
        sentences_a_word=record["corpus"]["sentences"] / read,
        per_word={
            "counting": parts["vocabulary"] / read,
            **{part: parts[part] / read for part in ("read", "teacher", "pooling", "keeping")},
        },
        students=students,
        per_vocabulary_word=(parts["alone"] + parts["unseen"] + parts["subwords"] + starting)
        / max(1, record["corpus"]["vocabulary"]),
        loading=run.preparing,
        process_bytes=max(0, peak_memory() - state),
    )


def divides(chosen: Chosen) -> bool:
    """Whether parts of a corpus can be learned apart and added up: the state is sums."""
    return hasattr(chosen.method.student, "merge")


def seconds_of(
    job: Job, chosen: Mapping[str, Chosen], teacher: Teacher, rates: Rates, speed: Speed, machines: int
) -> float:
    """The whole, with the text shared out evenly over machines like this one."""
    shared = sum(rates.per_word.values()) - rates.per_word["teacher"] * (1 - 1 / speed.gain)
    single = 0.0
    for name, spent in rates.students.items():
        if divides(chosen[name.partition("/")[0]]):
            shared += spent
        else:
            single += spent
    fixed = rates.loading + speed.preparing + job.vocabulary_size * rates.per_vocabulary_word
    sums = sum(size for name, size in states_of(job, chosen, teacher).items() if divides(chosen[name]))
    adding = math.ceil(math.log2(machines)) * sums / NETWORK
    return job.words * (shared / machines + single) + fixed + adding


def states_of(job: Job, chosen: Mapping[str, Chosen], teacher: Teacher) -> dict[str, int]:
    """The bytes of each student's state, all its layers together."""
    return {
        name: state_size(one).bytes(job.vocabulary_size, teacher.width)
        * (teacher.layers + 1 if job.layer == "all" and one.method.each_layer else 1)
        for name, one in chosen.items()
    }


def memory_of(job: Job, chosen: Mapping[str, Chosen], teacher: Teacher, rates: Rates) -> dict[str, int]:
    """The bytes of every large thing in a run."""
    size = job.vocabulary_size
    alone = WordsAlone(small_task(teacher), teacher.layers) if reads_text(chosen) else None
    parts = {
        **states_of(job, chosen, teacher),
        "words alone": 4 * size * alone.columns if alone else 0,
        "making vectors": 8 * size * teacher.width,
        "words and counts": WORD_BYTES * size,
        "process": rates.process_bytes,
    }
    return {**parts, "total": sum(parts.values())}


def disk_of(job: Job, chosen: Mapping[str, Chosen], teacher: Teacher, rates: Rates) -> dict[str, int]:
    """What is kept for further epochs and of the text, and the vectors in the end."""
    students = make_students(chosen, small_task(teacher), job.layer, teacher.layers)
    sentences = math.ceil(job.words * rates.sentences_a_word)
    width = min(job.dimensions or teacher.width, teacher.width)
    return {
        **kept_bytes(students, sentences, job.words, teacher.width),
        "text": round(min(MOST_BYTES, TEXT_BYTES * job.words)) if reads_text(chosen) else 0,
        "vectors": 4 * width * job.vocabulary_size * len(students),
    }


def reads_text(chosen: Mapping[str, Chosen]) -> bool:
    """Whether any student learns from text; then rare words are encoded alone besides."""
    return any(one.method.student.reads == "corpus" for one in chosen.values())


def small_task(teacher: Teacher) -> Task:
    """One word: enough to ask a student what it needs."""
    return Task(Vocabulary(["the"], np.ones(1, dtype=np.int64)), teacher.width, teacher.layers, 1)
