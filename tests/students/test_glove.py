"""glove against plain Python, and against the closed minimum of its loss."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made import SENTENCES, made_batch, made_brief, made_sentences

from reference import glove as reference
from wordstill.kernels.cooccurrence import Parameters, fit_pairs
from wordstill.students.glove import Glove, GloveSettings

SMALL = GloveSettings(dimensions=4, window=3, epochs=3, x_max=2.0)
TEXT = SENTENCES * 3


def text_blocks() -> list[Any]:
    return [made_batch(made_sentences(SENTENCES, seed=seed)) for seed in range(3)]


def observed(settings: GloveSettings) -> Glove:
    """A student of the text above; the first stretch of its loss curve is longer than the text."""
    student = Glove(replace(made_brief(), total_words=10_000), settings)
    for block in text_blocks():
        student.observe(block)
    return student


def dense(student: Glove) -> Any:
    counts = np.zeros((7, 7))
    assert (student.first <= student.second).all()
    counts[student.first, student.second] = student.counts
    counts[student.second, student.first] = student.counts
    return counts


@pytest.mark.parametrize("window", [1, 3, 10])
def test_pairs_are_those_of_the_text(window: int) -> None:
    student = observed(replace(SMALL, window=window))
    assert student.needs.replays == 1 + SMALL.epochs
    for block in text_blocks():
        student.replay(block)
    np.testing.assert_allclose(dense(student), reference.cooccurrences(TEXT, 7, window), rtol=1e-6)


def test_parts_that_fit_into_memory_are_together_the_whole() -> None:
    student = observed(replace(SMALL, pairs=9))
    assert student.parts == 3
    assert student.needs.replays == 2 * 3 * SMALL.epochs
    total, steps = np.zeros((7, 7)), 0
    for _ in range(3):
        for block in text_blocks():
            student.replay(block)
        part = dense(student)
        assert not (total * part).any()
        total, steps = total + part, steps + np.count_nonzero(part)
        for block in text_blocks():
            student.replay(block)
        assert student.curve.targets == steps
    np.testing.assert_allclose(total, reference.cooccurrences(TEXT, 7, 3), rtol=1e-6)


def test_a_table_grows_without_a_loss() -> None:
    random = np.random.default_rng(0)
    sentences = [random.integers(0, 7000, 300).tolist() for _ in range(30)]
    brief = made_brief()
    vocabulary = type(brief.vocabulary)([f"w{n}" for n in range(7000)], np.full(7000, 2))
    student = Glove(replace(brief, vocabulary=vocabulary), replace(SMALL, window=5))
    block = made_batch(made_sentences(sentences, width=1))
    student.observe(block)
    student.replay(block)
    expected = reference.cooccurrences(sentences, 7000, 5)
    assert len(student.first) == np.count_nonzero(np.triu(expected)) > 30_000
    np.testing.assert_allclose(student.counts, expected[student.first, student.second], rtol=1e-6)


def test_learning_is_that_of_plain_python() -> None:
    student = observed(SMALL)
    for block in text_blocks():
        student.replay(block)
    literal = reference.Glove(student.table, student.contexts, student.biases)
    pairs = list(zip(student.first.tolist(), student.second.tolist(), student.counts.tolist(), strict=True))
    for _ in range(2):
        for i, j, x in pairs:
            for one, other in ((i, j),) if i == j else ((i, j), (j, i)):
                literal.step(one, other, x, SMALL.x_max, SMALL.power, SMALL.learning_rate)
        for block in text_blocks():
            student.replay(block)
    ours = (student.table, student.contexts, student.biases[0], student.biases[1])
    for mine, theirs in zip(ours, literal.values, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-6)
    assert student.curve.sum == pytest.approx(literal.loss, rel=1e-5)
    assert student.curve.targets == 2 * np.count_nonzero(dense(student))
    np.testing.assert_array_equal(student.vectors().matrix, student.table + student.contexts)


def test_the_loss_falls_to_its_closed_minimum() -> None:
    random = np.random.default_rng(4)
    counts = np.exp(random.uniform(5.0, 9.0, (6, 6)))
    counts = (counts + counts.T) / 2  # all of full weight
    first, second = (rows.astype(np.int32) for rows in np.triu_indices(6))
    words, contexts = (random.normal(size=(6, 2)).astype(np.float32) for _ in range(2))
    biases = np.zeros((2, 6), dtype=np.float32)
    squares = [np.ones_like(one) for one in (words, contexts, biases)]
    parameters = Parameters(words, contexts, biases, *squares)
    for rate in (0.05, 0.01, 0.002):
        for _ in range(4000):
            fit_pairs(parameters, first, second, counts[first, second].astype(np.float32), 100.0, 0.75, rate)
    least = reference.least_loss(counts, 2)
    assert least > 0.1
    assert reference.loss(words, contexts, biases, counts, 100.0, 0.75) == pytest.approx(least, rel=0.02)


@pytest.mark.parametrize("after", [1, 2, 4, 5])
@pytest.mark.parametrize("pairs", [9, 1000])
def test_a_student_goes_on_from_its_state(after: int, pairs: int) -> None:
    settings = replace(SMALL, pairs=pairs)
    whole, broken = observed(settings), observed(settings)
    blocks = [block for _ in range(whole.needs.replays) for block in text_blocks()]
    for block in blocks[:after]:
        broken.replay(block)
    resumed = Glove(broken.brief, settings)
    resumed.load_state_dict({name: array.copy() for name, array in broken.state_dict().items()})
    for block in blocks[after:]:
        resumed.replay(block)
    for block in blocks:
        whole.replay(block)
    for name, array in whole.state_dict().items():
        np.testing.assert_array_equal(resumed.state_dict()[name], array)
