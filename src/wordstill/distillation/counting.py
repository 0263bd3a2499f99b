"""Count the words of a corpus: a fast pass of its own, whose result the run's folder keeps."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import replace
from itertools import chain, islice
from typing import Any, TypeAlias

import numpy as np

from wordstill.corpus.paragraphs import SegmentedCorpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import KeptText, Segmented, Segmenting
from wordstill.corpus.vocabulary import Counts, Phrases, Vocabulary
from wordstill.distillation.run_folder import RunFolder
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError
from wordstill.system.progress import Progress
from wordstill.system.workers import chunks, in_order

Counted: TypeAlias = tuple[Vocabulary, dict[str, Any], KeptText]
# Chunks that workers count while nobody asks for them: some ten megabytes.
AHEAD = 16


class Counting:
    """One fast pass over the corpus, or what the run's folder kept of it.

    With workers it begins at once: they count while the teacher is loaded, say. `finish` waits for the vocabulary.
    """

    def __init__(
        self,
        folder: RunFolder,
        source: SegmentedCorpus | None,
        settings: DistillSettings,
        fingerprint: str,
        workers: int = 0,
        keep_bytes: float = 0,
    ) -> None:
        """Up to `keep_bytes` of the segmented text are kept for the pass that follows."""
        began = time.monotonic()
        self.folder, self.source, self.settings, self.fingerprint = folder, source, settings, fingerprint
        plain = replace(
            settings.segmentation,
            min_sentences=0,
            min_characters=0,
            min_sentence_words=1,
            max_kept_sentence_words=None,
        )
        self.phrases = Phrases.of(settings.vocabulary.forced, Segmenter(plain), settings.vocabulary.lowercase)
        self.kept = folder.load_vocabulary(fingerprint, self.phrases)
        self.text = KeptText(folder.text)
        self._chunks: Generator[Segmented, None, None] | None = None
        self._first: list[Segmented] = []
        if source and self.kept is None:
            self._chunks = self.text.write(words_of(source, self.phrases, workers), keep_bytes)
            self._first = list(islice(self._chunks, 1))
        self._seconds = time.monotonic() - began

    def __enter__(self) -> Counting:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._chunks is not None:
            self._chunks.close()
            if any(raised):  # nobody would know what is in it
                self.text.path.unlink(missing_ok=True)

    def finish(self, *, quiet: bool) -> Counted:
        """The vocabulary with its counts."""
        if self.kept is not None:
            return self.kept
        began = time.monotonic()
        counts = Counts(self.phrases)
        paragraphs = sentences = words = 0
        with Progress("counting words", self.settings.words, quiet=quiet) as progress:
            for chunk in chain(self._first, self._chunks or ()):
                counts.add(chunk.keys, chunk.counts())
                found = int(chunk.paragraphs[:, 3].sum())
                paragraphs, sentences = paragraphs + len(chunk.paragraphs), sentences + len(chunk.sentences)
                words += found
                progress.advance(found)
        if self.source and not words:
            raise InputError("the corpus has no words (after its filters, if any); give other text with --corpus")
        if self.source:
            vocabulary = counts.vocabulary(self.settings.vocabulary)
        else:
            key = str.lower if self.settings.vocabulary.lowercase else str
            listed = list(dict.fromkeys(key(word) for word in self.settings.vocabulary.forced))
            vocabulary = Vocabulary(listed, np.zeros(len(listed), dtype=np.int64), self.phrases)
        counted = {
            "fingerprint": self.fingerprint,
            "paragraphs": paragraphs,
            "sentences": sentences,
            "words": words,
            "replaced_bytes": self.source.corpus.replaced_bytes if self.source else 0,
            "vocabulary": len(vocabulary),
            "seconds": self._seconds + time.monotonic() - began,
        }
        self.folder.save_vocabulary(vocabulary, counted, self.text)
        return vocabulary, counted, self.text


def words_of(source: SegmentedCorpus, phrases: Phrases, workers: int) -> Generator[Segmented, None, None]:
    """The corpus as words, chunk by chunk, up to the paragraph that reaches the number of words asked for."""
    words = 0
    given = chunks(source.corpus.paragraphs())
    for _, chunk in in_order(Segmenting(source.segmenter, phrases), given, workers, AHEAD):
        reached = words + np.cumsum(chunk.paragraphs[:, 3])
        enough = next((number for number, so_far in enumerate(reached, 1) if not source.has_more(so_far)), None)
        yield chunk if enough is None else chunk.between(0, enough)
        if enough is not None:
            return
        words = int(reached[-1]) if len(reached) else words
