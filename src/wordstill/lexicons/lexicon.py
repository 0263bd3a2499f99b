"""Lexicons: which words belong together (synonyms, paraphrases) or against each other (antonyms).

A lexicon is an undirected graph of words. It is read from

- text files, a word and its neighbors per line (`head n1 n2 ...`, as Faruqui et al. publish them) or a pair per line;
  where a line has tabs it is split at them, and a space within a word is written `_`
- WordNet: `wordnet` (synonyms: words of one synset), `wordnet+` (hypernyms and hyponyms too), or the path of a
  database folder, with or without `+`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from wordstill.arrays import Array
from wordstill.errors import InputError
from wordstill.io.reading import read_text
from wordstill.lexicons.wordnet import Relation, find_wordnet, is_wordnet, read_wordnet

Kind: TypeAlias = Literal["synonyms", "antonyms", "associated"]

# What may stand between the parts of a word in the vectors, where the lexicon has `_`.
JOINERS = ("_", " ", "-")


@dataclass(frozen=True)
class Lexicon:
    """Pairs of words, in one order whatever the order of the lines they came from.

    words   sorted; every one has a neighbor
    edges   one row per pair: the places of its two words in `words`, the smaller first; sorted, no pair twice
    name    where it came from
    """

    words: tuple[str, ...]
    edges: Array
    name: str

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], name: str = "pairs") -> Lexicon:
        """The lexicon of these pairs; a pair given twice or both ways round counts once, a word with itself never."""
        flat = list(chain.from_iterable(pairs))
        words = sorted(set(flat))
        places = {word: place for place, word in enumerate(words)}
        edges = np.fromiter(map(places.__getitem__, flat), np.int64, len(flat)).reshape(-1, 2)
        edges = distinct(edges[edges[:, 0] != edges[:, 1]], len(words))
        used, places_used = np.unique(edges, return_inverse=True)
        return cls(tuple(words[place] for place in used.tolist()), places_used.reshape(-1, 2), name)

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Every pair of words once."""
        return ((self.words[first], self.words[second]) for first, second in self.edges.tolist())


def read_lexicon(source: str | Path, kind: Kind = "synonyms") -> Lexicon:
    """Read a file, a WordNet folder, `wordnet` or `wordnet+`; `kind` is which pairs of WordNet are meant."""
    text = str(source)
    plus = text.endswith("+") and not Path(text).exists()
    place = text[:-1] if plus else text
    relation: Relation = "related" if plus and kind == "synonyms" else kind
    if place == "wordnet":
        return _not_empty(Lexicon.of(read_wordnet(find_wordnet(), relation), text))
    path = Path(place).expanduser()
    if not path.exists():
        raise InputError(f"there is no lexicon {path}; give a file, a WordNet folder, 'wordnet' or 'wordnet+'")
    if is_wordnet(path):
        return _not_empty(Lexicon.of(read_wordnet(path, relation), path.name + "+" * plus))
    if path.is_dir():
        raise InputError(f"{path} is a folder without WordNet's data.noun; give a lexicon file or a WordNet folder")
    return _not_empty(Lexicon.of(_pairs_of_lines(read_text(path).split("\n")), path.name))


def read_lexicons(sources: Sequence[str | Path], kind: Kind = "synonyms") -> Lexicon | None:
    """All of them as one; None where there are none."""
    read = [read_lexicon(source, kind) for source in sources]
    return join(read) if read else None


def wordnets(sources: Sequence[str | Path]) -> list[str]:
    """Name the WordNets among lexicons or dictionaries, each once and without a `+`."""
    found = []
    for source in map(str, sources):
        place = source[:-1] if source.endswith("+") and not Path(source).exists() else source
        if place == "wordnet" or is_wordnet(Path(place).expanduser()):
            found.append(place)
    return list(dict.fromkeys(found))


def read_relation(places: Sequence[str], relation: Relation) -> Lexicon | None:
    """Read the pairs of one kind from WordNets; None where they have none."""
    read = []
    for place in places:
        path = find_wordnet() if place == "wordnet" else Path(place).expanduser()
        read.append(Lexicon.of(read_wordnet(path, relation), f"{Path(place).name} {relation}"))
    read = [lexicon for lexicon in read if len(lexicon.edges)]
    return join(read) if read else None


def join(lexicons: Sequence[Lexicon]) -> Lexicon:
    """One lexicon with the pairs of all."""
    if len(lexicons) == 1:
        return lexicons[0]
    pairs = (pair for lexicon in lexicons for pair in lexicon.pairs())
    return Lexicon.of(pairs, " + ".join(lexicon.name for lexicon in lexicons))


def distinct(edges: Array, size: int) -> Array:
    """Each edge once, the smaller number first, sorted; numbers are below `size`."""
    return np.stack(np.divmod(np.unique(edge_numbers(edges, size)), max(1, size)), axis=1)


def edge_numbers(edges: Array, size: int) -> Array:
    """One number an edge, the same both ways round."""
    return np.asarray(edges.min(axis=1) * size + edges.max(axis=1))


def find_rows(words: Sequence[str], key_to_index: Mapping[str, int]) -> Array:
    """The row of each of a lexicon's words among the vectors, -1 where it has none.

    A word is looked up as it is spelt, then with `_` written as the vectors may write it (a space, a hyphen),
    then both again in lower case.
    """
    rows = np.fromiter((key_to_index.get(word, -1) for word in words), np.int64, len(words))
    for place in np.flatnonzero(rows < 0).tolist():
        found = (key_to_index[spelling] for spelling in _spellings(words[place]) if spelling in key_to_index)
        rows[place] = next(found, -1)
    return rows


def _spellings(word: str) -> Iterator[str]:
    for form in dict.fromkeys((word, word.lower())):
        if "_" in form:
            yield from (form.replace("_", joiner) for joiner in JOINERS)
        else:
            yield form


def _pairs_of_lines(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        if "\t" in line:
            words = [re.sub(r"\s+", "_", cell.strip()) for cell in line.split("\t") if cell.strip()]
        else:
            words = line.split()
        yield from product(words[:1], words[1:])


def _not_empty(lexicon: Lexicon) -> Lexicon:
    if not len(lexicon.edges):
        raise InputError(f"the lexicon {lexicon.name} has no pair of words; each line needs a word and its neighbors")
    return lexicon
