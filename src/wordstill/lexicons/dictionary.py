"""Dictionaries: what a teacher reads of words besides the corpus, as "word: definition".

A dictionary is

- WordNet: `wordnet`, found as a lexicon is, or the path of a database
- a file: `word<TAB>definition` per line, CSV, JSON lines with "word" and "definition"; several definitions of a word
  stand in several lines, in further columns behind tabs, or in a list
- Wiktionary as JSON lines from kaikki.org, in any language
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.lexicons.dictionary_files import file_senses
from wordstill.lexicons.senses import Sense, spelling
from wordstill.lexicons.wordnet import find_wordnet, is_wordnet
from wordstill.lexicons.wordnet_senses import wordnet_senses

# Definitions of a word that are read: later senses are rare, and each costs as much as the first.
MOST = 6


@dataclass(frozen=True)
class Definitions:
    """What dictionaries say of some words: one entry per definition, those of a word together.

    name     the names of the dictionaries
    words    the words that were asked for
    owners   the place in `words` of the word that each definition is of, ascending
    texts    what the teacher reads
    weights  the share of each definition in its word's vector: in proportion to 1/rank, 1 in all
    lent     how many words have the definitions of a lemma alone
    """

    name: str
    words: tuple[str, ...]
    owners: Array
    texts: tuple[str, ...]
    weights: Array
    lent: int = 0

    @property
    def covered(self) -> Array:
        """The places in `words` of the words that have a definition."""
        return np.unique(self.owners)

    def between(self, first: int, last: int) -> Definitions:
        """What is said of the words from place `first` to before `last`."""
        part = slice(*np.searchsorted(self.owners, [first, last]).tolist())
        owners = self.owners[part] - first
        return Definitions(self.name, self.words[first:last], owners, self.texts[part], self.weights[part])

    def means(self, vectors: Array) -> Array:
        """The mean of the vectors of each covered word's definitions, given one row per text."""
        if not len(self.owners):
            return np.zeros((0, vectors.shape[1]), dtype=np.float32)
        starts = np.flatnonzero(np.diff(self.owners, prepend=-1))
        return np.add.reduceat(vectors * self.weights[:, None], starts, axis=0, dtype=np.float32)


def ask(questions: Sequence[str], spellings: Sequence[str]) -> Definitions:
    """Put each word into each question, where {} stands: texts that are read as definitions are, each as important.

    >>> ask(["what does {} mean?"], ["river"]).texts
    ('what does river mean?',)
    """
    number, each = len(spellings), len(questions)
    return Definitions(
        name="questions",
        words=tuple(spellings),
        owners=np.repeat(np.arange(number), each),
        texts=tuple(question.replace("{}", word) for word in spellings for question in questions),
        weights=np.full(number * each, 1.0 / max(1, each), dtype=np.float32),
    )


def read_definitions(
    sources: str | Path | Sequence[str | Path],
    words: Sequence[str],
    *,
    spellings: Sequence[str] | None = None,
    most: int = MOST,
) -> Definitions:
    """Read what one dictionary or several say of these words; those of the first dictionary come first.

    >>> read_definitions("glossary.tsv", ["stent"]).texts
    ('stent: a tube that keeps a vessel open',)

    spellings  the words as a teacher shall read them: `new york` for new_york
    most       definitions of a word that are taken, the most usual ones
    """
    listed = [sources] if isinstance(sources, (str, Path)) else list(sources)
    if not listed:
        raise InputError("no dictionary is named; give a file, a WordNet folder or 'wordnet'")
    spellings = words if spellings is None else spellings
    senses: dict[str, dict[Sense, None]] = {}
    names = []
    for source in listed:
        name, found = _read(source, words, most)
        names.append(name)
        for word, of_word in found.items():
            senses.setdefault(word, {}).update(dict.fromkeys(of_word))
    owners: list[int] = []
    texts: list[str] = []
    weights: list[float] = []
    lent = 0
    for place, (word, spelled) in enumerate(zip(words, spellings, strict=True)):
        taken = list(senses.get(word, ()))[:most]
        shares = 1.0 / np.arange(1, len(taken) + 1)
        owners += [place] * len(taken)
        texts += [f"{spelled}: {sense.definition}" for sense in taken]
        weights += (shares / shares.sum()).tolist() if taken else []
        lent += bool(taken) and all(spelling(sense.lemma).lower() != spelling(spelled).lower() for sense in taken)
    return Definitions(
        name=" + ".join(names),
        words=tuple(words),
        owners=np.array(owners, dtype=np.int64),
        texts=tuple(texts),
        weights=np.array(weights, dtype=np.float32),
        lent=lent,
    )


def _read(source: str | Path, words: Sequence[str], most: int) -> tuple[str, dict[str, list[Sense]]]:
    if str(source) == "wordnet":
        return "wordnet", wordnet_senses(find_wordnet(), words)
    path = Path(source).expanduser()
    if not path.exists():
        raise InputError(f"there is no dictionary {path}; give a file, a WordNet folder or 'wordnet'")
    if is_wordnet(path):
        return path.name, wordnet_senses(path, words)
    if path.is_dir():
        raise InputError(f"{path} is a folder without WordNet's data.noun; give a dictionary file or a WordNet folder")
    return path.name, file_senses(path, words, most)
