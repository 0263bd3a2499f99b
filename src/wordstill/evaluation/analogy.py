"""Analogy: a is to b as c is to which word?

3CosAdd scores a word x with cos(x, b) - cos(x, a) + cos(x, c). A data set asks thousands of questions of
a few hundred words and pairs, so the products with the vocabulary are taken once a word, the differences once a
pair a, b, in blocks of the vocabulary, and a question only adds two rows of a block. That bounds the memory.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.evaluation.intervals import Mean
from wordstill.evaluation.parsers import Questions
from wordstill.evaluation.space import Space

Method: TypeAlias = Literal["add", "multiply"]

# Measured: words in a block, and pairs or questions that are worked on at a time.
BLOCK_WORDS = 2048
BATCH = 64


@dataclass(frozen=True)
class Asked:
    """Questions as vectors: `rows` are the three words left out of the answers, -1 where there is none."""

    vectors: Array
    index: Array
    rows: Array


def analogy(space: Space, questions: Questions, method: Method = "add") -> Mean:
    """1 for each question answered right, 0 for each answered wrong, NaN where a word is missing."""
    rows = question_rows(space, questions)
    return _judged(space, rows[:, :3], rows[:, 3], method)


def analogy_backwards(space: Space, questions: Questions) -> Mean:
    """The MUSE harness: the third word is asked for, with a - b + d."""
    rows = question_rows(space, questions)
    return _judged(space, rows[:, [1, 0, 3]], rows[:, 2], "add")


def analogy_with_mean_vector(space: Space, questions: Questions) -> Mean:
    """The `web` harness: a missing word of the question has the mean vector, and no question is skipped."""
    rows = question_rows(space, questions)
    known, index = np.unique(rows[:, :3], return_inverse=True)
    found = solve(space, Asked(space.unit_or_mean(known), index.reshape(-1, 3), rows[:, :3]))
    return Mean((found == rows[:, 3]).astype(np.float64) * (rows[:, 3] >= 0))


def solve(space: Space, asked: Asked, method: Method = "add") -> Array:
    """The row of the best word for each question, earlier rows first where two are equal; -1 for no word."""
    if method not in ("add", "multiply"):
        raise InputError(f"an analogy is solved by 'add' or 'multiply', not {method!r}")
    candidates, questions = space.candidates, len(asked.index)
    pairs, pair = np.unique(asked.index[:, :2], axis=0, return_inverse=True)
    terms = np.stack([pair.ravel(), asked.index[:, 2]], axis=1)
    # Where each left-out row stands among the candidates.
    places = np.where(asked.rows < 0, -1, np.searchsorted(candidates, asked.rows))
    best = np.full(questions, -np.inf, dtype=np.float32)
    answers = np.full(questions, -1, dtype=np.int64)
    width = min(BLOCK_WORDS, len(candidates))
    # Made once: fresh memory for every block costs more than the sums in it.
    products = np.empty((len(asked.vectors), width), dtype=np.float32)
    offsets = np.empty((len(pairs), width), dtype=np.float32)
    with ThreadPoolExecutor(_threads()) as pool:
        # The last block begins early enough to be a whole one; words seen twice do no harm.
        for start in _starts(len(candidates), width):
            np.matmul(asked.vectors, space.unit(candidates[start : start + width]).T, out=products)
            divisors = _logarithms(products) if method == "multiply" else products

            def subtract(at: int, divisors: Array = divisors) -> None:
                batch = slice(at, at + BATCH)
                np.subtract(products[pairs[batch, 1]], divisors[pairs[batch, 0]], out=offsets[batch])

            def improve(at: int, start: int = start) -> None:
                batch = slice(at, at + BATCH)
                scores = offsets[terms[batch, 0]]
                scores += products[terms[batch, 1]]
                local = places[batch] - start
                question, which = np.nonzero((local >= 0) & (local < width) & (places[batch] >= 0))
                scores[question, local[question, which]] = -np.inf
                winner = scores.argmax(axis=1)
                score = scores[np.arange(len(winner)), winner]
                better = score > best[batch]
                best[batch][better] = score[better]
                answers[batch][better] = candidates[start + winner[better]]

            list(pool.map(subtract, range(0, len(pairs), BATCH)))
            list(pool.map(improve, range(0, questions, BATCH)))
    return answers


def _starts(candidates: int, width: int) -> list[int]:
    return [min(start, candidates - width) for start in range(0, candidates, max(1, width))]


def _logarithms(products: Array) -> Array:
    """3CosMul as a sum: cosines moved to [0, 1] become logarithms; those that divide are returned."""
    products += 1.0
    products /= 2.0
    divisors = np.log(products + 1e-3)
    # A cosine of -1 may come out a rounding error below it.
    np.log(np.maximum(products, 1e-9, out=products), out=products)
    return np.asarray(divisors)


def question_rows(space: Space, questions: Questions) -> Array:
    """The rows of each question's four words, -1 where one is missing."""
    return space.find(word for question in questions.words for word in question).reshape(-1, 4)


def _judged(space: Space, asked: Array, expected: Array, method: Method) -> Mean:
    right = np.full(len(expected), np.nan)
    covered = (asked >= 0).all(axis=1) & (expected >= 0)
    if covered.any():
        known, index = np.unique(asked[covered], return_inverse=True)
        found = solve(space, Asked(space.unit(known), index.reshape(-1, 3), asked[covered]), method)
        right[covered] = found == expected[covered]
    return Mean(right)


def _threads() -> int:
    named = os.environ.get("OMP_NUM_THREADS", "")
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, int(named)) if named.isdigit() and int(named) > 0 else available
