"""Sentences that predict their words, from the mean of the vectors of their words and word n-grams; compiled.

One call goes through its sentences in their order, on one thread. So the same numbers give the same bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from wordstill.arrays import Array
from wordstill.kernels.predicting import FAST, Sampling, Text, next_random, next_uniform, predict_word


@njit(cache=True)
def ngram_rows(words: Array, size: int, longest: int, buckets: int, first: int, rows: Array, spans: Array) -> Any:
    """Fill in the rows of a sentence's words and n-grams, and where each begins and ends; return their number.

    The words come first. An n-gram of 2 to `longest` words has one of `buckets` rows behind row `first`, by its hash.
    """
    number = 0
    for length in range(1, longest + 1):
        for begin in range(size - length + 1):
            rows[number] = words[begin]
            if length > 1:
                hashed = np.uint64(words[begin])
                for place in range(begin + 1, begin + length):
                    hashed = hashed * np.uint64(116049371) + np.uint64(words[place])
                # The upper bits depend on all words; the lower ones of a product hardly do.
                hashed = (hashed ^ (hashed >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
                rows[number] = first + np.int64((hashed >> np.uint64(33)) % np.uint64(buckets))
            spans[number, 0] = begin
            spans[number, 1] = begin + length
            number += 1
    return number


@njit(cache=True)
def drop_ngrams(number: int, size: int, dropout: int, rows: Array, spans: Array, state: Array) -> Any:
    """Leave out `dropout` n-grams at random, if there are so many; return how many members are left, words first."""
    for _ in range(min(dropout, number - size)):
        left = number - size
        place = size + np.int64(next_random(state) % np.uint64(left))
        number -= 1
        rows[place] = rows[number]
        spans[place, 0] = spans[number, 0]
        spans[place, 1] = spans[number, 1]
    return number


@njit(cache=True, fastmath=FAST, nogil=True)
def sentence_words(
    table: Array, outputs: Array, text: Text, longest: int, buckets: int, dropout: int, sampling: Sampling, seed: int
) -> Any:
    """Let each sentence predict its words; return the sum of the losses and the number of targets.

    The context of a target is the mean over the sentence's words and n-grams that do not hold its place. The rows of
    words and n-grams move when all targets of the sentence are done.
    """
    state = np.array([seed], dtype=np.uint64)
    width, vocabulary = table.shape[1], outputs.shape[0]
    most = max(1, np.max(text.starts[1:] - text.starts[:-1]))
    words = np.empty(most, dtype=np.int32)
    rows, spans = np.empty(most * longest, dtype=np.int64), np.empty((most * longest, 2), dtype=np.int64)
    total, hidden, all_moves = (
        np.empty(width, dtype=np.float32),
        np.empty(width, dtype=np.float32),
        np.empty(width, dtype=np.float32),
    )
    # What each target says of its context; room for as many targets as there are in the longest sentence so far.
    moves = np.empty((min(most, 64), width), dtype=np.float32)
    places = np.empty(most, dtype=np.int64)
    loss, targets = 0.0, 0
    for sentence in range(len(text.starts) - 1):
        size = 0
        for place in range(text.starts[sentence], text.starts[sentence + 1]):
            if text.words[place] >= 0:
                words[size] = text.words[place]
                size += 1
        chosen = 0
        for place in range(size):
            if next_uniform(state) < sampling.keep[words[place]]:
                places[chosen] = place
                chosen += 1
        if size < 2 or chosen == 0:
            continue
        if chosen > len(moves):
            moves = np.empty((chosen, width), dtype=np.float32)
        number = ngram_rows(words, size, longest, buckets, vocabulary, rows, spans)
        number = drop_ngrams(number, size, dropout, rows, spans, state)
        total[:] = 0.0
        for member in range(number):
            row = table[rows[member]]
            for j in range(width):
                total[j] += row[j]
        all_moves[:] = 0.0
        for target in range(chosen):
            place = places[target]
            hidden[:] = total
            others = number
            for member in range(number):
                if spans[member, 0] <= place < spans[member, 1]:
                    others -= 1
                    row = table[rows[member]]
                    for j in range(width):
                        hidden[j] -= row[j]
            share = np.float32(1.0 / others)
            hidden *= share
            move = moves[target]
            move[:] = 0.0
            loss += predict_word(outputs, hidden, move, words[place], text.rates[sentence], sampling, state)
            for j in range(width):
                move[j] *= share
                all_moves[j] += move[j]
        targets += chosen
        for member in range(number):
            row = table[rows[member]]
            for j in range(width):
                row[j] += all_moves[j]
            for target in range(chosen):
                if spans[member, 0] <= places[target] < spans[member, 1]:
                    move = moves[target]
                    for j in range(width):
                        row[j] -= move[j]
    return loss, targets
