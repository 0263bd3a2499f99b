"""The vocabulary: which words get a vector, how often each was seen, and where they stand in a sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.io.reading import read_text
from wordstill.options import Options, setting

# While counting, words seen once are forgotten from time to time, so that memory is not the corpus's.
MOST_COUNTED = 20_000_000
# Grammars have some dozens of relations.
MOST_RELATIONS = 2_000


def read_word_list(path: Path) -> tuple[str, ...]:
    """Read the words of a file, one per line; what follows a tab is ignored, so a vocabulary.tsv will do."""
    words = [line.partition("\t")[0].strip() for line in read_text(path).split("\n")]
    listed = tuple(dict.fromkeys(re.sub(r"\s+", "_", word) for word in words if word))
    if not listed:
        raise InputError(f"the vocabulary file {path} has no word in it")
    return listed


@dataclass(frozen=True)
class VocabularySettings(Options):
    """Which words are kept. Words that are asked for by name are kept whatever their count."""

    min_count: int = setting(5, "the least occurrences of a word", low=1, group="vocabulary")
    max_size: int | None = setting(
        None, "keep only the N most frequent words", low=1, group="vocabulary", option="--max-vocab"
    )
    lowercase: bool = setting(
        True, "do not lowercase the vocabulary", group="vocabulary", option="--keep-case", off=True
    )
    forced: tuple[str, ...] = setting(
        (),
        "words to keep whatever their count, one per line",
        group="vocabulary",
        option="--vocabulary",
        metavar="FILE",
        read=lambda text: read_word_list(Path(text)),
    )


class Phrase(NamedTuple):
    """A forced word that the segmenter splits: its parts as vocabulary keys, and what stands between them."""

    word: str
    parts: tuple[str, ...]
    gaps: tuple[str, ...]


@dataclass(frozen=True)
class Phrases:
    """Words of several parts, matched in a sentence from left to right, the longest first."""

    lowercase: bool = True
    starts: dict[str, list[Phrase]] = field(default_factory=dict)

    @classmethod
    def of(cls, words: Iterable[str], segment: Callable[[str], list[list[str]]], lowercase: bool) -> Phrases:
        """Find which of the words the segmenter splits. `_` stands for a space: new_york is "new york"."""
        starts: dict[str, list[Phrase]] = {}
        for word in words:
            parts: list[str] = []
            gaps: list[str] = []
            for stretch in re.split(r"[_\s]+", word):
                for place, part in enumerate(part for sentence in segment(stretch) for part in sentence):
                    gaps.append("" if place else " ")
                    parts.append(part.lower() if lowercase else part)
            if len(parts) > 1:
                starts.setdefault(parts[0], []).append(Phrase(word, tuple(parts), tuple(gaps[1:])))
        for phrases in starts.values():
            phrases.sort(key=lambda phrase: (-len(phrase.parts), phrase.word))
        return cls(lowercase, starts)

    def read(self, sentence: Sequence[str]) -> tuple[list[str], list[str]]:
        """The words of a sentence as the teacher shall read them, and under what they are counted."""
        keys = [word.lower() for word in sentence] if self.lowercase else list(sentence)
        return self.join(sentence, keys) if self.starts else (list(sentence), keys)

    def join(self, words: Sequence[str], keys: Sequence[str]) -> tuple[list[str], list[str]]:
        """Join what belongs together: the words as the teacher shall read them, and their keys."""
        if not any(key in self.starts for key in keys):
            return list(words), list(keys)
        joined: list[str] = []
        joined_keys: list[str] = []
        place = 0
        while place < len(keys):
            for phrase in self.starts.get(keys[place], ()):
                end = place + len(phrase.parts)
                if tuple(keys[place:end]) == phrase.parts:
                    between = (*phrase.gaps, "")
                    joined.append("".join(w + gap for w, gap in zip(words[place:end], between, strict=True)))
                    joined_keys.append(phrase.word)
                    place = end
                    break
            else:
                joined.append(words[place])
                joined_keys.append(keys[place])
                place += 1
        return joined, joined_keys


@dataclass(frozen=True)
class Vocabulary:
    """Words in order of count, the most frequent first; words of equal count in the order of their letters."""

    words: list[str]
    counts: Array
    phrases: Phrases = field(default_factory=Phrases)
    relations: tuple[str, ...] = ()
    """The relations that parses have, in the order of their letters; none without parses."""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def frequencies(self) -> Array:
        """f(w): the relative frequency of each word among the words of the vocabulary."""
        return self.counts / max(1, int(self.counts.sum()))

    def __len__(self) -> int:
        return len(self.words)

    def read(self, sentence: Sequence[str]) -> tuple[list[str], Array]:
        """The words of a sentence as the teacher shall read them, and the number of each (-1: none)."""
        words, keys = self.phrases.read(sentence)
        return words, self.number(keys)

    def number(self, keys: Sequence[str]) -> Array:
        """The number of each word that is counted under these (-1: none)."""
        numbers = self.numbers
        return np.fromiter((numbers.get(key, -1) for key in keys), dtype=np.int32, count=len(keys))

    def number_relations(self, relations: Sequence[str]) -> Array:
        """Return the number of each of these relations."""
        numbers = {relation: number for number, relation in enumerate(self.relations)}
        return np.array([numbers[relation] for relation in relations], dtype=np.int32)


class Counts:
    """Words counted, one stretch of text after the other."""

    def __init__(self, phrases: Phrases) -> None:
        self.phrases = phrases
        self.relations: set[str] = set()
        self.counter: Counter[str] = Counter()
        self.forgotten = 0

    def add(self, keys: Iterable[str], numbers: Iterable[int]) -> None:
        """Add words, each seen so often in a stretch of text."""
        counter = self.counter
        for key, number in zip(keys, numbers, strict=True):
            if number:
                counter[key] += number
        if len(self.counter) > MOST_COUNTED:
            # Rare words may lose occurrences here; a word must be rare across a great stretch of text for it.
            kept = Counter({word: count for word, count in self.counter.items() if count > 1})
            self.forgotten += len(self.counter) - len(kept)
            self.counter = kept

    def add_relations(self, relations: Iterable[str]) -> None:
        """Take note of the relations in a stretch of text."""
        self.relations.update(relations)
        if len(self.relations) > MOST_RELATIONS:
            raise InputError(
                f"the parses of the corpus have over {MOST_RELATIONS:,} relations; is the column DEPREL of the CoNLL-U "
                "file what it should be?"
            )

    def vocabulary(self, settings: VocabularySettings) -> Vocabulary:
        """The words that the settings keep."""
        key = str.lower if settings.lowercase else str
        forced = dict.fromkeys(key(word) for word in settings.forced)
        found = [
            (word, count) for word, count in self.counter.items() if count >= settings.min_count and word not in forced
        ]
        found.sort(key=lambda item: (-item[1], item[0]))
        if settings.max_size is not None:
            found = found[: max(0, settings.max_size - len(forced))]
        found += [(word, self.counter.get(word, 0)) for word in forced]
        found.sort(key=lambda item: (-item[1], item[0]))
        if not any(count for _, count in found):
            frequent = self.counter.most_common(1)
            seen = f"the most frequent, {frequent[0][0]!r}, {frequent[0][1]} times" if frequent else "none"
            raise InputError(
                f"no word of the corpus is seen {settings.min_count} times or more ({seen}); "
                "lower --min-count or give more text"
            )
        return Vocabulary(
            [word for word, _ in found],
            np.array([count for _, count in found], dtype=np.int64),
            self.phrases,
            tuple(sorted(self.relations)),
        )
