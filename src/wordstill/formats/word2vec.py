"""Vectors as text: one word per line, the word and its numbers with spaces between them.

word2vec and fastText (.vec) have a first line "words dimensions"; GloVe has none. Counts are not kept by these
formats. A word with a space in it is read (it is what stands before the last `dimensions` numbers; some of
GloVe's words are such), but not written, since most readers would stumble. fastText's own reader stumbles over more:
every kind of ASCII whitespace ends a word, and it knows neither infinity nor NaN. Its end of a sentence, </s>, is a
word like others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from wordstill.arrays import Array, row_squares
from wordstill.errors import InputError
from wordstill.formats import numbers
from wordstill.formats.format import Format
from wordstill.formats.storage import as_type
from wordstill.formats.text_heads import LINES_COMPARED, glove_dimensions, keeps_promise, kind_of, whole_lines
from wordstill.formats.word_table import (
    BLOCK_BYTES,
    MAX_LINE_BYTES,
    Table,
    encoded_words,
    header_sizes,
    is_one_token,
    reading,
    writing,
)
from wordstill.vectors import WordVectors

ROWS_A_WRITE = 1000
# A number with as many digits as float32 numbers have and people's seldom.
_LONG = re.compile(rb"\.\d{7}")


def read(path: Path, dimensions: int | None = None) -> WordVectors:
    """Read word2vec text, or GloVe text where the number of dimensions is given instead of a first line."""
    with reading(path) as file:
        promised = None
        if dimensions is None:
            promised, dimensions = header_sizes(path, file.readline(1000))
        table = Table(dimensions)
        line_number = 1 if promised is None else 2
        for lines in blocks_of_lines(path, file.read):
            table.extend(*_rows(path, lines, line_number, dimensions))
            line_number += len(lines)
    if promised is not None and promised != len(table):
        raise InputError(
            f"{path} promises {promised} words in its first line and has {len(table)};"
            " it was cut off (copy or download it again), or its first line needs correcting"
        )
    return table.vectors()


def read_glove(path: Path) -> WordVectors:
    """Read text without a first line."""
    dimensions = glove_dimensions(path)
    if not dimensions:
        raise InputError(f"{path} has no numbers after the words of its first lines: it is no GloVe file")
    return read(path, dimensions)


def write(vectors: WordVectors, path: Path, dtype: str = "float32", header: bool = True) -> None:
    """Write as text that leads back to the same float32 numbers."""
    words = encoded_words(vectors, path, is_one_token, "this format ends a word at a space and a line at a newline")
    # A GloVe file that begins "2 3" is mistaken for a word2vec file of two words; "2 3.0" is not.
    one_number = not header and vectors.vector_size == 1
    with writing(path) as file:
        if header:
            file.write(b"%d %d\n" % vectors.matrix.shape)
        for start in range(0, len(words), ROWS_A_WRITE):
            rows = as_type(vectors.matrix[start : start + ROWS_A_WRITE], "float32")
            texts = numbers.text_of_rows(rows, always_a_point=one_number)
            lines = (words[start + i] + text.encode("ascii") + b"\n" for i, text in enumerate(texts))
            file.write(b"".join(lines))


def write_glove(vectors: WordVectors, path: Path, dtype: str = "float32") -> None:
    """Write text without a first line, which needs a word to tell the number of dimensions."""
    if not len(vectors):
        raise InputError(f"vectors of no words cannot be written to {path}: a GloVe file would be empty; use word2vec")
    write(vectors, path, header=False)


def write_fasttext(vectors: WordVectors, path: Path, dtype: str = "float32") -> None:
    """Write what fastText's own reader takes."""
    encoded_words(vectors, path, _is_fasttext_token, "fastText ends a word at every kind of whitespace")
    broken = np.flatnonzero(~np.isfinite(row_squares(vectors.matrix)))
    if len(broken):
        raise InputError(
            f"the vector of {vectors.words[broken[0]]!r} cannot be written to {path}: fastText reads no infinity, no"
            " NaN and no number whose square is beyond float32; use word2vec"
        )
    write(vectors, path)


