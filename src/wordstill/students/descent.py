"""What the students that learn by gradient descent share: where they start, how they go on, and what they keep.

Such a student learns online from the teacher's pass; or, with `init=closed`, that pass only gathers the closed form
of the same objective (see `closed`), and learning follows in replays over what was kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.sampling import NegativeSampler, generator, keep_probabilities
from wordstill.options import check_range
from wordstill.students.closed import Closed, ClosedSettings
from wordstill.students.student import Losses, Student, Task, seen_vectors
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class DescentSettings:
    """The options that all of these students have; each has its own values."""

    name: ClassVar[str]

    init: Literal["closed", "random", "zero"]
    epochs: int
    negatives: int
    negative_power: float
    subsample: float
    """Words are left out at random by their frequency; 0: never."""
    learning_rate: float
    schedule: Literal["constant", "linear"]
    centre: bool
    offset: bool
    """Scores start at -log(negatives), the log-odds of what was seen among its negatives."""
    pull: float
    """How strongly a word is held near its start, shared out over its occurrences: rare words hardly move."""

    def __post_init__(self) -> None:
        self.check(1, "epochs", "negatives")
        self.check(0, "negative_power", "subsample", "learning_rate", "pull")

    def check(self, low: float, *options: str) -> None:
        """Refuse options below a number."""
        for option in options:
            check_range(f"{self.name}.{option}", getattr(self, option), low)


class Descent(Student):
    """A table with a row a word, which `learn` improves; `arrays` names what a checkpoint holds."""

    arrays: tuple[str, ...] = ("table", "squares", "start", "mean", "done", "seen")
    settings: DescentSettings
    table: Array
    squares: Array

    def __init__(self, task: Task, settings: DescentSettings, view: ClosedSettings, dimensions: int) -> None:
        self.task, self.settings = task, settings
        self.layers = (task.layer,)
        self.dimensions = dimensions
        size = len(task.vocabulary)
        self.closed = Closed(task, view) if settings.init == "closed" else None
        self.replays = settings.epochs - (self.closed is None)
        self.start = np.zeros((0, dimensions), dtype=np.float32)
        self.mean = np.zeros(task.width)
        # vectors that the mean was taken over, steps done, words seen, whether replays have begun
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

    @property
    def gathering(self) -> bool:
        """Whether there is a closed form to begin from, and no beginning yet."""
        return self.closed is not None and not self.done[3]

    @property
    def offset(self) -> float:
        """What is added to every score."""
        return -math.log(self.settings.negatives) if self.settings.offset else 0.0

    def follow_mean(self, vectors: Array) -> None:
        """Take vectors into the running mean, in the order of the batches."""
        self.done[0] += len(vectors)
        self.mean += len(vectors) / self.done[0] * (vectors.mean(axis=0) - self.mean)

    def replay(self, kept: Any) -> None:
        """Learn from what was kept; the first time, start from the closed form."""
        if self.gathering:
            self.begin(kept)
        self.learn(kept)

    def begin(self, sample: Any) -> None:
        """Start from the closed form."""
        self.take_closed_form(sample)
        self.start = self.table.copy() if self.settings.pull else self.start
        self.done[3] = 1

    def take_closed_form(self, sample: Any) -> None:
        """Make the closed form the table, at the length at which it explains a sample best."""
        raise NotImplementedError

    def learn(self, kept: Any) -> None:
        """Take the steps that a batch has."""
        raise NotImplementedError

    def set_length(self, loss: Callable[[np.float32], float]) -> None:
        """Find the factor of the table that gives the least loss, by golden section over six orders of magnitude."""

        def loss_at(exponent: float) -> float:
            return loss(np.float32(10.0**exponent))

        low, high, golden = -3.0, 3.0, (math.sqrt(5.0) - 1.0) / 2.0
        while high - low > 0.01:
            left, right = high - golden * (high - low), low + golden * (high - low)
            low, high = (low, right) if loss_at(left) < loss_at(right) else (left, high)
        self.table *= np.float32(10.0 ** ((low + high) / 2))

    def next_step(self, words: int) -> np.random.Generator:
        """Count a step over so many words; its random numbers depend on its number alone."""
        self.done[1] += 1
        self.done[2] += words
        return generator(self.task.seed, 2, int(self.done[1]))

    def rate(self) -> float:
        """The learning rate of this step."""
        rate = self.settings.learning_rate
        if self.settings.schedule == "linear":
            rate *= max(0.0, 1.0 - self.done[2] / (self.task.total_words * self.settings.epochs))
        return rate

    def pulls(self, rows: Array) -> Array:
        """How strongly each of these rows is held near its start in a step."""
        pulls: Array = np.float32(self.settings.pull) / np.maximum(self.seen[rows], 1).astype(np.float32)
        return pulls

    def vectors(self) -> WordVectors:
        """The table, for the words that were seen."""
        if self.closed is not None and self.gathering:
            return self.closed.vectors()
        card = {"student": self.settings.name, "layer": self.task.layer, "student_settings": asdict(self.settings)}
        return seen_vectors(self.task.vocabulary, self.table, self.seen, **card)

    def state_dict(self) -> dict[str, Array]:
        """The table, the optimizer's state and the closed form's sums."""
        own = {name: getattr(self, name) for name in self.arrays}
        closed = self.closed.state_dict() if self.closed is not None else {}
        return own | self.curve.state_dict() | {f"closed.{name}": array for name, array in closed.items()}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""
        for name in self.arrays:
            setattr(self, name, np.array(state[name]))
        self.curve.load_state_dict(state)
        if self.closed is not None:
            self.closed.load_state_dict({name: state[f"closed.{name}"] for name in self.closed.state_dict()})
