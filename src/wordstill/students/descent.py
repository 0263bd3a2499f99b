"""What the students that learn by gradient descent share: where they start, how they go on, and what they keep.

The teacher's pass only gathers: what the closed form of the same objective needs (see `closed`) with `init=closed`, and
the mean of the contexts without. All learning follows, in one replay per epoch over what was kept. So the pass can be
shared out over many processes, and learning is the same whoever did which part of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.sampling import NegativeSampler, generator, keep_probabilities
from wordstill.options import Options, setting
from wordstill.students.closed import Closed, ClosedSettings
from wordstill.students.student import Brief, Losses, Student, seen_vectors
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class DescentSettings(Options):
    """The options that all of these students have; each has its own values."""

    init: Literal["closed", "random", "zero"]
    epochs: int
    negatives: int
    negative_power: float
    subsample: float
    learning_rate: float
    schedule: Literal["constant", "linear"]
    centre: bool
    offset: bool
    pull: float


# What the students declare alike; each has its own values.
EPOCHS = partial(setting, help="passes over the text, or over what was kept of it", low=1, high=100_000)
NEGATIVES = partial(setting, help="words drawn against each target", low=1, high=1000)
NEGATIVE_POWER = partial(setting, help="negatives are drawn by count to this power", low=0)
SUBSAMPLE = partial(setting, help="leave words out at random by their frequency; 0: never", low=0)
LEARNING_RATE = partial(setting, help="how far a step goes", low=0)
SCHEDULE = partial(setting, help="how the learning rate changes over training")
CENTRE = partial(setting, help="subtract the mean of the teacher's vectors")
OFFSET = partial(setting, help="start scores at -log(negatives), the log-odds of a word among its negatives")
PULL = partial(setting, help="how strongly a word is held near its start; rare words hardly move", low=0)


class Descent(Student):
    """A table with a row per word, which `learn` improves; `arrays` names what a checkpoint holds.

    The table and all that learning needs is made by `begin`, when the first replay begins.
    """

    arrays: tuple[str, ...] = ("table", "squares", "start", "mean", "done", "seen")
    settings: DescentSettings
    table: Array
    squares: Array

    def __init__(self, brief: Brief, settings: DescentSettings, view: ClosedSettings, dimensions: int) -> None:
        self.brief, self.settings = brief, settings
        self.needs = self.needs_of(settings, brief.layer)
        self.dimensions = dimensions
        self.closed = Closed(brief, view) if settings.init == "closed" else None
        self.table, self.start = (np.zeros((0, dimensions), dtype=np.float32) for _ in range(2))
        self.squares = np.zeros(0, dtype=np.float32)
        self.mean = np.zeros(brief.width)
        # vectors that the mean was taken over, steps done, words seen, whether learning has begun
        self.done = np.zeros(4, dtype=np.int64)
        self.seen = np.zeros(len(brief.vocabulary), dtype=np.int64)
        self.curve = Losses(brief.total_words, settings.epochs)

    @property
    def losses(self) -> list[tuple[int, float]]:
        """(words seen, mean loss per target) along the run."""
        return self.curve.curve

    @property
    def begun(self) -> bool:
        """Whether learning has begun."""
        return bool(self.done[3])

    @cached_property
    def keep(self) -> Array:
        """The probability with which an occurrence of each word is kept."""
        return keep_probabilities(self.brief.vocabulary.frequencies, self.settings.subsample)

    @cached_property
    def sampler(self) -> NegativeSampler:
        """Draws negatives."""
        return NegativeSampler(self.brief.vocabulary.counts, self.settings.negative_power)

    @cached_property
    def slots(self) -> Array:
        """A place per word for `group_by_row`."""
        return np.full(len(self.brief.vocabulary), -1, dtype=np.int64)

    @property
    def offset(self) -> float:
        """What is added to every score."""
        return -math.log(self.settings.negatives) if self.settings.offset else 0.0

    def follow_mean(self, vectors: Array) -> None:
        """Take vectors into the running mean, in the order of the batches."""
        self.done[0] += len(vectors)
        self.mean += len(vectors) / self.done[0] * (vectors.mean(axis=0) - self.mean)

    def merge(self, other: Descent, rows: Array) -> None:
        """Add what another student gathered in another part of the corpus."""
        self.seen[rows] += other.seen
        if self.closed is not None and other.closed is not None:
            self.closed.merge(other.closed, rows)
        if other.done[0]:
            self.done[0] += other.done[0]
            self.mean += other.done[0] / self.done[0] * (other.mean - self.mean)

    def replay(self, kept: Any) -> None:
        """Learn from what was kept."""
        if not self.begun:
            self.begin(kept)
        self.learn(kept)

    def begin(self, sample: Any) -> None:
        """Make the table: the closed form, fitted to a sample of what was kept, or as `init` says."""
        self.make_table()
        if self.closed is not None:
            self.take_closed_form(sample)
            self.start = self.table.copy() if self.settings.pull else self.start
        self.done[3] = 1

    def make_table(self) -> None:
        """Make the table as `init` says, empty for a closed form, and the optimizer's state."""
        raise NotImplementedError

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
        return generator(self.brief.seed, 2, int(self.done[1]))

    def rate(self) -> float:
        """The learning rate of this step."""
        rate = self.settings.learning_rate
        if self.settings.schedule == "linear":
            rate *= max(0.0, 1.0 - self.done[2] / (self.brief.total_words * self.settings.epochs))
        return rate

    def pulls(self, rows: Array) -> Array:
        """How strongly each of these rows is held near its start in a step."""
        pulls: Array = np.float32(self.settings.pull) / np.maximum(self.seen[rows], 1).astype(np.float32)
        return pulls

    def vectors(self) -> WordVectors:
        """The table, for the words that were seen."""
        if not self.begun:  # nothing was kept
            if self.closed is not None:
                return self.closed.vectors()
            self.begin(None)
        card = {"student": self.settings.owner, "layer": self.brief.layer, "student_settings": asdict(self.settings)}
        return seen_vectors(self.brief.vocabulary, self.table, self.seen, **card)

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
