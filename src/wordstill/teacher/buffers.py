"""The corpus as texts that fit the teacher, in buffers that are sorted by length together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wordstill.corpus.paragraphs import SegmentedCorpus
from wordstill.corpus.read import Position
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.settings import DistillSettings
from wordstill.teacher.batching import Dropped, Text, make_texts
from wordstill.teacher.load import Teacher
from wordstill.training.job import Job


@dataclass
class Buffer:
    """Texts that are sorted by length together, and where the reader stands behind them."""

    texts: list[Text]
    dropped: Dropped
    position: Position
    words: int


def read_buffers(
    source: SegmentedCorpus, vocabulary: Vocabulary, teacher: Teacher, settings: DistillSettings, job: Job
) -> Iterator[Buffer]:
    """The corpus from where the job stands on, as texts that fit the teacher."""
    at = job.standing
    buffer = Buffer([], Dropped(), at.position, at.words)
    size = 0
    for paragraph in source.paragraphs(at.position, at.words):
        read = [vocabulary.read(sentence) for sentence in paragraph.sentences]
        pieces, lengths = teacher.pieces([word for words, _ in read for word in words])
        texts = make_texts(
            np.concatenate([numbers for _, numbers in read]),
            pieces,
            lengths,
            [len(words) for words, _ in read],
            settings.context,
            teacher.limit,
            buffer.dropped,
        )
        buffer.texts.extend(texts)
        buffer.position, buffer.words = paragraph.position, buffer.words + paragraph.words
        size += len(pieces)
        if size >= settings.buffer_tokens:
            yield buffer
            buffer = Buffer([], Dropped(), buffer.position, buffer.words)
            size = 0
    if buffer.texts or buffer.position != at.position:
        yield buffer
