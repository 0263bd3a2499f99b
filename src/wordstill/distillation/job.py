"""A whole run: the shards that are missing, those that are done added up in their order, and what is saved of it.

What every shard contributes lies in its own folder until the sum that has it is saved. So the sum is saved only where
the shards' folders get large, and while students learn from what was kept.
"""

from __future__ import annotations

import errno
import shutil
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from types import FrameType
from typing import Any

from wordstill.distillation.checkpoint import load_record, load_states, save_checkpoint
from wordstill.distillation.kept_contexts import Kept, shuffled, store_name
from wordstill.distillation.order import ALONE, Learner, Order
from wordstill.distillation.rare_words import AloneFeatures
from wordstill.distillation.run_folder import RunState
from wordstill.distillation.shard_work import Interrupted, Pulse, ShardFolder, ShardRecord, ShardWork
from wordstill.distillation.shards import Shard
from wordstill.errors import Damaged, InputError
from wordstill.lexicons.graph import Graph
from wordstill.students.student import Student
from wordstill.system.clock import Clock
from wordstill.system.large_tables import Tables, half_of_memory
from wordstill.system.progress import log
from wordstill.teacher.texts import Dropped

# Shards that are in the sum stay on disk up to so many bytes, or to the size of the sum.
WAITING_BYTES = 1e9


@dataclass
class Standing:
    """Where a run stands: what a checkpoint holds besides the students' states."""

    folded: int = 0
    """Shards that are in the sum: the first so many."""
    replayed: dict[str, list[int]] = field(default_factory=dict)
    """For each student with replays: the replays done, and the blocks done of the next one."""
    tokens: int = 0
    padded: int = 0
    dropped: Dropped = field(default_factory=Dropped)
    processors: dict[str, int] = field(default_factory=dict)
    """The kinds of processors that took part, and the batches of each."""
    seconds: dict[str, float] = field(default_factory=dict)
    """What the shards took, and this process itself."""

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> Standing:
        """Read what a checkpoint has."""
        return cls(**{**found, "dropped": Dropped(**found["dropped"])})


