"""Words by themselves: each encoded alone, or looked up in the teacher's table of input embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.teacher.batch import TABLE, Batch
from wordstill.teacher.characters import CharacterTable
from wordstill.teacher.encode import Pooling, forward, pooled, rectangle
from wordstill.teacher.load import Teacher
from wordstill.teacher.pieces import spread


def spellings(vocabulary: Vocabulary) -> list[str]:
    """The words as the teacher shall read them: new_york is "new york"."""
    phrases = (phrase for listed in vocabulary.phrases.starts.values() for phrase in listed)
    spelled = {
        phrase.word: "".join(part + gap for part, gap in zip(phrase.parts, (*phrase.gaps, ""), strict=True))
        for phrase in phrases
    }
    return [spelled.get(word, word) for word in vocabulary.words]


def words_alone(
    teacher: Teacher,
    numbers: Array,
    words: Sequence[str],
    layers: Sequence[int],
    tokens: int,
    pooling: Pooling,
) -> list[Batch]:
    """Each word as a text of its own, between the special tokens; one too long for the teacher is left out."""
    pieces, lengths = teacher.pieces(words)
    special = len(teacher.pieces.prefix) + len(teacher.pieces.suffix)
    rest = np.argsort(lengths, kind="stable")
    rest = rest[(lengths[rest] > 0) & (lengths[rest] <= teacher.limit)]
    batches = []
    while len(rest):
        # As many as fit, with the longest of them, into so many tokens.
        fitting = np.arange(1, len(rest) + 1) * (lengths[rest] + special) <= tokens
        chosen, rest = np.split(rest, [max(1, int(fitting.sum()))])
        own, sizes = spread(pieces, lengths, chosen)
        grid = rectangle(teacher, own, sizes, np.zeros_like(sizes), sizes, sizes)
        batches.append(
            Batch(
                words=numbers[chosen],
                sentences=np.arange(len(chosen), dtype=np.int32),
                positions=np.zeros(len(chosen), dtype=np.int32),
                layers=pooled(grid, forward(teacher, grid, layers), pooling),
            )
        )
    return batches


def words_in_table(teacher: Teacher, numbers: Array, words: Sequence[str]) -> Batch:
    """The mean of the input embeddings of each word's pieces; a word without pieces is left out.

    A teacher that reads characters has no such table: there it is what it makes of the characters alone.
    """
    pieces, lengths = teacher.pieces(words)
    model: Any = teacher.model
    if isinstance(teacher.pieces, CharacterTable):
        import torch

        with torch.inference_mode():
            rows: Array = model.words(torch.from_numpy(pieces).to(teacher.device)).float().cpu().numpy()
    else:
        rows = model.get_input_embeddings().weight.detach()[pieces.astype(np.int64)].float().cpu().numpy()
    seen = lengths > 0
    ends = np.cumsum(lengths[seen])
    sums = np.add.reduceat(rows, ends - lengths[seen], axis=0) if len(rows) else rows
    number = int(seen.sum())
    return Batch(
        words=numbers[seen],
        sentences=np.arange(number, dtype=np.int32),
        positions=np.zeros(number, dtype=np.int32),
        layers={TABLE: sums / lengths[seen, None].astype(np.float32)},
    )
