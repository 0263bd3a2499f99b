"""pca: fewer dimensions, with the dot products between rows kept as well as they can be.

The rows are not centred, as cosines are measured from zero: of all projections this one changes the dot products
least. For the classical principal components, `center` first.
"""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.arrays import Array
from wordstill.options import Options, setting
from wordstill.vectors.directions import reduce_dimensions


@dataclass(frozen=True)
class PcaSettings(Options):
    """How many dimensions are kept."""

    owner = "pca"

    dimensions: int = setting(300, "how many dimensions are kept", low=1)


def pca(matrix: Array, settings: PcaSettings | None = None) -> Array:
    """Project the rows on their widest directions."""
    return reduce_dimensions(matrix, (settings or PcaSettings()).dimensions)
