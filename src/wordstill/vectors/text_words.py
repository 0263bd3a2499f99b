"""Find the words of a text by the rule that a saved folder's tokenizer.json states, with Python's library alone.

The rule: characters that nobody sees are taken out, the text is lowercased where the vocabulary is, words that the
segmentation would cut ("new york", "1914-1918") are found first, and the rest is cut into words. Nothing in it looks
beyond a blank but the words that hold one. So each stretch between two blanks is cut once, and what it gives is kept:
texts repeat most of their stretches. Whether one of those words may begin in it is kept too, so that only texts with
such a stretch are searched for them. A word without a row falls apart into pieces that have one, where the vectors
have such (see `pieces.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from wordstill.corpus.segment import WORD_PATTERN, find_words, visible
from wordstill.vectors.pieces import cut_word

if TYPE_CHECKING:
    from wordstill.vectors import WordVectors

UNKNOWN = -1
# Kept pieces, in characters, each with an allowance for what Python needs around it: some 40 MiB in all.
KEPT_CHARACTERS = 1 << 24
_ALLOWANCE = 100
# How many first characters of the words that are found before the cutting decide whether they are looked for.
_PREFIX = 4
# So many beginnings are looked for one after the other; of more, a text's own parts are looked up among them.
_FEW_HEADS = 16
# A mark behind letters is a word of its own.
_MARKS = frozenset(".,;:!?)")
# Python takes four control characters for blanks that Unicode does not.
_UNBROKEN = re.compile(r"[\S\x1c-\x1f]+")
_JOINERS = "\u200c\u200d"
# Letters in circles and squares: symbols by their category, but alphabetic, so part of a word.
_ENCLOSED = re.compile("[\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]")


def is_lowercase(vectors: WordVectors) -> bool:
    """Return whether texts are lowercased: as the card says, else whether all words are."""
    lowercase = card_setting(vectors.card, "lowercase")
    if isinstance(lowercase, bool):
        return lowercase
    return all(word == word.lower() for word in vectors.words)


def is_split_at_blanks(vectors: WordVectors) -> bool:
    """Return whether the card says that words are what stands between blanks."""
    return bool(card_setting(vectors.card, "words") == "whitespace")


def card_setting(card: Mapping[str, Any], name: str) -> Any:
    """Return the value of a setting in the card, wherever it is grouped; None where there is none."""
    if name in card:
        return card[name]
    found = (card_setting(value, name) for value in card.values() if isinstance(value, Mapping))
    return next((value for value in found if value is not None), None)


def written_words(words: Sequence[str], whitespace: bool = False) -> tuple[dict[str, int], list[str]]:
    """Return the row of each word as a text has it, and those that the segmentation would cut.

    `_` joins the parts of a phrase: `new_york` is written "new york", unless that is a word of its own.
    """
    uncut = re.compile(r"\S+" if whitespace else WORD_PATTERN)
    whole = set(words)
    rows: dict[str, int] = {}
    cut = []
    for row, word in enumerate(words):
        if word.isascii() and word.isalpha():
            rows[word] = row
            continue
        written = re.sub("_+", " ", word) if "_" in word.strip("_") else word
        if written != word and (written in whole or written in rows or written != written.strip()):
            written = word
        match = uncut.match(written)
        seen = visible(written)
        if (match is None or match.end() != len(written)) and seen == seen.strip() and any(map(str.isalnum, seen)):
            cut.append(written)
        rows[written] = row
    return rows, cut


def seen_in_texts(lowercase: bool, whitespace: bool) -> Callable[[str], str]:
    """Return what is done to a text before its words are found."""
    if whitespace:  # it is tokenized already, and taken as it is
        return _lowered if lowercase else str
    return (lambda text: _lowered(visible(text))) if lowercase else visible


class TextWords:
    """The rows of a text's words. Rows of pieces are counted on from those of words.

    unknown  a function from a word to a row, asked once per stretch of text; without it a word that has no row and does
             not fall apart into pieces is `UNKNOWN`
    pieces   whether words fall apart into the pieces of the vectors
    """

    def __init__(
        self, vectors: WordVectors, unknown: Callable[[str], int] | None = None, *, pieces: bool = True
    ) -> None:
        whitespace = is_split_at_blanks(vectors)
        self._rows, cut = written_words(vectors.words, whitespace)
        self._seen = seen_in_texts(is_lowercase(vectors), whitespace)
        self._blanks: Callable[[str], list[str]] = _UNBROKEN.findall if whitespace else str.split
        self._cut: Callable[[str], list[str]] = _UNBROKEN.findall if whitespace else _find_words
        self._phrases = _Phrases({self._seen(word): self._rows[word] for word in reversed(cut)})
        self._unknown = unknown
        self._pieces = vectors.pieces if pieces else None
        self._words = len(vectors)
        self._kept = _Kept(self._piece)
        # The kept stretches in which a phrase may begin.
        self._beginning: set[str] = set()

    def rows(self, text: str) -> list[int]:
        """Return the row of each word of a text, in order."""
        stretches = self._blanks(text)
        found = list(chain.from_iterable(map(self._kept.__getitem__, stretches)))
        return found if self._beginning.isdisjoint(stretches) else self._rows_with_phrases(self._seen(text))

    def forget(self) -> bool:
        """Let go of the pieces that are kept where they are many; return whether that was so."""
        full = self._kept.characters > KEPT_CHARACTERS
        if full:
            self._kept, self._beginning = _Kept(self._piece), set()
        return full

    def _rows_with_phrases(self, text: str) -> list[int]:
        found: list[int] = []
        at = 0
        for start, end, row in self._phrases.find(text):
            found += self._between(text[at:start])
            found.append(row)
            at = end
        return found + self._between(text[at:])

    def _between(self, text: str) -> list[int]:
        return list(chain.from_iterable(map(self._kept.__getitem__, self._blanks(text))))

    def _piece(self, piece: str) -> tuple[int, ...]:
        """Cut one piece without blanks; characters that nobody sees may still part it."""
        seen = self._seen(piece)
        if self._phrases and self._phrases.may_begin(seen):
            self._beginning.add(piece)
        words = self._cut(seen)
        if len(words) == 1 and (row := self._rows.get(words[0])) is not None:
            return (row,)
        rows = [self._rows.get(word, UNKNOWN) for word in words]
        if UNKNOWN in rows and (self._pieces is not None or self._unknown is not None):
            return tuple(
                row
                for word, known in zip(words, rows, strict=True)
                for row in (self._outside(word) if known == UNKNOWN else (known,))
            )
        return tuple(rows)

    def _outside(self, word: str) -> list[int]:
        """Return the rows of a word outside the table: of its pieces, or of what answers for it."""
        if self._pieces is not None:
            first, found = cut_word(word, self._rows, self._pieces.numbers)
            if first is not None or found:
                return [*([] if first is None else [first]), *(self._words + number for number in found)]
        return [UNKNOWN if self._unknown is None else self._unknown(word)]


class _Kept(dict[str, tuple[int, ...]]):
    """What each piece of text gives, made when it is first asked for."""

    def __init__(self, make: Callable[[str], tuple[int, ...]]) -> None:
        self.make, self.characters = make, 0

    def __missing__(self, piece: str) -> tuple[int, ...]:
        made = self[piece] = self.make(piece)
        self.characters += len(piece) + _ALLOWANCE
        return made


class _Phrases:
    """Words that are found before a text is cut: the leftmost, of those the longest, where no word goes on beside it.

    One that a word goes on beside is left to the cutting, and the search goes on behind it. This is what Hugging Face's
    tokenizers do with added tokens.
    """

    def __init__(self, rows: Mapping[str, int]) -> None:
        self._rows = rows
        self._size = min((len(phrase) for phrase in rows), default=0)
        self._size = min(self._size, _PREFIX)
        lengths: dict[str, set[int]] = {}
        for phrase in rows:
            lengths.setdefault(phrase[: self._size], set()).add(len(phrase))
        self._lengths = {prefix: sorted(found, reverse=True) for prefix, found in lengths.items()}

        # Up to its first blank, a phrase stands in one stretch.
        self._heads = {phrase.split()[0][:_PREFIX] for phrase in rows}
        self._head_sizes = sorted({len(head) for head in self._heads})

    def __bool__(self) -> bool:
        return bool(self._rows)

    def may_begin(self, stretch: str) -> bool:
        """Return whether a phrase may begin in a stretch of text: whether the stretch has the head of one."""
        if len(self._heads) <= _FEW_HEADS:
            return any(head in stretch for head in self._heads)
        for size in self._head_sizes:
            if not self._heads.isdisjoint([stretch[at : at + size] for at in range(len(stretch) - size + 1)]):
                return True
        return False

    def find(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield start, end and row of each."""
        size, lengths, at = self._size, self._lengths, 0
        for start in [start for start in range(len(text) - size + 1) if text[start : start + size] in lengths]:
            if start < at:
                continue
            for length in lengths[text[start : start + size]]:
                row = self._rows.get(text[start : start + length])
                if row is not None:
                    at = start + length
                    if not _goes_on(text[start - 1 : start]) and not _goes_on(text[at : at + 1]):
                        yield start, at, row
                    break


def _find_words(text: str) -> list[str]:
    """Return what `find_words` does; most stretches of a text are plain letters, alone or before a mark."""
    if text.isascii():
        if text.isalpha():
            return [text]
        if text[-1:] in _MARKS and text[:-1].isalpha():
            return [text[:-1], text[-1]]
    return find_words(text)


def _goes_on(letter: str) -> bool:
    """Return whether a letter is part of a word, as regular expressions of Unicode's Annex C have it; "" is none."""
    if not letter:
        return False
    category = unicodedata.category(letter)
    return category[0] in "LM" or category in ("Nd", "Nl", "Pc") or letter in _JOINERS or bool(_ENCLOSED.match(letter))


def _lowered(text: str) -> str:
    # tokenizers lowercase each letter by itself; Python knows of the sigma at the end of a word.
    return text.lower() if text.isascii() else text.replace("Σ", "σ").lower()
