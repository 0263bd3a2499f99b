"""Find out how many bytes the state of a student takes, by asking small students.

The arrays of every student grow with the words V and the teacher's width w as

    bytes = c0 + c1 V + c2 w + c3 V w + c4 w w

so small students, filled and replayed as in a run, tell the five numbers exactly.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.order import Learner
from wordstill.students.registry import Chosen
from wordstill.students.student import Brief, Contexts, Student
from wordstill.teacher.batch import Batch

SMALL_WORDS, SMALL_WIDTH = 64, 32


class Size(NamedTuple):
    """The five numbers at each stage: in the teacher's pass, and in the replays after it."""

    stages: tuple[tuple[float, ...], ...]

    def bytes(self, words: int, width: int) -> int:
        """Return the size of the largest state that a run sees: that of the whole run, in the pass or the replays."""
        return max(_bytes(stage, words, width) for stage in self.stages)

    def of_shard(self, words: int, width: int) -> int:
        """Return the size of a state in the teacher's pass, over the words of a shard."""
        return _bytes(self.stages[0], words, width)


@cache
def state_size(chosen: Chosen) -> Size:
    """Find out how the state of a student with these settings grows."""
    # A projection cannot have more dimensions than the teacher.
    width = max(SMALL_WIDTH, getattr(chosen.settings, "dimensions", 0))
    points = [(words, width + more) for words in (SMALL_WORDS, 2 * SMALL_WORDS) for more in (0, 16, 48)]
    terms = np.array([_terms(*point) for point in points])
    sizes = np.array([states(chosen, *point) for point in points], dtype=np.float64)
    solved: Array = np.linalg.lstsq(terms, sizes, rcond=None)[0]
    return Size(tuple(tuple(round(float(number), 6) for number in stage) for stage in solved.T))


def states(chosen: Chosen, words: int, width: int) -> list[int]:
    """Return the bytes of a real state after a batch of all words, and after all its replays if there are any."""
    student = chosen.make(Brief(made_vocabulary(words), width, 1, 10**9))
    batch = made_batch(student, words, width)
    kept = student.observe(batch)
    sizes = [bytes_of(student)]
    if student.needs.replays:
        for _ in range(student.needs.replays):
            student.replay(kept if isinstance(kept, Contexts) else batch)
        sizes.append(bytes_of(student))
    return sizes


def made_vocabulary(words: int) -> Vocabulary:
    """Make a vocabulary of words that were all seen equally often."""
    return Vocabulary([f"w{number}" for number in range(words)], np.full(words, 10))


def made_batch(student: Learner, words: int, width: int, seed: int = 0) -> Batch:
    """Make a batch for a student: every word once, in sentences of eight."""
    vectors = np.random.default_rng(seed).standard_normal((words, width), dtype=np.float32)
    places = np.arange(words, dtype=np.int32)
    layers = dict.fromkeys(student.needs.layers, vectors)
    sentences = places // 8
    pieces = dict.fromkeys(layers, vectors[::8])
    return Batch(places, sentences, places % 8, layers, pieces, pooled=pieces)


def bytes_of(student: Student) -> int:
    """Add up the bytes of all arrays of a state."""
    return sum(array.nbytes for array in student.state_dict().values())


def _bytes(stage: tuple[float, ...], words: int, width: int) -> int:
    return round(sum(number * term for number, term in zip(stage, _terms(words, width), strict=True)))


def _terms(words: int, width: int) -> tuple[float, ...]:
    return (1.0, float(words), float(width), float(words) * width, float(width) * width)
