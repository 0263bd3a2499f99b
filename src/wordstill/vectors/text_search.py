"""Files of sentence vectors, and the nearest of many lines: every line is compared, and few are held in memory."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array, top_rows, unit, unit_rows
from wordstill.errors import InputError
from wordstill.io.files import only_marked, replacing
from wordstill.io.reading import open_regular, read_by_library
from wordstill.system.progress import Progress
from wordstill.vectors.word_vectors import Oov, WordVectors

OURS = only_marked(rb"\A\x93NUMPY")
_BLOCK_ROWS = 1 << 14


class Line(NamedTuple):
    """A line that was found: its cosine with the query, its number from 1, its text."""

    cosine: float
    number: int
    text: str


def write_encoded(
    vectors: WordVectors,
    lines: Iterable[str],
    path: Path,
    *,
    normalize: bool = False,
    oov: Oov = None,
    dtype: str = "float32",
) -> int:
    """Write one row per line to a .npy file, which appears when it is whole; return how many."""
    rows = 0
    with replacing(path, ours=OURS) as temporary, temporary.open("wb") as file:
        _write_head(file, (0, vectors.vector_size), dtype)
        begin = file.tell()
        with Progress("encode", None, unit="lines") as progress:
            for batch in vectors.encode_batches(lines, normalize=normalize, oov=oov):
                with np.errstate(over="ignore"):
                    file.write(np.ascontiguousarray(batch, dtype=np.dtype(dtype).newbyteorder("<")).tobytes())
                rows += len(batch)
                progress.advance(len(batch))
        file.seek(0)
        # numpy leaves room in the head for the number of rows.
        _write_head(file, (rows, vectors.vector_size), dtype)
        assert file.tell() == begin
    return rows


def nearest_lines(
    vectors: WordVectors, lines: Iterable[str], query: str, topn: int = 10, oov: Oov = None
) -> list[Line]:
    """Return the lines nearest in cosine to a query, the nearest first; of equal ones the earlier first.

    A line without a known word has no direction and is never among them.
    """
    wanted = _direction(vectors, query, oov)
    held: list[str] = []

    def seen() -> Iterator[str]:
        for line in lines:
            held.append(line)
            yield line

    best: list[Line] = []
    done = 0
    with Progress("search", None, unit="lines") as progress:
        for batch in vectors.encode_batches(seen(), oov=oov):
            found = _best_rows(batch, wanted, topn)
            best = _merged(best, (Line(cosine, done + row + 1, held[row]) for row, cosine in found), topn)
            done += len(batch)
            held.clear()
            progress.advance(len(batch))
    return best


def nearest_encoded(
    vectors: WordVectors, encoded: Path, lines: Callable[[], Iterable[str]], query: str, topn: int = 10, oov: Oov = None
) -> list[Line]:
    """Return what `nearest_lines` does, with the vectors of the lines that `write_encoded` wrote.

    lines  opens the lines; they are read once, for the texts of the nearest ones
    """
    matrix = _open_encoded(encoded, vectors.vector_size)
    wanted = _direction(vectors, query, oov)
    best: list[Line] = []
    for start in range(0, len(matrix), _BLOCK_ROWS):
        block = np.asarray(matrix[start : start + _BLOCK_ROWS], dtype=np.float32)
        best = _merged(
            best, (Line(cosine, start + row + 1, "") for row, cosine in _best_rows(block, wanted, topn)), topn
        )
    texts = dict.fromkeys((line.number for line in best), "")
    number = 0
    for number, text in enumerate(lines(), 1):
        if number in texts:
            texts[number] = text
    if number != len(matrix):
        raise InputError(f"{encoded} has {len(matrix)} rows, but the texts have {number} lines; encode them again")
    return [line._replace(text=texts[line.number]) for line in best]


def _direction(vectors: WordVectors, query: str, oov: Oov) -> Array:
    wanted = vectors.encode(query, oov=oov)
    if not wanted.any():
        raise InputError(f"no word of the query {query[:100]!r} has a vector; ask in other words, or allow --oov rules")
    return unit(wanted)


def _best_rows(block: Array, wanted: Array, topn: int) -> list[tuple[int, float]]:
    cosines = np.nan_to_num(unit_rows(block) @ wanted, nan=-np.inf)
    cosines[~block.any(axis=1)] = -np.inf
    best = top_rows(cosines, topn)
    return [(int(row), float(cosines[row])) for row in best if cosines[row] > -np.inf]


def _merged(best: list[Line], more: Iterable[Line], topn: int) -> list[Line]:
    return heapq.nsmallest(topn, [*best, *more], key=lambda line: (-line.cosine, line.number))


def _write_head(file: object, shape: tuple[int, int], dtype: str) -> None:
    described = np.lib.format.dtype_to_descr(np.dtype(dtype).newbyteorder("<"))
    np.lib.format.write_array_header_1_0(file, {"descr": described, "fortran_order": False, "shape": shape})  # type: ignore[arg-type]


def _open_encoded(path: Path, width: int) -> Array:
    open_regular(path).close()
    with read_by_library(path, "an array of numbers"):
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind != "f" or matrix.shape[1] != width:
        raise InputError(f"{path} is no matrix of {width} columns of numbers; encode the texts with these vectors")
    return matrix
