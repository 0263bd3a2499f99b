"""One shard under way: its learners, what is kept of it, where it stands; and its folder.

    shards/000007/checkpoint/     the learners' states and the record of the shard; whole, or that of an older moment
    shards/000007/x2static/       what is kept for the replays (see `kept_contexts`)

A finished shard is one whose record says so. A process that does a shard holds a lock on its folder, which ends with
the process: so no shard is done twice at once, and that of a dead process is taken over where its checkpoint stands.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from wordstill.arrays import Array
from wordstill.distillation.checkpoint import load_record, load_states, save_checkpoint
from wordstill.distillation.kept_contexts import Kept, KeptContexts, KeptWords, make_store
from wordstill.distillation.order import ALONE, Learner, Order
from wordstill.distillation.shards import Shard
from wordstill.errors import InputError
from wordstill.students.student import Shown, Student
from wordstill.system.clock import Clock
from wordstill.system.machine import this_machine
from wordstill.system.progress import log
from wordstill.teacher.batch import Batch
from wordstill.teacher.texts import Dropped

# A checkpoint is due when a shard has gone on for the seconds asked for, and for 50 times what the last one took: it
# never costs more than 2 % of the time.
CHECKPOINT_SHARE = 50.0
# The name of the shard's words in its checkpoint.
ROWS = "+rows"


class Interrupted(KeyboardInterrupt):
    """The run was asked to stop, and is safe on disk."""


@dataclass
class ShardRecord:
    """Where a shard stands, and what it took."""

    identity: dict[str, Any] = field(default_factory=dict)
    """What it was made with (`Order.identity`)."""
    done: bool = False
    folded: bool = False
    """Whether its states are gone, because a sum that has them was saved."""
    buffers: int = 0
    """Buffers done."""
    batches: int = 0
    """Batches done of the next buffer."""
    words: int = 0
    """Words that went through the teacher."""
    tokens: int = 0
    padded: int = 0
    dropped: Dropped = field(default_factory=Dropped)
    kept: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What is known of the files of each store."""
    seconds: dict[str, float] = field(default_factory=dict)
    processors: dict[str, int] = field(default_factory=dict)
    """The kinds of processors that worked on it, and the batches of each."""

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> ShardRecord:
        """Read what a checkpoint has."""
        return cls(**{**found, "dropped": Dropped(**found["dropped"])})


@dataclass(frozen=True)
class ShardFolder:
    """Where a shard is kept."""

    path: Path

    @property
    def checkpoint(self) -> Path:
        """The states and the record."""
        return self.path / "checkpoint"

    def record(self, order: Order) -> ShardRecord | None:
        """Return the shard's record, None where there is none; refuse a shard of another run."""
        found = load_record(self.checkpoint)
        if found is None:
            return None
        record = ShardRecord.from_json(found)
        order.check(record.identity, str(self.path))
        return record

    def verify(self, order: Order, record: ShardRecord) -> None:
        """Raise `Damaged` where a file of the shard is not what was written."""
        for kept in self.stores(order, record).values():
            kept.verify()
        if not record.folded:
            load_states(self.checkpoint)

    def stores(self, order: Order, record: ShardRecord) -> dict[str, Kept]:
        """Return what is kept of the shard, as its record knows it."""
        stores = {}
        for store, known in record.kept.items():
            stores[store] = make_store(store, self.path, order.stores[store], order.width)
            stores[store].load_json(known)
        return stores

    def learners(self, order: Order, shard: Shard) -> tuple[dict[str, Learner], Array]:
        """Return what learned from a finished shard, and the numbers of its words."""
        states = load_states(self.checkpoint)
        numbers = np.array(states.pop(ROWS)["numbers"])
        learners = order.learners(shard, numbers)
        for name, learner in learners.items():
            learner.load_state_dict(states[name])
        return learners, numbers

    def forget_states(self) -> None:
        """Remove the states of a finished shard, which a saved sum has; what is kept for replays stays."""
        record = load_record(self.checkpoint)
        assert record is not None
        save_checkpoint(self.checkpoint, {**record, "folded": True}, {})

    @contextmanager
    def claimed(self, waiting: Pulse | None = None) -> Iterator[bool]:
        """Keep other processes from this shard; yields False where another one is at it.

        With `waiting` it waits for the other one, until the run is asked to stop.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.path, os.O_RDONLY)
        try:
            mine = _try_lock(handle)
            if not mine and waiting is not None:
                log.info("another process is at shard %s; waiting for it", self.path.name)
                while not mine:
                    if waiting.stop:
                        raise Interrupted("stopped, and safe on disk: go on with the same command and --resume")
                    time.sleep(0.2)
                    mine = _try_lock(handle)
            yield mine
        finally:
            os.close(handle)

    def clear(self) -> None:
        """Remove all that there is of the shard but the folder itself, which may be locked."""
        for item in self.path.iterdir() if self.path.is_dir() else ():
            if item.is_dir() and not item.is_symlink():
                shutil.rmtree(item)
            else:
                item.unlink()


@dataclass
class Pulse:
    """How often a shard is saved, and whether the run was asked to stop; shared by all shards of a process."""

    every: float
    stop: bool = False
    cost: float = 0.0
    saved: float = field(default_factory=time.monotonic)

    def due(self) -> bool:
        """Tell whether a checkpoint is due."""
        return time.monotonic() - self.saved >= max(self.every, CHECKPOINT_SHARE * self.cost)

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Note what the checkpoint inside takes."""
        began = time.monotonic()
        yield
        self.saved = time.monotonic()
        self.cost = self.saved - began


