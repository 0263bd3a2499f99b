"""The contract of a student, and what all students share: settings, and the vectors of words that were seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.lexicons.graph import Graph
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors

# The number under which a batch holds the teacher's input embeddings, which come before layer 0.
TABLE = -1


def _zeros(rows: int, columns: int) -> Array:
    return np.zeros((rows, columns), dtype=np.float32)


@dataclass(frozen=True)
class Task:
    """What every student is told before it begins."""

    vocabulary: Vocabulary
    width: int
    """The teacher's width."""
    layer: int
    """The teacher's layer to learn from."""
    total_words: int
    """The words of one pass over the corpus, in or out of the vocabulary: what schedules and curves run over."""
    seed: int = 0
    make_table: Callable[[int, int], Array] = field(default=_zeros, compare=False)
    """Makes tables of so many rows and columns; where there are many, not all of them in memory."""
    graph: Graph | None = None
    """Which words a lexicon joins, for the students that can learn from it."""
    shared: dict[Any, Any] = field(default_factory=dict, compare=False)
    """What several students rest on and one gathers (see `context_sums`)."""


class Contexts(NamedTuple):
    """Contexts and the words seen in them: what a student keeps of a batch to learn from it again."""

    vectors: Array
    """One context a row."""
    words: Array
    """The word of each occurrence, -1 outside the vocabulary."""
    owners: Array
    """The row of each occurrence's context."""


class Student(Protocol):
    """Learns from batches in any order. It knows nothing of files, teachers or progress bars.

    layers   the teacher's layers it reads, counted from 0; none if it needs words alone
    reads    what it is shown: the words of the corpus in context; every word of the vocabulary alone, between the
             special tokens; or the teacher's input embedding of each (as layer TABLE)
    pieces   whether it looks at the mean over the pieces of sentences
    replays  how many passes over what was kept follow the teacher's pass
    keeps    what these need: the contexts that `observe` gives back, or the words of all batches
    losses   (words seen, mean loss since the point before), for students that have a loss
    """

    layers: tuple[int, ...]
    reads: Literal["corpus", "alone", "table"] = "corpus"
    pieces: bool = False
    replays: int = 0
    keeps: Literal["contexts", "words"] = "contexts"

    @property
    def losses(self) -> list[tuple[int, float]]:
        """None, unless there is something to lose."""
        return []

    def observe(self, batch: Batch) -> Contexts | None:
        """Take in a batch of the teacher's pass; a student that keeps contexts gives them."""

    def replay(self, kept: Any) -> None:
        """Learn once more from kept contexts (Contexts) or words (a Batch)."""
        return

    def vectors(self) -> WordVectors:
        """What was learned so far, for the words that were seen."""

    def projection(self) -> dict[str, Array]:
        """What carries the teacher's vectors into the student's space, where there is such a thing."""
        return {}

    def state_dict(self) -> dict[str, Array]:
        """All that `load_state_dict` needs to go on with the same result; arrays may be the student's own."""

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""


class Losses:
    """A loss curve: the mean loss a target, over stretches of a hundredth of the run."""

    def __init__(self, total_words: int, passes: int) -> None:
        self.every = max(1, total_words * max(1, passes) // 100)
        self.curve: list[tuple[int, float]] = []
        self.words = self.sum = self.targets = 0.0

    def add(self, loss: float, targets: int, words: int) -> None:
        """Add the summed loss of `targets` targets, found in `words` words."""
        if not np.isfinite(loss):
            raise FloatingPointError(f"the loss is {loss}")
        before = self.words
        self.words, self.sum, self.targets = self.words + words, self.sum + loss, self.targets + targets
        if self.words // self.every > before // self.every and self.targets:
            self.curve.append((int(self.words), self.sum / self.targets))
            self.sum = self.targets = 0.0

    def state_dict(self) -> dict[str, Array]:
        """The curve and the open stretch."""
        return {
            "losses": np.array(self.curve, dtype=np.float64).reshape(-1, 2),
            "losses_open": np.array([self.words, self.sum, self.targets]),
        }

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on with a curve."""
        self.curve = [(int(words), float(loss)) for words, loss in state["losses"]]
        self.words, self.sum, self.targets = (float(number) for number in state["losses_open"])


def seen_vectors(vocabulary: Vocabulary, matrix: Array, seen: Array, **card: Any) -> WordVectors:
    """The vectors of the words that were seen at least once; the others have learned nothing."""
    rows = np.flatnonzero(seen > 0)
    words = vocabulary.words if len(rows) == len(vocabulary) else [vocabulary.words[row] for row in rows]
    kept = matrix if len(rows) == len(vocabulary) else matrix[rows]
    return WordVectors(words, np.asarray(kept, dtype=np.float32), vocabulary.counts[rows], card)
