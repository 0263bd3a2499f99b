"""Training with seeds, and the search over learning rates and numbers of epochs on the validation part.

One training per learning rate serves every number of epochs: the rate stays the same and each epoch draws from a seed
of its own, so that the model after 8 of 16 epochs is, bit for bit, the model of a training of 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import torch

from wordstill.arrays import Array
from wordstill.evaluation.downstream.kept import Keeper

Predict: TypeAlias = Callable[[int], Array]
"""Predicts the classes of a part: 0 train, 1 validation, 2 test."""
Train: TypeAlias = Callable[[Sequence[int], float, int], Iterator[Predict]]
"""Trains on some of the parts with a rate for a number of epochs; yields what predicts after each of them."""


class Chosen(NamedTuple):
    """The setting that was best on the validation part."""

    score: float
    rate: float
    epochs: int


@contextmanager
def seeded(*seed: int) -> Iterator[None]:
    """Draw from this seed inside; torch's own generator is put back afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]))
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one thread: the same bits on every machine of a kind, and quicker for models so small."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def search(train: Train, rates: Sequence[float], epochs: tuple[int, int], gold: Array, kept: Keeper) -> Chosen:
    """Choose the rate and the number of epochs of the best accuracy on the validation part; of equals, the first."""
    found: list[Chosen] = []
    for rate in rates:
        scores = kept(f"rate {rate}", partial(_accuracies, train, rate, epochs, gold))
        found += [Chosen(one, rate, epochs[0] + place) for place, one in enumerate(scores)]
    return max(found, key=lambda one: one.score)


def _accuracies(train: Train, rate: float, epochs: tuple[int, int], gold: Array) -> list[float]:
    first, last = epochs
    predictors = enumerate(train([0], rate, last), 1)
    return [float((predict(1) == gold).mean()) for epoch, predict in predictors if epoch >= first]


def trained_on_both(train: Train, chosen: Chosen) -> Array:
    """Train on the training and the validation part with the chosen setting; return the classes of the test part."""
    predict = None
    for predict in train([0, 1], chosen.rate, chosen.epochs):  # noqa: B007
        pass
    assert predict is not None
    return predict(2)
