"""Evidence: how near the pairs of a lexicon are, compared with words drawn at random.

For a pair (a, b) let r be the share of random words that are nearer to a than b is; the score of the pair is

    -ln(r + 1/n)

with n random words, and the mean over both ends. Unlike the share of pairs that beat a random word, which is near 1 for
any good vectors, it tells good vectors from better ones. It needs no human judgement, so that views, weights and
strengths can be chosen by it and the sets on which vectors are judged stay unseen.

Pairs that are alike in spelling (`walk`, `walking`) are left out: paraphrases are full of them, and any vectors that
know letters, such as a teacher's lowest layer, find them without knowing what they mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array, unit_rows
from wordstill.lexicons.lexicon import Lexicon, find_rows

# With fewer pairs evidence is chance; with more it is no better, only slower.
FEWEST, MOST = 200, 3000
OTHERS = 500
HELD_OUT = 0.2
BLOCK = 512


class Measured(NamedTuple):
    """A mean score, and the ends of its 95 % interval."""

    score: float
    low: float
    high: float

    @property
    def nearer(self) -> float:
        """The share of random words that are nearer than a pair's other word, as a geometric mean."""
        return float(np.exp(-self.score))

    def as_json(self) -> list[float]:
        """The three numbers, rounded."""
        return [round(number, 4) for number in self]


@dataclass(frozen=True)
class Evidence:
    """Questions about vectors: which rows are pairs, and which rows are the random words.

    name    where the pairs are from
    pairs   the rows of both words of each pair
    others  the rows of the random words, drawn from the words of the lexicon
    """

    name: str
    pairs: Array
    others: Array

    @property
    def rows(self) -> Array:
        """Every row that is needed to answer, ascending: vectors may be made for these alone."""
        return np.unique(np.concatenate([self.pairs.ravel(), self.others]))

    def among(self, rows: Array) -> Evidence:
        """The same questions about a matrix of these rows alone; they are ascending and have all that is needed."""
        return Evidence(self.name, np.searchsorted(rows, self.pairs), np.searchsorted(rows, self.others))

    def scores(self, matrix: Array) -> Array:
        """The score of each pair."""
        ends = [unit_rows(matrix[self.pairs[:, end]]) for end in (0, 1)]
        others = unit_rows(matrix[self.others])
        cosines = np.einsum("ij,ij->i", *ends)
        total = np.zeros(len(self.pairs))
        for vectors in ends:
            for start in range(0, len(vectors), BLOCK):
                part = slice(start, start + BLOCK)
                # A random word that is one of the pair's own is neither nearer nor farther.
                own = self.others[None, :] == self.pairs[part, :1]
                own |= self.others[None, :] == self.pairs[part, 1:]
                nearer = (vectors[part] @ others.T > cosines[part, None]) & ~own
                total[part] -= np.log(nearer.mean(axis=1) + 1.0 / len(others)) / 2
        return total


def gather_evidence(lexicon: Lexicon, key_to_index: Mapping[str, int], seed: int = 0) -> Evidence | None:
    """Draw pairs and random words from what a lexicon says of a vocabulary; None where that is too little.

    Every draw depends on the lexicon, the vocabulary and the seed alone.
    """
    rows = find_rows(lexicon.words, key_to_index)
    told = np.array([not spelt_alike(*pair) for pair in lexicon.pairs()], dtype=bool)
    pairs = rows[lexicon.edges[told]]
    pairs = pairs[(pairs >= 0).all(axis=1) & (pairs[:, 0] != pairs[:, 1])]
    if len(pairs) < FEWEST:
        return None
    draw = np.random.default_rng(seed)
    chosen = np.sort(draw.permutation(len(pairs))[:MOST])
    known = np.unique(rows[rows >= 0])
    others = np.sort(draw.permutation(known)[:OTHERS])
    return Evidence(lexicon.name, pairs[chosen], others)


def spelt_alike(first: str, second: str) -> bool:
    """Whether two words begin alike, or one has the other in it: they share half of the longer one's letters."""
    shorter = min(len(first), len(second))
    begun = next((place for place in range(shorter) if first[place] != second[place]), shorter)
    shared = shorter if first in second or second in first else begun
    return 2 * shared >= max(len(first), len(second))


def hold_out(lexicon: Lexicon, share: float = HELD_OUT, seed: int = 0) -> tuple[Lexicon, Lexicon]:
    """Split the pairs of a lexicon into those to refine with and those to judge by."""
    held = np.random.default_rng(seed).random(len(lexicon.edges)) < share
    kept, judged = (Lexicon(lexicon.words, lexicon.edges[part], lexicon.name) for part in (~held, held))
    return kept, judged


def without(lexicon: Lexicon, other: Lexicon) -> Lexicon:
    """The pairs of a lexicon that are not in another."""
    listed = set(other.pairs())
    return Lexicon.of((pair for pair in lexicon.pairs() if pair not in listed), lexicon.name)


def measured(scores: Array) -> Measured:
    """The mean of scores, or of the differences of two vectors' scores, with its interval."""
    mean = float(scores.mean())
    error = 1.96 * float(scores.std(ddof=1)) / float(np.sqrt(len(scores)))
    return Measured(mean, mean - error, mean + error)


def measure(evidence: Sequence[Evidence], matrix: Array) -> dict[str, Measured]:
    """The mean score of vectors on each kind of evidence."""
    return {one.name: measured(one.scores(matrix)) for one in evidence}
