"""Solve an analogy: A is to B as C is to ...

wordstill analogy run/closed man king woman
"""

from __future__ import annotations

import argparse

from wordstill.cli.options import at_least
from wordstill.cli.words import add_answer_options, add_vectors, print_rows, require_words
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add_vectors(parser)
    for name in ("A", "B", "C"):
        parser.add_argument(name.lower(), metavar=name)
    parser.add_argument("--top", type=int, default=5, metavar="N", help="answers (5)")
    parser.add_argument("--method", choices=("add", "multiply"), default="add", help="3CosAdd or 3CosMul (add)")
    add_answer_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the best answers; the three words of the question are never among them."""
    at_least(arguments.top, 1, "--top")
    vectors = WordVectors.load(arguments.vectors)
    question = (arguments.a, arguments.b, arguments.c)
    require_words(vectors, question, arguments.oov)
    answers = vectors.analogy(*question, topn=arguments.top, method=arguments.method, oov=arguments.oov)
    print_rows(answers, ("answer", "score"), arguments.json)
