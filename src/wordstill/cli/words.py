"""What the commands on words share: finding the words asked for, and printing a table or JSON."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from wordstill.cli.output import give_json, tell
from wordstill.cli.text_table import table
from wordstill.corpus.segment import Segmenter
from wordstill.escaping import for_terminal
from wordstill.explore.displayed_words import unknown_word
from wordstill.system.progress import log
from wordstill.vectors import Key, WordVectors
from wordstill.vectors.oov import RULES, answer


def add_vectors(parser: argparse.ArgumentParser) -> None:
    """Add the vectors to ask."""
    parser.add_argument("vectors", metavar="VECTORS", help="a vectors folder, or a word2vec or GloVe file")


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    """Add what may answer for a word without a vector, and how answers are printed."""
    add_oov(parser)
    add_json(parser)


def add_oov(parser: argparse.ArgumentParser) -> None:
    """Add what may answer for a word without a vector."""
    parser.add_argument(
        "--oov", metavar="RULE,..", help=f"what may answer for a word without a vector: {', '.join(RULES)}"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the switch that prints JSON."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def require_words(vectors: WordVectors, words: Sequence[str], oov: str | None = None) -> None:
    """Refuse words that have no vector, with spellings that have one; tell where a rule answers for a word."""
    for word in dict.fromkeys(words):
        if word in vectors:
            continue
        found = answer(vectors, word, oov)
        if found is None:
            raise unknown_word(vectors, word)
        log.info("note: %s has no vector of its own; taken is %s", for_terminal(word), for_terminal(found[1]))


def phrase_keys(vectors: WordVectors, phrase: str, oov: str | None) -> list[Key]:
    """Find the words of a phrase that have a vector, or what a rule answers for them; tell which are left out."""
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
        log.info("note: left out, having no vector: %s", ", ".join(map(for_terminal, dict.fromkeys(missing))))
    return keys


def print_rows(rows: Sequence[Sequence[Any]], headings: Sequence[str], as_json: bool) -> None:
    """Print rows as a table, or as a list of JSON objects."""
    if as_json:
        give_json([dict(zip(headings, row, strict=True)) for row in rows])
        return
    tell(table(headings, [[text_of(cell) for cell in row] for row in rows]))


def text_of(value: Any) -> str:
    """Write a cell: numbers to four places, control characters as escapes."""
    return f"{value:.4f}" if isinstance(value, float) else for_terminal(str(value))
