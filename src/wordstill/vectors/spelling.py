"""Words spelt alike: for whoever asks for a word that has no vector."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from wordstill.arrays import Array

_JOINTS = re.compile(r"[-‐‑\s]+")
LONGEST = 60


def close_spellings(words: Sequence[str], word: str, most: int = 4) -> list[str]:
    """The words nearest in spelling, case and joints aside; of equally near ones the first (most frequent) first.

    One typing error is allowed in short words, two from five letters on, three from nine. An error is a letter
    more, less or other, or two neighbours exchanged. The whole vocabulary is compared, one length at a time.
    """
    asked = _plain(word)
    allowed = 1 if len(asked) < 5 else 2 if len(asked) < 9 else 3
    if not 0 < len(asked) <= LONGEST:
        return []
    sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    found: list[tuple[int, int]] = []
    for size in range(max(1, len(asked) - allowed), len(asked) + allowed + 1):
        rows = np.flatnonzero(sizes == size)
        spelled = [_plain(words[row]) for row in rows.tolist()]
        # Folding can change a length ("ß"): such a word is compared by its first letters.
        letters = np.array(spelled, dtype=f"<U{size}").reshape(-1, 1).view(np.uint32) if spelled else np.zeros((0, 1))
        distances = edit_distances(asked, letters.astype(np.uint32))
        near = np.flatnonzero(distances <= allowed)
        found += zip(distances[near].tolist(), rows[near].tolist(), strict=True)
    return [words[row] for _, row in sorted(found)[:most]]


def edit_distances(word: str, letters: Array) -> Array:
    """The optimal string alignment distance of a word to each row of letters, all of one length."""
    number, size = letters.shape
    codes = np.frombuffer(word.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    before = last = np.broadcast_to(np.arange(size + 1, dtype=np.uint8)[:, None], (size + 1, number))
    columns = np.ascontiguousarray(letters.T)
    for i, code in enumerate(codes):
        now = np.empty((size + 1, number), dtype=np.uint8)
        now[0] = i + 1
        same = columns == code
        for j in range(size):
            step = np.minimum(last[j + 1], now[j]) + 1
            np.minimum(step, last[j] + ~same[j], out=now[j + 1])
            if i and j:
                exchanged = same[j - 1] & (columns[j] == codes[i - 1])
                now[j + 1] = np.where(exchanged, np.minimum(now[j + 1], before[j - 1] + 1), now[j + 1])
        before, last = last, now
    return np.asarray(last[-1])


def _plain(word: str) -> str:
    return _JOINTS.sub("_", word.casefold())
