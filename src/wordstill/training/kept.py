"""Contexts kept on disk, so that a second epoch need not run the teacher again.

A file of half-precision vectors, one of word numbers and one of the sentence lengths; a reader sees only what a
checkpoint vouches for, and a resumed run writes on from there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BufferedRandom
from pathlib import Path

import numpy as np

from wordstill.errors import InputError
from wordstill.students.student import Contexts
from wordstill.training.sampling import generator

BLOCK = 4096


def kept_bytes(contexts: int, words: int, width: int) -> int:
    """The space that so many contexts and words take."""
    return contexts * (2 * width + 4) + 4 * words


@dataclass
class KeptContexts:
    """Contexts in a folder of their own, appended during the teacher's pass and read in shuffled blocks."""

    folder: Path
    width: int
    contexts: int = 0
    words: int = 0
    _files: dict[str, BufferedRandom] = field(default_factory=dict)

    def open(self) -> None:
        """Begin to write, or go on after the contexts and words already kept; what was beyond them is cut off."""
        self.folder.mkdir(parents=True, exist_ok=True)
        sizes = {
            "vectors": self.contexts * self.width * 2,
            "words": self.words * 4,
            "lengths": self.contexts * 4,
        }
        for name, size in sizes.items():
            path = self.folder / f"{name}.bin"
            path.touch()
            if path.stat().st_size < size:
                raise InputError(f"{path} is shorter than its checkpoint says; begin anew with --overwrite")
            self._files[name] = path.open("r+b")
            self._files[name].truncate(size)
            self._files[name].seek(size)

    def append(self, contexts: Contexts) -> None:
        """Keep the contexts of a batch."""
        lengths = np.bincount(contexts.owners, minlength=len(contexts.vectors))
        # Half precision ends at 65504; contexts are means of normalised vectors, far below it.
        self._files["vectors"].write(contexts.vectors.astype(np.float16).tobytes())
        self._files["words"].write(contexts.words.astype(np.int32).tobytes())
        self._files["lengths"].write(lengths.astype(np.int32).tobytes())
        self.contexts += len(lengths)
        self.words += len(contexts.words)

    def flush(self) -> None:
        """Hand everything to the disk, so that a checkpoint may count on it."""
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())

    def close(self) -> None:
        """Stop writing."""
        for file in self._files.values():
            file.close()
        self._files = {}

    def blocks(self, seed: int, epoch: int, done: int = 0) -> Iterator[Contexts]:
        """All contexts in blocks of neighbours, the blocks in a random order; the first `done` are left out."""
        vectors = np.memmap(self.folder / "vectors.bin", np.float16, "r", shape=(self.contexts, self.width))
        lengths = np.fromfile(self.folder / "lengths.bin", np.int32, count=self.contexts)
        words = np.memmap(self.folder / "words.bin", np.int32, "r", shape=(self.words,))
        starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        for block in generator(seed, epoch).permutation(-(-self.contexts // BLOCK))[done:]:
            low, high = block * BLOCK, min((block + 1) * BLOCK, self.contexts)
            # Contexts of one batch have sentences of one length; shuffled, a step has all kinds.
            mixed = low + generator(seed, epoch, int(block)).permutation(high - low)
            yield Contexts(
                vectors[mixed].astype(np.float32),
                np.concatenate([words[starts[row] : starts[row + 1]] for row in mixed]),
                np.repeat(np.arange(len(mixed), dtype=np.int32), lengths[mixed]),
            )
