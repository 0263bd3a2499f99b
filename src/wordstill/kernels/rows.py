"""Loops over the rows of large tables, compiled: only the rows of a batch are ever touched.

All of them give the same bytes whatever the number of threads: a thread has rows of its own and adds up in
the order of the batch.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from wordstill.arrays import Array

# Rows that a thread takes at once.
TOGETHER = 32


@njit(cache=True, fastmath={"reassoc", "contract"})
def add_rows(table: Array, rows: Array, vectors: Array, owners: Array) -> None:
    """table[rows[i]] += vectors[owners[i]] for every i with a row that is not negative."""
    for i in range(len(rows)):
        row = rows[i]
        if row >= 0:
            vector = vectors[owners[i]]
            target = table[row]
            for j in range(len(vector)):
                target[j] += vector[j]


@njit(cache=True)
def widen_rows(table: Array, rows: Array, vectors: Array, sign: float) -> None:
    """table[rows[i]] = max(table[rows[i]], vectors[i]); with sign -1 the minimum."""
    for i in range(len(rows)):
        row = rows[i]
        if row >= 0:
            for j in range(vectors.shape[1]):
                if (vectors[i, j] - table[row, j]) * sign > 0:
                    table[row, j] = vectors[i, j]


@njit(cache=True, fastmath={"reassoc", "contract"})
def power_rows(table: Array, along: Array, rows: Array, vectors: Array) -> None:
    """y += x (x . y) / |y| for the row y of every vector x, and along += (x . y) / |y|; the first x gives y = x |x|."""
    for i in range(len(rows)):
        row = rows[i]
        if row < 0:
            continue
        vector, target = vectors[i], table[row]
        square = np.float32(0.0)
        product = np.float32(0.0)
        for j in range(len(vector)):
            square += target[j] * target[j]
            product += vector[j] * target[j]
        if square == 0:
            for j in range(len(vector)):
                square += vector[j] * vector[j]
            share = np.float32(math.sqrt(square))
        else:
            share = np.float32(product / math.sqrt(square))
        along[row] += share
        for j in range(len(vector)):
            target[j] += share * vector[j]


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def scores_of(table: Array, contexts: Array, owners: Array, rows: Array) -> Array:
    """u . E of every target and negative.

    rows[i, 0] is a target, rows[i, 1:] are its negatives, contexts[owners[i]] their context.
    """
    scores = np.empty(rows.shape)
    for i in prange(len(rows)):
        context = contexts[owners[i]]
        for k in range(rows.shape[1]):
            scores[i, k] = _product(table[rows[i, k]], context)
    return scores


@njit(cache=True)
def total_loss(scores: Array, clamp: float, offset: float) -> Any:
    """The loss of the scores of targets, the first of each row, and negatives."""
    signs = np.ones_like(scores)
    signs[:, 0] = -1.0
    return logistic(scores.ravel().copy(), signs.ravel(), clamp, offset)


@njit(cache=True, fastmath={"reassoc", "contract"})
def _product(vector: Array, context: Array) -> Any:
    product = np.float32(0.0)
    for j in range(len(context)):
        product += vector[j] * context[j]
    return product


@njit(cache=True, fastmath={"reassoc", "contract"})
def logistic(scores: Array, signs: Array, clamp: float, offset: float) -> Any:
    """The sum of log(1 + e^(sign (score + offset))), in the place of each score its derivative by it.

    The sign of a target is -1. A score and its offset are clamped; outside the clamp the derivative is zero.
    The C library takes the exponential and the logarithm of one number at a time. The series here are as exact as it
    matters, 1e-9, and the compiler makes them take eight at a time.
    """
    total = 0.0
    for i in range(len(scores)):
        score = scores[i] + offset
        clamped = clamp if score > clamp else (-clamp if score < -clamp else score)  # a NaN must show
        x = signs[i] * clamped
        size = abs(x)
        # e^-|x| = (e^z)^64 with a small z; below e^-40 it is nothing beside 1
        z = (40.0 if size > 40.0 else size) / -64.0
        e = 1 / 5040 + z * (1 / 40320 + z * (1 / 362880 + z * (1 / 3628800)))
        e = 1.0 + z * (1.0 + z * (1 / 2 + z * (1 / 6 + z * (1 / 24 + z * (1 / 120 + z * (1 / 720 + z * e))))))
        for _ in range(6):
            e *= e
        # log(1 + e) = 2 artanh(e / (2 + e))
        q = e / (2.0 + e)
        r = q * q
        log = 1 / 9 + r * (1 / 11 + r * (1 / 13 + r * (1 / 15 + r * (1 / 17 + r * (1 / 19)))))
        log = 2.0 * q * (1.0 + r * (1 / 3 + r * (1 / 5 + r * (1 / 7 + r * log))))
        total += (x if x > 0.0 else 0.0) + log
        slope = signs[i] * (1.0 if x >= 0.0 else e) / (1.0 + e)
        scores[i] = 0.0 if abs(score) > clamp else slope
    return total


@njit(cache=True)
def pick_words(places: Array, share: Array, alias: Array) -> Array:
    """Draw words by Walker's alias method: `places` are random numbers between 0 and 1."""
    words = np.empty(len(places), dtype=np.int32)
    for i in range(len(places)):
        spot = places[i] * len(share)
        cell = min(int(spot), len(share) - 1)
        words[i] = cell if spot - cell < share[cell] else alias[cell]
    return words


