"""Tell what a vectors file or folder is: format, size, words, dimensions, numbers, counts, and its model card.

wordstill info run/closed
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wordstill.cli.words import add_json, text_of
from wordstill.formats import FORMATS, READ, detect, load
from wordstill.io.files import plain
from wordstill.io.sizes import bytes_of, in_units
from wordstill.vectors import WordVectors

# How many words are shown.
SHOWN = 10


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    parser.add_argument("path", metavar="PATH", help="vectors in any format that is read")
    parser.add_argument("--from", metavar="FORMAT", dest="read_as", choices=READ, help="its format, where it misleads")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print one line a fact, or all of them as a JSON object."""
    facts = facts_of(arguments.path, arguments.read_as)
    if arguments.json:
        print(json.dumps(facts, ensure_ascii=False, indent=2, default=plain))
        return
    card = facts.pop("card")
    facts["bytes"] = f"{facts['bytes']:,} ({in_units(facts['bytes'])})"
    facts["top words"] = " ".join(
        word if count is None else f"{word} ({count:,})" for word, count in facts["top words"]
    )
    _print(facts)
    if card:
        print("model card")
        _print({f"  {key}": value for key, value in card.items()})


def _print(facts: Mapping[str, Any]) -> None:
    width = max(map(len, facts))
    for fact, value in facts.items():
        if isinstance(value, dict | list | tuple):
            value = json.dumps(value, ensure_ascii=False, default=plain)
        shown = "not known" if value is None else f"{value:,}" if isinstance(value, int) else text_of(value)
        print(f"{text_of(fact):{width}}  {shown}")


def facts_of(path: str, read_as: str | None = None) -> dict[str, Any]:
    """What is known of the vectors at a path."""
    format = FORMATS[read_as or detect(path)]
    vectors = load(path, format.name)
    lengths = vectors.norms
    finite = np.isfinite(lengths)
    counts = vectors.counts
    return {
        "path": path,
        "format": format.name,
        "bytes": sum(bytes_of(file) for file in format.files(Path(path))),
        "words": len(vectors),
        "dimensions": vectors.vector_size,
        "numbers": format.stored_type(Path(path)) if format.stored_type else vectors.matrix.dtype.name,
        "counted": None if counts is None else int(counts.sum()),
        "least count": None if counts is None or not len(counts) else int(counts.min()),
        "mean length": float(lengths[finite].mean()) if finite.any() else None,
        "zero vectors": int((lengths == 0).sum()),
        "vectors with inf or nan": int((~finite).sum()),
        "top words": top_words(vectors),
        "card": vectors.card,
    }


def top_words(vectors: WordVectors) -> list[tuple[str, int | None]]:
    """The most frequent words with their counts; the first ones where counts are not known."""
    if vectors.counts is None:
        return [(word, None) for word in vectors.words[:SHOWN]]
    rows = np.argsort(-vectors.counts, kind="stable")[:SHOWN]
    return [(vectors.words[row], int(vectors.counts[row])) for row in rows]
