"""Loops over the rows of large tables, compiled: only the rows of a batch are ever touched.

All of them give the same bytes whatever the number of threads: a thread has rows of its own and adds up in
the order of the batch.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from wordstill.vectors import Array


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


@njit(cache=True, fastmath={"reassoc", "contract"})
def _score(vector: Array, context: Array, clamp: float, offset: float, target: bool) -> Any:
    """The loss of one score, and its derivative by it.

    A score is u . E + offset, clamped: outside the clamp its gradient is zero.
    """
    product = np.float32(0.0)
    for j in range(len(context)):
        product += vector[j] * context[j]
    score = float(product) + offset
    inside = 1.0 if -clamp <= score <= clamp else 0.0
    signed = max(-clamp, min(clamp, score)) if score == score else score  # a NaN must show
    if target:
        signed = -signed
    # log(1 + e^x) without overflow, and its derivative
    small = math.exp(-abs(signed))
    loss = max(signed, 0.0) + math.log1p(small)
    slope = inside * (1.0 if signed >= 0 else small) / (1.0 + small)
    return loss, -slope if target else slope


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def total_loss(table: Array, contexts: Array, owners: Array, rows: Array, clamp: float, offset: float) -> Any:
    """The loss of all targets and their negatives.

    rows[i, 0] is a target, rows[i, 1:] are its negatives, contexts[owners[i]] their context.
    """
    losses = np.zeros(len(rows))
    for i in prange(len(rows)):
        for k in range(rows.shape[1]):
            losses[i] += _score(table[rows[i, k]], contexts[owners[i]], clamp, offset, k == 0)[0]
    return losses.sum()


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
    """Targets and negatives in `columns` columns, as `total_loss` has them, by row, as `group_by_row` has them."""

    distinct: Array
    starts: Array
    places: Array
    columns: int
    contexts: Array
    owners: Array
    clamp: float
    offset: float


@njit(cache=True, fastmath={"reassoc", "contract"})
def _descend(vector: Array, slot: int, step: Step, scale: float) -> Any:
    """The loss at the places of one row, and the row's gradient times `scale`; its vector is read only once."""
    gradient = np.zeros(len(vector), dtype=np.float32)
    total = 0.0
    for at in range(step.starts[slot], step.starts[slot + 1]):
        place = step.places[at]
        context = step.contexts[step.owners[place // step.columns]]
        loss, slope = _score(vector, context, step.clamp, step.offset, place % step.columns == 0)
        total += loss
        weight = np.float32(slope * scale)
        for j in range(len(vector)):
            gradient[j] += weight * context[j]
    return total, gradient


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
    losses = np.zeros(len(step.distinct))
    for slot in prange(len(step.distinct)):
        row = step.distinct[slot]
        losses[slot], gradient = _descend(table[row], slot, step, scale)
        for j in range(len(gradient)):
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
    losses = np.zeros(len(step.distinct))
    for slot in prange(len(step.distinct)):
        row = step.distinct[slot]
        losses[slot], gradient = _descend(table[row], slot, step, 1.0)
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
