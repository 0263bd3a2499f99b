"""Count the words of a corpus: a fast pass of its own, whose result the run's folder keeps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from wordstill.corpus.ahead import chunks, in_order
from wordstill.corpus.paragraphs import SegmentedCorpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented import KeptText, Segmented, Segmenting
from wordstill.corpus.vocabulary import Counts, Phrases, Vocabulary
from wordstill.errors import InputError
from wordstill.progress import Progress
from wordstill.runs import RunFolder
from wordstill.settings import DistillSettings

Counted: TypeAlias = tuple[Vocabulary, dict[str, Any], KeptText]


def count(
    folder: RunFolder,
    source: SegmentedCorpus | None,
    settings: DistillSettings,
    fingerprint: str,
    workers: int = 0,
    keep_bytes: float = 0,
    *,
    quiet: bool,
) -> Counted:
    """The vocabulary with its counts: one fast pass over the corpus, or what the run's folder kept of it.

    Up to `keep_bytes` of the segmented text are kept for the pass that follows.
    """
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
    text = KeptText(folder.text)
    paragraphs = sentences = words = 0
    with Progress("counting words", settings.words, quiet=quiet) as progress:
        for chunk in text.write(words_of(source, phrases, workers), keep_bytes) if source else ():
            counts.add(chunk.keys, chunk.counts())
            found = int(chunk.paragraphs[:, 3].sum())
            paragraphs, sentences = paragraphs + len(chunk.paragraphs), sentences + len(chunk.sentences)
            words += found
            progress.advance(found)
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
    folder.save_vocabulary(vocabulary, counted, text)
    return vocabulary, counted, text


def words_of(source: SegmentedCorpus, phrases: Phrases, workers: int) -> Iterator[Segmented]:
    """The corpus as words, chunk by chunk, up to the paragraph that reaches the number of words asked for."""
    words = 0
    for _, chunk in in_order(Segmenting(source.segmenter, phrases), chunks(source.corpus.paragraphs()), workers):
        reached = words + np.cumsum(chunk.paragraphs[:, 3])
        enough = next((number for number, so_far in enumerate(reached, 1) if not source.has_more(so_far)), None)
        yield chunk if enough is None else chunk.between(0, enough)
        if enough is not None:
            return
        words = int(reached[-1]) if len(reached) else words
