"""Print the cosine of two words' vectors, or of every pair of several.

wordstill similarity run/closed river bank
"""

from __future__ import annotations

import argparse
from itertools import combinations

from wordstill.cli.words import add_answer_options, add_vectors, print_rows, require_words
from wordstill.errors import InputError
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add_vectors(parser)
    parser.add_argument("words", metavar="WORD", nargs="+", help="two words or more")
    add_answer_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print a line for each pair."""
    if len(arguments.words) < 2:
        raise InputError("a similarity needs two words; give another one")
    vectors = WordVectors.load(arguments.vectors)
    require_words(vectors, arguments.words, arguments.oov)
    rows = [(*pair, vectors.similarity(*pair, oov=arguments.oov)) for pair in combinations(arguments.words, 2)]
    print_rows(rows, ("first", "second", "cosine"), arguments.json)
