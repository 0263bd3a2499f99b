"""Halves of every data set: tune on `dev`, report `test`.

The half of an item follows from its words alone, so it is the same for everybody, and a pair that stands in
two sets (WordSim-353 and its similarity part) is in the same half of both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Literal, TypeAlias

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError

Split: TypeAlias = Literal["dev", "test"]
SALT = "wordstill split 1"


def half(items: Iterable[Iterable[str]], split: Split) -> Array:
    """Which items are in that half; the order and the case of an item's words do not matter."""
    if split not in ("dev", "test"):
        raise InputError(f"a split is 'dev' or 'test', not {split!r}")
    return np.array([_bit(item) == (split == "test") for item in items], dtype=bool)


def _bit(words: Iterable[str]) -> bool:
    text = "\0".join([SALT, *sorted(word.lower() for word in words)])
    return bool(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[0] & 1)
