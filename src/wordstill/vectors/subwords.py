"""A small model of spellings: a vector for any word, from the character n-grams it is made of.

    v(w) = m + (1 / sqrt(|G(w)|)) sum over g in G(w) of  C[h(g)] B

G(w) are the n-grams of <w> of 3 to 6 characters, h puts each into one of 32,768 buckets, C has 128 numbers per bucket
and B leads from these to the vectors' space, along its main directions. `fit_subwords` finds C by a ridge regression on
the finished vectors, with conjugate gradients. Stored in half precision C takes 8 MB; using it needs numpy alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.arrays import Array, unit_rows
from wordstill.errors import InputError
from wordstill.vectors import WordVectors

FILE = "subwords.safetensors"
SHORTEST, LONGEST = 3, 6
BUCKETS, RANK = 32_768, 128
# Words to learn from, and characters of a word that are looked at.
MOST_WORDS, MOST_CHARACTERS = 200_000, 100
STEPS = 6
RIDGE = 1.0
BLOCK = 1024  # words at a time
COLUMNS = 32  # numbers of a bucket that are solved for together: few enough for the processor's cache


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
        totals = np.zeros((len(words), self.codes.shape[1]), dtype=np.float32)
        for start in range(0, len(words), BLOCK):
            buckets, starts = ngrams_of(words[start : start + BLOCK], len(self.codes))
            sizes = np.diff(starts)
            some = np.flatnonzero(sizes)
            if len(some):
                summed = np.add.reduceat(self.codes[buckets], starts[some], axis=0, dtype=np.float32)
                totals[start + some] = summed / np.sqrt(sizes[some], dtype=np.float32)[:, None]
        return np.asarray(self.mean + totals @ self.basis, dtype=np.float32)

    @property
    def bytes(self) -> int:
        """What it takes on disk."""
        return int(self.codes.nbytes + self.basis.nbytes + self.mean.nbytes)

    def save(self, folder: Path) -> None:
        """Write subwords.safetensors."""
        from wordstill.io import safetensors

        arrays = {"codes": self.codes, "basis": self.basis, "mean": self.mean}
        safetensors.write(folder / FILE, arrays, {"ngrams": f"{SHORTEST}-{LONGEST}", "hash": "crc32"})


def load_subwords(folder: Path, dimensions: int) -> Subwords | None:
    """The model stored in a vectors folder, memory-mapped; None where there is none."""
    from wordstill.io import safetensors

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
    """The bucket of each n-gram of a word; a word may have none. For one word this is quicker than `ngrams_of`."""
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


def ngrams_of(words: Sequence[str], buckets: int) -> tuple[Array, Array]:
    """The buckets of the n-grams of many words, one word after the other, and where those of each begin."""
    texts = [f"<{word[:MOST_CHARACTERS]}>" for word in words]
    raw = np.frombuffer("".join(texts).encode("utf-8", "surrogatepass"), dtype=np.uint8)
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    # Where each character begins, and how many characters its word has from there on.
    begins = np.flatnonzero((raw & 0xC0) != 0x80)
    sizes = np.diff(begins, append=len(raw))
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(begins))
    # The hash of an n-gram goes on from that of the n-gram that is a character shorter.
    found = np.zeros((len(begins), LONGEST - SHORTEST + 1), dtype=np.int64)
    hashes = np.full(len(begins), 0xFFFFFFFF, dtype=np.uint32)
    places = np.arange(len(begins))
    for length in range(1, LONGEST + 1):
        places = places[left[places] >= length]
        last, state = places + length - 1, hashes[places]
        for byte in range(int(sizes[last].max(initial=0))):
            more = slice(None) if byte == 0 else np.flatnonzero(sizes[last] > byte)
            now = state[more]
            state[more] = CRC[(now ^ raw[begins[last[more]] + byte]) & 0xFF] ^ (now >> np.uint32(8))
        hashes[places] = state
        if length >= SHORTEST:
            found[places, length - SHORTEST] = ~state % np.uint32(buckets)
    there = left[:, None] >= np.arange(SHORTEST, LONGEST + 1)
    grams = np.sum([np.maximum(0, lengths - length + 1) for length in range(SHORTEST, LONGEST + 1)], axis=0)
    return found[there], np.concatenate([[0], np.cumsum(grams)]).astype(np.int64)


def _crc_table() -> Array:
    """What CRC-32 makes of each byte."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0xEDB88320), table >> 1).astype(np.uint32)
    return table


CRC = _crc_table()


def fit_subwords(vectors: WordVectors, ridge: float = RIDGE) -> Subwords:
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
    """The ridge regression of targets on n-grams, by conjugate gradients."""
    from wordstill.kernels.bags import solve_bags

    grams, starts = ngrams_of(words, buckets)
    columns = targets.shape[1]
    blocks = -(-columns // COLUMNS)
    padded = np.zeros((len(words), blocks * COLUMNS), dtype=np.float32)
    padded[:, :columns] = targets
    padded = np.ascontiguousarray(padded.reshape(len(words), blocks, COLUMNS).transpose(1, 0, 2))
    scale = (1.0 / np.sqrt(np.maximum(1, np.diff(starts)))).astype(np.float32)
    solved = solve_bags(padded, starts, grams.astype(np.int32), scale, trust, buckets, np.float32(ridge), STEPS)
    return np.asarray(solved.transpose(1, 0, 2).reshape(buckets, -1)[:, :columns])
