"""What is kept on disk of the teacher's pass, so that a second epoch need not run the teacher again.

Half-precision vectors (one per sentence, or one per word), word numbers and sentence lengths, each in a file; a reader
sees only what a checkpoint vouches for, and a resumed run writes on from there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import BufferedRandom
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.kernels.sampling import generator
from wordstill.students.student import Contexts, Needs
from wordstill.teacher.batch import Batch

# Sentences in a block: what a replay has in memory at once.
BLOCK = 4096
WORDS_BLOCK = 1024
LARGEST_HALF = 65504.0


def store_name(name: str, needs: Needs) -> str | None:
    """Name the store of what is kept for a student; None for a student without replays.

    Contexts are a student's own. Words are shared by all students that read the same layer.
    """
    if needs.keeps is None:
        return None
    return name if needs.keeps == "contexts" else f"+words-{needs.layers[0]:02d}"  # no student's name has a +


def kept_bytes(needs: Mapping[str, Needs], sentences: int, words: int, width: int) -> dict[str, int]:
    """Tell how many bytes each store will take, for a corpus of so many sentences and words."""
    needed = {}
    for name, one in needs.items():
        store = store_name(name, one)
        if store is not None:
            kind = KeptContexts if store == name else KeptWords
            needed[store] = sum(kind.bytes_for(sentences, words, width).values())
    return needed


@dataclass
class Kept:
    """Sentences in a folder of their own, appended during the teacher's pass and read in shuffled blocks."""

    folder: Path
    width: int
    contexts: int = 0
    """Sentences kept so far."""
    words: int = 0
    """Words of these sentences."""
    _files: dict[str, BufferedRandom] = field(default_factory=dict)

    @staticmethod
    def bytes_for(contexts: int, words: int, width: int) -> dict[str, int]:
        """The size of each file for so many sentences and words."""
        raise NotImplementedError

    def open(self) -> None:
        """Begin to write, or go on after the sentences and words already kept; what was beyond them is cut off."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, size in self.bytes_for(self.contexts, self.words, self.width).items():
            path = self.folder / f"{name}.bin"
            path.touch()
            if path.stat().st_size < size:
                raise InputError(f"{path} is shorter than its checkpoint says; begin anew with --overwrite")
            self._files[name] = path.open("r+b")
            self._files[name].truncate(size)
            self._files[name].seek(size)

    def _write(self, lengths: Array, **arrays: Array) -> None:
        for name, array in {**arrays, "lengths": lengths.astype(np.int32)}.items():
            self._files[name].write(array.tobytes())
        self.contexts += len(lengths)
        self.words += int(lengths.sum())

    def flush(self) -> None:
        """Hand everything to the disk, so that a checkpoint may count on it."""
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        """Stop writing."""
        files, self._files = self._files, {}
        with ExitStack() as every:  # the others too, where a full disk does not let one be closed
            for file in files.values():
                every.callback(file.close)

    def _shuffled(self, seed: int, epoch: int, done: int, size: int) -> Iterator[Block]:
        """Blocks of neighbours in a random order, without the first `done`, each shuffled in itself.

        Sentences of one batch have one length; shuffled, a step has all kinds. A block is read when its turn comes:
        files that were mapped would fill the memory with the corpus.
        """
        lengths = self._read("lengths", np.int32, 0, self.contexts)
        firsts = np.add.reduceat(lengths, np.arange(0, self.contexts, size), dtype=np.int64)
        firsts = np.cumsum(firsts) - firsts
        del lengths
        for block in generator(seed, epoch).permutation(len(firsts))[done:]:
            low, high = int(block) * size, min((int(block) + 1) * size, self.contexts)
            order = generator(seed, epoch, int(block)).permutation(high - low)
            inside = self._read("lengths", np.int32, low, high)
            starts, lengths = (np.cumsum(inside) - inside)[order], inside[order]
            places = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
            first = int(firsts[block])
            yield Block(low, high, order, first, first + int(inside.sum()), lengths, places)

    def _read(self, name: str, kind: type, first: int, last: int) -> Array:
        return np.fromfile(self.folder / f"{name}.bin", kind, last - first, offset=first * np.dtype(kind).itemsize)

    def _read_vectors(self, first: int, last: int) -> Array:
        return self._read("vectors", np.float16, first * self.width, last * self.width).reshape(-1, self.width)


class Block(NamedTuple):
    """Sentences `low` to `high`, whose words are `first` to `last`, and a shuffle of them."""

    low: int
    high: int
    order: Array
    first: int
    last: int
    lengths: Array
    """The number of words of each sentence, shuffled."""
    places: Array
    """The places of the words, counted from `first`, in the order of the shuffled sentences."""


class KeptContexts(Kept):
    """One vector per sentence, and its words."""

    @staticmethod
    def bytes_for(contexts: int, words: int, width: int) -> dict[str, int]:
        """The size of each file for so many sentences and words."""
        return {"vectors": contexts * width * 2, "words": words * 4, "lengths": contexts * 4}

    def append(self, contexts: Contexts) -> None:
        """Keep the contexts of a batch."""
        self._write(
            np.bincount(contexts.owners, minlength=len(contexts.vectors)),
            # Contexts are means of normalised vectors, far below what half precision can hold.
            vectors=_halves(contexts.vectors),
            words=contexts.words.astype(np.int32),
        )

    def blocks(self, seed: int, epoch: int, done: int = 0) -> Iterator[Contexts]:
        """All contexts in blocks of neighbours, the blocks in a random order; the first `done` are left out."""
        for block in self._shuffled(seed, epoch, done, BLOCK):
            yield Contexts(
                _singles(self._read_vectors(block.low, block.high)[block.order]),
                self._read("words", np.int32, block.first, block.last)[block.places],
                np.repeat(np.arange(len(block.order), dtype=np.int32), block.lengths),
            )


@dataclass
class KeptWords(Kept):
    """One vector per word, for students that look at windows; they share what is kept of a layer."""

    layer: int = 0

    @staticmethod
    def bytes_for(contexts: int, words: int, width: int) -> dict[str, int]:
        """The size of each file for so many sentences and words."""
        return {"vectors": words * width * 2, "words": words * 4, "positions": words * 4, "lengths": contexts * 4}

    def append(self, batch: Batch) -> None:
        """Keep the words of a batch."""
        vectors = batch.layers[self.layer]
        if max(vectors.max(initial=0.0), -vectors.min(initial=0.0)) > LARGEST_HALF:
            raise InputError(
                f"the teacher's vectors at layer {self.layer} are too large to be kept in half precision; "
                "choose students or settings that need no second look at word vectors"
            )
        self._write(
            batch.sentence_lengths,
            vectors=_halves(vectors),
            words=batch.words.astype(np.int32),
            positions=batch.positions.astype(np.int32),
        )

    def blocks(self, seed: int, epoch: int, done: int = 0) -> Iterator[Batch]:
        """All sentences in blocks of neighbours, the blocks in a random order; the first `done` are left out."""
        for block in self._shuffled(seed, epoch, done, WORDS_BLOCK):
            yield Batch(
                words=self._read("words", np.int32, block.first, block.last)[block.places],
                sentences=np.repeat(np.arange(len(block.order), dtype=np.int32), block.lengths),
                positions=self._read("positions", np.int32, block.first, block.last)[block.places],
                layers={self.layer: _singles(self._read_vectors(block.first, block.last)[block.places])},
            )


# torch converts ten times as fast as numpy, to the same bits.


def _halves(vectors: Array) -> Array:
    import torch

    halves: Array = torch.from_numpy(vectors).half().numpy()
    return halves


def _singles(vectors: Array) -> Array:
    import torch

    singles: Array = torch.from_numpy(vectors).float().numpy()
    return singles
