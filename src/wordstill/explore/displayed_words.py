"""Words as people read them: on terminals, in pictures and in reports; and in which order."""

from __future__ import annotations

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.escaping import for_terminal
from wordstill.vectors import WordVectors
from wordstill.vectors.spelling import close_spellings

LONGEST = 60


def displayed(word: str, longest: int = LONGEST) -> str:
    """Write a word for people: control characters as escapes, the empty word as quotes, a long word cut."""
    text = for_terminal(word)
    return (text if len(text) <= longest else text[: longest - 1] + "…") or '""'


def unknown_word(vectors: WordVectors, word: str) -> InputError:
    """Make the error for a word without a vector, with spellings near it that have one."""
    near = close_spellings(vectors.words, word)
    hint = f"near it are {', '.join(map(for_terminal, near))}" if near else "no word is spelt like it"
    return InputError(f"the word {word!r} has no vector; {hint}")


def frequency_order(vectors: WordVectors) -> Array:
    """Return row numbers, the most frequent word first; the vectors' own order where counts are not known."""
    if vectors.counts is None:
        return np.arange(len(vectors))
    return np.argsort(-vectors.counts, kind="stable")