def _is_fasttext_token(word: str) -> bool:
    return bool(word) and not any(space in word for space in " \t\n\v\f\r")


def _owns_glove(path: Path, head: bytes) -> bool:
    """Return whether the numbers are written as here; anyone's table is like a GloVe file.

    Whole numbers look the same whoever wrote them. Only under a name of this format are they enough.
    """
    texts = [line.partition(b" ")[2] for line in whole_lines(head)[:LINES_COMPARED]]
    one_number = b" " not in texts[0]
    named = path.name.endswith((".glove", ".glove.gz"))
    has_long = any(_LONG.search(text) for text in texts)
    return (named or has_long) and numbers.are_as_written(texts, always_a_point=one_number)


FORMATS = (
    Format(
        "word2vec",
        "word2vec's text: gensim, spacy init vectors, nearly everything",
        recognises=lambda path, head: kind_of(head) == "word2vec",
        read=read,
        write=write,
        endings=(".txt", ".w2v"),
        zipped=True,
        holds=is_one_token,
        owns=lambda path, head: keeps_promise(head),
    ),
    Format(
        "fasttext",
        "fastText's .vec: word2vec's text, kept to what fastText itself reads",
        recognises=lambda path, head: False,  # there is nothing by which to tell it from word2vec's text
        read=read,
        write=write_fasttext,
        endings=(".vec",),
        zipped=True,
        holds=_is_fasttext_token,
    ),
    Format(
        "glove",
        "GloVe's text: the same without a first line",
        recognises=lambda path, head: kind_of(head) == "glove",
        read=read_glove,
        write=write_glove,
        endings=(".glove",),
        zipped=True,
        holds=is_one_token,
        owns=_owns_glove,
    ),
)


def blocks_of_lines(path: Path, read_bytes: Callable[[int], bytes]) -> Iterator[list[bytes]]:
    """The lines of a file, many at a time."""
    rest = b""
    while block := read_bytes(BLOCK_BYTES):
        *lines, rest = (rest + block).split(b"\n")
        if len(rest) > MAX_LINE_BYTES:
            raise InputError(f"{path} has a line of more than {MAX_LINE_BYTES} bytes: these are no word vectors")
        if lines:
            yield lines
    yield [rest]
    if rest.strip():
        raise InputError(
            f"{path} ends in the middle of a line, so its last number may have been cut off; copy or download it again,"
            " or add a newline if it is whole"
        )


def _rows(path: Path, lines: list[bytes], line_number: int, dimensions: int) -> tuple[list[bytes], Array]:
    stripped = [line.rstrip() for line in lines]
    parted = [line.partition(b" ") for line in stripped if line]
    words, texts = [word for word, _, _ in parted], [text for _, _, text in parted]
    if not texts:
        return [], np.empty((0, dimensions), np.float32)
    matrix = numbers.parse_rows(texts, dimensions)
    if matrix is None:
        fields = [_fields(path, line, line_number + i, dimensions) for i, line in enumerate(stripped) if line]
        words = [word for word, *_ in fields]
        matrix = numbers.parse_rows([b" ".join(row[1:]) for row in fields], dimensions)
        if matrix is None:
            raise InputError(f"{path} has numbers after line {line_number} that cannot be read")
    return words, matrix


def _fields(path: Path, line: bytes, place: int, dimensions: int) -> list[bytes]:
    """A word and its numbers, from a line that may have other spaces than one after each of them."""
    word, _, text = line.partition(b" ")
    fields = [word, *text.split()]
    if len(fields) != dimensions + 1:
        fields = line.rsplit(None, dimensions)
    if len(fields) != dimensions + 1:
        raise InputError(f"line {place} of {path} has {len(fields) - 1} numbers and not {dimensions}")
    for field in fields[1:]:
        if not numbers.is_number(field):
            raise InputError(f"line {place} of {path}: {field.decode('utf-8', 'replace')!r} is not a number")
    return fields
