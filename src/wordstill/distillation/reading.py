"""The text of shards: found among what was kept or segmented again, and cut into texts that fit the teacher."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.read import Position
from wordstill.corpus.segmented_text import (
    CHUNK,
    Chunk,
    KeptText,
    Segmented,
    SegmentedCorpus,
    Segmenting,
    joined_parses,
)
from wordstill.corpus.vocabulary import Phrases, Vocabulary
from wordstill.distillation.counting import AHEAD, InOrder
from wordstill.distillation.shards import Shard
from wordstill.errors import InputError
from wordstill.teacher.batch import Batch
from wordstill.teacher.characters import CharacterTable
from wordstill.teacher.pieces import PieceTable, spread
from wordstill.teacher.texts import Context, Dropped, Text, cut

# Characters of a token, about: enough to know how far ahead a whole buffer is.
TOKEN = 4
# Words of a batch that no teacher reads; its last sentence may go beyond.
WORDS_AT_ONCE = 1 << 16


class ShardText(NamedTuple):
    """A shard with its words."""

    shard: Shard
    chunks: list[Segmented]

    def numbers(self, vocabulary: Vocabulary) -> Array:
        """Return which words of the vocabulary are in it, in the order of the vocabulary."""
        # A part of a kept chunk has the keys of the whole chunk.
        keys = {chunk.keys[code] for chunk in self.chunks for code in np.unique(chunk.codes).tolist()}
        found = vocabulary.number(list(keys))
        return np.sort(found[found >= 0])


def shard_texts(
    source: SegmentedCorpus, kept: KeptText, phrases: Phrases, shards: Sequence[Shard], in_order: InOrder
) -> Iterator[ShardText]:
    """Yield shards of text, given in their order, each with its words. The corpus is gone through at most once."""
    inside = [shard for shard in shards if shard.end <= Position(*kept.until)]
    for shard in inside:
        yield _checked(ShardText(shard, list(kept.read(shard.start, shard.end))))
    if len(inside) == len(shards):
        return
    pieces = _stretches(source.corpus.paragraphs(shards[len(inside)].start), shards[len(inside) :])
    segmented = in_order(_Second(Segmenting(source.segmenter, phrases)), pieces, AHEAD)
    for shard, found in groupby(segmented, lambda each: each[0][0]):
        yield _checked(ShardText(shard, [chunk for _, chunk in found if len(chunk.paragraphs)]))


def _stretches(paragraphs: Iterator[tuple[Position, str]], shards: Sequence[Shard]) -> Iterator[tuple[Shard, Chunk]]:
    """Cut the paragraphs of shards into stretches of about CHUNK characters; what lies between shards is skipped."""
    for shard in shards:
        chunk: Chunk = []
        size = 0
        for position, text in paragraphs:
            if position > shard.start:
                chunk.append((position, text))
                size += len(text)
            if size >= CHUNK and position < shard.end:
                yield shard, chunk
                chunk, size = [], 0
            if position >= shard.end:
                break
        yield shard, chunk


def _checked(text: ShardText) -> ShardText:
    found = sum(int(chunk.paragraphs[:, 3].sum()) for chunk in text.chunks)
    if found != text.shard.size:
        raise InputError(
            f"shard {text.shard.name} has {found:,} words and had {text.shard.size:,} when it was counted: the corpus "
            "has changed; begin anew with --overwrite"
        )
    return text


@dataclass(frozen=True)
class _Second:
    """Does work on the second of two things that are given; the first says whose it is."""

    work: Any

    def __call__(self, given: tuple[Any, Any]) -> Any:
        return self.work(given[1])


# ---------------------------------------------------------------- texts that fit the teacher


class Prepared(NamedTuple):
    """A paragraph as texts."""

    texts: list[Text]
    dropped: Dropped
    tokens: int


@dataclass(frozen=True)
class Preparing:
    """All that is done to words before the teacher reads them: their numbers and pieces, and texts."""

    vocabulary: Vocabulary
    pieces: PieceTable | CharacterTable
    context: Context
    limit: int

    def __call__(self, chunk: Segmented) -> list[Prepared]:
        """The paragraphs of a chunk."""
        numbers = self.vocabulary.number(chunk.keys)[chunk.codes]
        pieces, lengths = spread(*self.pieces(chunk.words), chunk.codes)
        parses = numbered_parses(chunk, self.vocabulary)
        made = cut(numbers, pieces, lengths, chunk.sentences, chunk.paragraphs[:, 2], self.context, self.limit, parses)
        sentences = np.concatenate([[0], np.cumsum(chunk.sentences)])[np.cumsum(chunk.paragraphs[:, 2])]
        tokens = np.diff(np.concatenate([[0], np.cumsum(lengths)])[sentences], prepend=0)
        return [Prepared(*texts, size) for texts, size in zip(made, tokens.tolist(), strict=True)]


def prepare_shards(
    texts: Iterable[ShardText], prepare: Preparing, in_order: InOrder, buffer_tokens: int
) -> Iterator[tuple[ShardText, Iterator[Prepared]]]:
    """Yield shards with their paragraphs as the teacher reads them; workers prepare about a buffer ahead."""
    begun: dict[int, ShardText] = {}

    def chunks() -> Iterator[tuple[int, Segmented]]:
        for text in texts:
            begun[text.shard.number] = text
            for chunk in text.chunks:
                yield text.shard.number, chunk

    done = in_order(_Second(prepare), chunks(), buffer_tokens * TOKEN // CHUNK)
    for number, found in groupby(((given[0], made) for given, made in done), itemgetter(0)):
        yield begun.pop(number), (paragraph for _, made in found for paragraph in made)


@dataclass
class Buffer:
    """Texts that are sorted by length together."""

    texts: list[Text] = field(default_factory=list)
    dropped: Dropped = field(default_factory=Dropped)
    tokens: int = 0


def buffers(paragraphs: Iterable[Prepared], size: int) -> Iterator[Buffer]:
    """Gather the paragraphs of a shard into buffers of so many tokens; the last one may be smaller."""
    buffer = Buffer()
    for paragraph in paragraphs:
        buffer.texts += paragraph.texts
        buffer.dropped += paragraph.dropped
        buffer.tokens += paragraph.tokens
        if buffer.tokens >= size:
            yield buffer
            buffer = Buffer()
    if buffer.texts or buffer.dropped != Dropped():
        yield buffer


def numbered_parses(chunk: Segmented, vocabulary: Vocabulary) -> Array | None:
    """Return the heads of a chunk's words, and the numbers that their relations have in the whole run."""
    if chunk.parses is None:
        return None
    numbers = np.append(vocabulary.number_relations(chunk.relations), -1)  # the last one is for -1
    return np.stack([chunk.parses[:, 0], numbers[chunk.parses[:, 1]]], axis=1).astype(np.int32)


