"""Sentences to texts that fit the teacher, and texts to batches with hardly any padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from wordstill.vectors import Array

Context = Literal["sentence", "paragraph"]


class Row(NamedTuple):
    """One row of a batch: what the teacher reads at once."""

    pieces: Array
    first: int
    """Where the pieces of the row's own words begin; those before are context from the row before."""
    owned: int
    """How many pieces belong to the row's own words; those after them are context only."""


class Text(NamedTuple):
    """Whole sentences that are read in one context, as flat arrays over their words."""

    words: Array
    """The vocabulary's number of each word, -1 outside it."""
    lengths: Array
    """The number of pieces of each word."""
    sentences: Array
    """The number of each word's sentence inside this text."""
    positions: Array
    """The place of each word in its sentence."""
    rows: tuple[Row, ...]
    """One row; several overlapping ones for a sentence longer than the teacher can read."""


@dataclass
class Dropped:
    """Words that have no vector, counted: nothing is dropped silently."""

    truncated: int = 0
    """Single words with more pieces than the teacher can read."""
    invisible: int = 0
    """Words for which the teacher's tokenizer has no piece (control characters, for instance)."""


def make_texts(
    words: Array,
    pieces: Array,
    lengths: Array,
    sentence_lengths: Sequence[int],
    context: Context,
    limit: int,
    dropped: Dropped,
) -> Iterator[Text]:
    """Cut one paragraph, given over its words, at sentence borders into texts of at most `limit` pieces.

    With `context="sentence"` every sentence is a text of its own.
    """
    sentences = np.repeat(np.arange(len(sentence_lengths), dtype=np.int32), sentence_lengths)
    starts = np.cumsum([0, *sentence_lengths])
    positions = (np.arange(len(words)) - starts[sentences]).astype(np.int32)

    too_long, invisible = lengths > limit, lengths == 0
    if too_long.any() or invisible.any():
        dropped.truncated += int(too_long.sum())
        dropped.invisible += int(invisible.sum())
        kept = ~(too_long | invisible)
        pieces = pieces[np.repeat(kept, lengths)]
        words, lengths, sentences, positions = words[kept], lengths[kept], sentences[kept], positions[kept]
    if not len(words):
        return

    # From here on a sentence is a stretch of words that have vectors; one without any is gone.
    edges = np.concatenate([[0], np.flatnonzero(np.diff(sentences)) + 1, [len(words)]])
    ends = np.concatenate([[0], np.cumsum(lengths)])  # of the pieces, in front of each word
    first = 0
    while first < len(edges) - 1:
        last = first + 1
        if context == "paragraph":
            while last < len(edges) - 1 and ends[edges[last + 1]] - ends[edges[first]] <= limit:
                last += 1
        low, high = edges[first], edges[last]
        numbers = sentences[low:high]
        yield Text(
            words[low:high],
            lengths[low:high],
            # Numbered without gaps inside the text, though sentences without a vector are missing.
            np.cumsum(np.diff(numbers, prepend=numbers[0]) > 0, dtype=np.int32),
            positions[low:high],
            tuple(_rows(pieces[ends[low] : ends[high]], lengths[low:high], limit)),
        )
        first = last


def _rows(pieces: Array, lengths: Array, limit: int) -> Iterator[Row]:
    """One row if the pieces fit; otherwise rows that overlap by half, each word read where it stands deepest."""
    if len(pieces) <= limit:
        yield Row(pieces, 0, len(pieces))
        return
    ends = np.cumsum(lengths)
    starts = ends - lengths
    windows: list[tuple[int, int]] = []  # in words
    low = 0
    while True:
        high = int(np.searchsorted(ends, starts[low] + limit, side="right"))
        windows.append((low, high))
        if high == len(lengths):
            break
        # Step to the word in the window's middle, and by one word at least.
        low = max(low + 1, int(np.searchsorted(starts, starts[low] + limit // 2)))
        low = min(low, high)
    border = 0
    for number, (low, high) in enumerate(windows):
        following = windows[number + 1][0] if number + 1 < len(windows) else None
        last = high if following is None else (following + high) // 2
        last = max(last, border)
        begin, end = int(starts[low]), int(ends[high - 1])
        own_begin = int(starts[border]) if border < len(starts) else end
        own_end = int(ends[last - 1]) if last > border else own_begin
        yield Row(pieces[begin:end], own_begin - begin, own_end - own_begin)
        border = last


def make_batches(texts: Sequence[Text], tokens: int, extra: int, order: np.random.Generator) -> list[list[Text]]:
    """Sort texts by length, cut them into batches of at most `tokens` padded tokens, and shuffle the batches.

    `extra` is the number of special tokens in a row. A text's rows stay together, so that a sentence's words
    meet in one batch; a text that is too large alone is a batch alone.
    """
    by_length = sorted(range(len(texts)), key=lambda place: max(len(row.pieces) for row in texts[place].rows))
    batches: list[list[Text]] = []
    rows = 0
    for place in by_length:
        text = texts[place]
        longest = max(len(row.pieces) for row in text.rows) + extra
        if batches and (rows + len(text.rows)) * longest <= tokens:
            batches[-1].append(text)
            rows += len(text.rows)
        else:
            batches.append([text])
            rows = len(text.rows)
    return [batches[place] for place in order.permutation(len(batches))]
