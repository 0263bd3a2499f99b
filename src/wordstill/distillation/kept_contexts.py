"""What is kept on disk of the teacher's pass, for the students that learn from it afterwards, epoch by epoch.

Half-precision vectors (one per sentence, or one per word), word numbers and sentence lengths, each in a file, with a
checksum that is carried on as the file grows. A shard has files of its own; a replay goes over those of all shards.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import BufferedRandom
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import Damaged, InputError
from wordstill.io.sealed import file_checksum
from wordstill.kernels.sampling import generator
from wordstill.students.student import Contexts, Needs
from wordstill.teacher.batch import Batch

LARGEST_HALF = 65504.0


def store_name(name: str, needs: Needs) -> str | None:
    """Name the store of what is kept for a student; None for a student without replays.

    Contexts are a student's own. Words are shared by all students that read the same layer, or none.
    """
    if needs.keeps is None:
        return None
    if needs.keeps == "contexts":
        return name
    if needs.parses:
        return "+parsed-words"
    return f"+words-{needs.layers[0]:02d}" if needs.layers else "+words"  # no student's name has a +


def make_store(store: str, folder: Path, needs: Needs, width: int) -> Kept:
    """Make the store of this name for a student that asks for it."""
    if needs.keeps == "contexts":
        return KeptContexts(folder / store, width)
    layer = needs.layers[0] if needs.layers else 0
    return KeptWords(folder / store, width if needs.layers else 0, layer=layer, parsed=needs.parses)


def kept_bytes(needs: Mapping[str, Needs], sentences: int, words: int, width: int) -> dict[str, int]:
    """Tell how many bytes each store will take, for a corpus of so many sentences and words."""
    needed = {}
    for name, one in needs.items():
        store = store_name(name, one)
        if store is not None:
            kept = make_store(store, Path(), one, width)
            needed[store] = sum(kept.bytes_for(sentences, words).values())
    return needed


@dataclass
class Kept:
    """Sentences in a folder of their own, appended during the teacher's pass and read in blocks."""

    folder: Path
    width: int
    sentences: int = 0
    """Sentences kept so far."""
    words: int = 0
    """Words of these sentences."""
    checksums: dict[str, int] = field(default_factory=dict)
    """Of each file, as far as it is written."""
    _files: dict[str, BufferedRandom] = field(default_factory=dict)

    # Sentences in a block: what a replay has in memory at once.
    block: ClassVar[int]

    def bytes_for(self, sentences: int, words: int) -> dict[str, int]:
        """Return the size of each file for so many sentences and words."""
        raise NotImplementedError

    def read(self, block: Block) -> Any:
        """Return the sentences of a block, shuffled, as a replay shows them."""
        raise NotImplementedError

    def as_json(self) -> dict[str, Any]:
        """Return what is known of the files, for the record of a shard."""
        return {"sentences": self.sentences, "words": self.words, "checksums": dict(self.checksums)}

    def load_json(self, known: Mapping[str, Any]) -> None:
        """Take what `as_json` returned."""
        self.sentences, self.words, self.checksums = known["sentences"], known["words"], dict(known["checksums"])

    def verify(self) -> None:
        """Raise `Damaged` unless the files begin with what was written to them."""
        for name, size in self.bytes_for(self.sentences, self.words).items():
            path = self.folder / f"{name}.bin"
            if not path.is_file() or path.stat().st_size < size:
                raise Damaged(f"{path} is shorter than it was")
            if file_checksum(path, size) != self.checksums.get(name, 0):
                raise Damaged(f"{path} is damaged: its checksum does not fit its content")

    def open(self) -> None:
        """Begin to write, or go on after the sentences and words already kept; what was beyond them is cut off."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, size in self.bytes_for(self.sentences, self.words).items():
            path = self.folder / f"{name}.bin"
            path.touch()
            self._files[name] = path.open("r+b")
            self._files[name].truncate(size)
            self._files[name].seek(size)

    def write(self, lengths: Array, **arrays: Array) -> None:
        """Append sentences of these lengths."""
        for name, array in {**arrays, "lengths": lengths.astype(np.int32)}.items():
            content = array.tobytes()
            self._files[name].write(content)
            self.checksums[name] = zlib.crc32(content, self.checksums.get(name, 0))
        self.sentences += len(lengths)
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

    def array(self, name: str, kind: type, first: int, last: int) -> Array:
        """Read items `first` to `last` of a file."""
        return np.fromfile(self.folder / f"{name}.bin", kind, last - first, offset=first * np.dtype(kind).itemsize)

    def vectors(self, first: int, last: int) -> Array:
        """Read vectors `first` to `last`."""
        return self.array("vectors", np.float16, first * self.width, last * self.width).reshape(-1, self.width)


class Block:
    """Sentences `low` to `high` of a store, in a random order. It reads the lengths alone; the store reads the rest."""

    def __init__(self, kept: Kept, low: int, high: int, first: int, order: Array) -> None:
        """The words of the sentences begin with word `first`."""
        inside = kept.array("lengths", np.int32, low, high)
        self.low, self.high, self.order = low, high, order
        self.first, self.last = first, first + int(inside.sum())
        starts, self.lengths = (np.cumsum(inside) - inside)[order], inside[order]
        # The places of the words, counted from `first`, in the order of the shuffled sentences.
        before = np.cumsum(self.lengths) - self.lengths
        self.places = np.repeat(starts - before, self.lengths) + np.arange(self.lengths.sum())

    @property
    def owners(self) -> Array:
        """The number of each word's sentence."""
        return np.repeat(np.arange(len(self.order), dtype=np.int32), self.lengths)


