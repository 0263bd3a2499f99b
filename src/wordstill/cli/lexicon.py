"""Tell what is in a lexicon, and how much of it given vectors have.

  wordstill lexicon info ppdb-xl.txt
  wordstill lexicon info wordnet+ --vectors run/aggregate glove.txt
  wordstill lexicon info wordnet --antonyms

A lexicon is a file (a word and its neighbors per line, or a pair per line), a WordNet folder, `wordnet` or `wordnet+`.
Words of several parts are joined by `_`, and found in vectors that join them by `_`, a space or a hyphen.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from wordstill.cli.output import give_json, tell
from wordstill.cli.text_table import table
from wordstill.cli.words import add_json, text_of
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    info = actions.add_parser("info", help="count the words and pairs of lexicons", allow_abbrev=False)
    info.add_argument("lexicons", metavar="FILE", nargs="+", help="lexicons")
    info.add_argument("--vectors", metavar="VECTORS", nargs="+", default=[], help="vectors to lay them over")
    info.add_argument("--antonyms", action="store_true", help="read WordNet's antonyms, not its synonyms")
    add_json(info)


def run(arguments: argparse.Namespace) -> None:
    """Print a line per lexicon and vectors."""
    from wordstill.refinement import read_lexicon

    loaded = {path: WordVectors.load(path) for path in arguments.vectors}
    facts = []
    for source in arguments.lexicons:
        lexicon = read_lexicon(source, "antonyms" if arguments.antonyms else "synonyms")
        counts = np.bincount(lexicon.edges.ravel())
        common = {
            "lexicon": lexicon.name,
            "words": len(lexicon.words),
            "pairs": len(lexicon.edges),
            "most neighbors": int(counts.max()),
            "words of several parts": sum("_" in word for word in lexicon.words),
        }
        facts += [{**common, **overlap(lexicon, path, vectors)} for path, vectors in loaded.items()] or [common]
    if arguments.json:
        give_json(facts)
        return
    rows = [[text_of(f"{value:,}" if isinstance(value, int) else value) for value in fact.values()] for fact in facts]
    tell(table(list(facts[0]), rows))


def overlap(lexicon: Any, path: str, vectors: WordVectors) -> dict[str, Any]:
    """How much of a lexicon has vectors, and how much of the vectors it reaches."""
    from wordstill.lexicons.graph import lay_over
    from wordstill.lexicons.lexicon import find_rows

    graph = lay_over(lexicon, vectors.key_to_index)
    return {
        "vectors": path,
        "words found": int((find_rows(lexicon.words, vectors.key_to_index) >= 0).sum()),
        "pairs found": graph.pairs,
        "words reached": len(graph.rows),
        "of": len(vectors),
    }
