"""sentence: word vectors whose sum over a sentence is the teacher's own vector of that sentence.

    minimise over U    sum over sentences S of  |x_S U - (E(S) - m)|^2   +   r |U - U0|^2

E(S) is the teacher's sentence vector, pooled and normalized as the teacher itself says; m is the mean of all of them.
x_S is the bag of the words of S times 1 / sqrt(|S|), |S| being its number of words. Words outside the vocabulary are
left out, phrases of the vocabulary are words. In a paragraph E(S) pools the pieces of S alone.

U0 is what is known of each word besides: A_w, the word read alone, and M_w, the mean over its n_w occurrences, each
less its mean over the text. Rare words rest on A alone, and frequent ones weigh less (SIF, Arora et al. 2017):

    U0_w = a / (a + p(w))  ( c1 A_w + c2 t_w M_w + c3 (1 - t_w) A_w ),     t_w = n_w / (n_w + 5)

with the c that explain the sentences best. The ridge r is the one of `RIDGES` that predicts the sentences held out
best, a tenth of the text, when U is solved for on the others. To be quick that is tried on a sketch, `SKETCH` random
directions of the teacher's space; the last solution takes all directions and all sentences.

All of it is conjugate gradients over kept sentences. A replay is one pass over them:

    pass 0        the products of the views with the sentences, for c
    pass 1        what U0 leaves unexplained, X'(E - X U0)
    trial passes  a step each for all ridges at once, on the sketch; then one to judge them by the sentences held out
    last passes   a step each
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.kernels.bags import add_to_bags, sum_bags
from wordstill.kernels.rows import add_rows
from wordstill.kernels.sampling import generator
from wordstill.options import Options, setting
from wordstill.students.conjugate import ROWS, Conjugate
from wordstill.students.student import Brief, Contexts, Needs, Student, seen_vectors
from wordstill.teacher.batch import Batch
from wordstill.vectors import WordVectors

RIDGES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SKETCH = 32
TRIAL_STEPS = 12
HELD_OUT = 10  # one sentence of so many
OCCURRENCES = 5.0  # at which what was seen of a word counts as much as the word alone
SOLVING = "solving."


@dataclass(frozen=True)
class SentenceSettings(Options):
    """What the method leaves open."""

    owner = "sentence"

    ridge: float | None = setting(None, "r of the formula; without it the one that predicts sentences best", low=0)
    sif: float = setting(1e-3, "a of the formula: words more frequent than this weigh less in the prior", low=0)
    steps: int = setting(20, "steps of conjugate gradients, each a pass over the kept sentences", low=1, high=10_000)


class Bags(NamedTuple):
    """The known words of each sentence, sentence after sentence."""

    starts: Array
    members: Array
    scale: Array

    @classmethod
    def of(cls, contexts: Contexts) -> Bags:
        """Make the bags x_S of contexts."""
        known = contexts.words >= 0
        sizes = np.bincount(contexts.owners[known], minlength=len(contexts.vectors))
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(starts, contexts.words[known].astype(np.int64), 1 / np.sqrt(np.maximum(1, sizes), dtype=np.float32))

    def sums(self, table: Array, shares: Array | None = None) -> Array:
        """X times a table, each row of it times its share."""
        own = np.ones(len(self.members), dtype=np.float32) if shares is None else shares[self.members]
        found: Array = sum_bags(table, self.starts, self.members, self.scale, own)
        return found

    def add_to(self, table: Array, vectors: Array) -> None:
        """Add X' times vectors to a table."""
        add_to_bags(table, vectors, self.starts, self.members, self.scale)

    def only(self, chosen: Array) -> Bags:
        """Return the same with all other bags at a scale of zero."""
        return self._replace(scale=np.where(chosen, self.scale, np.float32(0.0)))

    def held_out(self) -> Array:
        """Tell of each bag whether it is held out: its words alone decide, wherever it stands."""
        mixed = (self.members.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        totals = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)])
        hashes = totals[self.starts[1:]] - totals[self.starts[:-1]]
        return np.asarray((hashes >> np.uint64(32)) % np.uint64(HELD_OUT) == 0)


