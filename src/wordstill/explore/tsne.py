"""t-SNE (van der Maaten and Hinton 2008): words near in their own space stay near on a plane.

Points attract only their neighbours, so that side of the gradient is sparse. All points repel each other; for many
points that sum is a convolution, computed on a grid by Fourier transforms (as in FIt-SNE, Linderman et al. 2019, but
with linear interpolation), for few points it is taken as it stands. numpy and scipy; equal input gives equal maps.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError

# For maps of many words: few neighbours of nearly equal weight keep neighbourhoods better than many of unequal weight,
# which draw a word and its inflections into one point.
NEIGHBORS, PERPLEXITY = 15, 13.0
EXAGGERATION = 12.0
EARLY_STEPS = 100
# The step size where points are few; at ten times that some of them fly off.
SLOWEST = 5.0
EXACT_POINTS = 1500
# In units of the kernel 1 / (1 + distance^2), whose width is 1.
GRID_SPACING = 0.5
LARGEST_GRID = 512


def tsne(neighbors: Array, cosines: Array, start: Array, perplexity: float = PERPLEXITY, steps: int = 300) -> Array:
    """Coordinates on a plane, one row a point, centred; in as many dimensions as `start` has, if points are few.

    neighbors  row numbers of each point's neighbours, nearest first
    cosines    of those neighbours; squared distances are 2 - 2 cosine
    start      first coordinates; only their arrangement counts, not their size
    """
    if find_spec("scipy") is None:
        raise InputError("t-SNE needs scipy: pip install 'wordstill[evaluate]'")
    count = len(neighbors)
    # One array an axis, in single precision: the steps below are bound by memory.
    points = np.ascontiguousarray(np.asarray(start, dtype=np.float32).T)
    points -= points.mean(axis=1, keepdims=True)
    if count < 3:
        return points.T
    affinity = affinities(neighbors, 2.0 - 2.0 * cosines.astype(np.float64), perplexity)
    points *= 1e-2 / max(1e-12, float(points.std()))
    velocity, gains = np.zeros_like(points), np.ones_like(points)
    rate = np.float32(max(SLOWEST, count / EXAGGERATION))
    attraction = Attraction(affinity)
    # The grid is one of a plane.
    repulsion = exact_repulsion if count <= EXACT_POINTS or len(points) > 2 else GridRepulsion()
    for step in range(steps):
        early = step < EARLY_STEPS
        away, total = repulsion(points)
        gradient = attraction(points) * np.float32(EXAGGERATION if early else 1.0)
        gradient -= away / np.float32(total)
        gradient *= np.float32(4.0)
        gains = np.where(velocity * gradient < 0, gains + np.float32(0.2), np.maximum(gains * np.float32(0.8), 0.01))
        velocity = np.float32(0.5 if early else 0.8) * velocity - rate * gains * gradient
        points = points + velocity
        points -= points.mean(axis=1, keepdims=True)
    return points.T


def affinities(neighbors: Array, squared: Array, perplexity: float) -> Any:
    """The symmetric sparse matrix of how much points attract each other; it sums to 1."""
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

    count, wide = neighbors.shape
    given = conditional(squared, min(perplexity, 0.95 * wide))
    pointers = np.arange(0, count * wide + 1, wide)
    matrix = csr_matrix((given.ravel(), neighbors.ravel(), pointers), shape=(count, count))
    matrix = (matrix + matrix.T).tocsr()
    matrix.data /= matrix.data.sum()
    return matrix


def conditional(squared: Array, perplexity: float) -> Array:
    """Gaussian weights of each row's squared distances, each row as wide as gives it this perplexity."""
    squared = squared - squared.min(axis=1, keepdims=True)
    target = np.log(perplexity)
    low, high = np.zeros(len(squared)), np.full(len(squared), 1e12)
    precision = np.ones(len(squared))
    for _ in range(60):
        weights = np.exp(-squared * precision[:, None])
        sums = weights.sum(axis=1)
        entropy = np.log(sums) + precision * (squared * weights).sum(axis=1) / sums
        too_wide = entropy > target
        low, high = np.where(too_wide, precision, low), np.where(too_wide, high, precision)
        # Doubled until an upper end is known, halved in between from then on.
        precision = np.where(high < 1e12, (low + high) / 2.0, np.minimum(precision * 2.0, 1e12))
    weights = np.exp(-squared * precision[:, None])
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class Attraction:
    """For every point the sum over its neighbours of weight times difference over (1 + distance^2)."""

    def __init__(self, affinity: Any) -> None:
        self._columns, self._first = affinity.indices, affinity.indptr[:-1]
        self._rows = np.repeat(np.arange(affinity.shape[0], dtype=np.int32), np.diff(affinity.indptr))
        self._weights = affinity.data.astype(np.float32)

    def __call__(self, points: Array) -> Array:
        away = [axis[self._rows] - axis[self._columns] for axis in points]
        pull = away[0] * away[0]
        for axis in away[1:]:
            pull += axis * axis
        pull += 1.0
        np.divide(self._weights, pull, out=pull)
        # Every point has neighbours, so no stretch that is added up here is empty.
        return np.stack([np.add.reduceat(axis * pull, self._first) for axis in away])


