"""sent2vec against plain Python."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made import SENTENCES, made_batch, made_brief, made_sentences

from reference.word2vec import Sent2Vec as Literal
from wordstill.kernels.predicting import Sampling
from wordstill.kernels.sampling import generator
from wordstill.options import read_settings
from wordstill.students.sent2vec import Sent2Vec, Sent2VecSettings

SMALL = Sent2VecSettings(
    dimensions=6, buckets=40, epochs=4, subsample=0.05, learning_rate=0.7, negatives=4, dropout=1, ngrams=3
)


def begun(settings: Sent2VecSettings) -> Sent2Vec:
    """A student that is about to learn; the first stretch of its loss curve is longer than the text."""
    student = Sent2Vec(replace(made_brief(), total_words=10_000), settings)
    student.observe(made_batch(made_sentences()))
    student.begin(None)
    random = np.random.default_rng(5)
    student.table = random.normal(size=student.table.shape).astype(np.float32)
    student.outputs = random.normal(size=student.outputs.shape).astype(np.float32)
    return student


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(SMALL, id="n-grams"),
        pytest.param(replace(SMALL, dropout=0, subsample=0.0), id="without dropout"),
        pytest.param(replace(SMALL, dropout=1000), id="all n-grams dropped"),
        pytest.param(replace(SMALL, ngrams=1), id="words alone"),
        pytest.param(replace(SMALL, ngrams=5, buckets=3, schedule="constant"), id="few buckets"),
    ],
)
def test_learning_is_that_of_plain_python(settings: Sent2VecSettings) -> None:
    student = begun(settings)
    sampling = Sampling(student.keep, student.sampler.share, student.sampler.alias, settings.negatives)
    literal = Literal(student.table, student.outputs, {}, sampling, 0)
    batch = made_batch(made_sentences())
    for epoch in range(3):
        literal.random.state = int(generator(3, 2, epoch + 1).integers(2**63, size=1, dtype=np.uint64)[0])
        seen = epoch * len(batch.words)
        for sentence in SENTENCES:
            rate = 0.7 * (1.0 - seen / 40_000) if settings.schedule == "linear" else 0.7
            literal.sent2vec(sentence, settings.ngrams, settings.buckets, settings.dropout, rate)
            seen += len(sentence)
        student.replay(batch)
    np.testing.assert_allclose(student.table, literal.table, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(student.outputs, literal.outputs, rtol=1e-3, atol=1e-4)
    assert student.curve.sum == pytest.approx(literal.loss, rel=1e-4)
    assert student.curve.targets == literal.predictions > 20


def test_a_target_is_not_in_its_own_context() -> None:
    """Whatever the vectors are of the target and of the n-grams that hold it, the sentence predicts the same."""
    losses = []
    for scale in (1.0, 50.0):
        settings = replace(SMALL, subsample=0.0, dropout=0, ngrams=2, buckets=1000)
        student = begun(settings)
        student.keep = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # the second word alone is a target
        student.table[1] *= scale
        student.table[7:] *= scale  # both n-grams of two words hold it
        student.replay(made_batch(made_sentences([(0, 1, 3)])))
        losses.append(student.curve.sum)
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)


def test_a_student_goes_on_from_its_state() -> None:
    batch = made_batch(made_sentences())
    whole, broken = begun(SMALL), begun(SMALL)
    whole.replay(batch)
    broken.replay(batch)
    resumed = Sent2Vec(broken.brief, SMALL)
    resumed.load_state_dict({name: array.copy() for name, array in broken.state_dict().items()})
    for student in (whole, resumed):
        student.replay(batch)
    for name, array in whole.state_dict().items():
        np.testing.assert_array_equal(resumed.state_dict()[name], array)


def test_the_papers_settings() -> None:
    settings: Any = read_settings(Sent2VecSettings, "sent2vec", {"preset": "paper"})
    assert (settings.dimensions, settings.epochs, settings.negatives, settings.ngrams) == (768, 10, 10, 3)
    assert (settings.subsample, settings.learning_rate, settings.negative_power) == (5e-6, 0.2, 0.5)
