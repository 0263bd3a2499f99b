"""Count the words of a corpus: a fast pass of its own, whose result the run's folder keeps."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from wordstill.corpus.paragraphs import SegmentedCorpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.vocabulary import Counts, Phrases, Vocabulary
from wordstill.errors import InputError
from wordstill.progress import Progress
from wordstill.runs import RunFolder
from wordstill.settings import DistillSettings


def count(
    folder: RunFolder, source: SegmentedCorpus | None, settings: DistillSettings, fingerprint: str, *, quiet: bool
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
        for paragraph in source.paragraphs() if source else ():
            for sentence in paragraph.sentences:
                counts.add(sentence)
            paragraphs, sentences = paragraphs + 1, sentences + len(paragraph.sentences)
            words += paragraph.words
            progress.advance(paragraph.words)
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
