"""The principal directions of a matrix's rows: what center, whiten, spectral and pca have in common."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError

BLOCK_ROWS = 16_384

# Eigenvalues are held above this share of the largest: what is below is rounding, and would be divided by.
FLOOR = 1e-8


class Directions(NamedTuple):
    """Mean squares along orthogonal directions, the largest first; the directions are the columns of `axes`."""

    values: Array
    axes: Array


def mean_row(matrix: Array) -> Array:
    """The mean of all rows, summed in double precision."""
    return np.asarray(matrix.mean(axis=0, dtype=np.float64)) if len(matrix) else np.zeros(matrix.shape[1])


def directions(matrix: Array, origin: Array | None = None) -> Directions:
    """The directions in which the rows, seen from `origin` (default: zero), spread most."""
    width = matrix.shape[1]
    products = np.zeros((width, width))
    for start in range(0, len(matrix), BLOCK_ROWS):
        block = matrix[start : start + BLOCK_ROWS].astype(np.float64)
        if origin is not None:
            block -= origin
        products += block.T @ block
    values, axes = np.linalg.eigh(products / max(1, len(matrix)))
    values, axes = values[::-1], axes[:, ::-1]
    # The sign of an eigenvector is arbitrary; fixed, so that equal runs give equal bytes on any machine.
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(width)] < 0, -1.0, 1.0)
    # Rows that are all zero have no spread to even out; 1 leaves them as they are.
    return Directions(np.maximum(values, FLOOR * values[0] if values[0] > 0 else 1.0), axes)


def mapped(matrix: Array, origin: Array | None, change: Array) -> Array:
    """(rows - origin) @ change, a block of rows at a time: no third copy of the matrix."""
    changed = np.empty((len(matrix), change.shape[1]), np.float32)
    change = change.astype(np.float32)
    for start in range(0, len(matrix), BLOCK_ROWS):
        block = matrix[start : start + BLOCK_ROWS].astype(np.float32)
        if origin is not None:
            block -= origin.astype(np.float32)
        np.matmul(block, change, out=changed[start : start + BLOCK_ROWS])
    return changed


def reduce_dimensions(matrix: Array, dimensions: int) -> Array:
    """Return the `dimensions` coordinates that keep most of the dot products between rows."""
    if dimensions > matrix.shape[1]:
        raise InputError(f"{matrix.shape[1]} dimensions cannot be reduced to {dimensions}; choose fewer")
    return mapped(matrix, None, directions(matrix).axes[:, :dimensions])
