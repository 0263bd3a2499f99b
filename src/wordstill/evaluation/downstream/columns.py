"""Words with a tag each, in columns: CoNLL files (the first column is the word, the last the tag) and CoNLL-U.

An empty line ends a sentence. Of CoNLL-U (.conllu) the form and the universal part of speech are read; words that
were cut out of one token (1-2) and empty nodes (1.1) are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.evaluation.downstream.spans import marks_spans
from wordstill.evaluation.downstream.splits import not_among
from wordstill.evaluation.split import Split
from wordstill.io.reading import read_text

Words = tuple[str, ...]


@dataclass(frozen=True)
class Tagged:
    """Sentences as words, and the tags of each."""

    words: list[Words]
    tags: list[Words]

    def __len__(self) -> int:
        return len(self.words)

    def take(self, places: Array) -> Tagged:
        """Return the sentences at these places."""
        return Tagged([self.words[place] for place in places], [self.tags[place] for place in places])


@dataclass(frozen=True)
class TaggedSentences:
    """A data set: its three parts, which share no sentence of more than a few words."""

    train: Tagged
    validation: Tagged
    test: Tagged

    @property
    def parts(self) -> tuple[Tagged, Tagged, Tagged]:
        """The three parts in order."""
        return self.train, self.validation, self.test

    @property
    def has_spans(self) -> bool:
        """Whether the tags mark spans."""
        return marks_spans(tag for tags in self.train.tags for tag in tags)


def read_column_file(path: Path) -> TaggedSentences:
    """Read one file of your own: its last tenth is tested, and the tenth before validates."""
    sentences = read_sentences(path)
    first, second = int(0.8 * len(sentences)), int(0.9 * len(sentences))
    return _checked(
        path, *(sentences.take(np.arange(*ends)) for ends in ((0, first), (first, second), (second, len(sentences))))
    )


def read_column_files(files: Sequence[Path]) -> TaggedSentences:
    """Read a set whose files tell by their names what they are: train, dev (or valid), test.

    Where there is no validation part, the last tenth of the training part is one: neighbouring sentences are of the
    same documents, so it is not drawn at random.
    """
    parts: dict[str, Tagged] = {}
    for path in files:
        part = next((name for name, marks in _NAMES.items() if any(mark in path.name.lower() for mark in marks)), None)
        # WNUT-17 has its test part twice, once with the final annotation.
        if part is None or (path.with_suffix(".annotated") in files and path.suffix != ".annotated"):
            continue
        if part in parts:
            raise InputError(f"{path.parent} has two files for its part {part!r}; leave one")
        parts[part] = read_sentences(path)
    folder = files[0].parent if files else Path()
    if not {"train", "test"} <= parts.keys():
        raise InputError(f"{folder} has no files whose names say train and test; name them so")
    train, validation = parts["train"], parts.get("validation")
    if validation is None:
        border = len(train) - max(1, len(train) // 10)
        train, validation = train.take(np.arange(border)), train.take(np.arange(border, len(train)))
    return _checked(folder, train, validation, parts["test"])


_NAMES = {"train": ("train",), "validation": ("dev", "valid"), "test": ("test",)}
# A sentence this short ("Thanks !") may well be said twice; a longer one that is tested too is not trained on.
SHORT = 5


def read_sentences(path: Path) -> Tagged:
    """Read the sentences of one file."""
    universal = path.suffix == ".conllu"
    found = Tagged([], [])
    words: list[str] = []
    tags: list[str] = []
    for number, line in enumerate([*read_text(path).split("\n"), ""], 1):
        line = line.strip("\r\n")
        if not line.strip() or line.startswith("-DOCSTART-"):
            if words:
                found.words.append(tuple(words))
                found.tags.append(tuple(tags))
            words, tags = [], []
            continue
        if universal and line.startswith("#"):
            continue
        fields = line.split("\t") if "\t" in line else line.split()
        if universal and len(fields) > 3 and not fields[0].isdigit():
            continue
        if len(fields) < (4 if universal else 2):
            expected = "the ten columns of CoNLL-U" if universal else "a word and its tag in columns"
            raise InputError(f"{path}, line {number}: expected {expected}, found {line[:60]!r}")
        words.append(fields[1] if universal else fields[0])
        tags.append(fields[3] if universal else fields[-1].strip())
    return found


def halve(data: TaggedSentences, split: Split) -> TaggedSentences:
    """With "dev", judge by the validation part and validate by the last tenth of the training part."""
    if split == "test":
        return data
    border = len(data.train) - max(1, len(data.train) // 10)
    train, validation = np.split(np.arange(len(data.train)), [border])
    return TaggedSentences(data.train.take(train), data.train.take(validation), data.validation)


def _checked(place: Path, train: Tagged, validation: Tagged, test: Tagged) -> TaggedSentences:
    """Leave out training sentences that are judged too; refuse an empty part."""
    judged = [words for words in (*validation.words, *test.words) if len(words) > SHORT]
    train = train.take(not_among(train.words, judged))
    validation = validation.take(not_among(validation.words, [words for words in test.words if len(words) > SHORT]))
    if not (len(train) and len(validation) and len(test)):
        raise InputError(f"{place} has too few sentences for three parts; give some dozens")
    return TaggedSentences(train, validation, test)
