"""Batches of texts of like length: little padding, and still another order in every epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from wordstill.arrays import Array

# Texts are sorted by length within so many batches: enough to save most padding, few enough to stay mixed.
BATCHES_SORTED = 20


def training_batches(lengths: Array, size: int, seed: tuple[int, ...]) -> Iterator[Array]:
    """Yield the places of the texts of each batch, in the order of one epoch."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(lengths))
    batches = []
    for start in range(0, len(order), size * BATCHES_SORTED):
        chunk = order[start : start + size * BATCHES_SORTED]
        chunk = chunk[np.argsort(lengths[chunk], kind="stable")]
        batches += [chunk[first : first + size] for first in range(0, len(chunk), size)]
    for number in generator.permutation(len(batches)):
        yield batches[number]


def reading_batches(lengths: Array, size: int) -> Iterator[Array]:
    """Yield the places of all texts, shortest first."""
    order = np.argsort(lengths, kind="stable")
    for start in range(0, len(order), size):
        yield order[start : start + size]


def padded(rows: Sequence[Array], before: int = 0, after: int = 0) -> torch.Tensor:
    """Lay rows of numbers under each other, filled up with zeros, with so many zeros before and after."""
    lengths = np.array([len(row) for row in rows])
    grid = np.zeros((len(rows), before + int(lengths.max(initial=1)) + after), dtype=np.int64)
    columns = np.arange(grid.shape[1])
    grid[(columns >= before) & (columns < before + lengths[:, None])] = np.concatenate(rows)
    return torch.from_numpy(grid)


def lengths_of(rows: Sequence[Array]) -> Array:
    """Return the length of each row."""
    return np.array([len(row) for row in rows], dtype=np.int64)
