"""Tell what a vectors file or folder is: format, words, dimensions, lengths, and its model card.

wordstill info run/closed
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np

from wordstill.cli.words import add_json, text_of
from wordstill.files import plain
from wordstill.formats import detect, load


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    parser.add_argument("path", metavar="PATH", help="a vectors folder, or a word2vec or GloVe file")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print one line a fact, or all of them as a JSON object."""
    facts = facts_of(arguments.path)
    if arguments.json:
        print(json.dumps(facts, ensure_ascii=False, indent=2, default=plain))
        return
    card = facts.pop("card")
    facts["first words"] = " ".join(facts["first words"])
    for key, value in card.items():
        facts[key] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=plain)
    width = max(map(len, facts))
    for fact, value in facts.items():
        print(f"{text_of(fact):{width}}  {text_of(value)}")


def facts_of(path: str) -> dict[str, Any]:
    """What is known of the vectors at a path."""
    vectors = load(path)
    lengths = vectors.norms
    finite = np.isfinite(lengths)
    return {
        "path": path,
        "format": detect(path),
        "words": len(vectors),
        "dimensions": vectors.vector_size,
        "numbers": vectors.matrix.dtype.name,
        "counted": None if vectors.counts is None else int(vectors.counts.sum()),
        "mean length": float(lengths[finite].mean()) if finite.any() else None,
        "zero vectors": int((lengths == 0).sum()),
        "vectors with inf or nan": int((~finite).sum()),
        "first words": vectors.words[:10],
        "card": vectors.card,
    }
