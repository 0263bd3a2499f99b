"""x2static: a word's vector tells the sentences that hold it from others (Gupta and Jaggi 2021).

The context of a sentence S inside a text T (the sentence itself, or its paragraph) is

    E(S) = 1/|S|  sum over the words w of S of  M(T, w)

and every kept word of S is a target with that context:

    loss(w, S) = l(u_w . E) + sum over negatives n of l(-u_n . E),      l(x) = log(1 + e^-x)

Targets are kept with probability min(1, sqrt(t/f) + t/f), negatives are drawn by count^0.5, and only the rows
of a batch are updated. `preset=paper` has the paper's settings (with the released code's constants where the
paper is silent): random start, lazy Adam at a constant rate, one epoch, at most 128 texts a step.

The default is what measures best on 1 to 20 million words, where the paper's settings leave the vectors nearly
untrained. Contextual spaces share a large common mean, so contexts are centred; the start is the closed form of
the same objective; a few passes over the kept contexts follow, with a rate for each row (Adagrad) that falls to
zero, and each word is held near its start the more, the fewer contexts it has.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from wordstill.options import check_range
from wordstill.students.batch import Batch
from wordstill.students.closed import Closed, ClosedSettings
from wordstill.students.student import Contexts, Losses, Student, Task, seen_vectors
from wordstill.training.rows import adagrad_rows, adam_rows, group_by_row, score_coefficients
from wordstill.training.sampling import NegativeSampler, generator, keep_probabilities
from wordstill.vectors import Array, WordVectors


@dataclass(frozen=True)
class X2StaticSettings:
    """All that the method leaves open."""

    init: Literal["closed", "random", "zero"] = "closed"
    epochs: int = 3
    negatives: int = 10
    negative_power: float = 0.5
    subsample: float = 1e-4
    optimizer: Literal["adam", "adagrad"] = "adagrad"
    learning_rate: float = 0.05
    schedule: Literal["constant", "linear"] = "linear"
    step_contexts: int = 128
    centre: bool = True
    offset: bool = True
    """Scores start at -log(negatives), the log-odds of a target among its negatives."""
    pull: float = 10.0
    """How strongly a word is held near its start, shared out over its occurrences: rare words hardly move."""
    clamp: float = 20.0

    def __post_init__(self) -> None:
        for name, low in (("epochs", 1), ("negatives", 1), ("step_contexts", 1), ("learning_rate", 0.0)):
            check_range(f"x2static.{name}", getattr(self, name), low)
        for name in ("negative_power", "subsample", "pull", "clamp"):
            check_range(f"x2static.{name}", getattr(self, name), 0.0)

    @staticmethod
    def presets() -> dict[str, X2StaticSettings]:
        """`small`, the default, for 1 to 20 million words; `paper` for a billion."""
        return {
            "small": X2StaticSettings(),
            "paper": X2StaticSettings(
                init="random",
                epochs=1,
                subsample=5e-6,
                optimizer="adam",
                learning_rate=1e-3,
                schedule="constant",
                centre=False,
                offset=False,
                pull=0.0,
            ),
        }


class X2Static(Student):
    """Learns online from the teacher's pass, or, with `init=closed`, in replays after it."""

    def __init__(self, task: Task, settings: X2StaticSettings) -> None:
        self.task, self.settings = task, settings
        self.layers = (task.layer,)
        size, width = len(task.vocabulary), task.width
        self.closed = Closed(task, ClosedSettings()) if settings.init == "closed" else None
        self.replays = settings.epochs - (self.closed is None)
        if settings.init == "random":
            bound = 1.0 / width
            self.table = generator(task.seed, 0).uniform(-bound, bound, (size, width)).astype(np.float32)
        else:
            self.table = np.zeros((size, width), dtype=np.float32)
        nothing = np.zeros((0, width), dtype=np.float32)
        adam = settings.optimizer == "adam"
        self.first, self.second = (np.zeros_like(self.table) if adam else nothing for _ in range(2))
        self.squares = np.zeros(0 if adam else size, dtype=np.float32)
        self.start = nothing
        self.mean = np.zeros(width)
        # contexts that the mean was taken over, steps done, words seen, whether replays have begun
        self.done = np.zeros(4, dtype=np.int64)
        self.seen = np.zeros(size, dtype=np.int64)
        self.keep = keep_probabilities(task.vocabulary.frequencies, settings.subsample)
        self.sampler = NegativeSampler(task.vocabulary.counts, settings.negative_power)
        self.curve = Losses(task.total_words, settings.epochs)
        self.slots = np.full(size, -1, dtype=np.int64)

    @property
    def losses(self) -> list[tuple[int, float]]:
        """(words seen, mean loss a target) along the run."""
        return self.curve.curve

    def observe(self, batch: Batch) -> Contexts | None:
        """Learn from a batch, or gather the closed form's sums; give what a replay needs."""
        contexts = Contexts(batch.sentence_means(self.task.layer), batch.words, batch.sentences)
        self.seen += np.bincount(batch.words[batch.words >= 0], minlength=len(self.seen))
        if self.closed is not None:
            self.closed.add(contexts)
        else:
            number = len(contexts.vectors)
            self.done[0] += number
            # The running mean, in the order of the batches.
            self.mean += number / self.done[0] * (contexts.vectors.mean(axis=0) - self.mean)
            self.learn(contexts)
        return contexts if self.replays else None

    def replay(self, kept: Contexts) -> None:
        """Learn from kept contexts; the first time, start from the closed form."""
        if self.closed is not None and not self.done[3]:
            self.begin(kept)
        self.learn(kept)

    def begin(self, sample: Contexts) -> None:
        """Take the closed form, at the length at which it explains a sample of contexts best, as the start."""
        assert self.closed is not None
        self.mean, map_ = self.closed.mean_and_map()
        self.table = self.closed.give_up(self.mean, map_)
        self.table *= self._best_length(sample)
        self.start = self.table.copy() if self.settings.pull else self.start
        self.done[3] = 1

    def _best_length(self, sample: Contexts) -> np.float32:
        """The factor of the table that gives the least loss, by golden section over six orders of magnitude."""
        vectors, owners, rows = self._targets(sample, generator(self.task.seed, 1))
        if not len(rows):
            return np.float32(1.0)
        rows, owners = rows[:20_000], owners[:20_000]

        def loss(exponent: float) -> float:
            table = self.table * np.float32(10.0**exponent)
            return float(score_coefficients(table, vectors, owners, rows, *self._scoring(), _like(rows)))

        low, high, golden = -3.0, 3.0, (math.sqrt(5.0) - 1.0) / 2.0
        while high - low > 0.01:
            left, right = high - golden * (high - low), low + golden * (high - low)
            low, high = (low, right) if loss(left) < loss(right) else (left, high)
        return np.float32(10.0 ** ((low + high) / 2))

    def learn(self, contexts: Contexts) -> None:
        """Steps of at most `step_contexts` contexts."""
        borders = np.searchsorted(contexts.owners, np.arange(0, len(contexts.vectors), self.settings.step_contexts))
        for low, high in zip(borders, [*borders[1:], len(contexts.owners)], strict=True):
            part = contexts.owners[low:high]
            first, last = part[0], part[-1] + 1
            self._step(Contexts(contexts.vectors[first:last], contexts.words[low:high], part - first))

    def _targets(self, contexts: Contexts, random: np.random.Generator) -> tuple[Array, Array, Array]:
        """Centred contexts, and for each kept target the context's row and the words: target, negatives."""
        kept = random.random(len(contexts.words)) < self.keep[contexts.words]
        kept &= contexts.words >= 0
        targets, owners = contexts.words[kept], contexts.owners[kept]
        negatives = self.sampler.draw(random, (len(targets), self.settings.negatives))
        rows = np.concatenate([targets[:, None], negatives], axis=1)
        vectors = contexts.vectors
        if self.settings.centre:
            vectors = vectors - self.mean.astype(np.float32)
        return vectors, owners, rows

    def _scoring(self) -> tuple[float, float]:
        offset = -math.log(self.settings.negatives) if self.settings.offset else 0.0
        return self.settings.clamp, offset

    def _step(self, contexts: Contexts) -> None:
        settings = self.settings
        self.done[1] += 1
        self.done[2] += len(contexts.words)
        vectors, owners, rows = self._targets(contexts, generator(self.task.seed, 2, int(self.done[1])))
        if not len(rows):
            return
        coefficients = _like(rows)
        loss = score_coefficients(self.table, vectors, owners, rows, *self._scoring(), coefficients)
        self.curve.add(float(loss), len(rows), len(contexts.words))
        rate = settings.learning_rate
        if settings.schedule == "linear":
            rate *= max(0.0, 1.0 - self.done[2] / (self.task.total_words * settings.epochs))
        grouped = group_by_row(rows, self.slots)
        inputs = (*grouped, coefficients, vectors, owners, rate)
        if settings.optimizer == "adam":
            step, scale = int(self.done[1]), 1.0 / len(rows)
            adam_rows(self.table, self.first, self.second, *inputs, step, scale)
        else:
            pull = np.float32(settings.pull) / np.maximum(self.seen[grouped[0]], 1).astype(np.float32)
            adagrad_rows(self.table, self.squares, self.start, pull, *inputs)

    def vectors(self) -> WordVectors:
        """The table u."""
        if self.closed is not None and not self.done[3]:
            return self.closed.vectors()
        card = {"student": "x2static", "layer": self.task.layer, "student_settings": asdict(self.settings)}
        return seen_vectors(self.task.vocabulary, self.table, self.seen, **card)

    def state_dict(self) -> dict[str, Array]:
        """The table, the optimizer's state and the closed form's sums."""
        own = {name: getattr(self, name) for name in _STATE}
        closed = self.closed.state_dict() if self.closed is not None else {}
        return own | self.curve.state_dict() | {f"closed.{name}": array for name, array in closed.items()}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""
        for name in _STATE:
            setattr(self, name, np.array(state[name]))
        self.curve.load_state_dict(state)
        if self.closed is not None:
            self.closed.load_state_dict({name: state[f"closed.{name}"] for name in self.closed.state_dict()})


_STATE = ("table", "first", "second", "squares", "start", "mean", "done", "seen")


def _like(rows: Array) -> Array:
    return np.empty(rows.shape, dtype=np.float32)
