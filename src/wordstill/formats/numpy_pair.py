"""numpy's array file with a list of words beside it: X.npy, and X.words.tsv with the words and counts of its rows.

The list is written as in a vectors folder (see `vocabulary_file.py`); a plain list of words, one a line, is read too.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wordstill.errors import InputError
from wordstill.formats import vocabulary_file
from wordstill.formats.format import Format
from wordstill.formats.storage import FLOATS, as_type
from wordstill.formats.word_table import once
from wordstill.io.files import replacing
from wordstill.io.reading import read_by_library
from wordstill.vectors import WordVectors

MAGIC = b"\x93NUMPY"
_LISTS = (".words.tsv", ".words.txt")


def files(path: Path) -> list[Path]:
    """Return the array and the list of its words: the list that is there, or the one that is written."""
    found = words_beside(path) if path.exists() else None
    return [path, found or path.with_name(path.stem + _LISTS[0])]


def words_beside(path: Path) -> Path | None:
    """The list of words of an array, where there is one."""
    places = (path.with_name(path.stem + ending) for ending in _LISTS)
    return next((place for place in places if place.is_file()), None)


def read(path: Path) -> WordVectors:
    """Read an array, memory-mapped, and its words."""
    place = words_beside(path)
    if place is None:
        raise InputError(
            f"{path} is an array without words: {path.stem}{_LISTS[0]} or {path.stem}{_LISTS[1]} must stand beside it,"
            " one word per line; if gensim saved it beside a model, load that model with gensim and export it with"
            " save_word2vec_format"
        )
    with read_by_library(path, "an array of numbers"):
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        raise InputError(f"{path} must be a matrix of numbers, not {matrix.dtype.name} of shape {matrix.shape}")
    words, counts, not_utf8, notes = vocabulary_file.parse_foreign(vocabulary_file.read_bytes(place), place)
    if len(words) != len(matrix):
        raise InputError(f"{path} has {len(matrix)} rows, and {place} has {len(words)} words; each row needs one")
    if matrix.dtype.name not in FLOATS or not matrix.dtype.isnative:
        matrix = matrix.astype(matrix.dtype.name if matrix.dtype.name in FLOATS else np.float32)
    return once(words, matrix, counts, {"notes": notes} if notes else None, not_utf8)


def write(vectors: WordVectors, path: Path, dtype: str = "float32") -> None:
    """Write the array and, beside it, the list; both appear when both are whole."""
    lines = vocabulary_file.lines_of(vectors, path)
    matrix = as_type(vectors.matrix, dtype)
    with replacing(path.with_name(path.stem + _LISTS[0])) as words, replacing(path) as array:
        words.write_bytes(lines)
        with array.open("wb") as file:
            np.save(file, np.ascontiguousarray(matrix), allow_pickle=False)


def _owns(path: Path, head: bytes) -> bool:
    """Return whether a matrix has a list beside it, of the name that is written here, with a line per row."""
    place = path.with_name(path.stem + _LISTS[0])
    if not head.startswith(MAGIC) or not place.is_file():
        return False
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
        return matrix.ndim == 2 and matrix.dtype.name in FLOATS and len(matrix) == place.read_bytes().count(b"\n")
    except (ValueError, OSError, EOFError):
        return False


FORMAT = Format(
    "numpy",
    "X.npy with X.words.tsv beside it: an array, and one word per line",
    recognises=lambda path, head: head.startswith(MAGIC),
    read=read,
    write=write,
    endings=(".npy",),
    files=files,
    keeps_counts=True,
    types=("float32", "float16", "float64"),
    owns=_owns,
)
