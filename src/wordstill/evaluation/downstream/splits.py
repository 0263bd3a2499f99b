"""Parts of a data set that share no text: train, validation, test.

Where a set is published without parts, 60 % of its texts train, 20 % validate and 20 % test, drawn by a seed. Where
only the validation part is missing, a quarter of the training part becomes it. A text that stands several times in a
set (a fifth of MPQA does) is in one part only. Of published parts, training texts that are tested too are left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from wordstill.arrays import Array

SHARES = (0.6, 0.2, 0.2)
PART_SEED = 20


def drawn_parts(keys: Sequence[Hashable], shares: Sequence[float]) -> list[Array]:
    """Draw the places of each part; places of equal keys come into the same part.

    The draw is the same for everybody: another seed of a model must not change what it is tested on.
    """
    numbers: dict[Hashable, int] = {}
    groups = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    order = np.random.default_rng(PART_SEED).permutation(len(numbers))
    sizes = np.bincount(groups, minlength=len(numbers))
    # A group's part follows from where its middle falls among all texts.
    middles = (np.cumsum(sizes[order]) - sizes[order] / 2) / max(1, len(groups))
    part = np.empty(len(numbers), dtype=np.int64)
    part[order] = np.searchsorted(np.cumsum(shares)[:-1], middles, side="right")
    return [np.flatnonzero(part[groups] == number) for number in range(len(shares))]


def not_among(keys: Sequence[Hashable], others: Sequence[Hashable]) -> Array:
    """Return the places of the keys that are not among the others."""
    taken = set(others)
    return np.array([place for place, key in enumerate(keys) if key not in taken], dtype=np.int64)
