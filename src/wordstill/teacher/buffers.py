"""The corpus as texts that fit the teacher, in buffers that are sorted by length together."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from wordstill.corpus.ahead import CHUNK, Chunk, chunks, in_order
from wordstill.corpus.paragraphs import SegmentedCorpus
from wordstill.corpus.read import Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.settings import DistillSettings
from wordstill.teacher.batching import Context, Dropped, Text, make_texts
from wordstill.teacher.load import Teacher
from wordstill.teacher.pieces import PieceTable
from wordstill.training.job import Job

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
    """All that is done to text before the teacher reads it: sentences, words, their numbers, pieces, texts."""

    segmenter: Segmenter
    vocabulary: Vocabulary
    pieces: PieceTable
    context: Context
    limit: int

    def __call__(self, chunk: Chunk) -> list[Prepared]:
        """The paragraphs of a chunk that have words."""
        found = ((position, self.segmenter(text)) for position, text in chunk)
        return [self._prepare(position, sentences) for position, sentences in found if sentences]

    def _prepare(self, position: Position, sentences: list[list[str]]) -> Prepared:
        read = [self.vocabulary.read(sentence) for sentence in sentences]
        pieces, lengths = self.pieces([word for words, _ in read for word in words])
        numbers = np.concatenate([numbers for _, numbers in read])
        dropped = Dropped()
        sizes = [len(words) for words, _ in read]
        texts = list(make_texts(numbers, pieces, lengths, sizes, self.context, self.limit, dropped))
        return Prepared(position, sum(map(len, sentences)), texts, dropped, len(pieces))


def read_buffers(
    source: SegmentedCorpus,
    vocabulary: Vocabulary,
    teacher: Teacher,
    settings: DistillSettings,
    job: Job,
    workers: int = 0,
) -> Generator[Buffer, None, None]:
    """The corpus from where the job stands on, as texts that fit the teacher; the next buffer is made in advance."""
    at = job.standing
    buffer, made = Buffer(at.position, at.words), at.buffers
    prepare = Preparing(source.segmenter, vocabulary, teacher.pieces, settings.context, teacher.limit)
    given = chunks(source.corpus.paragraphs(at.position)) if source.has_more(at.words) else iter(())
    for _, chunk in in_order(prepare, given, workers, ahead=settings.buffer_tokens * TOKEN // CHUNK):
        for paragraph in chunk:
            buffer.texts += paragraph.texts
            buffer.dropped.truncated += paragraph.dropped.truncated
            buffer.dropped.invisible += paragraph.dropped.invisible
            buffer.position, buffer.words = paragraph.position, buffer.words + paragraph.words
            buffer.tokens += paragraph.tokens
            more = source.has_more(buffer.words)
            # The first one is small: the teacher begins, and the next is made meanwhile.
            if buffer.tokens >= (settings.buffer_tokens if made else settings.buffer_tokens // 8) or not more:
                yield buffer
                buffer, made = Buffer(buffer.position, buffer.words), made + 1
            if not more:
                return
    if buffer.texts or buffer.position != at.position:
        yield buffer
