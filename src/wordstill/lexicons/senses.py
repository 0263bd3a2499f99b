"""A sense of a word, and how the words of a vocabulary are found under the spellings of a dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Sense(NamedTuple):
    """One meaning of a word: the lemma under which it stands, and its definition."""

    lemma: str
    definition: str


class Wanted:
    """The words whose definitions are asked for, by their spellings.

    A space within a word may be written as `_` too. A dictionary's entry stands for the word that is spelt like it,
    and for the word that is spelt like it in lower case: a vocabulary is lowercased as a rule, a dictionary is not.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.by_spelling: dict[str, list[str]] = {}
        for word in words:
            self.by_spelling.setdefault(spelling(word), []).append(word)

    def exact(self, entry: str) -> list[str]:
        """The words that are spelt like an entry."""
        return self.by_spelling.get(spelling(entry), [])

    def lowered(self, entry: str) -> list[str]:
        """The words that are spelt like an entry in lower case, but not like the entry itself."""
        exact, lower = spelling(entry), spelling(entry.lower())
        return self.by_spelling.get(lower, []) if lower != exact else []


def spelling(word: str) -> str:
    """A word with single underscores where it has spaces."""
    return re.sub(r"\s+", "_", word.strip())
