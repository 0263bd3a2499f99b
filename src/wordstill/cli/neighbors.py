"""List the words nearest to each word, or to a phrase, in cosine.

wordstill neighbors run/closed river bank --top 5
wordstill neighbors run/closed "a river in the south"

A phrase of several words that is not itself in the vocabulary stands for the mean of its words.
"""

from __future__ import annotations

import argparse

from wordstill.cli.words import add_options, add_vectors, phrase_vector, require, show
from wordstill.errors import InputError
from wordstill.vectors import Key, WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add_vectors(parser)
    parser.add_argument("words", metavar="WORD", nargs="+", help="words, or phrases in quotes")
    parser.add_argument("--top", type=int, default=10, metavar="N", help="neighbours a word (default: 10)")
    add_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the neighbours of every word."""
    if arguments.top < 1:
        raise InputError(f"--top must be at least 1, not {arguments.top}")
    vectors = WordVectors.load(arguments.vectors)
    keys: list[Key] = []
    for word in arguments.words:
        phrase = None
        if word not in vectors and len(word.split()) > 1:
            phrase = phrase_vector(vectors, word, arguments.oov)
        if phrase is None:
            require(vectors, [word], arguments.oov)
        keys.append(word if phrase is None else phrase)
    rows = [
        (word, neighbour, cosine)
        for word, key in zip(arguments.words, keys, strict=True)
        for neighbour, cosine in vectors.most_similar([key], topn=arguments.top, oov=arguments.oov)
    ]
    show(rows, ("word", "neighbor", "cosine"), arguments.json)
