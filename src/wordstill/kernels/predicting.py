"""Words that predict words: skip-gram and CBOW with negative sampling, sentence by sentence; compiled.

A word's input vector is the mean of the rows of its bag: its own row, and those of its character n-grams where it has
any. Its output vector is a row of `outputs`. Each prediction moves the output rows at once. The rows of a bag move when
all predictions from it are made, each by the whole gradient of the mean, as word2vec and fastText do.

One call goes through its sentences in their order, on one thread. So the same numbers give the same bytes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from wordstill.arrays import Array

FAST = {"reassoc", "contract"}


class Sampling(NamedTuple):
    """Which words are left out of sentences, and which are drawn as negatives."""

    keep: Array
    """The probability with which an occurrence of each word is kept."""
    share: Array
    """Walker's alias method: how much of each cell belongs to its own word ..."""
    alias: Array
    """... and which word has the rest."""
    negatives: int


class Bags(NamedTuple):
    """The rows of the input table that make up each word's vector."""

    starts: Array
    """members[starts[w]:starts[w + 1]] are the rows of word w."""
    members: Array


class Text(NamedTuple):
    """Sentences, and how far a step goes in each."""

    words: Array
    """Numbers of words, -1 outside the vocabulary."""
    starts: Array
    """Where each sentence starts, and where the last one ends."""
    rates: Array
    """The learning rate of each sentence."""


@njit(cache=True)
def next_random(state: Array) -> Any:
    """64 random bits (SplitMix64); `state` is one unsigned number."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@njit(cache=True)
def next_uniform(state: Array) -> Any:
    """A random number from 0 up to, but not including, 1."""
    return np.float64(next_random(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def draw_word(share: Array, alias: Array, state: Array) -> Any:
    """Draw a word by Walker's alias method."""
    spot = next_uniform(state) * len(share)
    cell = min(int(spot), len(share) - 1)
    return cell if spot - cell < share[cell] else alias[cell]


@njit(cache=True)
def keep_words(words: Array, low: int, high: int, keep: Array, state: Array, kept: Array) -> Any:
    """Fill `kept` with the words of a sentence that are in the vocabulary and not left out; return their number."""
    number = 0
    for place in range(low, high):
        word = words[place]
        if word >= 0 and next_uniform(state) < keep[word]:
            kept[number] = word
            number += 1
    return number


@njit(cache=True, fastmath=FAST)
def add_bag(table: Array, bags: Bags, word: int, total: Array) -> Any:
    """Add the rows of a word's bag to `total`; return how many they are."""
    for place in range(bags.starts[word], bags.starts[word + 1]):
        row = table[bags.members[place]]
        for j in range(len(total)):
            total[j] += row[j]
    return bags.starts[word + 1] - bags.starts[word]


@njit(cache=True, fastmath=FAST)
def move_bag(table: Array, bags: Bags, word: int, gradient: Array) -> None:
    """Add the gradient to each row of a word's bag."""
    for place in range(bags.starts[word], bags.starts[word + 1]):
        row = table[bags.members[place]]
        for j in range(len(gradient)):
            row[j] += gradient[j]


@njit(cache=True, fastmath=FAST)
def predict_word(
    outputs: Array, hidden: Array, gradient: Array, target: int, rate: float, sampling: Sampling, state: Array
) -> Any:
    """Tell the target from drawn negatives; move their rows, add what `hidden` should move by; return the loss.

    loss = log(1 + e^-(o_t . h)) + sum over negatives n of log(1 + e^(o_n . h)); a negative that is the target is void.
    """
    loss, product_of_sums = 0.0, 1.0
    for number in range(sampling.negatives + 1):
        word, sign = target, -1.0
        if number:
            word, sign = draw_word(sampling.share, sampling.alias, state), 1.0
            if word == target:
                continue
        row = outputs[word]
        score = np.float32(0.0)
        for j in range(len(hidden)):
            score += row[j] * hidden[j]
        # With x = sign * score and e = e^-|x|: log(1 + e^x) = max(x, 0) + log(1 + e); the logarithm of a product is
        # taken now and then instead of one per score.
        x = sign * np.float64(score)
        e = math.exp(-abs(x))
        loss += max(x, 0.0)
        product_of_sums *= 1.0 + e
        if product_of_sums > 1e200:
            loss += math.log(product_of_sums)
            product_of_sums = 1.0
        slope = np.float32(-rate * sign * (1.0 if x > 0 else e) / (1.0 + e))
        for j in range(len(hidden)):
            gradient[j] += slope * row[j]
            row[j] += slope * hidden[j]
    return loss + math.log(product_of_sums)


@njit(cache=True, fastmath=FAST, nogil=True)
def skipgram(table: Array, outputs: Array, bags: Bags, text: Text, window: int, sampling: Sampling, seed: int) -> Any:
    """Let each word predict those around it; return the sum of the losses and the number of predictions.

    A window reaches 1 to `window` kept words to each side, drawn anew for each word.
    """
    state = np.array([seed], dtype=np.uint64)
    hidden, gradient = np.empty(table.shape[1], dtype=np.float32), np.empty(table.shape[1], dtype=np.float32)
    kept = np.empty(max(1, np.max(text.starts[1:] - text.starts[:-1])), dtype=np.int32)
    loss, predictions = 0.0, 0
    for sentence in range(len(text.starts) - 1):
        rate = text.rates[sentence]
        size = keep_words(text.words, text.starts[sentence], text.starts[sentence + 1], sampling.keep, state, kept)
        for centre in range(size):
            reach = 1 + int(next_uniform(state) * window)
            low, high = max(0, centre - reach), min(size, centre + reach + 1)
            if high - low < 2:
                continue
            hidden[:] = 0.0
            gradient[:] = 0.0
            rows = add_bag(table, bags, kept[centre], hidden)
            if rows > 1:
                hidden *= np.float32(1.0 / rows)
            for place in range(low, high):
                if place != centre:
                    loss += predict_word(outputs, hidden, gradient, kept[place], rate, sampling, state)
                    predictions += 1
            move_bag(table, bags, kept[centre], gradient)
    return loss, predictions


@njit(cache=True, fastmath=FAST, nogil=True)
def cbow(table: Array, outputs: Array, bags: Bags, text: Text, window: int, sampling: Sampling, seed: int) -> Any:
    """Let the mean over the words around each word predict it; otherwise as `skipgram`."""
    state = np.array([seed], dtype=np.uint64)
    hidden, gradient = np.empty(table.shape[1], dtype=np.float32), np.empty(table.shape[1], dtype=np.float32)
    kept = np.empty(max(1, np.max(text.starts[1:] - text.starts[:-1])), dtype=np.int32)
    loss, predictions = 0.0, 0
    for sentence in range(len(text.starts) - 1):
        rate = text.rates[sentence]
        size = keep_words(text.words, text.starts[sentence], text.starts[sentence + 1], sampling.keep, state, kept)
        for centre in range(size):
            reach = 1 + int(next_uniform(state) * window)
            low, high = max(0, centre - reach), min(size, centre + reach + 1)
            if high - low < 2:
                continue
            hidden[:] = 0.0
            gradient[:] = 0.0
            rows = 0
            for place in range(low, high):
                if place != centre:
                    rows += add_bag(table, bags, kept[place], hidden)
            hidden *= np.float32(1.0 / rows)
            loss += predict_word(outputs, hidden, gradient, kept[centre], rate, sampling, state)
            predictions += 1
            for place in range(low, high):
                if place != centre:
                    move_bag(table, bags, kept[place], gradient)
    return loss, predictions
