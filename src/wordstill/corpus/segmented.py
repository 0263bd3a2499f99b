"""Text as words: a stretch of a corpus after segmentation, in flat arrays, and a file that keeps such stretches.

A corpus is read twice, once to count its words and once for the teacher. What the first reading found is kept, so that
sentences and words are looked for once only, and the second reading leaves the cores to the teacher.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from wordstill.corpus.ahead import Chunk
from wordstill.corpus.read import BEGINNING, Position
from wordstill.corpus.segment import Segmenter
from wordstill.corpus.vocabulary import Phrases
from wordstill.vectors import Array

# The space that kept text may take: about 500 million words. What is behind it is segmented again.
MOST_BYTES = 2e9


class Segmented(NamedTuple):
    """Paragraphs of sentences of words; each distinct word is there once."""

    words: list[str]
    """The distinct words, as the teacher shall read them."""
    keys: list[str]
    """Under what each of them is counted."""
    codes: Array
    """Which of them stands at each place of the text."""
    sentences: Array
    """The number of words of each sentence, a phrase being one word."""
    paragraphs: Array
    """A row for each: the file and paragraph of the position behind it, its sentences, and the words found in it."""

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
            sentences=self.sentences[slice(*sentences)],
            paragraphs=self.paragraphs[first:last],
        )

    def after(self, position: Position) -> Segmented:
        """The paragraphs behind a position."""
        done = sum(self.position(paragraph) <= position for paragraph in range(len(self.paragraphs)))
        return self.between(done, len(self.paragraphs))


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
        for position, text in chunk:
            found = self.segmenter(text)
            if not found:
                continue
            paragraphs.append((position.file, position.paragraph, len(found), sum(map(len, found))))
            for sentence in found:
                if self.phrases.starts:
                    sentence, joined = self.phrases.read(sentence)
                    keys += joined
                words += sentence
                sentences.append(len(sentence))
        table: dict[Any, int] = {}
        # A phrase may be spelled like a word that is none; without phrases a word's key depends on it alone.
        spelled: Iterable[Any] = zip(words, keys, strict=True) if keys else words
        codes = [table.setdefault(each, len(table)) for each in spelled]
        words, keys = map(list, zip(*table, strict=True)) if keys else self.phrases.read(list(table))
        return Segmented(
            words,
            keys,
            np.array(codes, dtype=np.int32),
            np.array(sentences, dtype=np.int32),
            np.array(paragraphs, dtype=np.int64).reshape(-1, 4),
        )


# ---------------------------------------------------------------- the file

_HEADER = struct.Struct("<4q")


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

    def write(self, chunks: Iterator[Segmented], most: float) -> Iterator[Segmented]:
        """Keep what passes by, up to so many bytes."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("wb") as file:
            for chunk in chunks:
                record = _packed(chunk)
                self.whole = self.whole and self.size + len(record) <= most
                if self.whole and len(chunk.paragraphs):
                    file.write(record)
                    last = chunk.position(-1)
                    self.size, self.until = self.size + len(record), (last.file, last.paragraph)
                yield chunk

    def read(self, start: Position = BEGINNING) -> Iterator[Segmented]:
        """What is kept behind a position."""
        with self.path.open("rb") as file:
            while file.tell() < self.size:
                chunk = _unpacked(file)
                if chunk.position(-1) > start:
                    yield chunk.after(start)

    @property
    def there(self) -> bool:
        """Whether the file is as long as it was when it was written."""
        with suppress(OSError):
            return self.path.stat().st_size == self.size
        return False


def _packed(chunk: Segmented) -> bytes:
    keys = [0 if key == word else key for word, key in zip(chunk.words, chunk.keys, strict=True)]
    lists = json.dumps([chunk.words, keys], ensure_ascii=False).encode("utf-8", "surrogatepass")
    sizes = len(lists), len(chunk.codes), len(chunk.sentences), len(chunk.paragraphs)
    arrays = (chunk.codes, chunk.sentences, chunk.paragraphs)
    return b"".join([_HEADER.pack(*sizes), lists, *(array.tobytes() for array in arrays)])


def _unpacked(file: BinaryIO) -> Segmented:
    length, codes, sentences, paragraphs = _HEADER.unpack(file.read(_HEADER.size))
    words, keys = json.loads(file.read(length).decode("utf-8", "surrogatepass"))
    return Segmented(
        words,
        [key or word for word, key in zip(words, keys, strict=True)],
        np.frombuffer(file.read(4 * codes), dtype=np.int32),
        np.frombuffer(file.read(4 * sentences), dtype=np.int32),
        np.frombuffer(file.read(32 * paragraphs), dtype=np.int64).reshape(-1, 4),
    )
