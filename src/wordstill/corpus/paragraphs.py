"""A corpus seen through a segmenter: what both counting and distilling read."""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter


@dataclass(frozen=True)
class SegmentedCorpus:
    """A corpus seen through a segmenter, up to a number of words (the paragraph that reaches it is kept whole)."""

    corpus: Corpus
    segmenter: Segmenter
    most_words: int | None = None

    def has_more(self, words: int) -> bool:
        """Whether there may be more after so many words."""
        return self.most_words is None or words < self.most_words