class ShardWork:
    """A shard on the table of the process that does it."""

    def __init__(
        self, order: Order, shard: Shard, numbers: Array, folder: ShardFolder, pulse: Pulse, processor: str = ""
    ) -> None:
        """Take up a shard where its folder has it; `numbers` are those of its words in the vocabulary.

        `processor` names the kind of processor that computes here.
        """
        self.order, self.shard, self.numbers, self.folder, self.pulse = order, shard, numbers, folder, pulse
        self.processor = processor or processor_kind()
        self.clock = Clock()
        self.learners = order.learners(shard, numbers)
        self.local = np.full(len(order.vocabulary) + 1, -1, dtype=np.int32)  # the last one is for -1
        self.local[numbers] = np.arange(len(numbers), dtype=np.int32)
        self.record = ShardRecord(identity=order.identity)
        stores = order.stores if shard.kind == "text" else {}
        self.kept = {store: make_store(store, folder.path, needs, order.width) for store, needs in stores.items()}
        found = folder.record(order)
        if found is not None:
            folder.verify(order, found)
            self.record = found
            self.clock.add(found.seconds)
            states = load_states(folder.checkpoint)
            for name, learner in self.learners.items():
                learner.load_state_dict(states[name])
            for store, kept in self.kept.items():
                kept.load_json(found.kept[store])
        for kept in self.kept.values():
            kept.open()

    def observe(self, batch: Batch, shown: Shown | None = None) -> None:
        """Feed a batch to every learner, or to those that are `shown` this. Its words have the run's numbers."""
        for layer, vectors in batch.layers.items():
            # The sum of squares, which BLAS has at once, shows a NaN or an infinity; it can be too large itself.
            if not np.isfinite(np.vdot(vectors, vectors)) and not np.isfinite(vectors).all():
                raise InputError(
                    f"the teacher's vectors at layer {layer} are not finite in {self.place}; "
                    f"the last checkpoint is kept: try --precision float32"
                )
        for kept in self.kept.values():
            if isinstance(kept, KeptWords):
                with self.clock.part("keeping"):
                    kept.append(batch)
        own = batch.renumbered(self.local)
        for name, learner in self.learners.items():
            besides = shown == "alone" and learner.needs.alone
            if shown is not None and learner.needs.shown != shown and not besides:
                continue
            with self.clock.part("alone" if name == ALONE else f"students.{name}"):
                if besides:
                    cast(Student, learner).observe_alone(own)
                    continue
                contexts = learner.observe(own)
            store = self.kept.get(name)
            if isinstance(store, KeptContexts):
                with self.clock.part("keeping"):
                    store.append(contexts._replace(words=batch.words))
        self.record.batches += 1
        self.record.words += len(batch.words)
        self.record.processors[self.processor] = self.record.processors.get(self.processor, 0) + 1

    @property
    def place(self) -> str:
        """Where the shard stands, for messages."""
        at = self.record
        return f"batch {at.batches + 1} of buffer {at.buffers + 1} of shard {self.shard.name}"

    def rest(self) -> None:
        """Between two batches: write a checkpoint if one is due, and stop if that was asked for."""
        if self.pulse.stop:
            self.save()
            raise Interrupted("stopped, and safe on disk: go on with the same command and --resume")
        if self.pulse.due():
            self.save()

    def finish(self) -> None:
        """Write the finished shard."""
        self.record.done = True
        self.save()
        self.close()

    def save(self) -> None:
        """Write where the shard stands."""
        with self.pulse.saving(), self.clock.part("checkpoint"):
            for store, kept in self.kept.items():
                kept.flush()
                self.record.kept[store] = kept.as_json()
            self.record.seconds = self.clock.seconds()
            states = {name: learner.state_dict() for name, learner in self.learners.items()}
            save_checkpoint(self.folder.checkpoint, asdict(self.record), {ROWS: {"numbers": self.numbers}, **states})

    def close(self) -> None:
        """Close the files of what is kept."""
        for kept in self.kept.values():
            with suppress(OSError):  # a full disk says so once more when a file is closed
                kept.close()


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def processor_kind() -> str:
    """Name the kind of this machine's processor: the last bits of a product depend on it."""
    machine = this_machine()
    levels = ("amx_tile", "avx512f", "avx2")
    return f"{machine.processor}, {next((name for name in levels if name in machine.features), 'other')}"
