"""Paragraphs of sentences of words, streamed: what both counting and distilling read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from wordstill.corpus.read import Corpus, Position
from wordstill.corpus.segment import Segmenter


class Paragraph(NamedTuple):
    """Sentences of words, and where the reader stands behind them."""

    position: Position
    sentences: list[list[str]]
    words: int


@dataclass(frozen=True)
class SegmentedCorpus:
    """A corpus seen through a segmenter, up to a number of words (the paragraph that reaches it is kept whole)."""

    corpus: Corpus
    segmenter: Segmenter
    most_words: int | None = None

    def paragraphs(self, start: Position = Position(), words: int = 0) -> Iterator[Paragraph]:  # noqa: B008
        """The paragraphs behind `start`, before which `words` words were taken; empty ones are left out."""
        if self.most_words is not None and words >= self.most_words:
            return
        for position, text in self.corpus.paragraphs(start):
            sentences = self.segmenter(text)
            if not sentences:
                continue
            number = sum(map(len, sentences))
            words += number
            yield Paragraph(position, sentences, number)
            if self.most_words is not None and words >= self.most_words:
                return
