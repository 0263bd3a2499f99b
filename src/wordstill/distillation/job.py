"""A run under way: where it stands, its checkpoints, and what happens on Ctrl-C."""

from __future__ import annotations

import errno
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from types import FrameType
from typing import Any, Protocol

import numpy as np

from wordstill.corpus.read import Position
from wordstill.distillation.checkpoint import load_progress, load_state, save_checkpoint
from wordstill.distillation.kept_contexts import KeptContexts, KeptWords, store_name
from wordstill.distillation.run_folder import RunState
from wordstill.errors import InputError
from wordstill.students.student import Student
from wordstill.system.clock import Clock
from wordstill.teacher.batch import Batch
from wordstill.teacher.texts import Dropped

# A checkpoint is due when the run has gone on for the seconds asked for, and for 50 times what the last one took: it
# never costs more than 2 % of the time.
CHECKPOINT_SHARE = 50.0


# The name of the words' features in a checkpoint; no student can be called so.
ALONE = "+alone"


class Interrupted(KeyboardInterrupt):
    """The run was asked to stop, and is safe on disk."""


class Stateful(Protocol):
    """Whatever a checkpoint holds."""

    def state_dict(self) -> dict[str, Any]:
        """Return all that `load_state_dict` needs."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state."""


@dataclass
class Standing:
    """Where a run stands: all that a checkpoint holds besides the students' states."""

    position: Position = field(default_factory=Position)
    """Behind the last paragraph of the last buffer that is done."""
    words: int = 0
    """Words of the paragraphs before it."""
    buffers: int = 0
    """Buffers done."""
    batches: int = 0
    """Batches done of the buffer that begins at `position`."""
    taught: bool = False
    """Whether the teacher's pass is over."""
    replayed: dict[str, list[int]] = field(default_factory=dict)
    """For each student with replays: the replays done, and the blocks done of the next one."""
    batch_tokens: int = 0
    """Tokens in a batch, once a batch was made."""
    shown: int = 0
    """Words of the vocabulary that were encoded alone."""
    tokens: int = 0
    padded: int = 0
    dropped: Dropped = field(default_factory=Dropped)
    kept: dict[str, list[int]] = field(default_factory=dict)
    precision: dict[str, Any] = field(default_factory=dict)
    """How the teacher computes, once that is chosen (teacher.precision.Choice)."""
    seconds: dict[str, float] = field(default_factory=dict)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Standing:
        """From what a checkpoint wrote."""
        return cls(
            **{
                **value,
                "position": Position(**value["position"]),
                "dropped": Dropped(**value["dropped"]),
            }
        )


class Job:
    """The students of a run, fed batch by batch, with a checkpoint now and then.

    Checkpoints fall between two batches only, and the students' random numbers depend on the number of the
    step alone: so a run that was killed goes on to the same vectors as one that was not.
    """

    def __init__(
        self,
        state: RunState,
        students: dict[str, Student],
        width: int,
        every: float,
        clock: Clock | None = None,
        features: Stateful | None = None,
    ) -> None:
        """Take up a run where its state stands. A checkpoint holds the students, and the features of words alone."""
        self.state, self.students, self.every = state, students, every
        self.clock = clock or Clock()
        self.stateful: dict[str, Stateful] = {**students, **({ALONE: features} if features is not None else {})}
        self.kept: dict[str, KeptContexts | KeptWords] = {}
        for name, student in students.items():
            store = store_name(name, student.needs)
            if store == name:
                self.kept[name] = KeptContexts(state.kept / name, width)
            elif store is not None:
                self.kept[store] = KeptWords(state.kept / store, width, layer=student.needs.layers[0])
        self.standing = Standing()
        self._stop = False
        self._cost = 0.0
        self._saved = time.monotonic()
        progress = load_progress(state.checkpoint)
        if progress is not None:
            self.standing = Standing.from_json(progress)
            self.clock.add(self.standing.seconds)
            for name, one in self.stateful.items():
                one.load_state_dict(load_state(state.checkpoint, name))
        for name, contexts in self.kept.items():
            contexts.contexts, contexts.words = self.standing.kept.get(name, (0, 0))
            contexts.open()

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Let the first Ctrl-C (or SIGTERM) end the run between two batches; the second one ends it at once."""

        def stop(number: int, frame: FrameType | None) -> None:
            if self._stop:
                raise KeyboardInterrupt
            self._stop = True

        # Only the main thread may handle signals; a run in another one is stopped by whoever started it.
        here = threading.current_thread() is threading.main_thread()
        numbers = (signal.SIGINT, signal.SIGTERM) if here else ()
        handlers = {number: signal.signal(number, stop) for number in numbers}
        try:
            yield
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise InputError(
                f"the disk of {self.state.path.parent} is full; free some space and go on with --resume"
            ) from error
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            for contexts in self.kept.values():
                with suppress(OSError):  # a full disk says so once more when a file is closed
                    contexts.close()

    def observe(self, batch: Batch) -> None:
        """Feed a batch of the pass over the text to every student that learns from text."""
        for layer, vectors in batch.layers.items():
            # The sum of squares, which BLAS has at once, shows a NaN or an infinity; it can be too large itself.
            if not np.isfinite(np.vdot(vectors, vectors)) and not np.isfinite(vectors).all():
                raise InputError(
                    f"the teacher's vectors at layer {layer} are not finite in {self._place()}; "
                    f"the last checkpoint is kept: try --precision float32"
                )
        for store in self.kept.values():
            if isinstance(store, KeptWords):
                with self.clock.part("keeping"):
                    store.append(batch)
        for name, student in self.students.items():
            if not student.needs.text:
                continue
            with self.teaching(name):
                contexts = student.observe(batch)
                own = self.kept.get(name)
                if contexts is not None and isinstance(own, KeptContexts):
                    own.append(contexts)

    def kept_for(self, name: str) -> KeptContexts | KeptWords:
        """Return the contexts or words that were kept for a student with replays."""
        return self.kept[store_name(name, self.students[name].needs) or name]

    @contextmanager
    def teaching(self, name: str) -> Iterator[None]:
        """Count the time spent inside as a student's, and tell whose numbers came apart."""
        with self.clock.part(f"students.{name}"):
            try:
                yield
            except FloatingPointError as error:
                raise InputError(
                    f"{name} came apart in {self._place()}: {error}; the last checkpoint is kept; "
                    f"begin anew with a smaller --set {name}.learning_rate"
                ) from error

    def _place(self) -> str:
        at = self.standing
        if at.taught:
            return "the replay of kept contexts"
        return f"batch {at.batches + 1} of buffer {at.buffers + 1} (behind paragraph {at.position.paragraph})"

    def rest(self) -> None:
        """Between two batches: write a checkpoint if one is due, and stop if that was asked for."""
        now = time.monotonic()
        if self._stop:
            self.save()
            raise Interrupted("stopped, and safe on disk: go on with the same command and --resume")
        if now - self._saved >= max(self.every, CHECKPOINT_SHARE * self._cost):
            self.save()

    def save(self) -> None:
        """Write a checkpoint."""
        began = time.monotonic()
        with self.clock.part("checkpoint"):
            for name, contexts in self.kept.items():
                contexts.flush()
                self.standing.kept[name] = [contexts.contexts, contexts.words]
            self.standing.seconds = self.clock.seconds()
            states = {name: one.state_dict() for name, one in self.stateful.items()}
            save_checkpoint(self.state.checkpoint, asdict(self.standing), states)
        self._saved = time.monotonic()
        self._cost = self._saved - began
