"""The bytes of a student's state, asked of the student itself.

The arrays of every student grow with the words V and the teacher's width w as

    bytes = c0 + c1 V + c2 w + c3 V w + c4 w w

so small ones, filled and replayed as in a run, tell the five numbers exactly.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.students.registry import Chosen
from wordstill.students.student import TABLE, Contexts, Student, Task
from wordstill.teacher.batch import Batch

SMALL_WORDS, SMALL_WIDTH = 64, 32


class Size(NamedTuple):
    """The five numbers at each stage: in the teacher's pass, and in replays after it."""

    stages: tuple[tuple[float, ...], ...]

    def bytes(self, words: int, width: int) -> int:
        """The largest state that a run sees."""
        terms = _terms(words, width)
        return max(round(sum(c * term for c, term in zip(stage, terms, strict=True))) for stage in self.stages)


@cache
def state_size(chosen: Chosen) -> Size:
    """How the state of a student with these settings grows."""
    # A projection cannot have more dimensions than the teacher.
    width = max(SMALL_WIDTH, getattr(chosen.settings, "dimensions", 0))
    points = [(words, width + more) for words in (SMALL_WORDS, 2 * SMALL_WORDS) for more in (0, 16, 48)]
    terms = np.array([_terms(*point) for point in points])
    sizes = np.array([states(chosen, *point) for point in points], dtype=np.float64)
    solved: Array = np.linalg.lstsq(terms, sizes, rcond=None)[0]
    return Size(tuple(tuple(round(float(number), 6) for number in stage) for stage in solved.T))


def states(chosen: Chosen, words: int, width: int) -> list[int]:
    """The bytes of a real state after a batch of all words, and after a replay of it if there are replays."""
    vocabulary = Vocabulary([f"w{number}" for number in range(words)], np.full(words, 10))
    student = chosen.method.student(Task(vocabulary, width, 1, 10**9), chosen.settings)
    batch = a_batch(student, words, width)
    kept = student.observe(batch)
    sizes = [bytes_of(student)]
    if student.replays:
        student.replay(kept if isinstance(kept, Contexts) else batch)
        sizes.append(bytes_of(student))
    return sizes


def a_batch(student: Student, words: int, width: int, seed: int = 0) -> Batch:
    """Every word once, in sentences of eight."""
    vectors = np.random.default_rng(seed).standard_normal((words, width), dtype=np.float32)
    places = np.arange(words, dtype=np.int32)
    layers = dict.fromkeys(student.layers or (TABLE,), vectors)
    sentences = places // 8
    pieces = dict.fromkeys(layers, vectors[::8])
    return Batch(places, sentences, places % 8, layers, pieces)


def bytes_of(student: Student) -> int:
    """The bytes of all arrays of a state."""
    return sum(array.nbytes for array in student.state_dict().values())


def _terms(words: int, width: int) -> tuple[float, ...]:
    return (1.0, float(words), float(width), float(words) * width, float(width) * width)
