"""Text as words: a stretch of a corpus after segmentation, in flat arrays, and a file that keeps such stretches.

A corpus is gone through twice, once to count its words and once for the teacher. What the first pass found is kept, so
that sentences and words are looked for once only, and the second pass leaves the cores to the teacher.
"""

from __future__ import annotations

import errno
import json
import os
import struct
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.conllu import is_parsed
from wordstill.corpus.read import BEGINNING, Corpus, Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.vocabulary import Phrases
from wordstill.errors import InputError
from wordstill.io.sealed import file_checksum

# The space that kept text may take: about 250 million words. What is behind it is segmented again.
MOST_BYTES = 2e9


# Characters that are worked on at once.
CHUNK = 1 << 19
Chunk: TypeAlias = list[tuple[Position, str]]


@dataclass(frozen=True)
class SegmentedCorpus:
    """A corpus seen through a segmenter, up to a number of words (the paragraph that reaches it is kept whole)."""

    corpus: Corpus
    segmenter: Segmenter
    most_words: int | None = None

    def has_more(self, words: int) -> bool:
        """Tell whether there may be more after so many words."""
        return self.most_words is None or words < self.most_words


def chunks(paragraphs: Iterable[tuple[Position, str]]) -> Iterator[Chunk]:
    """Cut paragraphs into stretches of about CHUNK characters."""
    chunk: Chunk = []
    size = 0
    for position, text in paragraphs:
        chunk.append((position, text))
        size += len(text)
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def joined_parses(parts: Sequence[tuple[Array | None, int]]) -> Array | None:
    """Join the heads and relations of stretches of so many words; those without have -1. None if none has any."""
    if all(parses is None for parses, _ in parts):
        return None
    return np.concatenate(
        [np.full((size, 2), -1, dtype=np.int32) if parses is None else parses for parses, size in parts]
    )


class Segmented(NamedTuple):
    """Paragraphs of sentences of words; each distinct word is there once."""

    words: list[str]
    """The distinct words, as the teacher shall read them; a part of a stretch has those of the whole."""
    keys: list[str]
    """Under what each of them is counted."""
    codes: Array
    """Which of them stands at each place of the text."""
    sentences: Array
    """The number of words of each sentence, a phrase being one word."""
    paragraphs: Array
    """A row for each: the file and paragraph of the position behind it, its sentences, and the words found in it."""
    parses: Array | None = None
    """A row for each place: that of the word's head in its sentence (-1: none), and which relation it has to it."""
    relations: tuple[str, ...] = ()
    """The distinct relations."""

    def position(self, paragraph: int) -> Position:
        """Where a reader stands behind a paragraph."""
        file, number = self.paragraphs[paragraph, :2].tolist()
        return Position(file, number)

    def counts(self) -> list[int]:
        """How often each of the distinct words is there."""
        numbers: list[int] = np.bincount(self.codes, minlength=len(self.keys)).tolist()
        return numbers

    def between(self, first: int, last: int) -> Segmented:
        """Some of the paragraphs."""
        sentences = np.concatenate([[0], np.cumsum(self.paragraphs[:, 2])])[[first, last]]
        places = np.concatenate([[0], np.cumsum(self.sentences)])[sentences]
        return self._replace(
            codes=self.codes[slice(*places)],
            parses=None if self.parses is None else self.parses[slice(*places)],
            sentences=self.sentences[slice(*sentences)],
            paragraphs=self.paragraphs[first:last],
        )

    def within(self, start: Position, end: Position | None = None) -> Segmented:
        """The paragraphs behind a position, up to another one."""
        first = self._paragraphs_until(start)
        last = len(self.paragraphs) if end is None else self._paragraphs_until(end)
        return self if (first, last) == (0, len(self.paragraphs)) else self.between(first, last)

    def _paragraphs_until(self, position: Position) -> int:
        files, numbers = self.paragraphs[:, 0], self.paragraphs[:, 1]
        return int(((files < position.file) | ((files == position.file) & (numbers <= position.paragraph))).sum())


