"""Count the words of a corpus: a fast pass of its own, whose result the run's state keeps."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from wordstill.corpus.read import Corpus
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.segmented_text import MOST_BYTES, KeptText, Segmented, SegmentedCorpus, Segmenting, chunks
from wordstill.corpus.vocabulary import Counts, Phrases, Vocabulary
from wordstill.distillation.run_folder import RunState
from wordstill.distillation.run_record import CorpusRecord
from wordstill.distillation.settings import DistillSettings
from wordstill.distillation.shards import Cutter, Shard, shards_as_json, shards_from_json
from wordstill.errors import Damaged, InputError
from wordstill.io.sealed import read_sealed, write_sealed
from wordstill.system.progress import Progress, log

# Does work on each of the things given, a few of them ahead, and yields them with their results, in order.
InOrder: TypeAlias = Callable[[Callable[[Any], Any], Iterator[Any], int], Iterator[tuple[Any, Any]]]


class Counted(NamedTuple):
    """What is known of a corpus once it was counted."""

    vocabulary: Vocabulary
    corpus: CorpusRecord
    text: KeptText
    """Its words, kept for the pass that follows."""
    shards: list[Shard]
    """Its stretches of text."""


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
        in_order: InOrder,
        keep_bytes: float | None = None,
    ) -> None:
        """Keep up to `keep_bytes` of the segmented text for the pass that follows (None: 2 GB and a quarter of the
        free disk at most). `in_order` does the segmenting, wherever it does it."""
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
        self.counted_before = self._load()
        self.text = KeptText(state.text)
        self._chunks: Generator[Segmented, None, None] | None = None
        self._first: list[Segmented] = []
        if source and self.counted_before is None:
            if keep_bytes is None:  # it is a convenience: a disk is not filled by it
                keep_bytes = min(MOST_BYTES, shutil.disk_usage(state.path).free / 4)
            found = words_of(source, self.phrases, in_order)
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
        counts, cutter = Counts(self.phrases), Cutter(self.settings.shard_words)
        paragraphs = sentences = words = 0
        with Progress("counting words", self.settings.words) as progress:
            for chunk in chain(self._first, self._chunks or ()):
                counts.add(chunk.keys, chunk.counts())
                counts.add_relations(chunk.relations)
                cutter.add(chunk.paragraphs)
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
        found_out = Counted(vocabulary, counted, self.text, cutter.finish())
        self._save(found_out)
        return found_out

    def _save(self, counted: Counted) -> None:
        """Keep the vocabulary with what was counted, and what is known of the text kept."""
        text = counted.text
        content = {
            **vars(counted.corpus),
            "text": {"size": text.size, "until": text.until, "whole": text.whole, "checksum": text.checksum},
            "shards": shards_as_json(counted.shards),
            "words_kept": counted.vocabulary.words,
            "counts": counted.vocabulary.counts.tolist(),
            "relations": counted.vocabulary.relations,
        }
        write_sealed(self.state.vocabulary, content)

    def _load(self) -> Counted | None:
        """Return what was counted before, if it was counted for the same corpus and nothing happened to it."""
        try:
            found = read_sealed(self.state.vocabulary)
        except Damaged as error:
            log.warning("%s; the words are counted again", error)
            return None
        if found is None or found["fingerprint"] != self.fingerprint:
            return None
        words, counts = found.pop("words_kept"), np.array(found.pop("counts"), dtype=np.int64)
        relations = tuple(found.pop("relations", ()))
        text, shards = KeptText(self.state.text, **found.pop("text")), shards_from_json(found.pop("shards"))
        text.until = (text.until[0], text.until[1])  # JSON has lists
        if text.size and not text.sound():
            log.debug("the text kept in %s is not what was written; it is segmented again", text.path)
            text = KeptText(self.state.text, whole=False)
        return Counted(Vocabulary(words, counts, self.phrases, relations), CorpusRecord(**found), text, shards)

    def _listed(self) -> Vocabulary:
        """The words of a list: all there is without a corpus."""
        key = str.lower if self.settings.vocabulary.lowercase else str
        words = list(dict.fromkeys(key(word) for word in self.settings.vocabulary.forced))
        return Vocabulary(words, np.zeros(len(words), dtype=np.int64), self.phrases)


def words_of(source: SegmentedCorpus, phrases: Phrases, in_order: InOrder) -> Generator[Segmented, None, None]:
    """The corpus as words, chunk by chunk, up to the paragraph that reaches the number of words asked for."""
    words = 0
    given = chunks(source.corpus.paragraphs())
    for _, chunk in in_order(Segmenting(source.segmenter, phrases), given, AHEAD):
        reached = words + np.cumsum(chunk.paragraphs[:, 3])
        enough = next((number for number, so_far in enumerate(reached, 1) if not source.has_more(so_far)), None)
        yield chunk if enough is None else chunk.between(0, enough)
        if enough is not None:
            return
        words = int(reached[-1]) if len(reached) else words
