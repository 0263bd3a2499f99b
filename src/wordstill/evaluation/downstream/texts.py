"""Labelled texts in their published files, and a user's own: a label, a tab and a text per line.

MR, CR, SUBJ and MPQA have a file per class; SST a label in front of each text, in three parts; TREC a coarse and a
fine label (the coarse one is predicted), in two parts. Texts are lowercased and split at blanks: all of them were
published in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.evaluation.dataset_lines import read_lines
from wordstill.evaluation.downstream.splits import SHARES, drawn_parts, not_among
from wordstill.evaluation.split import Split

Text = tuple[str, ...]


@dataclass(frozen=True)
class Texts:
    """Texts as words, and the number of each one's class."""

    words: list[Text]
    labels: Array

    def __len__(self) -> int:
        return len(self.words)

    def take(self, places: Array) -> Texts:
        """Return the texts at these places."""
        return Texts([self.words[place] for place in places], self.labels[places])

    def __add__(self, other: Texts) -> Texts:
        return Texts(self.words + other.words, np.concatenate([self.labels, other.labels]))


@dataclass(frozen=True)
class LabelledTexts:
    """A data set: the names of its classes, and its three parts, which share no text."""

    classes: tuple[str, ...]
    train: Texts
    validation: Texts
    test: Texts

    @property
    def parts(self) -> tuple[Texts, Texts, Texts]:
        """The three parts in order."""
        return self.train, self.validation, self.test


def read_text_file(path: Path) -> LabelledTexts:
    """Read a file of your own, a label, a tab and a text per line, and draw its parts."""
    pairs = []
    for number, line in read_lines(path, comments=False):
        label, tab, text = line.partition("\t")
        if not tab or not label.strip() or not text.strip():
            raise InputError(f"{path}, line {number}: expected a label, a tab and a text")
        pairs.append((label.strip(), _words(text)))
    return _with_parts(path, {"all": pairs})


def read_text_files(files: Sequence[Path]) -> LabelledTexts:
    """Read the files of a published set."""
    parts: dict[str, list[tuple[str, Text]]] = {}
    for path in files:
        if path.suffix == ".label":
            part = "test" if path.stem == "TREC_10" else "train"
            pairs = [(label.partition(":")[0], _words(text)) for label, text in _labelled(path, "latin-1")]
        elif path.name.startswith("stsa."):
            part = path.suffix[1:]
            pairs = [(label, _words(text)) for label, text in _labelled(path, "utf-8")]
        else:
            part, pairs = "all", [(path.suffix[1:], _words(line)) for line in _lines(path, "utf-8")]
        parts.setdefault(part, []).extend(pairs)
    return _with_parts(files[0].parent, parts)


def halve(data: LabelledTexts, split: Split) -> LabelledTexts:
    """With "dev", judge by the validation part and validate by a part of the training texts; "test" is as ever."""
    if split == "test":
        return data
    train, validation = drawn_parts(data.train.words, (0.75, 0.25))
    return LabelledTexts(data.classes, data.train.take(train), data.train.take(validation), data.validation)


def _with_parts(path: Path, parts: dict[str, list[tuple[str, Text]]]) -> LabelledTexts:
    classes = sorted({label for pairs in parts.values() for label, _ in pairs})
    if len(classes) < 2:
        raise InputError(f"{path} has texts of {len(classes)} classes; a classifier needs two or more")
    made = {
        name: Texts([text for _, text in pairs], np.array([classes.index(label) for label, _ in pairs]))
        for name, pairs in parts.items()
    }
    if "all" in made:
        train, validation, test = (made["all"].take(places) for places in drawn_parts(made["all"].words, SHARES))
    else:
        train, test = made["train"], made["test"]
        train = train.take(not_among(train.words, test.words))
        if "dev" in made:
            validation = made["dev"].take(not_among(made["dev"].words, test.words))
            train = train.take(not_among(train.words, validation.words))
        else:
            train, validation = (train.take(places) for places in drawn_parts(train.words, (0.75, 0.25)))
    if not (len(train) and len(validation) and len(test)):
        raise InputError(f"{path} has too few texts for three parts; give some dozens")
    return LabelledTexts(tuple(classes), train, validation, test)


def _labelled(path: Path, encoding: str) -> list[tuple[str, str]]:
    found = []
    for line in _lines(path, encoding):
        label, _, text = line.strip().partition(" ")
        found.append((label, text))
    return found


def _lines(path: Path, encoding: str) -> list[str]:
    try:
        text = path.read_bytes().decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not {encoding} text (byte {error.start}); get the set again") from None
    # Only \n ends a line: some texts hold other characters that Python would split at.
    return [line for line in text.split("\n") if line.strip()]


def _words(text: str) -> Text:
    return tuple(text.lower().split())
