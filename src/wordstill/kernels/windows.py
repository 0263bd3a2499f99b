"""Windows around the words of sentences: who stands in them, their mean, and what they teach; compiled.

As in `rows`, all of it gives the same bytes whatever the number of threads.
"""

# mypy: disallow-untyped-decorators=False, warn-unreachable=False

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, prange

from wordstill.arrays import Array


@njit(cache=True)
def window_borders(sentences: Array, positions: Array, window: int) -> Any:
    """For every word the first word of its window and the one behind the last, itself included.

    A window reaches `window` positions to each side and ends at the sentence's borders; a word without a vector
    (a gap in the positions) takes up its place.
    """
    size = len(sentences)
    low, high = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    for i in range(size):
        at = i
        while at > 0 and sentences[at - 1] == sentences[i] and positions[i] - positions[at - 1] <= window:
            at -= 1
        low[i] = at
        at = i + 1
        while at < size and sentences[at] == sentences[i] and positions[at] - positions[i] <= window:
            at += 1
        high[i] = at
    return low, high


@njit(cache=True)
def window_words(words: Array, kept: Array, low: Array, high: Array, width: int) -> Any:
    """The words in each word's window, itself left out, that are kept and in the vocabulary; then -1."""
    rows = np.full((len(words), width), -1, dtype=np.int32)
    for i in range(len(words)):
        filled = 0
        for at in range(low[i], high[i]):
            if at != i and kept[at] and words[at] >= 0:
                rows[i, filled] = words[at]
                filled += 1
    return rows


@njit(cache=True, inline="always")
def _divide(total: Array, number: int) -> None:
    """Make a sum of so many vectors their mean; that of none stays zero."""
    if number > 1:
        share = np.float32(1.0 / number)
        for j in range(len(total)):
            total[j] *= share


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def window_means(vectors: Array, low: Array, high: Array, places: Array) -> Any:
    """The mean of the vectors in the windows of the words at `places`, the word itself left out; zero of none."""
    means = np.zeros((len(places), vectors.shape[1]), dtype=np.float32)
    for i in prange(len(places)):
        place, mean = places[i], means[i]
        for at in range(low[place], high[place]):
            if at != place:
                for j in range(len(mean)):
                    mean[j] += vectors[at, j]
        _divide(mean, high[place] - low[place] - 1)
    return means


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def stretch_means(vectors: Array, starts: Array) -> Any:
    """The mean of the vectors of each stretch, which ends where the next one starts."""
    means = np.zeros((len(starts), vectors.shape[1]), dtype=np.float32)
    for i in prange(len(starts)):
        end = starts[i + 1] if i + 1 < len(starts) else len(vectors)
        mean = means[i]
        for at in range(starts[i], end):
            for j in range(len(mean)):
                mean[j] += vectors[at, j]
        _divide(mean, end - starts[i])
    return means


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def gathered_means(vectors: Array, places: Array, ends: Array) -> Any:
    """The mean of the vectors at each stretch of places, which ends where the next one starts."""
    means = np.zeros((len(ends), vectors.shape[1]), dtype=np.float32)
    for i in prange(len(ends)):
        start = ends[i - 1] if i else 0
        mean = means[i]
        for at in range(start, ends[i]):
            vector = vectors[places[at]]
            for j in range(len(mean)):
                mean[j] += vector[j]
        _divide(mean, ends[i] - start)
    return means


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def gathered_bfloat16_means(bits: Array, places: Array, ends: Array) -> Any:
    """The same of bfloat16 vectors, given as their bits, the upper half of those of a float32; no stretch is empty."""
    means = np.empty((len(ends), bits.shape[1]), dtype=np.float32)
    raw = means.view(np.uint32)
    for i in prange(len(ends)):
        start = ends[i - 1] if i else 0
        first, mean = bits[places[start]], means[i]
        for j in range(len(mean)):
            raw[i, j] = np.uint32(first[j]) << np.uint32(16)
        if ends[i] - start > 1:
            part = np.empty(len(mean), dtype=np.uint32)
            other = part.view(np.float32)
            for at in range(start + 1, ends[i]):
                vector = bits[places[at]]
                for j in range(len(mean)):
                    part[j] = np.uint32(vector[j]) << np.uint32(16)
                for j in range(len(mean)):
                    mean[j] += other[j]
            _divide(mean, ends[i] - start)
    return means


