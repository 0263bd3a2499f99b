"""What the commands on words share: finding the words asked for, and printing a table or JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import chain
from typing import Any

from wordstill.cli.tables import table
from wordstill.errors import InputError
from wordstill.vectors import WordVectors

# Comparing a misspelt word with every word of a large vocabulary would take seconds; the first are the frequent ones.
COMPARED = 50_000


def add_json(parser: argparse.ArgumentParser) -> None:
    """The switch that all of them have."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def require(vectors: WordVectors, words: Sequence[str]) -> None:
    """Refuse words that have no vector, with spellings that have one."""
    for word in words:
        if word not in vectors:
            near = close_spellings(vectors, word)
            hint = f"; near it are {', '.join(near)}" if near else "; no word is spelt like it"
            raise InputError(f"the word {word!r} has no vector{hint}")


def close_spellings(vectors: WordVectors, word: str) -> list[str]:
    """The same word in another case or joined by another sign, then words spelt alike."""
    lower = word.lower()
    variants = [lower, word.capitalize(), word.upper(), word.title(), lower.replace(" ", "_"), lower.replace(" ", "-")]
    found = [variant for variant in variants if variant in vectors]
    alike = (
        get_close_matches(spelling, vectors.words[:COMPARED], n=3, cutoff=0.75)
        for spelling in dict.fromkeys([word, lower])
    )
    return list(dict.fromkeys([*found, *chain(*alike)]))[:4]


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
