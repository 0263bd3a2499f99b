"""A small model of spellings: a vector for any word, from the character n-grams it is made of.

    v(w) = m + (1 / sqrt(|G(w)|)) sum over g in G(w) of  C[h(g)] B

G(w) are the n-grams of <w> of 3 to 6 characters, h puts each into one of 32,768 buckets, C has 128 numbers a bucket
and B leads from these to the vectors' space, along its main directions. `fit` finds C by a ridge regression on the
finished vectors, with conjugate gradients. Stored in half precision C takes 8 MB; using it needs numpy alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.errors import InputError
from wordstill.vectors import Array, WordVectors, unit_rows

FILE = "subwords.safetensors"
SHORTEST, LONGEST = 3, 6
BUCKETS, RANK = 32_768, 128
# Words to learn from, and characters of a word that are looked at.
MOST_WORDS, MOST_CHARACTERS = 200_000, 100
STEPS = 12
RIDGE = 1.0


@dataclass(frozen=True)
class Subwords:
    """C, B and m of the page above."""

    codes: Array
    basis: Array
    mean: Array

    def vector(self, word: str) -> Array:
        """A vector for any spelling."""
        buckets = ngrams(word, len(self.codes))
        total = self.codes[buckets].sum(axis=0, dtype=np.float32)
        return np.asarray(self.mean + (total / np.sqrt(max(1, len(buckets)))) @ self.basis)

    def vectors(self, words: Sequence[str]) -> Array:
        """A vector for each of several words."""
        return np.array([self.vector(word) for word in words], dtype=np.float32).reshape(-1, len(self.mean))

    @property
    def bytes(self) -> int:
        """What it takes on disk."""
        return int(self.codes.nbytes + self.basis.nbytes + self.mean.nbytes)

    def save(self, folder: Path) -> None:
        """Write subwords.safetensors."""
        from wordstill.formats import safetensors

        arrays = {"codes": self.codes, "basis": self.basis, "mean": self.mean}
        safetensors.write(folder / FILE, arrays, {"ngrams": f"{SHORTEST}-{LONGEST}", "hash": "crc32"})


def load(folder: Path, dimensions: int) -> Subwords | None:
    """The model stored in a vectors folder, memory-mapped; None where there is none."""
    from wordstill.formats import safetensors

    path = folder / FILE
    if not path.is_file():
        return None
    arrays, told = safetensors.read(path)
    codes, basis, mean = (arrays.get(name, np.zeros(0)) for name in ("codes", "basis", "mean"))
    fits = codes.ndim == 2 and basis.shape == (codes.shape[1], dimensions) and mean.shape == (dimensions,)
    if not fits or told != {"ngrams": f"{SHORTEST}-{LONGEST}", "hash": "crc32"}:
        raise InputError(f"{path} does not belong to vectors of {dimensions} dimensions; remove it or make it anew")
    return Subwords(codes, basis, mean)


def ngrams(word: str, buckets: int) -> Array:
    """The bucket of each n-gram of a word; a word may have none."""
    text = f"<{word[:MOST_CHARACTERS]}>"
    if text.isascii():  # a byte is a character
        raw = text.encode("ascii")
        found = [
            zlib.crc32(raw[start : start + length])
            for length in range(SHORTEST, LONGEST + 1)
            for start in range(len(raw) - length + 1)
        ]
    else:
        found = [
            zlib.crc32(text[start : start + length].encode("utf-8", "surrogatepass"))
            for length in range(SHORTEST, LONGEST + 1)
            for start in range(len(text) - length + 1)
        ]
    return np.array(found, dtype=np.int64) % buckets


def fit(vectors: WordVectors, ridge: float = RIDGE) -> Subwords:
    """Learn the spellings of finished vectors: those of their most frequent words, where there are very many."""
    number = min(len(vectors), MOST_WORDS)
    matrix = np.asarray(vectors.matrix[:number], dtype=np.float32)
    lengths = np.linalg.norm(matrix, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    if not usable.any():
        raise InputError("a model of spellings needs words with vectors, and there are none")
    # Directions are what is learned: the length of a vector often tells how rare its word is.
    matrix = unit_rows(matrix[usable]) * lengths[usable].mean()
    words = [word for word, good in zip(vectors.words, usable, strict=False) if good]
    counts = np.ones(len(words)) if vectors.counts is None else vectors.counts[:number][usable]
    trust = ((counts + 1) / (counts + 6)).astype(np.float32)
    mean = (trust @ matrix) / trust.sum()
    centred = matrix - mean
    _, directions = np.linalg.eigh((centred * trust[:, None]).T @ centred)
    basis = np.ascontiguousarray(directions[:, ::-1][:, :RANK].T)
    buckets = min(BUCKETS, 1 << (2 * len(words)).bit_length())
    codes = _solve(words, centred @ basis.T, trust, buckets, ridge)
    return Subwords(codes.astype(np.float16), basis, mean)


def _solve(words: list[str], targets: Array, trust: Array, buckets: int, ridge: float) -> Array:
    """The ridge regression of targets on n-grams, by conjugate gradients, all columns at once."""
    from wordstill.training.rows import add_rows

    found = [ngrams(word, buckets) for word in words]
    sizes = np.array([len(each) for each in found])
    grams = np.concatenate(found).astype(np.int32)
    owners = np.repeat(np.arange(len(words), dtype=np.int32), sizes)
    scale = (1.0 / np.sqrt(np.maximum(1, sizes))).astype(np.float32)[:, None]

    def gather(codes: Array) -> Array:
        sums = np.zeros(targets.shape, dtype=np.float32)
        add_rows(sums, owners, codes, grams)
        return np.asarray(sums * scale)

    def spread(rows: Array) -> Array:
        sums = np.zeros((buckets, targets.shape[1]), dtype=np.float32)
        add_rows(sums, grams, rows * (scale * trust[:, None]), owners)
        return sums

    codes = np.zeros((buckets, targets.shape[1]), dtype=np.float32)
    residual = spread(np.ascontiguousarray(targets, dtype=np.float32))
    step = residual.copy()
    left = (residual * residual).sum(axis=0)
    for _ in range(STEPS):
        turned = spread(gather(step)) + ridge * step
        size = left / np.maximum((step * turned).sum(axis=0), 1e-30)
        codes += size * step
        residual -= size * turned
        now = (residual * residual).sum(axis=0)
        step = residual + (now / np.maximum(left, 1e-30)) * step
        left = now
    return codes
