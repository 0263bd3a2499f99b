"""What the one-file formats share: opening, plain or gzipped, and a table of words and rows that grows."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.io.files import replacing
from wordstill.io.reading import GZIP, explaining, open_regular
from wordstill.vectors import WordVectors

# Small enough for the numbers of a block to stay in the processor's cache while they are read.
BLOCK_BYTES = 1 << 19
MAX_DIMENSIONS = 1_000_000
# No word and no line of numbers is longer; without a bound a file of another kind would be read whole.
MAX_LINE_BYTES = 1 << 26


class Table:
    """Words and their rows, collected block by block.

    Words that are not UTF-8 get a replacement character where they are not; of a word that comes twice the
    first is kept. Both are said in the card's notes.
    """

    def __init__(self, dimensions: int) -> None:
        self._matrix = np.empty((0, dimensions), np.float32)
        self._words: list[str] = []
        self._changed = 0

    def __len__(self) -> int:
        return len(self._words)

    def extend(self, words: Sequence[bytes], rows: Array) -> None:
        """Add words, none of which has a newline in it, and as many rows."""
        have, needed = len(self._words), len(self._words) + len(words)
        if needed > len(self._matrix):
            # In place: no second matrix beside the first, whatever the file's header promised.
            self._matrix.resize((max(needed, have * 3 // 2), self._matrix.shape[1]), refcheck=False)
        self._matrix[have:needed] = rows
        try:
            self._words += b"\n".join(words).decode("utf-8").split("\n") if words else []
        except UnicodeDecodeError:
            texts, changed = decoded(words)
            self._words += texts
            self._changed += changed

    @property
    def dimensions(self) -> int:
        """The length of a row."""
        return int(self._matrix.shape[1])

    def matrix(self) -> Array:
        """The rows alone."""
        self._matrix.resize((len(self._words), self.dimensions), refcheck=False)
        return self._matrix

    def vectors(self) -> WordVectors:
        """All that was added, as WordVectors."""
        return once(self._words, self.matrix(), not_utf8=self._changed)


def once(
    words: list[str],
    matrix: Array,
    counts: Array | None = None,
    card: Mapping[str, Any] | None = None,
    not_utf8: int = 0,
) -> WordVectors:
    """Vectors from elsewhere: of a word that comes twice the first is kept. The card's notes say what was odd."""
    rows: dict[str, int] = {}
    for row, word in enumerate(words):
        rows.setdefault(word, row)
    card = dict(card or {})
    notes = list(card.get("notes", ()))
    if not_utf8:
        notes.append(f"{not_utf8} words were not UTF-8 and have replacement characters")
    if len(rows) < len(words):
        notes.append(f"{len(words) - len(rows)} words came twice; the first of each was kept")
        kept = list(rows.values())
        words, matrix, counts = list(rows), matrix[kept], None if counts is None else counts[kept]
    return WordVectors(words, matrix, counts, {**card, "notes": notes} if notes else card)


def decoded(words: Sequence[bytes]) -> tuple[list[str], int]:
    """Words, with replacement characters where they are not UTF-8, and how many of them are such."""
    texts = [word.decode("utf-8", "replace") for word in words]
    return texts, sum(text.encode("utf-8") != word for text, word in zip(texts, words, strict=True))


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, through gzip where its content is gzipped."""
    with open_regular(path) as file, explaining(path, "gzip file"):
        packed = file.read(2) == GZIP
        file.seek(0)
        if packed:
            with gzip.open(file) as unzipped:
                yield cast(BinaryIO, unzipped)
        else:
            yield file


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that appears when it is whole, through gzip where its name ends in .gz."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        if path.suffix == ".gz":
            # No name and no time inside: the same vectors make the same bytes.
            with gzip.GzipFile("", "wb", 6, file, mtime=0) as zipped:
                yield cast(BinaryIO, zipped)
        else:
            yield file


def header_sizes(path: Path, line: bytes) -> tuple[int, int]:
    """The numbers of words and of dimensions in a word2vec file's first line."""
    if not re.fullmatch(rb"\s*\d+\s+\d+\s*", line):
        raise InputError(f"{path} has no first line of two numbers, words and dimensions: it is no word2vec file")
    count, dimensions = (int(field) for field in line.split())
    if not 1 <= dimensions <= MAX_DIMENSIONS:
        raise InputError(f"{path} claims {dimensions} dimensions in its first line; it must be from 1 to 10^6")
    return count, dimensions


def is_one_token(word: str) -> bool:
    """Whether word2vec's formats can hold it: they end a word at a space and a line at a newline."""
    return bool(word) and " " not in word and "\n" not in word


def encoded_words(vectors: WordVectors, path: Path, holds: Callable[[str], bool], why: str) -> list[bytes]:
    """The words as UTF-8; refused where the format cannot hold one of them."""
    if vectors.vector_size < 1:
        raise InputError(f"vectors without dimensions cannot be written to {path}; use a vectors folder")
    for word in vectors.words:
        if not holds(word):
            raise InputError(
                f"the word {shown(word)} cannot be written to {path}: {why}; leave such words out (convert --drop), or"
                " use a vectors folder, which holds every word"
            )
    return [utf8(word, path) for word in vectors.words]


def shown(word: str) -> str:
    """A word in a message: quoted, and cut where it is long."""
    return repr(word) if len(word) <= 60 else repr(word[:60]) + "..."


def utf8(word: str, path: Path) -> bytes:
    """The word as UTF-8, which a lone surrogate has none of."""
    try:
        return word.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"the word {shown(word)} is not valid Unicode and cannot be written to {path}") from error