def word_batches(text: ShardText, vocabulary: Vocabulary) -> Iterator[Batch]:
    """Yield the words of a shard alone: what students see that need no teacher.

    Where a batch ends depends on the shard alone, not on its chunks: text that was kept has other ones than text that
    is segmented again, and a shard can be begun with one and finished with the other.
    """
    numbers = np.concatenate([vocabulary.number(chunk.keys)[chunk.codes] for chunk in text.chunks])
    parses = joined_parses([(numbered_parses(chunk, vocabulary), len(chunk.codes)) for chunk in text.chunks])
    lengths = np.concatenate([chunk.sentences for chunk in text.chunks]).astype(np.int64)
    ends = np.cumsum(lengths)
    firsts = np.flatnonzero(np.diff((ends - lengths) // WORDS_AT_ONCE, prepend=-1))
    for low, high in pairwise([*firsts.tolist(), len(lengths)]):
        own = lengths[low:high]
        sentences = np.repeat(np.arange(len(own), dtype=np.int32), own)
        positions = np.arange(len(sentences)) - np.repeat(np.cumsum(own) - own, own)
        part = slice(ends[low] - lengths[low], ends[high - 1])
        own_parses = None if parses is None else parses[part]
        yield Batch(numbers[part], sentences, positions.astype(np.int32), parses=own_parses)
