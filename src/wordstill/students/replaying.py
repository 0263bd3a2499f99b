"""What the students that learn in replays share: what was seen, how far they are, and how words are drawn.

The pass over the text only gathers. All learning follows, in one replay per epoch over what was kept. So the pass can
be shared out over many processes, and learning is the same whoever did which part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.sampling import NegativeSampler, generator, keep_probabilities
from wordstill.options import Options, setting
from wordstill.students.student import Brief, Losses, Student, seen_vectors
from wordstill.vectors import WordVectors

# What the students declare alike; each has its own values.
EPOCHS = partial(setting, help="passes over the text, or over what was kept of it", low=1, high=100_000)
NEGATIVES = partial(setting, help="words drawn against each target", low=1, high=1000)
NEGATIVE_POWER = partial(setting, help="negatives are drawn by count to this power", low=0)
SUBSAMPLE = partial(setting, help="leave words out at random by their frequency; 0: never", low=0)
LEARNING_RATE = partial(setting, help="how far a step goes", low=0)
SCHEDULE = partial(setting, help="how the learning rate changes over training")


@dataclass(frozen=True)
class ReplaySettings(Options):
    """The options that all of these students have; each has its own values."""

    epochs: int
    learning_rate: float


@dataclass(frozen=True)
class SampledSettings(ReplaySettings):
    """The options of those that tell words from drawn ones."""

    negatives: int
    negative_power: float
    subsample: float
    schedule: Literal["constant", "linear"]


class Replaying(Student):
    """A table with a row per word, which `learn` improves; `arrays` names what a checkpoint holds.

    The table and all that learning needs is made by `begin`, when the first replay begins.
    """

    arrays: tuple[str, ...] = ("table", "done", "seen")
    settings: ReplaySettings
    table: Array

    def __init__(self, brief: Brief, settings: ReplaySettings, dimensions: int) -> None:
        self.brief, self.settings = brief, settings
        self.needs = self.needs_of(settings, brief.layer)
        self.dimensions = dimensions
        self.table = np.zeros((0, dimensions), dtype=np.float32)
        # what was gathered in the pass, steps done, words seen in them, whether learning has begun
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

    def merge(self, other: Any, rows: Array) -> None:
        """Add what another student gathered in another part of the corpus."""
        self.seen[rows] += other.seen
        self.done[0] += other.done[0]

    def replay(self, kept: Any) -> None:
        """Learn from what was kept."""
        if not self.begun:
            self.begin(kept)
        self.learn(kept)

    def begin(self, sample: Any) -> None:
        """Make the table and all that learning needs; `sample` is some of what was kept, None where nothing was."""
        self.make_table()
        self.done[3] = 1

    def make_table(self) -> None:
        """Make the table and the optimizer's state."""
        raise NotImplementedError

    def learn(self, kept: Any) -> None:
        """Take the steps that a block of what was kept has."""
        raise NotImplementedError

    def next_step(self, words: int) -> np.random.Generator:
        """Count a step over so many words; its random numbers depend on its number alone."""
        self.done[1] += 1
        self.done[2] += words
        return generator(self.brief.seed, 2, int(self.done[1]))

    @property
    def card(self) -> dict[str, Any]:
        """What the vectors' card says of the method."""
        return {"student": self.settings.owner, "student_settings": asdict(self.settings)}

    def vectors(self) -> WordVectors:
        """The table, for the words that were seen."""
        if not self.begun:  # nothing was kept
            self.begin(None)
        return seen_vectors(self.brief.vocabulary, self.table, self.seen, **self.card)

    def state_dict(self) -> dict[str, Array]:
        """The table, the optimizer's state and the curve."""
        return {name: getattr(self, name) for name in self.arrays} | self.curve.state_dict()

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""
        for name in self.arrays:
            setattr(self, name, np.array(state[name]))
        self.curve.load_state_dict(state)


class Sampled(Replaying):
    """Leaves frequent words out at random, and draws negatives."""

    settings: SampledSettings

    @cached_property
    def keep(self) -> Array:
        """The probability with which an occurrence of each word is kept."""
        return keep_probabilities(self.brief.vocabulary.frequencies, self.settings.subsample)

    @cached_property
    def sampler(self) -> NegativeSampler:
        """Draws negatives."""
        return NegativeSampler(self.brief.vocabulary.counts, self.settings.negative_power)

    def rate_after(self, words: Any) -> Any:
        """The learning rate after so many words, a number or an array."""
        if self.settings.schedule == "constant":
            return self.settings.learning_rate + 0.0 * words
        left = 1.0 - words / (self.brief.total_words * self.settings.epochs)
        return self.settings.learning_rate * np.maximum(0.0, left)

    def rate(self) -> float:
        """The learning rate of this step."""
        return float(self.rate_after(self.done[2]))