@njit(cache=True)
def group_by_row(rows: Array, slots: Array) -> Any:
    """The distinct rows, and for each the places in `rows` (flat) where it stands, in order; -1 is no row.

    `slots` is a table of -1, one a row of the table; it is given back as it came.
    """
    flat = rows.ravel()
    distinct = np.empty(len(flat), dtype=np.int32)
    sizes = np.zeros(len(flat) + 1, dtype=np.int64)
    number = 0
    for place in range(len(flat)):
        row = flat[place]
        if row < 0:
            continue
        if slots[row] < 0:
            slots[row] = number
            distinct[number] = row
            number += 1
        sizes[slots[row] + 1] += 1
    for slot in range(number):
        sizes[slot + 1] += sizes[slot]
    filled = sizes[:number].copy()
    places = np.empty(len(flat), dtype=np.int64)
    for place in range(len(flat)):
        if flat[place] < 0:
            continue
        slot = slots[flat[place]]
        places[filled[slot]] = place
        filled[slot] += 1
    for slot in range(number):
        slots[distinct[slot]] = -1
    return distinct[:number], sizes[: number + 1], places


class Step(NamedTuple):
    """Targets and negatives in `columns` columns, as `scores_of` has them, by row, as `group_by_row` has them."""

    distinct: Array
    starts: Array
    places: Array
    columns: int
    contexts: Array
    owners: Array
    clamp: float
    offset: float


@njit(cache=True, fastmath={"reassoc", "contract"})
def _slopes(table: Array, step: Step, block: int) -> Any:
    """A block of a step's rows: its slots, the loss at their places, and each place's context and derivative."""
    first, last = block * TOGETHER, min((block + 1) * TOGETHER, len(step.distinct))
    low, high = step.starts[first], step.starts[last]
    contexts = np.empty(high - low, dtype=np.int32)
    signs = np.empty(high - low)
    scores = np.empty(high - low)
    for slot in range(first, last):
        vector = table[step.distinct[slot]]
        for at in range(step.starts[slot], step.starts[slot + 1]):
            line = step.places[at] // step.columns
            contexts[at - low] = step.owners[line]
            signs[at - low] = -1.0 if step.places[at] == line * step.columns else 1.0
            scores[at - low] = _product(vector, step.contexts[step.owners[line]])
    loss = logistic(scores, signs, step.clamp, step.offset)
    return range(first, last), loss, contexts, scores


