"""Sentences to texts that fit the teacher, and texts to batches with hardly any padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from wordstill.arrays import Array

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
    parses: Array | None = None
    """The position of each word's head and the number of its relation, where the text has parses."""


@dataclass
class Dropped:
    """Words that have no vector, counted: nothing is dropped silently."""

    truncated: int = 0
    """Single words with more pieces than the teacher can read."""
    invisible: int = 0
    """Words for which the teacher's tokenizer has no piece (control characters, for instance)."""

    def __add__(self, other: Dropped) -> Dropped:
        return Dropped(self.truncated + other.truncated, self.invisible + other.invisible)


def make_texts(
    words: Array,
    pieces: Array,
    lengths: Array,
    sentence_lengths: Sequence[int] | Array,
    context: Context,
    limit: int,
    dropped: Dropped,
) -> list[Text]:
    """Cut one paragraph, given over its words, at sentence borders into texts of at most `limit` pieces.

    With `context="sentence"` every sentence is a text of its own.
    """
    ((texts, found),) = cut(words, pieces, lengths, sentence_lengths, [len(sentence_lengths)], context, limit)
    dropped.truncated += found.truncated
    dropped.invisible += found.invisible
    return texts


def cut(
    words: Array,
    pieces: Array,
    lengths: Array,
    sentence_lengths: Sequence[int] | Array,
    paragraph_lengths: Sequence[int] | Array,
    context: Context,
    limit: int,
    parses: Array | None = None,
) -> list[tuple[list[Text], Dropped]]:
    """The texts of many paragraphs, given over all their words, and what was dropped of each."""
    sizes = np.asarray(sentence_lengths, dtype=np.int64)
    made: list[tuple[list[Text], Dropped]] = [([], Dropped()) for _ in paragraph_lengths]
    paragraphs = np.repeat(np.arange(len(made)), paragraph_lengths)  # of each sentence
    sentences = np.repeat(np.arange(len(sizes)), sizes)  # of each word
    positions = (np.arange(len(words)) - (np.cumsum(sizes) - sizes)[sentences]).astype(np.int32)

    too_long, invisible = lengths > limit, lengths == 0
    if too_long.any() or invisible.any():
        for paragraph in paragraphs[sentences[too_long]].tolist():
            made[paragraph][1].truncated += 1
        for paragraph in paragraphs[sentences[invisible]].tolist():
            made[paragraph][1].invisible += 1
        kept = ~(too_long | invisible)
        pieces = pieces[np.repeat(kept, lengths)]
        words, lengths, sentences, positions = words[kept], lengths[kept], sentences[kept], positions[kept]
        parses = None if parses is None else parses[kept]
    if not len(words):
        return made

    # From here on a sentence is a stretch of words that have vectors; one without any is gone.
    starts = np.concatenate([[0], np.flatnonzero(np.diff(sentences)) + 1])
    ranks = np.repeat(np.arange(len(starts), dtype=np.int32), np.diff(starts, append=len(words)))
    before = np.concatenate([[0], np.cumsum(lengths)])  # pieces in front of each word
    owners = paragraphs[sentences[starts]].tolist()
    edges = [*starts.tolist(), len(words)]
    marks = before[edges].tolist()  # pieces in front of each sentence
    first = 0
    while first < len(owners):
        last = first + 1
        if context == "paragraph":
            while last < len(owners) and owners[last] == owners[first] and marks[last + 1] - marks[first] <= limit:
                last += 1
        low, high = edges[first], edges[last]
        own = pieces[marks[first] : marks[last]]
        rows = (Row(own, 0, len(own)),) if len(own) <= limit else tuple(_rows(own, lengths[low:high], limit))
        text = Text(
            words[low:high],
            lengths[low:high],
            ranks[low:high] - ranks[low],
            positions[low:high],
            rows,
            None if parses is None else parses[low:high],
        )
        made[owners[first]][0].append(text)
        first = last
    return made


def _rows(pieces: Array, lengths: Array, limit: int) -> Iterator[Row]:
    """Rows that overlap by half, each word read where it stands deepest."""
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
    sizes = [max([len(row.pieces) for row in text.rows]) for text in texts]
    batches: list[list[Text]] = []
    rows = 0
    for place in sorted(range(len(texts)), key=sizes.__getitem__):
        text, longest = texts[place], sizes[place] + extra
        if batches and (rows + len(text.rows)) * longest <= tokens:
            batches[-1].append(text)
            rows += len(text.rows)
        else:
            batches.append([text])
            rows = len(text.rows)
    return [batches[place] for place in order.permutation(len(batches))]
