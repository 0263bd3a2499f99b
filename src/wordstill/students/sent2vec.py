"""sent2vec: a sentence predicts its words, from the mean of its words and word n-grams (Pagliardini et al. 2018).

It is x2static's loss with a context that is trained as well. R(S, w) are the words and n-grams of a sentence S, of 2
to `ngrams` words, that do not hold the place of the target w; v are their vectors, those of n-grams hashed:

    E(S, w)    = 1/|R|  sum over r in R(S, w) of  v_r
    loss(w, S) = l(u_w . E) + sum over negatives n of l(-u_n . E),      l(x) = log(1 + e^-x)

Targets are kept with probability min(1, sqrt(t/f) + t/f), all words are in contexts, negatives are drawn by count^0.5,
and `dropout` n-grams of each sentence are left out at random. The vectors v of words are the result. Words outside the
vocabulary are left out of sentences.

`preset=paper` has Table 2 of Gupta and Jaggi (2021): 768 dimensions, 10 epochs, 10 negatives, t = 5e-6, a rate of 0.2,
n-grams of up to 3 words. Where it is silent, the original's defaults: two million buckets, a dropout of 2. On little
text that rate is too small: the move of a context is shared by all its members. The default was found by a search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from wordstill.kernels.predicting import Sampling, Text
from wordstill.kernels.sentence_sums import sentence_words
from wordstill.options import setting
from wordstill.students import from_words, replaying
from wordstill.students.from_words import FromSentences, FromSentencesSettings
from wordstill.students.student import Brief, seen_vectors
from wordstill.vectors import WordVectors


@dataclass(frozen=True)
class Sent2VecSettings(FromSentencesSettings):
    """All that the method leaves open."""

    owner = "sent2vec"

    dimensions: int = from_words.DIMENSIONS(300)
    ngrams: int = setting(3, "words of the longest n-grams; 1: words alone", low=1, high=5)
    buckets: int = setting(200_000, "rows that n-grams are hashed to", low=1, high=100_000_000)
    dropout: int = setting(2, "n-grams of each sentence that are left out at random", low=0, high=1000)
    epochs: int = replaying.EPOCHS(10)
    negatives: int = replaying.NEGATIVES(10)
    negative_power: float = replaying.NEGATIVE_POWER(0.5)
    subsample: float = replaying.SUBSAMPLE(1e-4)
    learning_rate: float = replaying.LEARNING_RATE(0.6)
    schedule: Literal["constant", "linear"] = replaying.SCHEDULE("linear")
    threads: int = from_words.THREADS(1)

    @staticmethod
    def presets() -> dict[str, Sent2VecSettings]:
        """`small`, the default, for 1 to 20 million words; `paper` for a billion."""
        paper = Sent2VecSettings(dimensions=768, buckets=2_000_000, subsample=5e-6, learning_rate=0.2)
        return {"small": Sent2VecSettings(), "paper": paper}


class Sent2Vec(FromSentences):
    """The tables v and u of the equations above; v has the rows of words, then those of n-grams."""

    arrays = (*FromSentences.arrays, "outputs")
    settings: Sent2VecSettings

    def __init__(self, brief: Brief, settings: Sent2VecSettings) -> None:
        super().__init__(brief, settings, settings.dimensions)
        self.outputs = np.zeros((0, settings.dimensions), dtype=np.float32)

    def make_table(self) -> None:
        """Start v at random and u at zero."""
        size = len(self.brief.vocabulary)
        self.table = self.random_rows(size + (self.settings.buckets if self.settings.ngrams > 1 else 0))
        self.outputs = np.zeros((size, self.dimensions), dtype=np.float32)

    def learn_sentences(self, text: Text, sampling: Sampling, seed: int) -> tuple[float, int]:
        """Let sentences predict their words."""
        settings = self.settings
        how = (settings.ngrams, settings.buckets, settings.dropout)
        loss, targets = sentence_words(self.table, self.outputs, text, *how, sampling, seed)
        return loss, targets

    def vectors(self) -> WordVectors:
        """The rows of words in v, for those that were seen."""
        if not self.begun:
            self.begin(None)
        table = self.table[: len(self.brief.vocabulary)]
        return seen_vectors(self.brief.vocabulary, table, self.seen, **self.card)