class Job:
    """The students of a whole run, and the shards that they are the sum of."""

    def __init__(
        self, state: RunState, order: Order, shards: Sequence[Shard], graph: Graph | None, pulse: Pulse, clock: Clock
    ) -> None:
        """Take up a run where its state stands."""
        self.state, self.order, self.shards, self.pulse, self.clock = state, order, shards, pulse, clock
        self.graph = graph
        self.standing = Standing()
        self._make_students()
        self.in_shards = 0.0
        """Seconds that the processes took which did the shards that were added up here."""
        self._works: dict[int, ShardWork] = {}
        self._waiting: list[Shard] = []
        self._waiting_bytes = 0
        try:
            found = load_record(state.checkpoint)
            if found is not None:
                states = load_states(state.checkpoint)
                self.standing = Standing.from_json(found)
                for name, learner in self.learners.items():
                    learner.load_state_dict(states[name])
        except Damaged as error:
            log.warning("%s; the shards that were in it are done again", error)
            shutil.rmtree(state.checkpoint, ignore_errors=True)
            self.standing = Standing()
            self._make_students()
        self.clock.add(self.standing.seconds)

    def _make_students(self) -> None:
        tables = Tables(self.state.kept / "+tables", half_of_memory())
        brief = replace(self.order.brief(self.order.vocabulary), make_table=tables, graph=self.graph)
        self.students: dict[str, Student] = self.order.students(brief)
        self.features = AloneFeatures(brief, self.order.learned_layer) if self.order.features else None

    @property
    def learners(self) -> dict[str, Learner]:
        """All that shards are added to."""
        return {**self.students, **({} if self.features is None else {ALONE: self.features})}

    def folder(self, shard: Shard) -> ShardFolder:
        """Where a shard is kept."""
        return ShardFolder(self.state.shards / shard.name)

    # ---------------------------------------------------------------- shards

    def missing(self) -> list[Shard]:
        """Return the shards that are still to be done; what is damaged of others is removed and among them."""
        return missing_shards(self.state, self.order, self.shards, self.standing.folded)

    def finished(self, shard: Shard, work: ShardWork | None = None) -> None:
        """Take note of a finished shard, with what is still in memory of it; add up those whose turn has come."""
        if work is not None and shard.number == self.standing.folded:
            self._works[shard.number] = work
        self.fold()

    def fold(self) -> None:
        """Add up, in the order of the shards, all whose turn has come."""
        while self.standing.folded < len(self.shards):
            shard = self.shards[self.standing.folded]
            record = self._finished_record(shard)
            if record is None:
                return
            with self.clock.part("adding"):
                self._add(shard, record)
            self._waiting.append(shard)
            self._waiting_bytes += sum(file.stat().st_size for file in self.folder(shard).checkpoint.iterdir())
            if self._waiting_bytes > max(WAITING_BYTES, self._state_bytes()):
                self.save()

    def _finished_record(self, shard: Shard) -> ShardRecord | None:
        if shard.number in self._works:
            return self._works[shard.number].record
        found = load_record(self.folder(shard).checkpoint)
        return ShardRecord.from_json(found) if found is not None and found["done"] else None

    def _add(self, shard: Shard, record: ShardRecord) -> None:
        work = self._works.pop(shard.number, None)
        if work is not None:
            own, numbers = work.learners, work.numbers
        else:
            own, numbers = self.folder(shard).learners(self.order, shard)
        for name, learner in own.items():
            self.learners[name].merge(learner, numbers)
        at = self.standing
        at.folded += 1
        at.tokens, at.padded, at.dropped = (
            at.tokens + record.tokens,
            at.padded + record.padded,
            at.dropped + record.dropped,
        )
        for kind, batches in record.processors.items():
            at.processors[kind] = at.processors.get(kind, 0) + batches
        self.clock.add(record.seconds)
        self.in_shards += sum(record.seconds.values())

    # ---------------------------------------------------------------- replays

    def kept_for(self, name: str, epoch: int, done: int) -> Iterator[Any]:
        """Yield the contexts or words that were kept for a student, in blocks, without the first `done`."""
        store = store_name(name, self.students[name].needs)
        kept: list[Kept] = []
        for shard in self.shards:
            if shard.kind == "text":
                folder = self.folder(shard)
                found = load_record(folder.checkpoint)
                assert found is not None
                kept.append(folder.stores(self.order, ShardRecord.from_json(found))[store or name])
        return shuffled(kept, self.order.settings.seed, epoch, done)

    @contextmanager
    def learning(self, name: str) -> Iterator[None]:
        """Count the time spent inside as a student's, and tell whose numbers came apart."""
        with self.clock.part(f"students.{name}"):
            try:
                yield
            except FloatingPointError as error:
                raise InputError(
                    f"{name} came apart while it learned from what was kept: {error}; the last checkpoint is kept; "
                    f"begin anew with a smaller --set {name}.learning_rate"
                ) from error

    def rest(self) -> None:
        """Between two blocks of a replay: write a checkpoint if one is due, and stop if that was asked for."""
        if self.pulse.stop:
            self.save()
            raise Interrupted("stopped, and safe on disk: go on with the same command and --resume")
        if self.pulse.due():
            self.save()

    # ---------------------------------------------------------------- saving

    def save(self) -> None:
        """Write where the run stands; shards that are in it need not be kept any longer, but for replays."""
        with self.pulse.saving(), self.clock.part("checkpoint"):
            self.standing.seconds = self.clock.seconds()
            states = {name: learner.state_dict() for name, learner in self.learners.items()}
            save_checkpoint(self.state.checkpoint, asdict(self.standing), states)
            for shard in self._waiting:
                self.folder(shard).forget_states()
        self._waiting, self._waiting_bytes = [], 0

    def _state_bytes(self) -> int:
        return sum(array.nbytes for learner in self.learners.values() for array in learner.state_dict().values())


def missing_shards(state: RunState, order: Order, shards: Sequence[Shard], folded: int) -> list[Shard]:
    """Return the shards that are still to be done, where the first `folded` are in a sum that was saved.

    What is damaged of a shard is removed, and the shard is among those that are missing.
    """
    return [shard for shard in shards if not _is_done(shard, ShardFolder(state.shards / shard.name), order, folded)]


def _is_done(shard: Shard, folder: ShardFolder, order: Order, folded: int) -> bool:
    try:
        record = folder.record(order)
        if record is None or not record.done:
            return False
        folder.verify(order, record)
        if not record.folded or shard.number < folded:
            return True
        log.warning("the sum that has shard %s is lost; it is done again", shard.name)
    except Damaged as error:
        log.warning("%s; shard %s is done again", error, shard.name)
    with folder.claimed() as mine:
        if mine:
            folder.clear()
    return False


@contextmanager
def stopped_gently(pulse: Pulse, place: str) -> Iterator[None]:
    """Let the first Ctrl-C (or SIGTERM) end a run between two batches, the second one at once; explain a full disk."""

    def stop(number: int, frame: FrameType | None) -> None:
        if pulse.stop:
            raise KeyboardInterrupt
        pulse.stop = True

    # Only the main thread may handle signals; a run in another one is stopped by whoever started it.
    here = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if here else ()
    handlers = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise InputError(f"the disk of {place} is full; free some space and go on with --resume") from error
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
