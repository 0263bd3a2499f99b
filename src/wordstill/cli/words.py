"""What the commands on words share: finding the words asked for, and printing a table or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from wordstill.cli.text_table import table
from wordstill.corpus.segment import Segmenter
from wordstill.errors import InputError
from wordstill.vectors import Key, WordVectors
from wordstill.vectors.oov import RULES, answer
from wordstill.vectors.spelling import close_spellings


def add_vectors(parser: argparse.ArgumentParser) -> None:
    """The vectors to ask, which all of them have."""
    parser.add_argument("vectors", metavar="VECTORS", help="a vectors folder, or a word2vec or GloVe file")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The switches of those that ask for words."""
    parser.add_argument(
        "--oov", metavar="RULE,..", help=f"what may answer for a word without a vector: {', '.join(RULES)}"
    )
    add_json(parser)


def add_json(parser: argparse.ArgumentParser) -> None:
    """The switch that all of them have."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def require(vectors: WordVectors, words: Sequence[str], oov: str | None = None) -> None:
    """Refuse words that have no vector, with spellings that have one; tell where a rule answers for a word."""
    for word in dict.fromkeys(words):
        if word in vectors:
            continue
        found = answer(vectors, word, oov)
        if found is None:
            near = close_spellings(vectors.words, word)
            hint = f"; near it are {', '.join(map(text_of, near))}" if near else "; no word is spelt like it"
            raise InputError(f"the word {word!r} has no vector{hint}")
        print(f"note: {text_of(word)} has no vector of its own; taken is {text_of(found[1])}", file=sys.stderr)


def phrase_keys(vectors: WordVectors, phrase: str, oov: str | None) -> list[Key]:
    """The words of a phrase that have a vector, or what a rule answers for them; telling which are left out."""
    words = [word for sentence in Segmenter()(phrase) for word in sentence]
    keys: list[Key] = []
    missing = []
    for word in words:
        row = vectors.key_to_index.get(word, vectors.folded_index.get(word.casefold()))
        found = vectors.get(word, oov=oov) if row is None else vectors.words[row]
        if found is None:
            missing.append(word)
        else:
            keys.append(found)
    if keys and missing:
        print(f"note: left out, having no vector: {', '.join(map(text_of, dict.fromkeys(missing)))}", file=sys.stderr)
    return keys


def show(rows: Sequence[Sequence[Any]], headings: Sequence[str], as_json: bool) -> None:
    """Print rows as a table, or as a list of JSON objects."""
    if as_json:
        print(json.dumps([dict(zip(headings, row, strict=True)) for row in rows], ensure_ascii=False, indent=2))
        return
    print(table(headings, [[text_of(cell) for cell in row] for row in rows]))


def text_of(value: Any) -> str:
    """A cell: numbers to four places, control characters as escapes so that they do no harm to a terminal."""
    if isinstance(value, float):
        return f"{value:.4f}"
    text = str(value)
    return text if text.isprintable() else repr(text)[1:-1]
