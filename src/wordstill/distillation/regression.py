"""Ridge regressions of several students' vectors on the same features, which are gone through once for all of them.

Products of features are added up over the words to learn from and over those held out, apart: a ridge's strength is
chosen with the first, and the last regression takes the sum of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from wordstill.arrays import Array

BLOCK = 4096


@dataclass(frozen=True)
class Moments:
    """Weighted sums over words, of their features about a centre and of the products of any two of them."""

    weight: float
    sums: Array
    products: Array

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.weight + other.weight, self.sums + other.sums, self.products + other.products)


@dataclass(frozen=True)
class Crossed:
    """Weighted sums over words, of their targets about a middle and of the products of features and targets."""

    sums: Array
    products: Array

    def __add__(self, other: Crossed) -> Crossed:
        return Crossed(self.sums + other.sums, self.products + other.products)


@dataclass(frozen=True)
class Linear:
    """A linear map from features to vectors."""

    weights: Array
    offset: Array

    def __call__(self, features: Array, rows: Array) -> Array:
        """The vectors that the features of these rows promise."""
        guessed = np.empty((len(rows), self.weights.shape[1]), dtype=np.float32)
        for part in blocks(len(rows)):
            np.matmul(block_of(features, rows[part]), self.weights, out=guessed[part])
            guessed[part] += self.offset
        return guessed


class Regressions:
    """The words of a regression: `rows` of the features, each of a weight, some of them held out."""

    def __init__(self, features: Array, rows: Array, weights: Array, held: Array) -> None:
        self.features, self.rows, self.held = features, rows, held
        self.roots = np.sqrt(weights).astype(np.float32)
        # Products about the mean: far from it nothing would be left of them in single precision.
        total = np.zeros(features.shape[1])
        for part in blocks(len(rows)):
            total += (weights[part] / weights.sum()).astype(np.float32) @ block_of(features, rows[part])
        self.centre = total.astype(np.float32)
        self.learned, self.tested = (self._moments(np.flatnonzero(chosen)) for chosen in (~held, held))

    def cross(self, targets: Array) -> tuple[Crossed, Crossed, Array]:
        """The products with the targets of every row: of the words to learn from, of those held out; and the middle."""
        middle = targets.mean(axis=0, dtype=np.float64).astype(np.float32)
        learned, tested = (self._crossed(np.flatnonzero(chosen), targets, middle) for chosen in (~self.held, self.held))
        return learned, tested, middle

    def solve(self, moments: Moments, crossed: Crossed, middle: Array, ridge: float) -> Linear:
        """The regression with a ridge in units of the mean variance of a feature; features are scaled to variance 1."""
        mean, target = moments.sums / moments.weight, crossed.sums / moments.weight
        products = moments.products / moments.weight - np.outer(mean, mean)
        variance = products.diagonal()
        squares = variance + (self.centre + mean) ** 2
        # Some teachers have a few dimensions hundreds of times as large as the others, and some a constant one.
        scale = 1.0 / np.sqrt(np.maximum(variance, 1e-12 * squares.max() + 1e-30))
        products *= scale
        products *= scale[:, None]
        products.flat[:: len(products) + 1] += ridge * np.trace(products) / len(products) + 1e-12
        right = (crossed.products / moments.weight - np.outer(mean, target)) * scale[:, None]
        weights = np.linalg.solve(products, right) * scale[:, None]
        offset = middle + target - (self.centre + mean) @ weights
        return Linear(weights.astype(np.float32), offset.astype(np.float32))

    def _moments(self, chosen: Array) -> Moments:
        columns = self.features.shape[1]
        sums, products = np.zeros(columns), np.zeros((columns, columns))
        for root, block in self._centred(chosen):
            sums += root @ block
            products += block.T @ block
        return Moments(float(np.square(self.roots[chosen], dtype=np.float64).sum()), sums, products)

    def _crossed(self, chosen: Array, targets: Array, middle: Array) -> Crossed:
        sums, products = np.zeros(len(middle)), np.zeros((self.features.shape[1], len(middle)))
        for part, (root, block) in zip(blocks(len(chosen)), self._centred(chosen), strict=True):
            wanted = (targets[chosen[part]] - middle) * root[:, None]
            sums += root @ wanted
            products += block.T @ wanted
        return Crossed(sums, products)

    def _centred(self, chosen: Array) -> Iterator[tuple[Array, Array]]:
        """The roots of the weights of these rows, and the features about the centre times them, block by block."""
        for part in blocks(len(chosen)):
            root = self.roots[chosen[part]]
            block = block_of(self.features, self.rows[chosen[part]]) - self.centre
            block *= root[:, None]
            yield root, block


def climb(values: Sequence[float], start: int, height: Callable[[float], float]) -> float:
    """The highest of some values with a single peak, found by walking uphill from a start."""
    heights: dict[int, float] = {}

    def at(place: int) -> float:
        if not 0 <= place < len(values):
            return -np.inf
        if place not in heights:
            heights[place] = height(values[place])
        return heights[place]

    place = start
    for direction in (1, -1):
        while at(place + direction) > at(place):
            place += direction
    return values[place]


def blocks(number: int) -> Iterator[slice]:
    """The places up to a number, in pieces that do not take much memory."""
    return (slice(start, min(number, start + BLOCK)) for start in range(0, number, BLOCK))


def block_of(matrix: Array, rows: Array) -> Array:
    """Some rows of a matrix, without a copy where they follow each other."""
    if len(rows) and (np.diff(rows) == 1).all():
        return matrix[rows[0] : rows[-1] + 1]
    return matrix[rows]
