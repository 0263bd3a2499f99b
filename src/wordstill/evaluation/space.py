"""A Space: vectors made ready to be judged, with a stated treatment of every odd word and row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from wordstill.arrays import Array, row_norms
from wordstill.errors import InputError
from wordstill.vectors import WordVectors

Case: TypeAlias = Literal["auto", "exact", "ignore", "lowered"]

# A vocabulary is taken for lowercase when at most one word in this many has a capital: room for [PAD].
WORDS_PER_CAPITAL = 100
BLOCK_ROWS = 16_384
# What vectors with a model of spellings may answer for a word outside their table with.
OOV = ("case", "pieces", "subwords")


class Space:
    """Words, their rows, and which of them count.

    case "auto"    a dataset's word is looked up as it is, then, in a lowercase vocabulary, lowercased
         "exact"   as it is
         "ignore"  both are lowercased: of words that differ in case alone the first one counts
         "lowered" only the vocabulary is lowercased (the `web` harness)

    The first row of a word that stands twice counts. A row with NaN or infinity and a row of zeros (which has
    no direction) are no vectors: their words are missing. `notes` says what was met.
    """

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        matrix: Array,
        case: Case = "auto",
        top: int | None = None,
        counts: Array | None = None,
    ) -> None:
        if case not in get_args(Case):
            raise InputError(f"case is one of {', '.join(get_args(Case))}, not {case!r}")
        if matrix.ndim != 2 or len(words) != len(matrix) or matrix.dtype.kind not in "fiu":
            raise InputError(f"{name} has {len(words)} words and a {matrix.dtype} matrix of {matrix.shape}")
        if not len(words):
            raise InputError(f"{name} has no words; there is nothing to judge")
        if top is not None and top < 1:
            raise InputError(f"the vocabulary can be cut to its first word or more, not to {top}")
        self.name = name
        self.words = list(words[:top])
        self.matrix = matrix[:top]
        self.counts = None if counts is None else counts[:top]
        self.answer: Callable[[str], Array | None] = lambda word: None
        """What the vectors themselves say of a word outside their table: None where they have no rule for it."""
        self.source: WordVectors | None = None
        """What the space was made of, where these are whole WordVectors."""
        self.norms, broken = _norms(self.matrix)
        lowered = case in ("ignore", "lowered")
        keys = [word.lower() for word in self.words] if lowered else self.words
        self._rows: dict[str, int] = {}
        for row, key in enumerate(keys):
            self._rows.setdefault(key, row)
        capitals = sum(word != word.lower() for word in self.words) if case == "auto" else 0
        self._fold = case == "ignore"
        self._lower = case == "auto" and capitals * WORDS_PER_CAPITAL <= len(self.words)
        usable = self.norms > 0
        first = np.zeros(len(self.words), dtype=bool)
        first[list(self._rows.values())] = True
        self.usable = usable
        # The rows that may be the answer to an analogy.
        self.candidates = np.flatnonzero(usable & first)
        self.notes = _row_warnings(name, broken, int((~usable).sum()) - broken, int((~first).sum()), lowered)

    @cached_property
    def word_vectors(self) -> WordVectors:
        """The words that have a vector, as WordVectors: those that the space was made of, where none is missing."""
        if self.source is not None and self.usable.all():
            return self.source
        rows = self.candidates
        counts = None if self.counts is None else self.counts[rows]
        card = {} if self.source is None else self.source.card
        usable = WordVectors([self.words[row] for row in rows], self.matrix[rows], counts, card)
        usable.pieces = None if self.source is None else self.source.pieces
        return usable

    def find(self, words: Iterable[str]) -> Array:
        """Return the row of each word; -1 where it has no vector."""
        return np.fromiter((self._find(word) for word in words), dtype=np.int64)

    def _find(self, word: str) -> int:
        row = self._rows.get(word.lower() if self._fold else word)
        if row is None and self._lower:
            row = self._rows.get(word.lower())
        return row if row is not None and self.usable[row] else -1

    def unit(self, rows: Array) -> Array:
        """Return the vectors of these rows at length 1, as float32; zeros where the row is -1 or no vector."""
        lengths = np.where(rows >= 0, self.norms[rows], 0.0)
        known = lengths > 0
        vectors = np.zeros((len(rows), self.matrix.shape[1]), dtype=np.float32)
        vectors[known] = self.matrix[rows[known]] / lengths[known, None]
        return vectors

    def unit_or_mean(self, rows: Array) -> Array:
        """Return the same with the mean of all unit vectors in place of zeros."""
        vectors = self.unit(rows)
        vectors[rows < 0] = self.mean_unit
        return vectors

    @cached_property
    def mean_unit(self) -> Array:
        """The mean of all unit vectors: what some harnesses give a missing word."""
        total = np.zeros(self.matrix.shape[1], dtype=np.float64)
        for start in range(0, len(self.candidates), BLOCK_ROWS):
            total += self.unit(self.candidates[start : start + BLOCK_ROWS]).sum(axis=0, dtype=np.float64)
        return (total / max(1, len(self.candidates))).astype(np.float32)


def make_space(name: str, vectors: Any, case: Case = "auto", top: int | None = None) -> Space:
    """Make a Space of WordVectors, gensim's KeyedVectors, or any mapping of words to vectors."""
    if isinstance(vectors, Mapping):
        if not vectors:
            raise InputError(f"{name} has no words; give at least one word with its vector")
        rows = [np.asarray(vector) for vector in vectors.values()]
        if len({row.shape for row in rows}) != 1 or rows[0].ndim != 1:
            raise InputError(f"the vectors of {name} differ in length; each word needs as many numbers")
        return Space(name, list(vectors), np.stack(rows), case, top)
    words, matrix = getattr(vectors, "index_to_key", None), getattr(vectors, "vectors", None)
    if words is None or matrix is None:
        raise InputError(
            f"{name} is a {type(vectors).__name__}; give WordVectors, gensim's KeyedVectors, or a mapping of"
            " words to vectors"
        )
    space = Space(name, words, matrix, case, top, getattr(vectors, "counts", None))
    if isinstance(vectors, WordVectors) and top is None:
        space.source = vectors
        if vectors.subwords is not None:
            space.answer = lambda word: vectors.get(word, oov=OOV)
    return space


