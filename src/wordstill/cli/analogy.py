"""Solve an analogy: A is to B as C is to ...

wordstill analogy run/closed man king woman
"""

from __future__ import annotations

import argparse

from wordstill.cli.words import add_options, add_vectors, require, show
from wordstill.errors import InputError
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add_vectors(parser)
    for name in ("A", "B", "C"):
        parser.add_argument(name.lower(), metavar=name)
    parser.add_argument("--top", type=int, default=5, metavar="N", help="answers (default: 5)")
    parser.add_argument(
        "--method",
        choices=("add", "multiply"),
        default="add",
        help="3CosAdd or 3CosMul (default: add)",
    )
    add_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the best answers; the three words of the question are never among them."""
    if arguments.top < 1:
        raise InputError(f"--top must be at least 1, not {arguments.top}")
    vectors = WordVectors.load(arguments.vectors)
    question = (arguments.a, arguments.b, arguments.c)
    require(vectors, question, arguments.oov)
    answers = vectors.analogy(*question, topn=arguments.top, method=arguments.method, oov=arguments.oov)
    show(answers, ("answer", "score"), arguments.json)
