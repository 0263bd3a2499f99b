"""Count the words of a corpus: a fast pass of its own, whose result the run's state keeps."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Generator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

import numpy as np

from wordstill.corpus.read import BEGINNING, Corpus, Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import MOST_BYTES, KeptText, Segmented, SegmentedCorpus, Segmenting, chunks
from wordstill.corpus.vocabulary import Counts, Phrases, Vocabulary
from wordstill.distillation.run_folder import RunState
from wordstill.distillation.run_record import CorpusRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.errors import InputError
from wordstill.system.progress import Progress
from wordstill.system.workers import counting_workers, in_order

Counted: TypeAlias = tuple[Vocabulary, CorpusRecord, KeptText]
STANDARD_INPUT = "-"
# Chunks that workers count while nobody asks for them: some ten megabytes.
AHEAD = 16


def corpus_paths(corpus: str | Path | Sequence[str | Path]) -> list[str | Path]:
    """List the paths of a corpus; standard input (-) cannot be mixed with files."""
    paths = [corpus] if isinstance(corpus, (str, Path)) else list(corpus)
    if STANDARD_INPUT in map(str, paths) and len(paths) > 1:
        raise InputError("standard input (-) cannot be mixed with files; give one or the other")
    return paths


def open_corpus(
    paths: Sequence[str | Path], settings: DistillSettings, state: RunState | None = None
) -> SegmentedCorpus | None:
    """Open the corpus as the settings say; None where there is none.

    Standard input is kept in the run's state; before there is one, it is None too.
    """
    if paths and str(paths[0]) == STANDARD_INPUT:
        paths = [] if state is None else [state.standard_input(sys.stdin.buffer)]
    if not paths:
        return None
    return SegmentedCorpus(Corpus(paths, field=settings.field), Segmenter(settings.segmentation), settings.words)


def fingerprint_of(source: SegmentedCorpus | None, paths: Sequence[str | Path]) -> str | None:
    """Return the corpus's fingerprint, "" where there is no corpus, and None where it is standard input still."""
    if source is None:
        return None if paths else ""
    return source.corpus.fingerprint()


class Counting:
    """One fast pass over the corpus, or what the run's state has of it.

    With workers it begins at once: they count while the teacher is loaded, say. `finish` waits for the vocabulary.
    """

    def __init__(
        self,
        state: RunState,
        source: SegmentedCorpus | None,
        settings: DistillSettings,
        fingerprint: str,
        workers: int | None = None,
        keep_bytes: float | None = None,
    ) -> None:
        """Keep up to `keep_bytes` of the segmented text for the pass that follows (None: 2 GB and a quarter of the
        free disk at most)."""
        began = time.monotonic()
        self.state, self.source, self.settings, self.fingerprint = state, source, settings, fingerprint
        plain = replace(
            settings.segmentation,
            min_sentences=0,
            min_characters=0,
            min_sentence_words=1,
            max_kept_sentence_words=None,
        )
        self.phrases = Phrases.of(settings.vocabulary.forced, Segmenter(plain), settings.vocabulary.lowercase)
        self.counted_before = state.load_vocabulary(fingerprint, self.phrases)
        self.text = KeptText(state.text)
        self._chunks: Generator[Segmented, None, None] | None = None
        self._first: list[Segmented] = []
        if source and self.counted_before is None:
            if keep_bytes is None:  # it is a convenience: a disk is not filled by it
                keep_bytes = min(MOST_BYTES, shutil.disk_usage(state.path).free / 4)
            found = words_of(source, self.phrases, counting_workers() if workers is None else workers)
            self._chunks = self.text.write(found, keep_bytes)
            self._first = list(islice(self._chunks, 1))
        self._seconds = time.monotonic() - began

    def __enter__(self) -> Counting:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._chunks is not None:
            self._chunks.close()
            if any(raised):  # nobody would know what is in it
                self.text.path.unlink(missing_ok=True)

    def finish(self) -> Counted:
        """Return the vocabulary with its counts, what was counted, and the text that was kept."""
        if self.counted_before is not None:
            return self.counted_before
        began = time.monotonic()
        counts = Counts(self.phrases)
        paragraphs = sentences = words = 0
        with Progress("counting words", self.settings.words) as progress:
            for chunk in chain(self._first, self._chunks or ()):
                counts.add(chunk.keys, chunk.counts())
                found = int(chunk.paragraphs[:, 3].sum())
                paragraphs, sentences = paragraphs + len(chunk.paragraphs), sentences + len(chunk.sentences)
                words += found
                progress.advance(found)
        if self.source and not words:
            raise InputError("the corpus has no words (after its filters, if any); give other text with --corpus")
        vocabulary = counts.vocabulary(self.settings.vocabulary) if self.source else self._listed()
        counted = CorpusRecord(
            fingerprint=self.fingerprint,
            paragraphs=paragraphs,
            sentences=sentences,
            words=words,
            replaced_bytes=self.source.corpus.replaced_bytes if self.source else 0,
            vocabulary=len(vocabulary),
            seconds=self._seconds + time.monotonic() - began,
        )
        self.state.save_vocabulary(vocabulary, counted, self.text)
        return vocabulary, counted, self.text

    def _listed(self) -> Vocabulary:
        """The words of a list: all there is without a corpus."""
        key = str.lower if self.settings.vocabulary.lowercase else str
        words = list(dict.fromkeys(key(word) for word in self.settings.vocabulary.forced))
        return Vocabulary(words, np.zeros(len(words), dtype=np.int64), self.phrases)


def words_of(
    source: SegmentedCorpus, phrases: Phrases, workers: int, start: Position = BEGINNING, words: int = 0
) -> Generator[Segmented, None, None]:
    """The corpus as words, chunk by chunk, up to the paragraph that reaches the number of words asked for.

    It may begin behind a position, up to which there were so many words.
    """
    given = chunks(source.corpus.paragraphs(start))
    for _, chunk in in_order(Segmenting(source.segmenter, phrases), given, workers, AHEAD):
        reached = words + np.cumsum(chunk.paragraphs[:, 3])
        enough = next((number for number, so_far in enumerate(reached, 1) if not source.has_more(so_far)), None)
        yield chunk if enough is None else chunk.between(0, enough)
        if enough is not None:
            return
        words = int(reached[-1]) if len(reached) else words
