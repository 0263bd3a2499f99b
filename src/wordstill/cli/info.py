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

from wordstill.cli.output import give_json, tell
from wordstill.cli.words import add_json, text_of
from wordstill.explore.displayed_words import frequency_order
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
    """Print a line per property, or all of them as a JSON object."""
    found = properties(arguments.path, arguments.read_as)
    if arguments.json:
        give_json(found)
        return
    card = found.pop("card")
    found["bytes"] = f"{found['bytes']:,} ({in_units(found['bytes'])})"
    found["top words"] = " ".join(
        word if count is None else f"{word} ({count:,})" for word, count in found["top words"]
    )
    _print(found)
    if card:
        tell("model card")
        _print({f"  {key}": value for key, value in card.items()})


def _print(found: Mapping[str, Any]) -> None:
    width = max(map(len, found))
    for name, value in found.items():
        if isinstance(value, dict | list | tuple):
            value = json.dumps(value, ensure_ascii=False, default=plain)
        text = "not known" if value is None else f"{value:,}" if isinstance(value, int) else text_of(value)
        tell(f"{text_of(name):{width}}  {text}")


def properties(path: str, read_as: str | None = None) -> dict[str, Any]:
    """Find out what can be known of the vectors at a path."""
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
    """List the most frequent words with their counts; the first ones where counts are not known."""
    rows, counts = frequency_order(vectors)[:SHOWN].tolist(), vectors.counts
    return [(vectors.words[row], None if counts is None else int(counts[row])) for row in rows]
