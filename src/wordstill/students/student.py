"""The contract of a student: what it is told, what it needs, what it does; and what all students share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.vocabulary import Vocabulary
from wordstill.lexicons.graph import Graph
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors


def _zeros(rows: int, columns: int) -> Array:
    return np.zeros((rows, columns), dtype=np.float32)


@dataclass(frozen=True)
class Brief:
    """What every student is told before it begins."""

    vocabulary: Vocabulary
    width: int
    """The teacher's width; 0 without a teacher."""
    layer: int
    """The teacher's layer to learn from."""
    total_words: int
    """The words of one pass over the corpus, in or out of the vocabulary: what schedules and curves run over."""
    seed: int = 0
    make_table: Callable[[int, int], Array] = field(default=_zeros, compare=False)
    """Makes a table of zeros with so many rows and columns, in a file where memory is short."""
    graph: Graph | None = None
    """Which words a lexicon joins, for the students that can learn from it."""
    shared: dict[Any, Any] = field(default_factory=dict, compare=False)
    """What several students rest on and one gathers (see `context_sums`)."""


Shown: TypeAlias = Literal["words", "sentences", "windows", "pieces", "pooled", "alone", "asked", "table", "definition"]


@dataclass(frozen=True)
class Needs:
    """What a student must be shown. The run reads this object, and nothing else, to decide what to do for a student.

    shown    what it looks at. In text: the words with their contextual vectors; the means of sentences over their
             words, or over their pieces; sentences pooled as the teacher itself says; or windows around words. Without
             text: each word of the vocabulary encoded alone, in questions, looked up in the teacher's table of input
             embeddings (as layer TABLE), or in a dictionary, whose definitions the teacher reads
    layers   the teacher's layers it reads, counted from 0; none if it needs words alone
    teacher  whether it needs a teacher at all
    replays  how many passes over what was kept follow the pass over the text
    keeps    what is kept for these: the contexts that `observe` returns, or the words of all batches
    parses   whether it reads the heads and relations of words
    alone    whether a student of text is shown each word of the vocabulary encoded alone besides (`observe_alone`)
    """

    shown: Shown
    layers: tuple[int, ...] = ()
    teacher: bool = True
    replays: int = 0
    keeps: Literal["contexts", "words"] | None = None
    parses: bool = False
    alone: bool = False

    @property
    def text(self) -> bool:
        """Whether it learns from a corpus."""
        return self.shown not in ("alone", "asked", "table", "definition")

    @property
    def gaps(self) -> bool:
        """Whether text or dictionary can lack a word, whose vector the teacher's word alone then tells."""
        return self.teacher and self.shown not in ("alone", "asked", "table") and not self.alone


class Contexts(NamedTuple):
    """Contexts and the words seen in them: what a student keeps of a batch to learn from it again."""

    vectors: Array
    """One context per row."""
    words: Array
    """The word of each occurrence, -1 outside the vocabulary."""
    owners: Array
    """The row of each occurrence's context."""


class Student(Protocol):
    """Learns from batches. It knows nothing of files, teachers, shards or progress bars.

    A run makes one student per shard, whose vocabulary has the shard's own words alone. It observes the shard's
    batches. The student of the whole run observes nothing: it merges those of the shards, in the order of the shards.
    Then it may learn from what was kept, and gives the vectors.
    """

    needs: Needs

    @classmethod
    def needs_of(cls, settings: Any, layer: int) -> Needs:
        """Tell what a student with these settings needs, when it learns from this layer of the teacher."""

    @property
    def losses(self) -> list[tuple[int, float]]:
        """The loss curve: (words seen, mean loss since the point before). Empty for students without a loss."""
        return []

    def observe(self, batch: Batch) -> Contexts | None:
        """Take in a batch; return its contexts, if this student keeps contexts."""

    def observe_alone(self, batch: Batch) -> None:
        """Take in words that the teacher read alone, where `needs.alone` asks for them."""
        return

    def merge(self, other: Any, rows: Array) -> None:
        """Add what a student of the same kind observed elsewhere; `rows` are the numbers of its words here."""

    def replay(self, kept: Any) -> None:
        """Learn from kept contexts (Contexts) or words (a Batch)."""
        return

    def vectors(self) -> WordVectors:
        """Return what was learned so far, for the words that were seen."""

    def projection(self) -> dict[str, Array]:
        """Return what carries the teacher's vectors into the student's space; empty where nothing does."""
        return {}

    def state_dict(self) -> dict[str, Array]:
        """Return all that `load_state_dict` needs to go on with the same result; arrays may be the student's own."""

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""


class Losses:
    """A loss curve: the mean loss per target, over stretches of a hundredth of the run."""

    def __init__(self, total_words: int, passes: int) -> None:
        self.every = max(1, total_words * max(1, passes) // 100)
        self.curve: list[tuple[int, float]] = []
        self.words = self.sum = self.targets = 0.0

    def add(self, loss: float, targets: int, words: float) -> None:
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
    """Return the vectors of the words that were seen at least once; nothing was learned about the others."""
    rows = np.flatnonzero(seen > 0)
    words = vocabulary.words if len(rows) == len(vocabulary) else [vocabulary.words[row] for row in rows]
    kept = matrix if len(rows) == len(vocabulary) else matrix[rows]
    return WordVectors(words, np.asarray(kept, dtype=np.float32), vocabulary.counts[rows], card)
