"""skipgram, cbow and fasttext: words predict the words around them, without a teacher.

With negative sampling (Mikolov et al. 2013), for a word w, a word c of its window and k words n drawn by count^0.75:

    skipgram   loss(w, c) = -log sig(o_c . v_w) - sum over n of log sig(-o_n . v_w)
    cbow       loss(w)    = -log sig(o_w . h)   - sum over n of log sig(-o_n . h),    h the mean over the window of v_c

The table v is the result, o is the result of `skipgram-context`. A window reaches 1 to `window` words to each side,
drawn anew each time, and ends at its sentence's borders. Frequent words are left out at random before windows are
made, as in the original; so are words outside the vocabulary. The learning rate falls to zero.

fasttext (Bojanowski et al. 2017) is skipgram where v_w is the mean of the word's own row and those of its character
n-grams (3 to 6 characters of <w>, hashed): the option `subwords`, which `skipgram` and `cbow` have as well. The
n-grams are kept with the vectors, so that any other word has a vector too.

`preset=paper` has Table 2 of Gupta and Jaggi (2021), whose baselines were made by fastText: 768 dimensions, 10 epochs,
a subsampling of 1e-5, a rate of 0.05, character n-grams. The paper marks what it chose of 5, 8 and 10 negatives and of
windows of 2, 5 and 10 by bold type that was lost where we read it; 10 and 5 are ours. Its least count of 10 is a
setting of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from wordstill.kernels.predicting import Bags, Sampling, Text, cbow, skipgram
from wordstill.kernels.windows import gathered_means
from wordstill.options import setting
from wordstill.students import from_words, replaying
from wordstill.students.from_words import FromSentences, FromSentencesSettings
from wordstill.students.student import Brief, seen_vectors
from wordstill.vectors import WordVectors
from wordstill.vectors.subwords import Subwords, ngrams_of

SettingsType = TypeVar("SettingsType", bound="Word2VecSettings")


@dataclass(frozen=True)
class Word2VecSettings(FromSentencesSettings):
    """All that the methods leave open."""

    dimensions: int = from_words.DIMENSIONS(300)
    window: int = setting(5, "words to each side, at most", low=1, high=1000)
    epochs: int = replaying.EPOCHS(10)
    negatives: int = replaying.NEGATIVES(5)
    negative_power: float = replaying.NEGATIVE_POWER(0.75)
    subsample: float = replaying.SUBSAMPLE(1e-3)
    learning_rate: float = replaying.LEARNING_RATE(0.025)
    schedule: Literal["constant", "linear"] = replaying.SCHEDULE("linear")
    subwords: bool = setting(False, "a word is the mean of its own row and those of its character n-grams")
    buckets: int = setting(200_000, "rows that n-grams are hashed to", low=1, high=100_000_000)
    threads: int = from_words.THREADS(1)

    @classmethod
    def presets(cls: type[SettingsType]) -> dict[str, SettingsType]:
        """`small`, the default, for 1 to 20 million words; `paper` for a billion."""
        paper = cls(dimensions=768, negatives=10, subsample=1e-5, learning_rate=0.05, subwords=True)
        return {"small": cls(), "paper": paper}


@dataclass(frozen=True)
class SkipgramSettings(Word2VecSettings):
    """All that the method leaves open."""

    owner = "skipgram"


@dataclass(frozen=True)
class SkipgramContextSettings(Word2VecSettings):
    """All that the method leaves open."""

    owner = "skipgram-context"


@dataclass(frozen=True)
class CbowSettings(Word2VecSettings):
    """All that the method leaves open."""

    owner = "cbow"


@dataclass(frozen=True)
class FastTextSettings(Word2VecSettings):
    """All that the method leaves open."""

    owner = "fasttext"

    subwords: bool = setting(True, "a word is the mean of its own row and those of its character n-grams")


class Word2Vec(FromSentences):
    """The tables v and o of the equations above; v has the rows of words, then those of n-grams."""

    arrays = (*FromSentences.arrays, "outputs")
    settings: Word2VecSettings
    kernel: ClassVar[Callable[..., Any]]
    """The compiled loop over sentences."""

    def __init__(self, brief: Brief, settings: Word2VecSettings) -> None:
        super().__init__(brief, settings, settings.dimensions)
        self.outputs = np.zeros((0, settings.dimensions), dtype=np.float32)

    @cached_property
    def bags(self) -> Bags:
        """The rows of each word: its own, then those of its n-grams."""
        size = len(self.brief.vocabulary)
        own = np.arange(size, dtype=np.int32)
        if not self.settings.subwords:
            return Bags(np.arange(size + 1), own)
        buckets, starts = ngrams_of(self.brief.vocabulary.words, self.settings.buckets)
        members = np.insert((buckets + size).astype(np.int32), starts[:-1], own)
        return Bags(starts + np.arange(size + 1), members)

    def make_table(self) -> None:
        """Start v at random and o at zero; n-grams that no word has stay zero."""
        size = len(self.brief.vocabulary)
        rows = size + (self.settings.buckets if self.settings.subwords else 0)
        self.table = self.random_rows(rows)
        unused = np.ones(rows, dtype=bool)
        unused[self.bags.members] = False
        self.table[unused] = 0.0
        self.outputs = np.zeros((size, self.dimensions), dtype=np.float32)

    def learn_sentences(self, text: Text, sampling: Sampling, seed: int) -> tuple[float, int]:
        """Let words predict words."""
        tables = (self.table, self.outputs, self.bags)
        loss, predictions = type(self).kernel(*tables, text, self.settings.window, sampling, seed)
        return loss, predictions

    def vectors(self) -> WordVectors:
        """v, for the words that were seen; with n-grams, what they say of other words."""
        if not self.begun:
            self.begin(None)
        bags = self.bags
        size = len(self.brief.vocabulary)
        matrix = gathered_means(self.table, bags.members, bags.starts[1:]) if self.settings.subwords else self.table
        vectors = seen_vectors(self.brief.vocabulary, matrix, self.seen, **self.card)
        if self.settings.subwords and size:
            # Subwords divides the sum over n-grams by the root of their number, fastText by the number: directions are
            # the same, and lengths are right for words of the usual length.
            shares = 1.0 / np.sqrt(np.maximum(1, np.diff(bags.starts) - 1))
            basis = np.eye(self.dimensions, dtype=np.float32) * np.float32(shares.mean())
            vectors.subwords = Subwords(
                self.table[size:].astype(np.float16), basis, np.zeros(self.dimensions, dtype=np.float32)
            )
        return vectors


class Skipgram(Word2Vec):
    """Each word predicts those around it."""

    kernel = skipgram


class SkipgramContext(Skipgram):
    """The same, and the vectors o of words as they are predicted."""

    def vectors(self) -> WordVectors:
        """The table o, for the words that were seen."""
        if not self.begun:
            self.begin(None)
        return seen_vectors(self.brief.vocabulary, self.outputs, self.seen, **self.card)


class Cbow(Word2Vec):
    """The words around each word predict it."""

    kernel = cbow


class FastText(Skipgram):
    """Each word predicts those around it, by its character n-grams too."""
