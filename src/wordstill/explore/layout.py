"""Places for vectors on a plane, or in three dimensions: PCA, t-SNE, and UMAP where it is installed; nearest rows."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.explore.tsne import NEIGHBORS, tsne

Projection: TypeAlias = Literal["pca", "tsne", "umap"]
BLOCK_ROWS = 1024


def places(units: Array, projection: Projection, dimensions: int = 2) -> Array:
    """Return two coordinates, or three, per row of a matrix of unit rows."""
    if projection == "pca":
        return principal_plane(units, dimensions)
    if projection == "umap":
        return _umap(units, dimensions)
    perplexity = min(30.0, max(2.0, len(units) / 4.0))
    neighbors, cosines = nearest_rows(units, int(3 * perplexity))
    return tsne(neighbors, cosines, principal_plane(units, dimensions), perplexity, steps=500)


def map_places(units: Array, start: Array | None = None) -> tuple[Array, Array, Array]:
    """Place many words by t-SNE; return coordinates, and the neighbours of each word with their cosines.

    Maps that begin with another's coordinates (`start`) are arranged alike and can be compared.
    """
    neighbors, cosines = nearest_rows(units, NEIGHBORS)
    if len(units) == 0:
        return np.zeros((0, 2), dtype=np.float32), neighbors, cosines
    return tsne(neighbors, cosines, principal_plane(units) if start is None else start), neighbors, cosines


def principal_plane(matrix: Array, dimensions: int = 2) -> Array:
    """Project rows on the two (or more) directions of largest variance, each with its largest entry positive.

    Coordinates are zero where there is no such direction.
    """
    centred = matrix - matrix.mean(axis=0)
    values, directions = np.linalg.eigh(centred.T @ centred)
    best = directions[:, ::-1][:, :dimensions] * (values[::-1][:dimensions] > 0)
    best = best * np.where(best[np.abs(best).argmax(axis=0), np.arange(best.shape[1])] < 0, -1.0, 1.0)
    found = centred @ best.astype(matrix.dtype)
    return np.hstack([found, np.zeros((len(matrix), dimensions - found.shape[1]), dtype=found.dtype)])


def _umap(units: Array, dimensions: int) -> Array:
    try:
        from umap import UMAP  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InputError("--method umap needs the package umap-learn: pip install umap-learn") from None
    neighbors = min(15, len(units) - 1)
    fitted = UMAP(n_components=dimensions, n_neighbors=neighbors, metric="cosine", init="pca", random_state=0, n_jobs=1)
    return np.asarray(fitted.fit_transform(units))


def nearest_rows(units: Array, count: int) -> tuple[Array, Array]:
    """Find for each row of a matrix of unit rows the `count` other rows nearest in cosine, nearest first.

    Returns row numbers (int32) and cosines (float32), with one line per row; `count` is at most the rows less one.
    """
    rows = len(units)
    count = max(0, min(count, rows - 1))
    found = np.zeros((rows, count), dtype=np.int32)
    cosines = np.zeros((rows, count), dtype=np.float32)
    for start in range(0, rows if count else 0, BLOCK_ROWS):
        scores = units[start : start + BLOCK_ROWS] @ units.T
        here = np.arange(len(scores))
        scores[here, start + here] = -np.inf  # a word is not its own neighbour
        best = np.argpartition(scores, rows - count, axis=1)[:, rows - count :]
        # Of equal cosines the earlier, more frequent word stands first.
        best.sort(axis=1)
        values = np.take_along_axis(scores, best, axis=1)
        order = np.argsort(-values, axis=1, kind="stable")
        found[start : start + len(scores)] = np.take_along_axis(best, order, axis=1)
        cosines[start : start + len(scores)] = np.take_along_axis(values, order, axis=1)
    return found, cosines
