"""spectral: Artetxe et al. 2018, "Uncovering Divergent Linguistic Information in Word Embeddings".

    X <- X Q L^a,   X^T X = Q L Q^T

a > 0 strengthens what many words share, a < 0 weakens it, a = 0 is a rotation. Which of the two serves similarity
and which relatedness depends on the vectors: choose on a development half. L is taken relative to its mean, which
leaves cosines alone and lengths in their range.
"""

from __future__ import annotations

from dataclasses import dataclass

from wordstill.arrays import Array
from wordstill.options import Options, setting
from wordstill.vectors.directions import directions, mapped


@dataclass(frozen=True)
class SpectralSettings(Options):
    """The power a of the formula above."""

    owner = "spectral"

    power: float = setting(-0.2, "a of the formula", low=-2, high=2)


def spectral(matrix: Array, settings: SpectralSettings | None = None) -> Array:
    """Reweigh the principal directions of the rows."""
    values, axes = directions(matrix)
    return mapped(matrix, None, axes * (values / values.mean()) ** (settings or SpectralSettings()).power)
