"""Places on a plane for vectors: PCA, t-SNE, and UMAP where it is installed."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.explore.nearest import nearest_rows
from wordstill.explore.tsne import NEIGHBORS, tsne

Method: TypeAlias = Literal["pca", "tsne", "umap"]
METHODS: tuple[str, ...] = get_args(Method)


def places(units: Array, method: str) -> Array:
    """Two coordinates for each row of a matrix of unit rows."""
    if method == "pca":
        return principal_plane(units)
    if method == "tsne":
        perplexity = min(30.0, max(2.0, len(units) / 4.0))
        neighbors, cosines = nearest_rows(units, int(3 * perplexity))
        return tsne(neighbors, cosines, principal_plane(units), perplexity, steps=500)
    if method == "umap":
        return _umap(units)
    raise InputError(f"a plane is made by {', '.join(METHODS)}, not {method!r}")


def map_places(units: Array, start: Array | None = None) -> tuple[Array, Array, Array]:
    """t-SNE for many words: coordinates, and each word's neighbours with their cosines, which it needs anyway.

    Maps that begin with another's coordinates (`start`) are arranged alike and can be compared.
    """
    neighbors, cosines = nearest_rows(units, NEIGHBORS)
    if len(units) == 0:
        return np.zeros((0, 2), dtype=np.float32), neighbors, cosines
    return tsne(neighbors, cosines, principal_plane(units) if start is None else start), neighbors, cosines


def principal_plane(matrix: Array) -> Array:
    """The two directions of largest variance, each with its largest entry positive; zeros where there are none."""
    centred = matrix - matrix.mean(axis=0)
    values, directions = np.linalg.eigh(centred.T @ centred)
    best = directions[:, ::-1][:, :2] * (values[::-1][:2] > 0)
    best = best * np.where(best[np.abs(best).argmax(axis=0), np.arange(best.shape[1])] < 0, -1.0, 1.0)
    found = centred @ best.astype(matrix.dtype)
    return np.hstack([found, np.zeros((len(matrix), 2 - found.shape[1]), dtype=found.dtype)])


def _umap(units: Array) -> Array:
    try:
        from umap import UMAP  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise InputError("--method umap needs the package umap-learn: pip install umap-learn") from None
    neighbors = min(15, len(units) - 1)
    made = UMAP(n_neighbors=neighbors, metric="cosine", init="pca", random_state=0, n_jobs=1).fit_transform(units)
    return np.asarray(made)