def _norms(matrix: Array) -> tuple[Array, int]:
    """Return the length of each row, 0 where it is not finite, and how many of those there are."""
    norms = np.zeros(len(matrix), dtype=np.float64)
    for start in range(0, len(matrix), BLOCK_ROWS):
        block = np.asarray(matrix[start : start + BLOCK_ROWS], dtype=np.float64)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            norms[start : start + BLOCK_ROWS] = np.sqrt(np.einsum("ij,ij->i", block, block))
    # The squares of the largest and the smallest doubles are none any more.
    odd = np.flatnonzero(~np.isfinite(norms) | (norms == 0))
    norms[odd] = row_norms(np.asarray(matrix[odd]))
    broken = ~np.isfinite(norms)
    norms[broken] = 0.0
    bounds = np.finfo(np.float32)
    fits = norms.max(initial=0.0) <= bounds.max and norms.min(where=norms > 0, initial=1.0) >= bounds.tiny
    return norms.astype(np.float32) if fits else norms, int(broken.sum())


def _row_warnings(name: str, broken: int, zero: int, repeated: int, fold: bool) -> list[str]:
    notes = []
    if broken:
        notes.append(f"{name}: {_words(broken, 'a vector')} with NaN or infinity, counted as missing.")
    if zero:
        notes.append(f"{name}: {_words(zero, 'a vector')} of zeros, counted as missing.")
    if repeated:
        how = "more than once when case is ignored" if fold else "more than once"
        notes.append(f"{name}: {repeated} rows are of words that stand {how}; the first row of each counts.")
    return notes


def _words(count: int, what: str) -> str:
    return f"1 word has {what}" if count == 1 else f"{count} words have {what}"
