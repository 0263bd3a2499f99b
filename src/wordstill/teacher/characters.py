"""Words to characters, for a teacher that reads the spelling of each word: one piece per word, which is a row.

ELMo knows no wordpieces. It reads the bytes of a word in UTF-8, between a mark where it begins and one where it ends,
filled up with a mark for nothing. So a word is a single piece, and that piece is a row of numbers instead of a number.
Everything that cuts, lays out and pools pieces works on rows as it does on numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain

import numpy as np

from wordstill.arrays import Array
from wordstill.corpus.segment import Segmenter

# What follows the 256 bytes in ELMo's table of characters.
TEXT_BEGINS, TEXT_ENDS, WORD_BEGINS, WORD_ENDS, NOTHING = range(256, 261)
CHARACTERS = 261


class CharacterTable:
    """The characters of words, and the two words that stand around a text."""

    types = None

    def __init__(self, longest: int) -> None:
        """Make rows of `longest` characters; a word with more bytes is known by its first ones."""
        self.longest = longest
        self.prefix = [self._row([TEXT_BEGINS]).tolist()]
        self.suffix = [self._row([TEXT_ENDS]).tolist()]
        self._segment = Segmenter()

    def definition(self) -> str:
        """Return all that decides how words are read, as text."""
        return json.dumps(["characters", self.longest])

    def __call__(self, words: Sequence[str]) -> tuple[Array, Array]:
        """Return a row per word, and how many each word has: one, none for an empty word."""
        spelled = [word.encode("utf-8", "ignore") for word in words]
        rows = [self._row(letters) for letters in spelled if letters]
        lengths = np.array([bool(letters) for letters in spelled], dtype=np.int32)
        return np.array(rows, dtype=np.int16).reshape(-1, self.longest), lengths

    def of_texts(self, texts: Sequence[str], most: int) -> tuple[Array, Array]:
        """Return the rows of whole texts, and how many each has; a text is cut off after its first `most` words."""
        words = [list(chain.from_iterable(self._segment(text)))[:most] for text in texts]
        rows, _ = self(list(chain.from_iterable(words)))
        return rows, np.array([len(text) for text in words], dtype=np.int32)

    def _row(self, letters: Sequence[int]) -> Array:
        row = np.full(self.longest, NOTHING, dtype=np.int16)
        inside = list(letters[: self.longest - 2])
        row[: len(inside) + 2] = [WORD_BEGINS, *inside, WORD_ENDS]
        return row
