"""The CNN against a plain convolution, and its training against itself."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional

from wordstill.arrays import Array
from wordstill.evaluation.downstream.batches import reading_batches, training_batches
from wordstill.evaluation.downstream.cnn import SentenceCnn, predict_classes, train_cnn
from wordstill.evaluation.downstream.settings import ClassificationSettings
from wordstill.evaluation.downstream.training import seeded

SETTINGS = ClassificationSettings(filters=6, batch=8)


def texts(number: int = 40) -> tuple[Array, list[Array], Array]:
    generator = np.random.default_rng(0)
    vectors = generator.standard_normal((30, 5)).astype(np.float32)
    vectors[0] = 0
    rows = [generator.integers(1, 30, size=int(generator.integers(1, 12))) for _ in range(number)]
    return vectors, rows, np.array([int((row < 10).any()) for row in rows])


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_scores_are_those_of_a_convolution_over_each_text_alone(width: int) -> None:
    vectors, rows, _ = texts()
    settings = ClassificationSettings(filters=6, width=width)
    with seeded(0):
        model = SentenceCnn(torch.from_numpy(vectors), 3, settings, finetune=False).eval()
    found = model(rows)
    kernel = model.filters.view(width, 6, 5).permute(1, 2, 0)
    before = (width - 1) // 2
    for row, scores in zip(rows, found, strict=True):
        text = functional.pad(torch.from_numpy(vectors[row]).T[None], (before, width - 1 - before))
        pooled = torch.relu(functional.conv1d(text, kernel, model.bias)).amax(dim=2)
        torch.testing.assert_close(model.classify(pooled)[0], scores, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("finetune", [False, True])
def test_a_long_training_passes_through_every_shorter_one(finetune: bool) -> None:
    vectors, rows, labels = texts()

    def weights(epochs: int) -> list[Array]:
        trained = train_cnn(vectors, rows, labels, 2, SETTINGS, rate=1e-2, epochs=epochs, seed=3, finetune=finetune)
        return [model.filters.detach().numpy().copy() for model in trained]

    for epochs in (1, 3):
        np.testing.assert_array_equal(weights(epochs)[-1], weights(4)[epochs - 1])


def test_seeds_repeat_and_differ_and_torchs_own_generator_is_left_alone() -> None:
    vectors, rows, labels = texts()
    torch.manual_seed(5)
    expected = torch.rand(3)

    def last(seed: int) -> Array:
        torch.manual_seed(5)
        (*_, model) = train_cnn(vectors, rows, labels, 2, SETTINGS, rate=1e-2, epochs=2, seed=seed)
        torch.testing.assert_close(torch.rand(3), expected)
        return model.filters.detach().numpy()

    np.testing.assert_array_equal(last(0), last(0))
    assert not np.array_equal(last(0), last(1))


def test_vectors_are_frozen_unless_they_are_finetuned() -> None:
    vectors, rows, labels = texts()
    before = vectors.copy()
    for finetune in (False, True):
        (model,) = train_cnn(vectors, rows, labels, 2, SETTINGS, rate=1e-2, epochs=1, seed=0, finetune=finetune)
        after = model.vectors.weight.detach().numpy()
        assert np.array_equal(after, before) != finetune
        assert not after[0].any()
    np.testing.assert_array_equal(vectors, before)


def test_a_text_is_classified_alike_in_any_company() -> None:
    vectors, rows, labels = texts()
    (model,) = train_cnn(vectors, rows, labels, 2, SETTINGS, rate=1e-2, epochs=1, seed=0)
    alone = [int(predict_classes(model, [row])[0]) for row in rows]
    assert predict_classes(model, rows).tolist() == alone
    assert predict_classes(model, [np.zeros(0, dtype=np.int64)]).shape == (1,)


def test_an_epoch_reads_every_text_once_in_batches_of_like_length() -> None:
    lengths = np.random.default_rng(0).integers(1, 60, size=1003)
    batches = list(training_batches(lengths, 50, (0, 1)))
    assert sorted(np.concatenate(batches).tolist()) == list(range(1003))
    padded = sum(len(batch) * lengths[batch].max() for batch in batches)
    assert padded < 1.15 * lengths.sum()
    assert [batch.tolist() for batch in batches] != [batch.tolist() for batch in training_batches(lengths, 50, (0, 2))]
    assert sorted(np.concatenate(list(reading_batches(lengths, 64))).tolist()) == list(range(1003))
