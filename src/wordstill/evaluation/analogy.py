"""Analogy: a is to b as c is to which word?

3CosAdd scores a word x with cos(x, b) - cos(x, a) + cos(x, c). A data set asks thousands of questions of
a few hundred words and pairs, so the products with the vocabulary are taken once a word c and once a pair
a, b, in blocks of the vocabulary, and a question only adds two rows of a block. That bounds the memory.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from wordstill.errors import InputError
from wordstill.evaluation.intervals import Mean
from wordstill.evaluation.parsers import Questions
from wordstill.evaluation.space import Space, letters_and_digits
from wordstill.vectors import Array

Method: TypeAlias = Literal["add", "multiply"]

# Measured: a block of products (queries x words) that stays in the cache, and batches of questions within it.
BLOCK_WORDS = 2048
BATCH_QUESTIONS = 64


@dataclass(frozen=True)
class Asked:
    """Questions as vectors: `rows` are the three words left out of the answers, -1 where there is none."""

    vectors: Array
    index: Array
    rows: Array


def analogy(space: Space, questions: Questions, method: Method = "add") -> Mean:
    """1 for each question answered right, 0 for each answered wrong, NaN where a word is missing."""
    rows = _rows(space, questions)
    return _judged(space, rows[:, :3], rows[:, 3], method)


def analogy_backwards(space: Space, questions: Questions) -> Mean:
    """The MUSE harness: the third word is asked for, with a - b + d."""
    rows = _rows(space, questions)
    return _judged(space, rows[:, [1, 0, 3]], rows[:, 2], "add")


def analogy_with_mean_vector(space: Space, questions: Questions) -> Mean:
    """The `web` harness: a missing word of the question has the mean vector, and no question is skipped."""
    rows = _rows(space, questions, cleaned=True)
    known, index = np.unique(rows[:, :3], return_inverse=True)
    found = solve(space, Asked(space.unit_or_mean(known), index.reshape(-1, 3), rows[:, :3]))
    return Mean((found == rows[:, 3]).astype(np.float64) * (rows[:, 3] >= 0))


def solve(space: Space, asked: Asked, method: Method = "add") -> Array:
    """The row of the best word for each question, earlier rows first where two are equal; -1 for no word."""
    if method not in ("add", "multiply"):
        raise InputError(f"an analogy is solved by 'add' or 'multiply', not {method!r}")
    candidates = space.candidates
    queries, terms = _terms(asked, method)
    # Where each left-out row stands among the candidates.
    places = np.searchsorted(candidates, asked.rows)
    best = np.full(len(terms), -np.inf, dtype=np.float32)
    answers = np.full(len(terms), -1, dtype=np.int64)
    with ThreadPoolExecutor(_threads()) as pool:
        for start in range(0, len(candidates), BLOCK_WORDS):
            block = candidates[start : start + BLOCK_WORDS]
            products = queries @ space.unit(block).T
            if method == "multiply":
                # Cosines are moved to [0, 1], so that a product of two negative ones is not a large score.
                products = (1.0 + products) / 2.0

            def improve(at: int, products: Array = products, block: Array = block, start: int = start) -> None:
                batch = slice(at, at + BATCH_QUESTIONS)
                scores = _scores(products, terms[batch], method)
                local = places[batch] - start
                question, which = np.nonzero((local >= 0) & (local < len(block)) & (asked.rows[batch] >= 0))
                scores[question, local[question, which]] = -np.inf
                winner = scores.argmax(axis=1)
                score = scores[np.arange(len(winner)), winner]
                better = score > best[batch]
                best[batch][better] = score[better]
                answers[batch][better] = block[winner[better]]

            list(pool.map(improve, range(0, len(terms), BATCH_QUESTIONS)))
    return answers


def _terms(asked: Asked, method: Method) -> tuple[Array, Array]:
    """Query vectors, and for each question which of them its score is made of."""
    if method == "multiply":
        return asked.vectors, asked.index
    # b - a is one query for all the questions that share the pair; c is another.
    pairs, pair = np.unique(asked.index[:, :2], axis=0, return_inverse=True)
    thirds, third = np.unique(asked.index[:, 2], return_inverse=True)
    offsets = asked.vectors[pairs[:, 1]] - asked.vectors[pairs[:, 0]]
    queries = np.concatenate([offsets, asked.vectors[thirds]])
    return queries, np.stack([pair.ravel(), third.ravel() + len(pairs)], axis=1)


def _scores(products: Array, terms: Array, method: Method) -> Array:
    if method == "add":
        scores = products.take(terms[:, 0], axis=0)
        scores += products.take(terms[:, 1], axis=0)
        return np.asarray(scores)
    away, near, base = (products.take(column, axis=0) for column in terms.T)
    near *= base
    away += 1e-3
    near /= away
    return np.asarray(near)


def _rows(space: Space, questions: Questions, cleaned: bool = False) -> Array:
    words = (word for question in questions.words for word in question)
    return space.find(map(letters_and_digits, words) if cleaned else words).reshape(-1, 4)


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
