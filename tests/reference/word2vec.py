"""Skip-gram and CBOW with negative sampling, word by word in plain Python; and the random numbers they draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MASK = 2**64 - 1


class SplitMix:
    """SplitMix64 (Steele, Lea and Flood 2014) on whole numbers."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def bits(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self) -> float:
        return (self.bits() >> 11) / 2**53

    def word(self, share: Sequence[float], alias: Sequence[int]) -> int:
        spot = self.uniform() * len(share)
        cell = int(spot)
        return cell if spot - cell < share[cell] else int(alias[cell])


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


class Word2Vec:
    """Both tables in double precision; `bags` are the rows of each word's input vector."""

    def __init__(self, table: Any, outputs: Any, bags: Mapping[int, Sequence[int]], sampling: Any, seed: int) -> None:
        self.table, self.outputs = np.array(table, dtype=np.float64), np.array(outputs, dtype=np.float64)
        self.bags, self.sampling, self.random = bags, sampling, SplitMix(seed)
        self.loss, self.predictions = 0.0, 0

    def kept(self, sentence: Sequence[int]) -> list[int]:
        return [word for word in sentence if word >= 0 and self.random.uniform() < self.sampling.keep[word]]

    def window(self, place: int, size: int, window: int) -> list[int]:
        reach = 1 + int(self.random.uniform() * window)
        return [other for other in range(place - reach, place + reach + 1) if other != place and 0 <= other < size]

    def predict(self, hidden: Any, target: int, rate: float) -> Any:
        """Move the outputs of the target and its negatives; return how the input should move."""
        moved = np.zeros_like(hidden)
        drawn = [(target, 1.0)]
        for _ in range(self.sampling.negatives):
            drawn.append((self.random.word(self.sampling.share, self.sampling.alias), 0.0))
        for word, label in drawn:
            if label == 0.0 and word == target:
                continue
            score = float(self.outputs[word] @ hidden)
            self.loss -= math.log(sigmoid(score if label else -score))
            step = rate * (label - sigmoid(score))
            moved += step * self.outputs[word]
            self.outputs[word] += step * hidden
        self.predictions += 1
        return moved

    def skipgram(self, sentence: Sequence[int], window: int, rate: float) -> None:
        words = self.kept(sentence)
        for place, word in enumerate(words):
            around = self.window(place, len(words), window)
            if around:
                hidden = self.table[list(self.bags[word])].mean(axis=0)
                moved = sum(self.predict(hidden, words[other], rate) for other in around)
                for row in self.bags[word]:
                    self.table[row] += moved

    def cbow(self, sentence: Sequence[int], window: int, rate: float) -> None:
        words = self.kept(sentence)
        for place, word in enumerate(words):
            around = self.window(place, len(words), window)
            if around:
                rows = [row for other in around for row in self.bags[words[other]]]
                moved = self.predict(self.table[rows].mean(axis=0), word, rate)
                for row in rows:
                    self.table[row] += moved


def ngram_row(words: Sequence[int], buckets: int, first: int) -> int:
    """The row of an n-gram of words: their polynomial, mixed, and the upper 31 bits of it."""
    hashed = 0
    for word in words:
        hashed = (hashed * 116049371 + word) & MASK
    hashed = ((hashed ^ (hashed >> 32)) * 0x9E3779B97F4A7C15) & MASK
    return first + (hashed >> 33) % buckets


class Sent2Vec(Word2Vec):
    """Equation by equation: contexts of words and n-grams, the target's place left out."""

    def sent2vec(self, sentence: Sequence[int], longest: int, buckets: int, dropout: int, rate: float) -> None:
        words = [word for word in sentence if word >= 0]
        targets = [place for place, word in enumerate(words) if self.random.uniform() < self.sampling.keep[word]]
        if len(words) < 2 or not targets:
            return
        single = [(word, {place}) for place, word in enumerate(words)]
        ngrams = []
        for length in range(2, longest + 1):
            for begin in range(len(words) - length + 1):
                part = words[begin : begin + length]
                row = ngram_row(part, buckets, len(self.outputs))
                ngrams.append((row, set(range(begin, begin + length))))
        for _ in range(min(dropout, len(ngrams))):
            place = self.random.bits() % len(ngrams)
            ngrams[place] = ngrams[-1]
            ngrams.pop()
        moved = np.zeros_like(self.table)
        for target in targets:
            context = [row for row, places in single + ngrams if target not in places]
            move = self.predict(self.table[context].mean(axis=0), words[target], rate)
            for row in context:
                moved[row] += move / len(context)
        self.table += moved
