"""Halves of every data set: tune on `dev`, report `test`.

The half of an item follows from its words alone, so it is the same for everybody, and a pair that stands in
two sets (WordSim-353 and its similarity part) is in the same half of both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from itertools import compress
from typing import Any, Literal, TypeAlias

import numpy as np

from wordstill.arrays import Array

Split: TypeAlias = Literal["dev", "test"]
SALT = "wordstill split 1"


def half(items: Iterable[Iterable[str]], split: Split) -> Array:
    """Tell of each item whether it is in that half; the order and the case of an item's words do not matter."""
    return np.array([_bit(item) == (split == "test") for item in items], dtype=bool)


def keep_half(columns: Any, items: Iterable[Iterable[str]], split: Split) -> Any:
    """Keep the items of one half in a dataclass whose fields are columns: lists or arrays with an entry per item."""
    chosen = half(items, split)
    kept = {
        name: column[chosen] if isinstance(column, np.ndarray) else list(compress(column, chosen))
        for name, column in vars(columns).items()
    }
    return replace(columns, **kept)


def _bit(words: Iterable[str]) -> bool:
    text = "\0".join([SALT, *sorted(word.lower() for word in words)])
    return bool(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] & 1)
