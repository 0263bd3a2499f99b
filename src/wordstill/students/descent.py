"""What the students that learn by gradient descent share: where they start, how they go on, and what they keep.

The teacher's pass only gathers: what the closed form of the same objective needs (see `closed`) with `init=closed`, and
the mean of the contexts without. All learning follows, in one replay per epoch over what was kept. So the pass can be
shared out over many processes, and learning is the same whoever did which part of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from wordstill.arrays import Array
from wordstill.options import setting
from wordstill.students.closed import Closed, ClosedSettings
from wordstill.students.replaying import Sampled, SampledSettings
from wordstill.students.student import Brief
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class DescentSettings(SampledSettings):
    """The options that all of these students have; each has its own values."""

    init: Literal["closed", "random", "zero"]
    centre: bool
    offset: bool
    pull: float


# What the students declare alike; each has its own values.
CENTRE = partial(setting, help="subtract the mean of the teacher's vectors")
OFFSET = partial(setting, help="start scores at -log(negatives), the log-odds of a word among its negatives")
PULL = partial(setting, help="how strongly a word is held near its start; rare words hardly move", low=0)


class Descent(Sampled):
    """Learns from the teacher's vectors; `done` begins with the number of vectors that the mean was taken over."""

    arrays: tuple[str, ...] = ("table", "squares", "start", "mean", "done", "seen")
    settings: DescentSettings
    squares: Array

    def __init__(self, brief: Brief, settings: DescentSettings, view: ClosedSettings, dimensions: int) -> None:
        super().__init__(brief, settings, dimensions)
        self.closed = Closed(brief, view) if settings.init == "closed" else None
        self.start = np.zeros((0, dimensions), dtype=np.float32)
        self.squares = np.zeros(0, dtype=np.float32)
        self.mean = np.zeros(brief.width)

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
        super().merge(other, rows)
        if self.closed is not None and other.closed is not None:
            self.closed.merge(other.closed, rows)
        if other.done[0]:
            self.mean += other.done[0] / self.done[0] * (other.mean - self.mean)

    def begin(self, sample: Any) -> None:
        """Make the table: the closed form, fitted to a sample of what was kept, or as `init` says."""
        self.make_table()
        if self.closed is not None:
            self.take_closed_form(sample)
            self.start = self.table.copy() if self.settings.pull else self.start
        self.done[3] = 1

    def take_closed_form(self, sample: Any) -> None:
        """Make the closed form the table, at the length at which it explains a sample best."""
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

    def pulls(self, rows: Array) -> Array:
        """How strongly each of these rows is held near its start in a step."""
        pulls: Array = np.float32(self.settings.pull) / np.maximum(self.seen[rows], 1).astype(np.float32)
        return pulls

    @property
    def card(self) -> dict[str, Any]:
        """What the vectors' card says of the method."""
        return {"student": self.settings.owner, "layer": self.brief.layer} | super().card

    def vectors(self) -> WordVectors:
        """The table, for the words that were seen; the closed form where nothing was kept."""
        if not self.begun and self.closed is not None:
            return self.closed.vectors()
        return super().vectors()

    def state_dict(self) -> dict[str, Array]:
        """The table, the optimizer's state and the closed form's sums."""
        closed = self.closed.state_dict() if self.closed is not None else {}
        return super().state_dict() | {f"closed.{name}": array for name, array in closed.items()}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""
        super().load_state_dict(state)
        if self.closed is not None:
            self.closed.load_state_dict({name: state[f"closed.{name}"] for name in self.closed.state_dict()})
