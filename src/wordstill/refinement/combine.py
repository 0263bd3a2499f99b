"""combine: several vectors of the same words side by side, each at length 1 times its weight.

The cosine in the joined space is the mean of the cosines in the single ones, weighted by the squares of the weights.

In the end each row gets a length back: the mean of the word's lengths in the single spaces, by the same weights, each
in units of its space's mean length. So sums over the words of a text still say what they did: in most vectors the
lengths are what keeps "the" quiet.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import numpy as np

from wordstill.arrays import Array, row_norms, unit_rows
from wordstill.errors import InputError
from wordstill.refinement.steps import refuse_broken
from wordstill.system.progress import log
from wordstill.vectors import WordVectors
from wordstill.vectors.directions import reduce_dimensions


def combine(
    vectors: Sequence[WordVectors | str | Path],
    weights: Sequence[float] | None = None,
    dimensions: int | None = None,
) -> WordVectors:
    """Join vectors of the same words, given as WordVectors or as paths.

    >>> combine(["run/aggregate", "run/closed"], [1.0, 0.5]).vector_size
    768

    The words are those that all have, in the order of the first. `dimensions` reduces the joined vectors by PCA.
    """
    parts = [part if isinstance(part, WordVectors) else WordVectors.load(part) for part in vectors]
    weights = [1.0] * len(parts) if weights is None else list(weights)
    if len(parts) < 2:
        raise InputError("combine joins two vectors or more; name at least two")
    if len(weights) != len(parts) or not all(isfinite(weight) and weight > 0 for weight in weights):
        raise InputError(f"each vectors to combine need a weight above 0, not {weights}")
    width = sum(part.vector_size for part in parts)
    if dimensions is not None and not 1 <= dimensions <= width:
        raise InputError(f"the joined vectors have {width} dimensions and cannot be reduced to {dimensions}")
    words = [word for word in parts[0].words if all(word in part for part in parts[1:])]
    if not words:
        raise InputError("the vectors to combine have no word in common; are they of one language and case?")
    joined = np.empty((len(words), width), np.float32)
    lengths = np.zeros(len(words))
    start = 0
    for part, weight in zip(parts, weights, strict=True):
        chosen = part.take(words)
        refuse_broken(chosen)
        end = start + part.vector_size
        np.multiply(unit_rows(chosen.matrix), np.float32(weight), out=joined[:, start:end])
        lengths += weight**2 * _relative_lengths(chosen.matrix)
        start = end
        if len(part) > len(words):
            left_out = f"{len(part) - len(words):,}"
            log.info("%s: %s words that not all have were left out", part.path or "vectors", left_out)
    matrix = joined if dimensions is None else reduce_dimensions(joined, dimensions)
    matrix *= (lengths / sum(weight**2 for weight in weights)).astype(np.float32)[:, None]
    counts = next((part.take(words).counts for part in parts if part.counts is not None), None)
    sources = [{"weight": weight, **part.card} for part, weight in zip(parts, weights, strict=True)]
    lowercase = [part.card["lowercase"] for part in parts if "lowercase" in part.card]
    card = {"method": "combine", "combined": sources, "dimensions": int(matrix.shape[1]), "words": len(words)}
    if lowercase:
        card["lowercase"] = all(lowercase)
    return WordVectors(words, matrix, counts, card)


def _relative_lengths(matrix: Array) -> Array:
    """Return the length of each row, in units of the mean length."""
    lengths = row_norms(matrix).astype(np.float64)
    mean = float(lengths.mean())
    return lengths / mean if mean > 0 else np.ones(len(lengths))
