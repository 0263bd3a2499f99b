"""Measure what the end of a run takes: the vectors made, rare words mixed, spellings learned, all of it written.

It does not grow with the text but with the vocabulary, and a part of it not even with that. Two sizes tell both.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.order import Order
from wordstill.distillation.rare_words import AloneFeatures, Completion
from wordstill.planning.made_text import made_word
from wordstill.planning.state_size import made_batch
from wordstill.vectors.subwords import fit_subwords

FEWEST_WORDS, MOST_WORDS, TIMES = 2_000, 12_000, 4


@dataclass(frozen=True)
class Finishing:
    """Seconds of a run's end."""

    fixed: float
    per_vocabulary_word: float

    def seconds(self, vocabulary: int) -> float:
        """Return what it takes for so many words."""
        return self.fixed + self.per_vocabulary_word * vocabulary


def measure_finishing(order: Order, seconds: float, folder: Path) -> Finishing:
    """Finish made-up runs over a smaller and a larger vocabulary, in about so many seconds."""
    large = int(np.clip(600 * seconds, FEWEST_WORDS, MOST_WORDS))
    small = large // TIMES
    finish(order, small, folder / "first")  # the compiled loops are compiled now
    spent = [finish(order, size, folder / str(size)) for size in (small, large)]
    slope = max(0.0, (spent[1] - spent[0]) / (large - small))
    return Finishing(max(0.0, spent[1] - slope * large), slope)


def finish(order: Order, words: int, folder: Path) -> float:
    """Return the seconds that the vectors of all students take, from what they gathered to the files."""
    vocabulary = Vocabulary([made_word(number) for number in range(words)], np.full(words, 10))
    brief, settings = order.brief(vocabulary), order.settings
    students = order.students(brief)
    for student in students.values():
        student.observe(made_batch(student, words, order.width))
    completion = None
    if order.features:
        features = AloneFeatures(brief, order.learned_layer)
        features.observe(made_batch(features, words, order.width, seed=1))
        completion = Completion(vocabulary, features, settings.rare)
    began = time.perf_counter()
    for name, student in students.items():
        vectors = student.vectors()
        if completion is not None and student.needs.text and student.needs.teacher:
            vectors, _ = completion.complete(vectors)
        if settings.subwords:
            vectors.subwords = fit_subwords(vectors)
        vectors.save(folder / name, format="folder")
    return time.perf_counter() - began