@dataclass(frozen=True)
class Segmenting:
    """All that is done to text to find its words."""

    segmenter: Segmenter
    phrases: Phrases

    def __call__(self, chunk: Chunk) -> Segmented:
        """The paragraphs of a chunk that have words."""
        words: list[str] = []
        keys: list[str] = []
        sentences: list[int] = []
        paragraphs: list[tuple[int, int, int, int]] = []
        parses: list[tuple[Array | None, int]] = []
        relations: dict[str, int] = {}
        for position, text in chunk:
            parse: Array | None = None
            if is_parsed(text):
                found, parse = self._parsed(text, relations)
            else:
                found = self.segmenter(text)
            if not found:
                continue
            paragraphs.append((position.file, position.paragraph, len(found), sum(map(len, found))))
            before = len(words)
            for sentence in found:
                if self.phrases.starts and parse is not None:  # joined words would have no head
                    keys += [word.lower() for word in sentence] if self.phrases.lowercase else sentence
                elif self.phrases.starts:
                    sentence, joined = self.phrases.read(sentence)
                    keys += joined
                words += sentence
                sentences.append(len(sentence))
            parses.append((parse, len(words) - before))
        # A phrase may be spelled like a word that is none; without phrases a word's key depends on it alone.
        spelled: list[Any] = list(zip(words, keys, strict=True)) if keys else words
        table = {each: code for code, each in enumerate(dict.fromkeys(spelled))}
        codes = np.fromiter(map(table.__getitem__, spelled), dtype=np.int32, count=len(spelled))
        words, keys = map(list, zip(*table, strict=True)) if keys else self.phrases.read(list(table))
        return Segmented(
            words,
            keys,
            codes,
            np.array(sentences, dtype=np.int32),
            np.array(paragraphs, dtype=np.int64).reshape(-1, 4),
            joined_parses(parses),
            tuple(relations),
        )

    def _parsed(self, text: str, relations: dict[str, int]) -> tuple[list[list[str]], Array]:
        """Return the words of a parsed paragraph's sentences, and a row of heads and relations for each word."""
        found = self.segmenter.parsed(text)
        heads = [head for sentence in found for head in sentence.heads]
        kinds = [relations.setdefault(kind, len(relations)) for sentence in found for kind in sentence.relations]
        return [sentence.words for sentence in found], np.array([heads, kinds], dtype=np.int32).T.copy()


# ---------------------------------------------------------------- the file

# The numbers of paragraphs, places, sentences, places with parses, and bytes of JSON.
_HEADER = struct.Struct("<5q")
_PARAGRAPH, _NUMBER = 32, 4


@dataclass
class KeptText:
    """Stretches of segmented text in one file, from the corpus's beginning on."""

    path: Path
    size: int = 0
    """Bytes in the file."""
    until: tuple[int, int] = (0, 0)
    """The position (file, paragraph) behind the last paragraph kept."""
    whole: bool = True
    """Whether nothing was left out so far."""
    checksum: int = 0
    """CRC-32 of these bytes."""

    def write(self, chunks: Generator[Segmented, None, None], most: float) -> Generator[Segmented, None, None]:
        """Keep what passes by: up to so many bytes, or what the disk has room for. The rest can be segmented again."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with closing(chunks), self.path.open("wb", buffering=0) as file:
            for chunk in chunks:
                if self.whole and len(chunk.paragraphs):
                    record = _packed(chunk)
                    self.whole = self.size + len(record) <= most and _written(file, record, self.size)
                    if self.whole:
                        last = chunk.position(-1)
                        self.size, self.until = self.size + len(record), (last.file, last.paragraph)
                        self.checksum = zlib.crc32(record, self.checksum)
                yield chunk
            os.fsync(file.fileno())  # before anything says that it is there

    def read(self, start: Position = BEGINNING, end: Position | None = None) -> Iterator[Segmented]:
        """What is kept behind a position, up to another one."""
        with self.path.open("rb") as file:
            while file.tell() < self.size:
                chunk = _unpacked(file, start)
                if chunk is None:
                    continue
                part = chunk.within(start, end)
                if len(part.paragraphs):
                    yield part
                if end is not None and chunk.position(-1) >= end:
                    return

    def sound(self) -> bool:
        """Tell whether the file is, byte for byte, what was written."""
        with suppress(OSError, InputError):
            return self.path.stat().st_size == self.size and file_checksum(self.path) == self.checksum
        return False


def _written(file: FileIO, record: bytes, before: int) -> bool:
    """Append a record; where the disk is full, take back what was written of it."""
    rest = memoryview(record)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        file.truncate(before)
        return False
    return True


def _packed(chunk: Segmented) -> bytes:
    keys = [0 if key == word else key for word, key in zip(chunk.words, chunk.keys, strict=True)]
    lists = json.dumps([chunk.words, keys, chunk.relations], ensure_ascii=False).encode("utf-8", "surrogatepass")
    parses = np.zeros((0, 2), dtype=np.int32) if chunk.parses is None else chunk.parses
    arrays = (chunk.paragraphs, chunk.codes, chunk.sentences, parses)
    sizes = (*map(len, arrays), len(lists))
    return b"".join([_HEADER.pack(*sizes), *(array.tobytes() for array in arrays), lists])


def _unpacked(file: BinaryIO, start: Position) -> Segmented | None:
    """The next record, if it has a paragraph behind a position."""
    number, codes, sentences, parsed, length = _HEADER.unpack(file.read(_HEADER.size))
    paragraphs = np.frombuffer(file.read(_PARAGRAPH * number), dtype=np.int64).reshape(-1, 4)
    if Position(*paragraphs[-1, :2].tolist()) <= start:
        file.seek(_NUMBER * (codes + sentences + 2 * parsed) + length, os.SEEK_CUR)
        return None
    places, lengths, parses = (
        np.frombuffer(file.read(_NUMBER * size), dtype=np.int32) for size in (codes, sentences, 2 * parsed)
    )
    words, keys, relations = json.loads(file.read(length).decode("utf-8", "surrogatepass"))
    keys = [key or word for word, key in zip(words, keys, strict=True)]
    return Segmented(
        words, keys, places, lengths, paragraphs, parses.reshape(-1, 2) if parsed else None, tuple(relations)
    )