def shuffled(shards: Sequence[Kept], seed: int, epoch: int, done: int = 0) -> Iterator[Any]:
    """Yield what was kept of all shards in blocks of neighbours, the blocks in a random order, each shuffled in itself.

    The first `done` blocks are left out. Sentences of one batch have one length; shuffled, a step has all kinds. A
    block is read when its turn comes: files that were mapped would fill the memory with the corpus.
    """
    blocks: list[tuple[Kept, int, int]] = []  # whose, its first sentence, its first word
    for kept in shards:
        if not kept.sentences:
            continue
        lengths = kept.array("lengths", np.int32, 0, kept.sentences)
        lows = np.arange(0, kept.sentences, kept.block)
        sizes = np.add.reduceat(lengths, lows, dtype=np.int64)
        blocks += [
            (kept, low, first) for low, first in zip(lows.tolist(), (np.cumsum(sizes) - sizes).tolist(), strict=True)
        ]
    for number in generator(seed, epoch).permutation(len(blocks))[done:].tolist():
        kept, low, first = blocks[number]
        high = min(low + kept.block, kept.sentences)
        yield kept.read(Block(kept, low, high, first, generator(seed, epoch, number).permutation(high - low)))


class KeptContexts(Kept):
    """One vector per sentence, and its words."""

    block = 4096

    def bytes_for(self, sentences: int, words: int) -> dict[str, int]:
        """Return the size of each file for so many sentences and words."""
        return {"vectors": sentences * self.width * 2, "words": words * 4, "lengths": sentences * 4}

    def append(self, contexts: Contexts) -> None:
        """Keep the contexts of a batch."""
        self.write(
            np.bincount(contexts.owners, minlength=len(contexts.vectors)),
            # Contexts are means of normalised vectors, far below what half precision can hold.
            vectors=_halves(contexts.vectors),
            words=contexts.words.astype(np.int32),
        )

    def read(self, block: Block) -> Contexts:
        """Return the contexts of a block."""
        return Contexts(
            _singles(self.vectors(block.low, block.high)[block.order]),
            self.array("words", np.int32, block.first, block.last)[block.places],
            block.owners,
        )


@dataclass
class KeptWords(Kept):
    """The words of sentences with one vector each, for students that look at windows; without vectors at width 0.

    Students share what is kept of a layer.
    """

    layer: int = 0
    parsed: bool = False
    """Whether the heads and relations of the words are kept besides."""

    block: ClassVar[int] = 1024

    def bytes_for(self, sentences: int, words: int) -> dict[str, int]:
        """Return the size of each file for so many sentences and words."""
        vectors = {"vectors": words * self.width * 2} if self.width else {}
        parses = {"parses": words * 8} if self.parsed else {}
        return {**vectors, **parses, "words": words * 4, "positions": words * 4, "lengths": sentences * 4}

    def append(self, batch: Batch) -> None:
        """Keep the words of a batch."""
        vectors = {}
        if self.width:
            own = batch.layers[self.layer]
            if max(own.max(initial=0.0), -own.min(initial=0.0)) > LARGEST_HALF:
                raise InputError(
                    f"the teacher's vectors at layer {self.layer} are too large to be kept in half precision; "
                    "choose students or settings that need no second look at word vectors"
                )
            vectors = {"vectors": _halves(own)}
        parses = {}
        if self.parsed:
            missing = np.full((len(batch.words), 2), -1, dtype=np.int32)
            parses = {"parses": missing if batch.parses is None else batch.parses.astype(np.int32)}
        self.write(
            batch.sentence_lengths,
            **vectors,
            **parses,
            words=batch.words.astype(np.int32),
            positions=batch.positions.astype(np.int32),
        )

    def read(self, block: Block) -> Batch:
        """Return the sentences of a block."""
        layers = {}
        if self.width:
            layers = {self.layer: _singles(self.vectors(block.first, block.last)[block.places])}
        parses = None
        if self.parsed:
            rows = self.array("parses", np.int32, 2 * block.first, 2 * block.last).reshape(-1, 2)
            parses = rows[block.places]
        return Batch(
            parses=parses,
            words=self.array("words", np.int32, block.first, block.last)[block.places],
            sentences=block.owners,
            positions=self.array("positions", np.int32, block.first, block.last)[block.places],
            layers=layers,
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
