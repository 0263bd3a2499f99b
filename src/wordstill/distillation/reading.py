"""The corpus as texts that fit the teacher, in buffers that are sorted by length together."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from wordstill.corpus.read import Position
from wordstill.corpus.segmented_text import CHUNK, Chunk, KeptText, Segmented, SegmentedCorpus, Segmenting, chunks
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.distillation.counting import words_of
from wordstill.distillation.job import Standing
from wordstill.distillation.settings import DistillSettings
from wordstill.system.workers import in_order
from wordstill.teacher.batch import Batch
from wordstill.teacher.load import Teacher
from wordstill.teacher.pieces import PieceTable, spread
from wordstill.teacher.texts import Context, Dropped, Text, cut

# Characters of a token, about: enough to know how far ahead a whole buffer is.
TOKEN = 4


@dataclass
class Buffer:
    """Texts that are sorted by length together, and where the reader stands behind them."""

    position: Position
    words: int
    texts: list[Text] = field(default_factory=list)
    dropped: Dropped = field(default_factory=Dropped)
    tokens: int = 0


class Prepared(NamedTuple):
    """A paragraph as texts, and where the reader stands behind it."""

    position: Position
    words: int
    texts: list[Text]
    dropped: Dropped
    tokens: int


@dataclass(frozen=True)
class Preparing:
    """All that is done to words before the teacher reads them: their numbers and pieces, and texts."""

    vocabulary: Vocabulary
    pieces: PieceTable
    context: Context
    limit: int

    def __call__(self, chunk: Segmented) -> list[Prepared]:
        """The paragraphs of a chunk."""
        numbers = self.vocabulary.number(chunk.keys)[chunk.codes]
        pieces, lengths = spread(*self.pieces(chunk.words), chunk.codes)
        made = cut(numbers, pieces, lengths, chunk.sentences, chunk.paragraphs[:, 2], self.context, self.limit)
        sentences = np.concatenate([[0], np.cumsum(chunk.sentences)])[np.cumsum(chunk.paragraphs[:, 2])]
        tokens = np.diff(np.concatenate([[0], np.cumsum(lengths)])[sentences], prepend=0)
        return [
            Prepared(Position(file, number), words, *texts, size)
            for (file, number, _, words), texts, size in zip(
                chunk.paragraphs.tolist(), made, tokens.tolist(), strict=True
            )
        ]


@dataclass(frozen=True)
class Reading:
    """From text to what the teacher reads."""

    segment: Segmenting
    prepare: Preparing

    def __call__(self, chunk: Chunk) -> list[Prepared]:
        """The paragraphs of a chunk that have words."""
        return self.prepare(self.segment(chunk))


def read_buffers(
    source: SegmentedCorpus,
    kept: KeptText,
    vocabulary: Vocabulary,
    teacher: Teacher,
    settings: DistillSettings,
    at: Standing,
    workers: int = 0,
) -> Generator[Buffer, None, None]:
    """Read the corpus from where a run stands on, as texts that fit the teacher; workers make them in advance."""
    buffer, made = Buffer(at.position, at.words), at.buffers
    prepare = Preparing(vocabulary, teacher.pieces, settings.context, teacher.limit)
    ahead = settings.buffer_tokens * TOKEN // CHUNK
    for paragraph in _paragraphs(source, kept, prepare, at, workers, ahead) if source.has_more(at.words) else ():
        buffer.texts += paragraph.texts
        buffer.dropped += paragraph.dropped
        buffer.position, buffer.words = paragraph.position, buffer.words + paragraph.words
        buffer.tokens += paragraph.tokens
        more = source.has_more(buffer.words)
        # The first one is small, so that the teacher begins soon; workers make the next one meanwhile.
        if buffer.tokens >= (settings.buffer_tokens if made else settings.buffer_tokens // 8) or not more:
            yield buffer
            buffer, made = Buffer(buffer.position, buffer.words), made + 1
        if not more:
            return
    if buffer.texts or buffer.position != at.position:
        yield buffer


def read_words(
    source: SegmentedCorpus, kept: KeptText, vocabulary: Vocabulary, at: Standing, workers: int = 0
) -> Generator[tuple[Batch, Position, int], None, None]:
    """Read the corpus from where a run stands on, as batches of words alone: what a run without a teacher reads.

    Each batch comes with the position behind it, and the words up to there.
    """
    words = at.words
    for chunk in _segmented(source, kept, vocabulary, at, workers):
        if not len(chunk.paragraphs):
            continue
        lengths = chunk.sentences.astype(np.int64)
        sentences = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        positions = np.arange(len(sentences)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        words += int(chunk.paragraphs[:, 3].sum())
        numbers = vocabulary.number(chunk.keys)[chunk.codes]
        yield Batch(numbers, sentences, positions.astype(np.int32)), chunk.position(-1), words


def _segmented(
    source: SegmentedCorpus, kept: KeptText, vocabulary: Vocabulary, at: Standing, workers: int
) -> Iterator[Segmented]:
    """The corpus as words behind where a run stands: what is kept of it, then what is segmented again."""
    start, words = at.position, at.words
    if kept.there:
        for chunk in kept.read(start):
            words += int(chunk.paragraphs[:, 3].sum())
            yield chunk
        start = max(start, Position(*kept.until))
    if not (kept.there and kept.whole) and source.has_more(words):
        yield from words_of(source, vocabulary.phrases, workers, start, words)


def _paragraphs(
    source: SegmentedCorpus, kept: KeptText, prepare: Preparing, at: Standing, workers: int, ahead: int
) -> Iterator[Prepared]:
    """The paragraphs behind where a run stands: those whose words are kept, then those that are segmented again."""
    start = at.position
    if kept.there:
        for _, chunk in in_order(prepare, kept.read(start), workers, ahead):
            yield from chunk
        if kept.whole:
            return
        start = max(start, Position(*kept.until))
    segment = Segmenting(source.segmenter, prepare.vocabulary.phrases)
    for _, chunk in in_order(Reading(segment, prepare), chunks(source.corpus.paragraphs(start)), workers, ahead):
        yield from chunk
