"""The Embedding Projector's pair of files: numbers with tabs between them, and a line of metadata for each line.

The metadata are the words alone, or, where counts are known, two columns under the line "word<tab>count", as the
Projector wants it. Tabs, newlines, returns and backslashes in words are escaped as in a vectors folder (see
`vocabulary_file.py`). A word of nothing but whitespace is refused: the Projector skips such a line, and every word
after it would stand at another's point.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.formats import numbers, vocabulary_file
from wordstill.formats.format import Format
from wordstill.formats.storage import as_type
from wordstill.formats.text_heads import HEAD_BYTES, LINES_COMPARED, whole_lines
from wordstill.formats.word2vec import ROWS_A_WRITE, blocks_of_lines
from wordstill.formats.word_table import Table, encoded_words, once, reading
from wordstill.io.files import replacing
from wordstill.vectors import WordVectors

_HEADING = b"word\tcount\n"
# A name that speaks of vectors has a sister that speaks of metadata.
_SISTERS = ("vectors", "tensors", "tensor", "embeddings", "embedding")


def files(path: Path) -> list[Path]:
    """The numbers and their metadata."""
    path = path / "vectors.tsv" if path.is_dir() else path
    return [path, metadata_of(path)]


def metadata_of(path: Path) -> Path:
    """vectors.tsv has metadata.tsv beside it, x_tensor.tsv has x_metadata.tsv, and x.tsv x_metadata.tsv."""
    for name in _SISTERS:
        if name in path.stem:
            return path.with_name(path.stem.replace(name, "metadata") + path.suffix)
    return path.with_name(f"{path.stem}_metadata{path.suffix}")


def recognises(path: Path, head: bytes) -> bool:
    """A folder with vectors.tsv and metadata.tsv in it, or numbers without words beside a file of metadata."""
    if path.is_dir():
        return all(file.is_file() for file in files(path))
    fields = whole_lines(head)[0].rstrip(b"\r").split(b"\t")
    return metadata_of(path).is_file() and all(numbers.is_number(field) for field in fields)


def read(path: Path) -> WordVectors:
    """Read the pair, given one of its names or their folder."""
    place, metadata = files(path)
    if not metadata.is_file():
        raise InputError(f"{place} has no words: {metadata.name} must stand beside it")
    matrix = _read_numbers(place)
    words, counts, not_utf8, notes = _read_metadata(metadata)
    if len(words) != len(matrix):
        raise InputError(f"{place} has {len(matrix)} lines, and {metadata} has {len(words)} words; each line needs one")
    return once(words, matrix, counts, {"notes": notes} if notes else None, not_utf8)


def write(vectors: WordVectors, path: Path, dtype: str = "float32") -> None:
    """Write both files; they appear when both are whole."""
    encoded_words(vectors, path, holds, "the Projector skips a line of whitespace")
    if not len(vectors):
        raise InputError(f"vectors of no words cannot be written to {path}: the file would be empty; use word2vec")
    lines = vocabulary_file.lines_of(vectors, path)
    with replacing(metadata_of(path)) as metadata, replacing(path) as table:
        metadata.write_bytes(lines if vectors.counts is None else _HEADING + lines)
        with table.open("wb") as file:
            for start in range(0, len(vectors), ROWS_A_WRITE):
                rows = as_type(vectors.matrix[start : start + ROWS_A_WRITE], "float32")
                texts = numbers.text_of_rows(rows)
                file.write(b"".join([text[1:].replace(" ", "\t").encode("ascii") + b"\n" for text in texts]))


def holds(word: str) -> bool:
    """Whether something is left of a word where whitespace is cut off; a byte order mark is such for the Projector."""
    return bool(word.replace("\ufeff", "").strip())


def _read_numbers(path: Path) -> Array:
    table: Table | None = None
    with reading(path) as file:
        line_number = 1
        for block in blocks_of_lines(path, file.read):
            lines = [line.rstrip(b"\r").replace(b"\t", b" ") for line in block]
            texts = [line for line in lines if line]
            if texts:
                table = Table(texts[0].count(b" ") + 1) if table is None else table
                rows = numbers.parse_rows(texts, table.dimensions)
                if rows is None:
                    raise InputError(
                        f"{path} must have {table.dimensions} numbers with tabs between them on each line, and some of"
                        f" lines {line_number} to {line_number + len(lines) - 1} has not"
                    )
                table.extend([b""] * len(texts), rows)
            line_number += len(lines)
    return np.empty((0, 1), np.float32) if table is None else table.matrix()


def _read_metadata(path: Path) -> tuple[list[str], Array | None, int, list[str]]:
    """The first column are the words, a column `count` the counts; a heading stands where there are several columns."""
    data = vocabulary_file.read_bytes(path)
    first, _, rest = data.partition(b"\n")
    if b"\t" not in first:
        return vocabulary_file.parse_foreign(data, path)
    headings = first.split(b"\t")
    if first + b"\n" == _HEADING:
        return vocabulary_file.parse_foreign(rest, path)
    column = next(
        (place for place in range(1, len(headings)) if headings[place].lower() in (b"count", b"counts")), None
    )
    lines = [line.split(b"\t") for line in rest.split(b"\n")[:-1]]
    if any(len(line) != len(headings) for line in lines):
        raise InputError(
            f"{path} must have {len(headings)} columns on each line, as on its first, and some line has not"
        )
    chosen = [line[0] if column is None else line[0] + b"\t" + line[column] for line in lines]
    return vocabulary_file.parse_foreign(b"".join([line + b"\n" for line in chosen]), path)


def _owns(path: Path, head: bytes) -> bool:
    """Return whether both files are as they are written here: the numbers' digits, the columns, a word per line."""
    metadata = metadata_of(path)
    if path.is_dir() or not metadata.is_file() or b" " in head:
        return False
    lines = whole_lines(head)
    data = vocabulary_file.read_bytes(metadata)
    words = data.count(b"\n") - data.startswith(_HEADING)
    return (
        numbers.are_as_written([line.replace(b"\t", b" ") for line in lines[:LINES_COMPARED]])
        and (data.startswith(_HEADING) or b"\t" not in data)
        and (words == len(lines) or (len(head) >= HEAD_BYTES and words > len(lines)))
    )


FORMAT = Format(
    "projector",
    "the Embedding Projector's pair: vectors.tsv with metadata.tsv beside it",
    recognises=recognises,
    read=read,
    write=write,
    endings=(".tsv",),
    files=files,
    holds=holds,
    keeps_counts=True,
    owns=_owns,
)
