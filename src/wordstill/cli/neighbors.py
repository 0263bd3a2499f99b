"""List the words nearest to each word, or to a phrase, in cosine.

wordstill neighbors run/closed river bank --top 5
wordstill neighbors run/closed "a river in the south"

A phrase of several words that is not itself in the vocabulary stands for the mean of its words,
whatever their case; they are not among the answers.
"""

from __future__ import annotations

import argparse

from wordstill.cli.options import at_least
from wordstill.cli.words import add_answer_options, add_vectors, phrase_keys, print_rows, require_words
from wordstill.vectors import Key, WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add_vectors(parser)
    parser.add_argument("words", metavar="WORD", nargs="+", help="words, or phrases in quotes")
    parser.add_argument("--top", type=int, default=10, metavar="N", help="neighbours per word (10)")
    add_answer_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the neighbours of every word."""
    at_least(arguments.top, 1, "--top")
    vectors = WordVectors.load(arguments.vectors)
    questions: list[list[Key]] = []
    for word in arguments.words:
        phrase = len(word.split()) > 1 and word not in vectors
        keys = phrase_keys(vectors, word, arguments.oov) if phrase else []
        if not keys:
            require_words(vectors, [word], arguments.oov)
        questions.append(keys or [word])
    rows = [
        (word, neighbour, cosine)
        for word, keys in zip(arguments.words, questions, strict=True)
        for neighbour, cosine in vectors.most_similar(keys, topn=arguments.top, oov=arguments.oov)
    ]
    print_rows(rows, ("word", "neighbor", "cosine"), arguments.json)
