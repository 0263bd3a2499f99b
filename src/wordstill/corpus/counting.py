"""Count the words of a corpus: a fast pass of its own, whose result the run's folder keeps."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from wordstill.corpus.ahead import Chunk, chunks, in_order
from wordstill.corpus.paragraphs import SegmentedCorpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.vocabulary import Counts, Phrases, Vocabulary
from wordstill.errors import InputError
from wordstill.progress import Progress
from wordstill.runs import RunFolder
from wordstill.settings import DistillSettings


class Tally(NamedTuple):
    """What a stretch of text has."""

    counter: Counter[str]
    paragraphs: int
    sentences: int
    words: int


@dataclass(frozen=True)
class Counting:
    """All that is done to text to count it."""

    segmenter: Segmenter
    phrases: Phrases

    def __call__(self, chunk: Chunk) -> Tally:
        """Count a chunk."""
        found = [sentences for _, text in chunk if (sentences := self.segmenter(text))]
        counter: Counter[str] = Counter()
        for sentences in found:
            for sentence in sentences:
                counter.update(self.phrases.keys(sentence))
        return Tally(
            counter, len(found), sum(map(len, found)), sum(len(sentence) for part in found for sentence in part)
        )


def count(
    folder: RunFolder,
    source: SegmentedCorpus | None,
    settings: DistillSettings,
    fingerprint: str,
    workers: int = 0,
    *,
    quiet: bool,
) -> tuple[Vocabulary, dict[str, Any]]:
    """The vocabulary with its counts: one fast pass over the corpus, or what the run's folder kept of it."""
    began = time.monotonic()
    plain = replace(
        settings.segmentation,
        min_sentences=0,
        min_characters=0,
        min_sentence_words=1,
        max_kept_sentence_words=None,
    )
    phrases = Phrases.of(settings.vocabulary.forced, Segmenter(plain), settings.vocabulary.lowercase)
    kept = folder.load_vocabulary(fingerprint, phrases)
    if kept is not None:
        return kept
    counts = Counts(phrases)
    paragraphs = sentences = words = 0
    with Progress("counting words", settings.words, quiet=quiet) as progress:
        for tally in tallies(source, phrases, workers) if source else ():
            counts.add(tally.counter)
            paragraphs, sentences = paragraphs + tally.paragraphs, sentences + tally.sentences
            words += tally.words
            progress.advance(tally.words)
    if source and not words:
        raise InputError("the corpus has no words (after its filters, if any); give other text with --corpus")
    if source:
        vocabulary = counts.vocabulary(settings.vocabulary)
    else:
        key = str.lower if settings.vocabulary.lowercase else str
        listed = list(dict.fromkeys(key(word) for word in settings.vocabulary.forced))
        vocabulary = Vocabulary(listed, np.zeros(len(listed), dtype=np.int64), phrases)
    counted = {
        "fingerprint": fingerprint,
        "paragraphs": paragraphs,
        "sentences": sentences,
        "words": words,
        "replaced_bytes": source.corpus.replaced_bytes if source else 0,
        "vocabulary": len(vocabulary),
        "seconds": time.monotonic() - began,
    }
    folder.save_vocabulary(vocabulary, counted)
    return vocabulary, counted


def tallies(source: SegmentedCorpus, phrases: Phrases, workers: int) -> Iterator[Tally]:
    """The corpus counted, chunk by chunk, up to the paragraph that reaches the number of words asked for."""
    work = Counting(source.segmenter, phrases)
    words = 0
    for chunk, tally in in_order(work, chunks(source.corpus.paragraphs()), workers):
        if source.has_more(words + tally.words):
            words += tally.words
            yield tally
            continue
        for paragraph in chunk:
            last = work([paragraph])
            words += last.words
            yield last
            if not source.has_more(words):
                return
