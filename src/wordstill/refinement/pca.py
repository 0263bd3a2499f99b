"""pca: fewer dimensions, with the dot products between rows kept as well as they can be.

The rows are not centred, as cosines are measured from zero: of all projections this one changes the dot products
least. For the classical principal components, `center` first.
"""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.options import check_range
from wordstill.vectors.directions import directions, mapped


@dataclass(frozen=True)
class PcaSettings:
    """How many dimensions are kept."""

    dimensions: int = 300

    def __post_init__(self) -> None:
        check_range("pca.dimensions", self.dimensions, 1)


def pca(matrix: Array, settings: PcaSettings | None = None) -> Array:
    """Project the rows on their widest directions."""
    return reduce_dimensions(matrix, (settings or PcaSettings()).dimensions)


def reduce_dimensions(matrix: Array, dimensions: int) -> Array:
    """The `dimensions` coordinates that keep most of the dot products between rows."""
    if dimensions > matrix.shape[1]:
        raise InputError(f"{matrix.shape[1]} dimensions cannot be reduced to {dimensions}; choose fewer")
    return mapped(matrix, None, directions(matrix).axes[:, :dimensions])
