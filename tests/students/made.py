"""Batches made of random vectors, with the awkward cases in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.students.student import Brief
from wordstill.teacher.batch import Batch

# Repeated words, words outside the vocabulary, sentences of one and two words, one without any target.
SENTENCES = ((0, 3, 1, 0), (2,), (-1, 4), (1, -1, 2, 5, 0, 3, 3), (-1, -1), (6, 0), (5, 4, 3, 2, 1))


def made_brief(words: int = 7, width: int = 5, layer: int = 2) -> Brief:
    counts = np.array([900, 400, 200, 90, 30, 12, 5][:words])
    return Brief(Vocabulary([f"w{n}" for n in range(words)], counts), width, layer, total_words=1000, seed=3)


def made_sentences(
    sentences: Sequence[Sequence[int]] = SENTENCES, width: int = 5, seed: int = 0
) -> list[tuple[Array, Sequence[int]]]:
    random = np.random.default_rng(seed)
    # A large common mean, as contextual vectors have one.
    return [(random.normal(size=(len(s), width)).astype(np.float32) + 3.0, s) for s in sentences]


def made_batch(sentences: Sequence[tuple[Array, Sequence[int]]], layer: int = 2) -> Batch:
    return Batch(
        words=np.array([word for _, words in sentences for word in words], dtype=np.int32),
        sentences=np.repeat(np.arange(len(sentences), dtype=np.int32), [len(words) for _, words in sentences]),
        positions=np.concatenate([np.arange(len(words), dtype=np.int32) for _, words in sentences]),
        layers={layer: np.concatenate([vectors for vectors, _ in sentences])},
        pooled={layer: np.stack([vectors.mean(axis=0) for vectors, _ in sentences])},
    )


def made_shard(brief: Brief, words: Array) -> tuple[Brief, Array, Array]:
    """A brief over the words of a shard, their numbers in the vocabulary, and a table that renumbers batches."""
    numbers = np.unique(words[words >= 0])
    words_of_shard = [brief.vocabulary.words[n] for n in numbers]
    vocabulary = replace(brief.vocabulary, words=words_of_shard, counts=brief.vocabulary.counts[numbers])
    local = np.full(len(brief.vocabulary) + 1, -1, dtype=np.int32)
    local[numbers] = np.arange(len(numbers), dtype=np.int32)
    return replace(brief, vocabulary=vocabulary, shared={}), numbers, local


def merged(brief: Brief, make: Callable[[Brief], Any], shards: Sequence[Sequence[Batch]]) -> Any:
    """A student that merges those of shards, each made over the words of its own batches alone."""
    whole = make(brief)
    for batches in shards:
        of_shard, numbers, local = made_shard(brief, np.concatenate([batch.words for batch in batches]))
        part = make(of_shard)
        for batch in batches:
            part.observe(batch.renumbered(local))
        whole.merge(part, numbers)
    return whole
