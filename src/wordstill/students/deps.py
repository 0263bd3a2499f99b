"""deps: a word's vector tells its syntactic contexts from others (Levy and Goldberg 2014).

The contexts of a word are the words that it is joined with in the parse, with the relation. An arc from the head h to
the word m gives two pairs:

    h with m/relation          m with h/relation-1

Prepositions are collapsed: in "discovers stars with a telescope", discovers has telescope/prep_with, and "with" has no
contexts. Universal Dependencies hang the preposition below its noun (`case`), others put it between (`prep`, `pobj`);
both are known. Arcs to punctuation are left out. Pairs are learned by skip-gram with negative sampling:

    loss(w, c) = l(u_w . v_c) + sum over negatives n of l(-u_w . v_n),      l(x) = log(1 + e^-x)

Negatives are drawn by count^0.75 among contexts that are seen `min_context` times or more; the others are left out.
The pass over the text counts contexts, the epochs follow as replays. The text must be parsed (CoNLL-U).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.kernels.pairs import train_pairs
from wordstill.kernels.sampling import NegativeSampler, generator
from wordstill.options import setting
from wordstill.students import from_words, replaying
from wordstill.students.from_words import FromWords, cut_evenly, learn_at_once
from wordstill.students.replaying import ReplaySettings
from wordstill.students.student import Brief, Needs
from wordstill.teacher.batch import Batch

# While counting, contexts seen once are forgotten from time to time, so that memory is not the corpus's.
MOST_COUNTED = 20_000_000


@dataclass(frozen=True)
class DepsSettings(ReplaySettings):
    """All that the method leaves open."""

    owner = "deps"

    dimensions: int = setting(100, "dimensions of the vectors", low=1, high=100_000)
    epochs: int = replaying.EPOCHS(20)
    negatives: int = replaying.NEGATIVES(5)
    negative_power: float = replaying.NEGATIVE_POWER(0.75)
    min_context: int = setting(5, "the least occurrences of a context", low=1)
    learning_rate: float = replaying.LEARNING_RATE(0.1)
    threads: int = from_words.THREADS(1)

    @staticmethod
    def presets() -> dict[str, DepsSettings]:
        """`small`, the default, for 1 to 20 million words; `paper` for a Wikipedia, with --min-count 100 besides."""
        return {
            "small": DepsSettings(),
            "paper": DepsSettings(dimensions=300, epochs=1, negatives=15, min_context=100, learning_rate=0.025),
        }


class Deps(FromWords):
    """The table u of the equation above, and v for the contexts."""

    arrays = (*FromWords.arrays, "keys", "counts", "context_table")
    settings: DepsSettings

    def __init__(self, brief: Brief, settings: DepsSettings) -> None:
        super().__init__(brief, settings, settings.dimensions)
        self.keys, self.counts = (np.zeros(0, dtype=np.int64) for _ in range(2))
        self._pending: list[Array] = []
        self.context_table = np.zeros((0, settings.dimensions), dtype=np.float32)

    @classmethod
    def needs_of(cls, settings: DepsSettings, layer: int) -> Needs:
        """Parsed words, and these again for each epoch."""
        return replace(super().needs_of(settings, layer), parses=True)

    # ---------------------------------------------------------------- contexts

    @cached_property
    def _kinds(self) -> dict[str, Array]:
        """Which relations are those of prepositions, of their objects, and of punctuation."""
        plain = [relation.partition(":")[0].lower() for relation in self.brief.vocabulary.relations]
        named = {"case": {"case"}, "object": {"pobj", "adpobj"}, "mark": {"punct"}}
        return {kind: np.array([*(one in names for one in plain), False]) for kind, names in named.items()}

    def arcs(self, batch: Batch) -> tuple[Array, Array, Array, Array]:
        """Return the arcs of a batch: the places of heads and of words, relations, and prepositions (-1: none)."""
        assert batch.parses is not None
        heads, relations = batch.heads.copy(), batch.parses[:, 1].copy()
        joined = heads >= 0
        # The first of several prepositions is the one that is written last.
        cases = np.flatnonzero(self._kinds["case"][relations] & joined)
        prepositions = np.full(len(heads), -1, dtype=np.int64)
        prepositions[heads[cases[::-1]]] = batch.words[cases[::-1]]
        objects = np.flatnonzero(self._kinds["object"][relations] & joined)
        objects = objects[heads[heads[objects]] >= 0]
        between = heads[objects]
        kept = joined & ~self._kinds["mark"][relations]
        kept[cases] = kept[between] = False
        heads[objects], relations[objects] = heads[between], batch.parses[between, 1]
        prepositions[objects] = batch.words[between]
        words = np.flatnonzero(kept)
        known = (batch.words[words] >= 0) & (batch.words[heads[words]] >= 0)
        words = words[known]
        return heads[words], words, relations[words], prepositions[words]

    def pairs(self, batch: Batch) -> tuple[Array, Array]:
        """Return the words of a batch with their contexts: both ends of every arc."""
        if batch.parses is None:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        heads, words, relations, prepositions = self.arcs(batch)
        above, below = batch.words[heads].astype(np.int64), batch.words[words].astype(np.int64)
        keys = [self.pack(below, relations, 0, prepositions), self.pack(above, relations, 1, prepositions)]
        return np.stack([above, below], axis=1).ravel(), np.stack(keys, axis=1).ravel()

    def pack(self, words: Array, relations: Array, turned: Array | int, prepositions: Array) -> Array:
        """Return one number per context: its word, relation, direction (1: from the head) and preposition."""
        size, kinds = len(self.brief.vocabulary) + 1, len(self.brief.vocabulary.relations) + 1
        return ((words * kinds + relations) * 2 + turned) * size + prepositions + 1

    def unpack(self, keys: Array) -> tuple[Array, Array, Array, Array]:
        """Return what `pack` was given."""
        size, kinds = len(self.brief.vocabulary) + 1, len(self.brief.vocabulary.relations) + 1
        rest, prepositions = np.divmod(keys, size)
        rest, turned = np.divmod(rest, 2)
        words, relations = np.divmod(rest, kinds)
        return words, relations, turned, prepositions - 1

    def observe(self, batch: Batch) -> None:
        """Count contexts."""
        self._pending.append(self.pairs(batch)[1])
        if sum(map(len, self._pending)) > max(len(self.keys), 1 << 20):
            self._count()

    def _count(self) -> None:
        """Add up what was observed."""
        pending, self._pending = self._pending, []
        if pending:
            self._add(*np.unique(np.concatenate(pending), return_counts=True))

    def _add(self, keys: Array, counts: Array) -> None:
        self.keys, places = np.unique(np.concatenate([self.keys, keys]), return_inverse=True)
        counts, self.counts = np.concatenate([self.counts, counts]), np.zeros(len(self.keys), dtype=np.int64)
        np.add.at(self.counts, places, counts)
        if len(self.keys) > MOST_COUNTED:
            frequent = self.counts > 1
            self.keys, self.counts = self.keys[frequent], self.counts[frequent]

    def merge(self, other: Deps, rows: Array) -> None:
        """Add the contexts that another student counted."""
        self._count()
        other._count()
        words, relations, turned, prepositions = other.unpack(other.keys)
        numbers = np.append(rows, -1)  # the last one is for -1
        self._add(self.pack(numbers[words], relations, turned, numbers[prepositions]), other.counts)

    # ---------------------------------------------------------------- learning

    def make_table(self) -> None:
        """Choose the contexts that are frequent enough, and start the tables: words at random, contexts at zero."""
        self._count()
        frequent, least = self.counts >= self.settings.min_context, self.settings.min_context
        if len(frequent) and not frequent.any():
            raise InputError(f"no context is seen {least} times; lower --set {self.settings.owner}.min_context")
        self.keys, self.counts = self.keys[frequent], self.counts[frequent]
        size, width = len(self.brief.vocabulary), self.settings.dimensions
        start = generator(self.brief.seed, 0).uniform(-0.5 / width, 0.5 / width, (size, width))
        self.table, self.context_table = start.astype(np.float32), np.zeros((len(self.keys), width), dtype=np.float32)

    @cached_property
    def sampler(self) -> NegativeSampler:
        """Draws negatives."""
        return NegativeSampler(self.counts, self.settings.negative_power)

    def rate(self) -> float:
        """The learning rate, which falls to zero."""
        share = self.done[2] / (self.brief.total_words * self.settings.epochs)
        return self.settings.learning_rate * max(0.0, 1.0 - float(share))

    def learn(self, kept: Batch) -> None:
        """Learn from the pairs of a block, on as many threads as asked for; count the words that have some."""
        words, keys = self.pairs(kept)
        first = self.rate()
        random = self.next_step(len(kept.words))
        last = self.rate()
        places = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known = self.keys[places] == keys if len(self.keys) else np.zeros(len(keys), dtype=bool)
        words, places = words[known], places[known]
        loss = 0.0
        if len(words):
            negatives = self.sampler.draw(random, (len(words), self.settings.negatives))
            targets = np.concatenate([places[:, None], negatives], axis=1)
            cuts = cut_evenly(len(words), self.settings.threads)
            rates = np.interp(cuts, [0, len(words)], [first, last])
            parts = [
                (self.table, self.context_table, words[low:high], targets[low:high], begin, end)
                for (low, high), (begin, end) in zip(pairwise(cuts), pairwise(rates), strict=True)
            ]
            loss = sum(learn_at_once(train_pairs, parts))
            np.add.at(self.seen, words, 1)
        self.curve.add(float(loss), len(words), len(kept.words))

    def state_dict(self) -> dict[str, Array]:
        """The contexts and both tables."""
        self._count()
        return super().state_dict()