class Sentence(Student):
    """The table U of the equation above."""

    arrays = (
        *("sums", "seen", "alone", "known", "total", "sentences", "at"),
        *("prior", "gram", "right", "coefficients", "unexplained", "sketched", "diagonals", "errors", "chosen"),
    )

    def __init__(self, brief: Brief, settings: SentenceSettings) -> None:
        self.brief, self.settings = brief, settings
        self.needs = self.needs_of(settings, brief.layer)
        size, none = len(brief.vocabulary), np.zeros((0, brief.width), dtype=np.float32)
        # Tables are made when they are needed: a shard of text has no words alone, one of the vocabulary no text.
        self.sums, self.alone, self.prior, self.unexplained, self.sketched = none, none, none, none, none
        self.seen, self.known = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=bool)
        self.total, self.sentences = np.zeros(brief.width), np.zeros(1, dtype=np.int64)
        self.at = np.zeros(2, dtype=np.int64)  # passes done, sentences done of the next one
        self.gram, self.right = np.zeros((3, 3)), np.zeros(3)
        self.coefficients = np.array([0.0, 0.5, 0.5])  # until they are fitted
        self.diagonals = np.zeros((2, size))  # of X'X: over the sentences that are not held out, and over all
        self.errors = np.zeros(len(RIDGES) + 1)  # of the sentences held out, by ridge; last: of the prior alone
        self.chosen = np.zeros(1)
        self.solving: Conjugate | None = None

    @classmethod
    def needs_of(cls, settings: SentenceSettings, layer: int) -> Needs:
        """Sentences as the teacher pools them, their words, and each word alone; the sentences again for each pass."""
        trials = TRIAL_STEPS + 1 if settings.ridge is None else 0
        return Needs("pooled", (layer,), replays=2 + trials + settings.steps, keeps="contexts", alone=True)

    # ---------------------------------------------------------------- the teacher's pass

    def observe(self, batch: Batch) -> Contexts:
        """Add the words' vectors to their sums, and give what a replay needs."""
        vectors = batch.pooled[self.brief.layer]
        self.sums = self._made(self.sums)
        add_rows(self.sums, batch.words, batch.layers[self.brief.layer], np.arange(len(batch.words)))
        np.add.at(self.seen, batch.words[batch.words >= 0], 1)
        self.total += vectors.sum(axis=0, dtype=np.float64)
        self.sentences += len(vectors)
        return Contexts(vectors, batch.words, batch.sentences)

    def observe_alone(self, batch: Batch) -> None:
        """Take the words' vectors as they are."""
        self.alone = self._made(self.alone)
        self.alone[batch.words] = batch.layers[self.brief.layer]
        self.known[batch.words] = True

    def merge(self, other: Sentence, rows: Array) -> None:
        """Add what another student saw in another part of the corpus, or of the vocabulary."""
        if len(other.sums):
            self.sums = self._made(self.sums)
            add_rows(self.sums, rows, other.sums, np.arange(len(rows)))
        if len(other.alone):
            self.alone = self._made(self.alone)
            self.alone[rows[other.known]] = other.alone[other.known]
        self.seen[rows] += other.seen
        self.known[rows] |= other.known
        self.total += other.total
        self.sentences += other.sentences

    def _made(self, table: Array) -> Array:
        return table if len(table) else self.brief.make_table(len(self.brief.vocabulary), self.brief.width)

    # ---------------------------------------------------------------- the prior

    def _begin(self) -> None:
        """Make the views of the sums: less their means over the text, and shrunk for frequent words."""
        self.sums, self.alone = self._made(self.sums), self._made(self.alone)
        weights = self._sif()
        self.sums /= np.maximum(1, self.seen).astype(np.float32)[:, None]
        for table, known in ((self.sums, self.seen > 0), (self.alone, self.known)):
            share = np.where(known, self.seen * weights, 0.0).astype(np.float32)
            if share.any():
                table -= share @ table / share.sum()
            table *= np.where(known, weights, 0.0).astype(np.float32)[:, None]

    def _sif(self) -> Array:
        return np.asarray(self.settings.sif / (self.settings.sif + self.brief.vocabulary.frequencies))

    @cached_property
    def trust(self) -> Array:
        """t of the page above."""
        return (self.seen / (self.seen + OCCURRENCES)).astype(np.float32)

    def _gather_products(self, bags: Bags, vectors: Array) -> None:
        """Add the products of the views with each other and with the sentences."""
        views = [
            bags.sums(self.alone),
            bags.sums(self.sums, self.trust),
            bags.sums(self.alone, 1 - self.trust),
        ]
        stacked = np.stack([view.ravel() for view in views]).astype(np.float64)
        self.gram += stacked @ stacked.T
        self.right += stacked @ vectors.ravel()

    def _make_prior(self) -> None:
        """Mix the views; they are given up."""
        self.prior = self._mixed()
        self.sums, self.alone = self.sums[:0].copy(), self.alone[:0].copy()

    def _mixed(self) -> Array:
        alone, seen, rare = (np.float32(number) for number in self.coefficients)
        mixed = self._made(self.prior)
        for low in range(0, len(mixed), ROWS):
            part = slice(low, low + ROWS)
            trust = self.trust[part, None]
            mixed[part] = (alone + rare * (1 - trust)) * self.alone[part] + seen * trust * self.sums[part]
        return mixed

    # ---------------------------------------------------------------- replays

    def replay(self, kept: Contexts) -> None:
        """Do a part of a pass; the last part ends it."""
        passes, done = self.at.tolist()
        if passes == done == 0:
            self._begin()
        bags = Bags.of(kept)
        vectors = kept.vectors - (self.total / self.sentences).astype(np.float32)
        if passes == 0:
            self._gather_products(bags, vectors)
        elif passes == 1:
            self._gather_unexplained(bags, vectors)
        elif passes == self._judging:
            self._judge(bags, vectors)
        elif self.solving is not None:
            part = bags.only(~bags.held_out()) if passes < self._judging else bags
            part.add_to(self.solving.product, part.sums(self.solving.direction))
        self.at[1] += len(kept.vectors)
        if self.at[1] >= self.sentences[0]:
            self._end_pass(passes)
            self.at[:] = passes + 1, 0

    @property
    def _judging(self) -> int:
        """The pass that judges the ridges; -1 where there is none."""
        return 2 + TRIAL_STEPS if self.settings.ridge is None else -1

    def _end_pass(self, passes: int) -> None:
        if passes == 0:
            self.coefficients = np.linalg.lstsq(self.gram, self.right, rcond=1e-9)[0]
            self._make_prior()
        elif passes == 1:
            if self.settings.ridge is None:
                ridges = np.repeat(np.array(RIDGES), self.sketch.shape[1])
                self.solving = Conjugate(np.tile(self.sketched, len(RIDGES)), ridges, self.diagonals[0])
                self.sketched = self.sketched[:0].copy()
            else:
                self._solve_for_all(self.settings.ridge)
        elif passes == self._judging:
            self._solve_for_all(RIDGES[int(self.errors[:-1].argmin())])
        elif self.solving is not None:
            self.solving.step(self.diagonals[0 if passes < self._judging else 1])

    def _solve_for_all(self, ridge: float) -> None:
        self.chosen[0] = ridge
        self.solving = Conjugate(self.unexplained, np.full(self.brief.width, ridge), self.diagonals[1])
        self.unexplained = self.unexplained[:0].copy()

    def _gather_unexplained(self, bags: Bags, vectors: Array) -> None:
        """Add X'(E - X U0), the same over the sentences not held out and on the sketch, and the diagonals of X'X."""
        if not len(self.unexplained):
            self.unexplained = self._made(self.unexplained)
            self.sketched = np.zeros((len(self.seen), self.sketch.shape[1]), dtype=np.float32)
        left = vectors - bags.sums(self.prior)
        bags.add_to(self.unexplained, left)
        learned = bags.only(~bags.held_out())
        learned.add_to(self.sketched, left @ self.sketch)
        for diagonal, part in zip(self.diagonals, (learned, bags), strict=True):
            squares = np.repeat(part.scale.astype(np.float64) ** 2, np.diff(part.starts))
            diagonal += np.bincount(part.members, squares, minlength=len(diagonal))

    @cached_property
    def sketch(self) -> Array:
        """Random directions at right angles, one per column."""
        drawn = generator(self.brief.seed, 4).normal(size=(self.brief.width, min(SKETCH, self.brief.width)))
        return np.linalg.qr(drawn)[0].astype(np.float32)

    def _judge(self, bags: Bags, vectors: Array) -> None:
        """Add up the squared errors of each ridge, and of the prior, on the sentences held out."""
        assert self.solving is not None
        held = bags.held_out()
        left = ((vectors - bags.sums(self.prior)) @ self.sketch)[held]
        found = bags.sums(self.solving.solution)[held]
        for place, part in enumerate([*np.split(found, len(RIDGES), axis=1), np.zeros_like(left)]):
            self.errors[place] += float(np.square(left - part, dtype=np.float64).sum())

    # ---------------------------------------------------------------- what was learned

    def vectors(self) -> WordVectors:
        """The prior, and what was solved for."""
        matrix = self.prior if len(self.prior) else self._early_prior()
        if self.chosen[0] and self.solving is not None:
            matrix = matrix + self.solving.solution
        card = {
            "student": "sentence",
            "layer": self.brief.layer,
            "student_settings": asdict(self.settings),
            "ridge": float(self.chosen[0]),
            "prior": [round(float(number), 4) for number in self.coefficients],
        }
        return seen_vectors(self.brief.vocabulary, matrix, self.known | (self.seen > 0), **card)

    def _early_prior(self) -> Array:
        """The prior before its coefficients are fitted; what was gathered stays as it is."""
        early = Sentence(self.brief, self.settings)
        early.load_state_dict(self.state_dict())
        if not self.at.any():
            early._begin()
        early._make_prior()
        return early.prior

    def state_dict(self) -> dict[str, Array]:
        """What was gathered, and where the solution stands."""
        solving = self.solving.state_dict() if self.solving is not None else {}
        return {name: getattr(self, name) for name in self.arrays} | {
            f"{SOLVING}{name}": array for name, array in solving.items()
        }

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Go on from a state."""
        for name in self.arrays:
            setattr(self, name, np.array(state[name]))
        solving = {name.removeprefix(SOLVING): array for name, array in state.items() if name.startswith(SOLVING)}
        self.solving = Conjugate.from_state(solving) if solving else None
