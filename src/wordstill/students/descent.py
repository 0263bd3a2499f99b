"""What the students that learn by gradient descent share: where they start, how they go on, and what they keep.

Such a student learns online from the teacher's pass; or, with `init=closed`, that pass only gathers the closed form
of the same objective (see `closed`), and learning follows in replays over what was kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
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
    """A table with a row per word, which `learn` improves; `arrays` names what a checkpoint holds."""

    arrays: tuple[str, ...] = ("table", "squares", "start", "mean", "done", "seen")
    settings: DescentSettings
    table: Array
    squares: Array

    def __init__(self, brief: Brief, settings: DescentSettings, view: ClosedSettings, dimensions: int) -> None:
        self.brief, self.settings = brief, settings
        self.needs = self.needs_of(settings, brief.layer)
        self.dimensions = dimensions
        size = len(brief.vocabulary)
        self.closed = Closed(brief, view) if settings.init == "closed" else None
        self.start = np.zeros((0, dimensions), dtype=np.float32)
        self.mean = np.zeros(brief.width)
        # vectors that the mean was taken over, steps done, words seen, whether replays have begun
        self.done = np.zeros(4, dtype=np.int64)
        self.seen = np.zeros(size, dtype=np.int64)
        self.keep = keep_probabilities(brief.vocabulary.frequencies, settings.subsample)
        self.sampler = NegativeSampler(brief.vocabulary.counts, settings.negative_power)
        self.curve = Losses(brief.total_words, settings.epochs)
        self.slots = np.full(size, -1, dtype=np.int64)

    @property
    def losses(self) -> list[tuple[int, float]]:
        """(words seen, mean loss per target) along the run."""
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
        if self.closed is not None and self.gathering:
            return self.closed.vectors()
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
