"""Find the word that does not belong with the others: the one farthest from the mean of all.

wordstill odd run/closed river sea lake teacher
"""

from __future__ import annotations

import argparse

from wordstill.cli.words import add_answer_options, add_vectors, print_rows, require_words
from wordstill.errors import InputError
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add_vectors(parser)
    parser.add_argument("words", metavar="WORD", nargs="+", help="three words or more")
    add_answer_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the words with the cosine of each to the mean of all, the odd one first."""
    if len(set(arguments.words)) < 3:
        raise InputError("to find the odd one takes three different words; give more")
    vectors = WordVectors.load(arguments.vectors)
    require_words(vectors, arguments.words, arguments.oov)
    ranked = vectors.rank_by_centrality(arguments.words, arguments.oov)
    print_rows([(word, cosine) for cosine, word in reversed(ranked)], ("word", "cosine"), arguments.json)