def exact_repulsion(points: Array) -> tuple[Array, float]:
    """For every point the sum over the others of difference / (1 + distance^2)^2; over all pairs 1 / (1 + ..)."""
    away = points[:, :, None] - points[:, None, :]
    squared: Array = sum((axis**2 for axis in away), start=np.ones(away.shape[1:], dtype=away.dtype))
    kernel = 1.0 / squared
    np.fill_diagonal(kernel, 0.0)
    return (away * (kernel * kernel)).sum(axis=2), float(kernel.sum())


class GridRepulsion:
    """The same two sums on a grid: each point's charge goes to the four corners around it, and is convolved."""

    def __init__(self) -> None:
        self._cells, self._spacing, self._kernels = 0, 0.0, np.zeros(0)

    def __call__(self, points: Array) -> tuple[Array, float]:
        from scipy import fft  # type: ignore[import-untyped]

        low = points.min(axis=1, keepdims=True)
        extent = float((points - low).max())
        spacing = max(GRID_SPACING, extent / (LARGEST_GRID - 2))
        # Sizes in steps, so that the kernels' transforms serve many steps of the descent.
        cells = int(np.ceil((extent / spacing + 2) / 32)) * 32
        corners, shares = _corners((points - low) / np.float32(spacing), cells)
        charge = np.bincount(corners.ravel(), shares.ravel(), cells * cells).reshape(cells, cells)
        shape = (2 * cells, 2 * cells)
        spectrum = fft.rfft2(charge.astype(np.float32), shape) * self._transforms(cells, spacing)
        fields = fft.irfft2(spectrum, shape)[:, :cells, :cells].reshape(3, -1)
        potential, right, up = ((field[corners] * shares).sum(axis=0) for field in fields)
        return np.stack([right, up]), float(potential.sum(dtype=np.float64)) - _own_potential(shares, spacing)

    def _transforms(self, cells: int, spacing: float) -> Array:
        from scipy import fft

        if (cells, spacing) != (self._cells, self._spacing):
            offset = fft.fftfreq(2 * cells, 1.0 / (2 * cells)) * spacing
            right, up = offset[:, None], offset[None, :]
            kernel = 1.0 / (1.0 + right * right + up * up)
            kernels = np.stack([kernel, kernel * kernel * right, kernel * kernel * up])
            self._kernels = fft.rfft2(kernels.astype(np.float32))
            self._cells, self._spacing = cells, spacing
        return self._kernels


def _corners(places: Array, cells: int) -> tuple[Array, Array]:
    """The grid's four corners around each point (a line each), and the share of the point that each one gets."""
    first = np.minimum(places.astype(np.int64), cells - 2)
    right, up = places - first.astype(np.float32)
    corner = first[0] * cells + first[1]
    corners = np.stack([corner, corner + 1, corner + cells, corner + cells + 1])
    return corners, np.stack([(1 - right) * (1 - up), (1 - right) * up, right * (1 - up), right * up])


def _own_potential(shares: Array, spacing: float) -> float:
    """What the points, spread over their corners, add to the potential at their own place."""
    beside, across = 1.0 / (1.0 + spacing**2), 1.0 / (1.0 + 2.0 * spacing**2)
    distances = [[1.0, beside, beside, across], [beside, 1.0, across, beside]]
    kernel = np.array([*distances, distances[1][::-1], distances[0][::-1]])
    return float(((kernel @ shares) * shares).sum())