@njit(cache=True, fastmath={"reassoc", "contract"})
def _sum_up(gradient: Array, step: Step, slot: int, first: int, contexts: Array, slopes: Array, scale: float) -> None:
    """The gradient of a row, times `scale`: the sum over its places of slope times context."""
    gradient[:] = np.float32(0.0)
    for at in range(step.starts[slot] - step.starts[first], step.starts[slot + 1] - step.starts[first]):
        weight = np.float32(slopes[at] * scale)
        context = step.contexts[contexts[at]]
        for j in range(len(gradient)):
            gradient[j] += weight * context[j]


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def adam_rows(
    table: Array,
    first: Array,
    second: Array,
    step: Step,
    rate: float,
    number: int,
    scale: float,
) -> Any:
    """One lazy Adam step, and the loss before it: only the rows of the batch move, and only their moments advance.

    It is the step of this `number`, from 1. The gradient of a row is that of the loss times `scale`.
    """
    corrected = rate * math.sqrt(1.0 - 0.999**number) / (1.0 - 0.9**number)
    tiny = 1e-8  # as torch has it for sparse gradients: beside the moment before it is corrected
    losses = np.zeros(-(-len(step.distinct) // TOGETHER))
    for block in prange(len(losses)):
        slots, losses[block], contexts, slopes = _slopes(table, step, block)
        gradient = np.empty(table.shape[1], dtype=np.float32)
        for slot in slots:
            row = step.distinct[slot]
            _sum_up(gradient, step, slot, slots.start, contexts, slopes, scale)
            for j in range(table.shape[1]):
                g = gradient[j]
                first[row, j] = np.float32(0.9) * first[row, j] + np.float32(0.1) * g
                second[row, j] = np.float32(0.999) * second[row, j] + np.float32(0.001) * g * g
                table[row, j] -= np.float32(corrected * first[row, j] / (math.sqrt(second[row, j]) + tiny))
    return losses.sum()


@njit(cache=True, fastmath={"reassoc", "contract"})
def _adagrad_row(vector: Array, squares: Array, row: int, gradient: Array, rate: float) -> None:
    """Move one row at its own rate, rate / sqrt(sum over the steps of its gradients' mean squares)."""
    square = np.float32(0.0)
    for j in range(len(gradient)):
        square += gradient[j] * gradient[j]
    squares[row] += square / len(gradient)
    if squares[row] > 0:
        pace = np.float32(rate / math.sqrt(squares[row]))
        for j in range(len(gradient)):
            vector[j] -= pace * gradient[j]


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def adagrad_rows(
    table: Array,
    squares: Array,
    start: Array,
    pull: Array,
    step: Step,
    rate: float,
) -> Any:
    """One row-wise Adagrad step, and the loss before it: a row has one rate, rate / sqrt(mean square of all its
    gradients' numbers). Otherwise as `adam_rows`.

    Each row is also pulled towards where it started, by the `pull` of its slot: rare words stay near what is
    known of them without training.
    """
    anchored = start.shape[0] > 0
    losses = np.zeros(-(-len(step.distinct) // TOGETHER))
    for block in prange(len(losses)):
        slots, losses[block], contexts, slopes = _slopes(table, step, block)
        gradient = np.empty(table.shape[1], dtype=np.float32)
        for slot in slots:
            row = step.distinct[slot]
            _sum_up(gradient, step, slot, slots.start, contexts, slopes, 1.0)
            if anchored:
                for j in range(len(gradient)):
                    gradient[j] += pull[slot] * (table[row, j] - start[row, j])
            _adagrad_row(table[row], squares, row, gradient, rate)
    return losses.sum()


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def row_gradients(
    table: Array,
    distinct: Array,
    starts: Array,
    places: Array,
    coefficients: Array,
    own: Array,
    contexts: Array,
) -> Any:
    """The gradient of every distinct row: the sum over its places of coefficient times context.

    Place (i, k) has the context contexts[i]. `own`, unless it is empty, are coefficients of the row itself.
    """
    width = table.shape[1]
    columns = coefficients.shape[1]
    flat, flat_own = coefficients.ravel(), own.ravel()
    gradients = np.zeros((len(distinct), width), dtype=np.float32)
    for slot in prange(len(distinct)):
        gradient = gradients[slot]
        mine = np.float32(0.0)
        for at in range(starts[slot], starts[slot + 1]):
            place = places[at]
            weight = np.float32(flat[place])
            context = contexts[place // columns]
            if len(flat_own):
                mine += flat_own[place]
            for j in range(width):
                gradient[j] += weight * context[j]
        if mine != 0.0:
            row = table[distinct[slot]]
            for j in range(width):
                gradient[j] += mine * row[j]
    return gradients


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def adagrad_gradients(
    table: Array, squares: Array, start: Array, pull: Array, distinct: Array, gradients: Array, rate: float
) -> None:
    """The step of `adagrad_rows`, for gradients that are known already."""
    width = table.shape[1]
    anchored = start.shape[0] > 0
    for slot in prange(len(distinct)):
        row = distinct[slot]
        gradient = gradients[slot]
        if anchored:
            for j in range(width):
                gradient[j] += pull[slot] * (table[row, j] - start[row, j])
        _adagrad_row(table[row], squares, row, gradient, rate)