@njit(cache=True, inline="always")
def softplus(x: float) -> float:
    """log(1 + e^x) without overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def attend(
    table: Array,
    centres: Array,
    rows: Array,
    window: int,
    attention: bool,
    offset: float,
    weights: Array,
    coefficients: Array,
    gradients: Array,
) -> Any:
    """The loss of a window seen through attention and of its negatives, and its derivatives.

    rows[i, :window] are the words of centre i's window (a -1 ends them), the rest its negatives. With
    s_j = v_j . c_i and a = softmax(s) (uniform without attention) the loss is

        -log sig(sum_j a_j s_j + offset)  -  sum over negatives of log sig(-(s_n + offset))

    `coefficients` are d loss / d s of every row, `weights` are the a_j. `gradients` are d loss / d c, for which an
    array without rows does not ask.
    """
    losses = np.zeros(len(rows))
    asked = gradients.shape[0] > 0
    for i in prange(len(rows)):
        centre = centres[i]
        scores = np.zeros(rows.shape[1])
        for k in range(rows.shape[1]):
            if rows[i, k] >= 0:
                vector = table[rows[i, k]]
                product = np.float32(0.0)
                for j in range(len(centre)):
                    product += vector[j] * centre[j]
                scores[k] = float(product)
        members = 0
        highest = -np.inf
        while members < window and rows[i, members] >= 0:
            highest = max(highest, scores[members])
            members += 1
        total = 0.0
        for k in range(members):
            weight = math.exp(scores[k] - highest) if attention else 1.0
            weights[i, k] = weight
            total += weight
        score = 0.0
        for k in range(members):
            weights[i, k] /= total
            score += weights[i, k] * scores[k]
        # d/ds_j of sum a s is a_j (1 + s_j - sum a s) where the weights follow the scores
        slope = -1.0 / (1.0 + math.exp(score + offset))
        loss = softplus(-(score + offset))
        for k in range(rows.shape[1]):
            if k < members:
                turned = 1.0 + scores[k] - score if attention else 1.0
                coefficients[i, k] = slope * weights[i, k] * turned
            elif k < window:
                weights[i, k] = 0.0
                coefficients[i, k] = 0.0
            else:
                loss += softplus(scores[k] + offset)
                coefficients[i, k] = 1.0 / (1.0 + math.exp(-(scores[k] + offset)))
        losses[i] = loss
        if asked:
            gradient = gradients[i]
            gradient[:] = 0.0
            for k in range(rows.shape[1]):
                if rows[i, k] >= 0:
                    weight = coefficients[i, k]
                    vector = table[rows[i, k]]
                    for j in range(len(gradient)):
                        gradient[j] += weight * vector[j]
    return losses.sum()


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def predict(
    table: Array, centres: Array, rows: Array, window: int, offset: float, coefficients: Array, gradients: Array
) -> Any:
    """As `attend`, but every word of a window is predicted by itself:

    sum_j -log sig(s_j + offset)  -  sum over negatives of log sig(-(s_n + offset))
    """
    losses = np.zeros(len(rows))
    asked = gradients.shape[0] > 0
    for i in prange(len(rows)):
        centre = centres[i]
        if asked:
            gradients[i] = 0.0
        for k in range(rows.shape[1]):
            coefficients[i, k] = 0.0
            if rows[i, k] < 0:
                continue
            vector = table[rows[i, k]]
            product = np.float32(0.0)
            for j in range(len(centre)):
                product += vector[j] * centre[j]
            sign = -1.0 if k < window else 1.0
            signed = sign * (float(product) + offset)
            losses[i] += softplus(signed)
            weight = np.float32(sign / (1.0 + math.exp(-signed)))
            coefficients[i, k] = weight
            if asked:
                for j in range(len(centre)):
                    gradients[i, j] += weight * vector[j]
    return losses.sum()


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def clip_centres(
    rows: Array, coefficients: Array, centres: Array, gradients: Array, vectors: Array, longest: float
) -> None:
    """Shorten the gradient of each centre to a length, in place: that of the rows, and of the map where it learns.

    d loss / d row is the sum of its coefficients times the centre c = W o; d loss / d W is d loss / d c times o.
    """
    asked = gradients.shape[0] > 0
    for i in prange(len(rows)):
        size = np.float32(0.0)
        for j in range(centres.shape[1]):
            size += centres[i, j] * centres[i, j]
        square = 0.0
        for k in range(rows.shape[1]):
            first = rows[i, k] >= 0
            for other in range(k):
                first = first and rows[i, other] != rows[i, k]
            if first:
                total = 0.0
                for other in range(k, rows.shape[1]):
                    if rows[i, other] == rows[i, k]:
                        total += coefficients[i, other]
                square += total * total * float(size)
        if asked:
            slope = np.float32(0.0)
            for j in range(gradients.shape[1]):
                slope += gradients[i, j] * gradients[i, j]
            read = np.float32(0.0)
            for j in range(vectors.shape[1]):
                read += vectors[i, j] * vectors[i, j]
            square += float(slope) * float(read)
        if square > longest * longest:
            share = np.float32(longest / math.sqrt(square))
            for k in range(rows.shape[1]):
                coefficients[i, k] *= share
            if asked:
                for j in range(gradients.shape[1]):
                    gradients[i, j] *= share


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})
def resemble(
    table: Array,
    centres: Array,
    rows: Array,
    window: int,
    shares: Array,
    offset: float,
    coefficients: Array,
    own: Array,
    gradients: Array,
) -> Any:
    """A centre resembles the sum of its window in unit-length vectors, and its negatives not; with derivatives.

    With v' = v / |v| and u' = u / |u| the loss of a centre is

        -shares[0] log sig(sum_j v'_j . u'_i + offset)  -  shares[1] sum_n log sig(-(v_n . u_i + offset))

    d loss / d v of a row is coefficient times u plus `own` times v; a row of length zero has no direction, and
    none to turn to. `gradients` are d loss / d u, for which an array without rows does not ask.
    """
    losses = np.zeros(len(rows))
    asked = gradients.shape[0] > 0
    for i in prange(len(rows)):
        centre = centres[i]
        square = np.float32(0.0)
        for j in range(len(centre)):
            square += centre[j] * centre[j]
        length = math.sqrt(float(square))
        cosines, lengths = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
        total = 0.0
        for k in range(rows.shape[1]):
            coefficients[i, k] = 0.0
            own[i, k] = 0.0
            if rows[i, k] < 0:
                continue
            vector = table[rows[i, k]]
            product = np.float32(0.0)
            square = np.float32(0.0)
            for j in range(len(centre)):
                product += vector[j] * centre[j]
                square += vector[j] * vector[j]
            if k >= window:
                score = float(product) + offset
                losses[i] += shares[1] * softplus(score)
                coefficients[i, k] = shares[1] / (1.0 + math.exp(-score))
            elif square > 0 and length > 0:
                lengths[k] = math.sqrt(float(square))
                cosines[k] = float(product) / (lengths[k] * length)
                total += cosines[k]
        losses[i] += shares[0] * softplus(-(total + offset))
        slope = -shares[0] / (1.0 + math.exp(total + offset))
        turned = 0.0
        for k in range(window):
            if lengths[k] > 0:
                coefficients[i, k] = slope / (lengths[k] * length)
                own[i, k] = -slope * cosines[k] / lengths[k] ** 2
                turned -= slope * cosines[k] / length**2
        if asked:
            gradient = gradients[i]
            for j in range(len(centre)):
                gradient[j] = turned * centre[j]
            for k in range(rows.shape[1]):
                if rows[i, k] >= 0:
                    weight = coefficients[i, k]
                    vector = table[rows[i, k]]
                    for j in range(len(gradient)):
                        gradient[j] += weight * vector[j]
    return losses.sum()
