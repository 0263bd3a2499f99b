"""Other evaluation programs whose numbers are reproduced, their defects included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from wordstill.evaluation.space import Case

Compat: TypeAlias = Literal["web", "muse"]
Words = TypeVar("Words", bound="tuple[str, ...]")


@dataclass(frozen=True)
class Harness:
    """How a harness looks words up, and what the foot of a table of its numbers says."""

    case: Case
    foot: str
    top: int | None = None
    """How many words of the vocabulary it reads."""


HARNESSES: dict[str, Harness] = {
    "web": Harness(
        case="lowered",
        foot="As the word-embeddings-benchmarks (web) harness computes it, defects included: a missing word has"
        " the mean vector, a missing answer is wrong, SemEval-2012 ranks the gold scores as text, takes raw"
        " dot products and counts the training relations too, and categorization takes the best of six"
        " clusterings.",
    ),
    "muse": Harness(
        case="ignore",
        top=200_000,
        foot="As MUSE computes it, defects included: the first 200,000 words lowercased, items with a missing word"
        " skipped, and analogies asked for the third word (a - b + d).",
    ),
}


def cleaned(words: Words) -> Words:
    """Clean words as the `web` harness does for analogies and relations."""
    return type(words)(letters_and_digits(word) for word in words)


def letters_and_digits(word: str) -> str:
    """Lowercase a word and remove its punctuation."""
    return "".join(letter for letter in word.lower() if letter.isalnum() or letter in "-_" or ord(letter) > 255)
