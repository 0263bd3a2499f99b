from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from made import made_batch, made_brief, made_sentences

from wordstill.students.aggregate import Aggregate, AggregateSettings

Over = Literal["mean", "min", "max"]


def learned(*seeds: int, over: Over = "mean") -> Aggregate:
    student = Aggregate(made_brief(), AggregateSettings(over))
    for seed in seeds:
        student.observe(made_batch(made_sentences(seed=seed)))
    return student


@pytest.mark.parametrize("over", ["mean", "min", "max"])
def test_it_is_the_mean_the_least_or_the_greatest_over_all_occurrences(over: Over) -> None:
    vectors = learned(0, 1, over=over).vectors()
    sentences = made_sentences(seed=0) + made_sentences(seed=1)
    for number, word in enumerate(vectors.words):
        held = [v for matrix, words in sentences for v, w in zip(matrix, words, strict=True) if w == number]
        expected = {"mean": np.mean, "min": np.min, "max": np.max}[over](np.array(held, dtype=np.float64), axis=0)
        np.testing.assert_allclose(vectors[word], expected, rtol=1e-5)


@pytest.mark.parametrize("over", ["mean", "min", "max"])
def test_two_halves_merged_equal_the_whole(over: Over) -> None:
    whole, left, right = learned(0, 1, over=over), learned(0, over=over), learned(1, over=over)
    left.merge(right, np.arange(7))
    np.testing.assert_allclose(left.vectors().matrix, whole.vectors().matrix, rtol=1e-6)
    assert left.seen.tolist() == whole.seen.tolist()


def test_a_batch_without_any_word_of_the_vocabulary_changes_nothing() -> None:
    student = learned(0)
    before = student.vectors().matrix.copy()
    student.observe(made_batch(made_sentences([(-1, -1)], seed=9)))
    assert student.vectors().matrix.tobytes() == before.tobytes()
