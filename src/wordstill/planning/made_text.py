"""Make text without a source: common words among made-up ones, in sentences and paragraphs of usual lengths.

A teacher computes as long on it as on real text of the same lengths. It says nothing about the quality of vectors.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

_COMMON = (
    "the of and in to a was is for as on with by he that at from his it an were are which this had also has be "
    "first one their its new after who they two her she been other when there all during into school time may years "
    "more most only over city some world would where later up such used many can state about national out known "
    "university united then made people these between part three under both work game season well film music early "
    "second number while family area following members south north until through however several before century "
    "house since place around him them year being team but not or so no history group war river born large public "
    "series old town name life company four home water church high land law king system often small against main "
    "long children west east service day light government local called record district line power field book play "
    "end found open body"
)
COMMON = _COMMON.split()
SYLLABLES = [first + vowel + last for first in "bdfgklmnprst" for vowel in "aeiou" for last in ("", "n", "r", "l")]
# The share of made-up words, which a tokenizer cuts into three or four pieces. In all that is 1.2 pieces per word, as
# in Wikipedia.
RARE = 0.12
MADE_WORDS = 20_000


def made_paragraphs(words: int, seed: int = 0) -> Iterator[str]:
    """Make paragraphs of so many words in all; the same for the same seed."""
    random = np.random.default_rng(seed)
    # Zipf's law, roughly: a word's share falls with its rank.
    ranks = np.arange(1, MADE_WORDS + 1)
    up_to = np.cumsum(1.0 / ranks) / (1.0 / ranks).sum()
    while words > 0:
        sentences = []
        for _ in range(random.integers(1, 8)):
            length = int(np.clip(random.normal(24, 9), 4, 70))
            rare = random.random(length) < RARE
            common = random.integers(0, len(COMMON), length)
            made = np.searchsorted(up_to, random.random(length))
            chosen = [made_word(made[i]) if rare[i] else COMMON[common[i]] for i in range(length)]
            sentences.append(" ".join(chosen).capitalize() + ".")
            words -= length
        yield " ".join(sentences)


def write_made_text(path: Path, words: int, seed: int = 0) -> Path:
    """Write a file with one paragraph per line; return its path."""
    path.write_text("\n".join(made_paragraphs(words, seed)) + "\n", encoding="utf-8")
    return path


def made_word(number: int) -> str:
    """Make a word of two or three syllables; every number has another one."""
    number = int(number)
    size = len(SYLLABLES)
    word = SYLLABLES[number % size] + SYLLABLES[number // size % size]
    return word + SYLLABLES[number % 97] if number % 3 == 0 else word
