"""center: the mean of all rows becomes zero. remove-top: the widest directions go too (all-but-the-top).

Mu and Viswanath 2018, "All-but-the-Top: Simple and Effective Postprocessing for Word Representations": the mean and
the first few principal directions of word vectors tell of frequency more than of meaning. The paper takes away
about one direction in a hundred dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.options import Options, setting
from wordstill.vectors.directions import directions, mapped, mean_row


@dataclass(frozen=True)
class CenterSettings(Options):
    """Nothing to choose."""


@dataclass(frozen=True)
class RemoveTopSettings(Options):
    """How many directions are removed."""

    owner = "remove-top"

    directions: int = setting(0, "how many directions go; 0: one per hundred dimensions, at least one", low=0)


def center(matrix: Array, settings: CenterSettings | None = None) -> Array:
    """Subtract the mean of all rows."""
    return np.subtract(matrix, mean_row(matrix).astype(np.float32), dtype=np.float32)


def remove_top(matrix: Array, settings: RemoveTopSettings | None = None) -> Array:
    """Subtract the mean, and what lies along the widest directions."""
    width = matrix.shape[1]
    number = (settings or RemoveTopSettings()).directions or max(1, round(width / 100))
    if number >= width:
        raise InputError(f"remove-top.directions must be below the {width} dimensions there are, not {number}")
    mean = mean_row(matrix)
    top = directions(matrix, mean).axes[:, :number]
    return mapped(matrix, mean, np.eye(width) - top @ top.T)
