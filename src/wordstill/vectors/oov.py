"""Words outside the table, answered by rules that the user allows, the first that has an answer:

case      the same word in another case
pieces    the mean of its known parts: cut at hyphens, underscores and spaces, else into known words
subwords  the model of spellings that is stored with the vectors (see `subwords.py`)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from wordstill.errors import InputError

if TYPE_CHECKING:
    from wordstill.arrays import Array
    from wordstill.vectors import WordVectors

RULES = ("case", "pieces", "subwords")
_CUTS = re.compile(r"[-‐‑–_/\s]+")
# Shorter parts of an uncut word are mostly chance, as is a word of which less than this share is found.
SHORTEST_PART = 4
SHARE = 0.5
# Characters of a word that is cut: the time grows with the square.
LONGEST = 100


def rules_of(oov: str | Sequence[str] | None) -> tuple[str, ...]:
    """`"case,subwords"` as a tuple of rules."""
    if not oov:
        return ()
    rules = tuple(rule.strip() for rule in (oov.split(",") if isinstance(oov, str) else oov))
    for rule in rules:
        if rule not in RULES:
            raise InputError(f"oov is a list of {', '.join(RULES)}, not {rule!r}")
    return rules


def answer(vectors: WordVectors, word: str, oov: str | Sequence[str] | None) -> tuple[Array, str] | None:
    """The vector of a word outside the table and what it was made of; None where no rule has an answer."""
    for rule in rules_of(oov):
        if rule == "case":
            row = vectors.folded_index.get(word.casefold())
            if row is not None:
                return np.asarray(vectors.matrix[row]), vectors.words[row]
        elif rule == "pieces":
            parts = known_parts(vectors, word)
            if parts:
                return np.asarray(np.mean(vectors[parts], axis=0, dtype=np.float32)), " + ".join(parts)
        elif vectors.subwords is None:
            raise InputError(
                "these vectors have no model of spellings, so oov cannot use 'subwords'; make one with"
                " `wordstill subwords VECTORS`"
            )
        else:
            return vectors.subwords.vector(word), "its spelling"
    return None


def known_parts(vectors: WordVectors, word: str) -> list[str]:
    """The parts of a word that have vectors; in the word's own case, or else in another."""

    def known(part: str) -> str | None:
        if part in vectors:
            return part
        row = vectors.folded_index.get(part.casefold()) if part else None
        return None if row is None else vectors.words[row]

    cut = [part for part in _CUTS.split(word) if part]
    if len(cut) > 1:
        return [found for part in cut if (found := known(part)) is not None]
    if len(word) > LONGEST:
        return []
    # best[i]: the most characters of word[:i] inside known parts, then the fewest parts.
    best: list[tuple[int, int, list[str]]] = [(0, 0, [])]
    for end in range(1, len(word) + 1):
        best.append(best[end - 1])
        for start in range(end - SHORTEST_PART + 1):
            part = known(word[start:end])
            if part is not None:
                covered, fewer, parts = best[start]
                longer = (covered + end - start, fewer - 1, [*parts, part])
                if longer[:2] > best[end][:2]:
                    best[end] = longer
    covered, _, parts = best[-1]
    return parts if covered >= SHARE * len(word) else []
