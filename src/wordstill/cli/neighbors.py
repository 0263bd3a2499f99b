"""List the words nearest to each word in cosine.

wordstill neighbors run/closed river bank --top 5
"""

from __future__ import annotations

import argparse

from wordstill.cli.words import add_json, require, show
from wordstill.errors import InputError
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    parser.add_argument("vectors", metavar="VECTORS", help="a vectors folder, or a word2vec or GloVe file")
    parser.add_argument("words", metavar="WORD", nargs="+", help="the words whose neighbours are listed")
    parser.add_argument("--top", type=int, default=10, metavar="N", help="neighbours a word (default: 10)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the neighbours of every word."""
    if arguments.top < 1:
        raise InputError(f"--top must be at least 1, not {arguments.top}")
    vectors = WordVectors.load(arguments.vectors)
    require(vectors, arguments.words)
    rows = [
        (word, neighbour, cosine)
        for word in arguments.words
        for neighbour, cosine in vectors.most_similar(word, topn=arguments.top)
    ]
    show(rows, ("word", "neighbor", "cosine"), arguments.json)
