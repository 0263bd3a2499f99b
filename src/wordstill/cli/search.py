"""Find the lines of a file that are nearest in meaning to a query: exact, every line is compared.

  wordstill search run/closed texts.txt "rivers in the south" --topn 5
  wordstill search run/closed texts.txt "rivers in the south" --encoded vectors.npy

The file is encoded anew for each query; with --encoded, the file that `wordstill encode` wrote is used instead.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wordstill.cli.options import at_least
from wordstill.cli.words import add_answer_options, add_vectors, print_rows
from wordstill.corpus.lines import read_lines, text_files
from wordstill.vectors import WordVectors
from wordstill.vectors.text_search import nearest_encoded, nearest_lines

# Characters of a line that the table shows; JSON has all of them.
SHOWN = 200


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add_vectors(parser)
    parser.add_argument("file", metavar="FILE", help="texts, one per line; - for standard input")
    parser.add_argument("query", metavar="QUERY", help="a text, in quotes")
    parser.add_argument("--topn", "--top", type=int, default=10, metavar="N", help="lines to show (10)")
    parser.add_argument("--encoded", type=Path, metavar="FILE.npy", help="what `wordstill encode` wrote of the file")
    add_answer_options(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print the nearest lines."""
    at_least(arguments.topn, 1, "--topn")
    vectors = WordVectors.load(arguments.vectors)
    query, topn, oov = arguments.query, arguments.topn, arguments.oov
    with text_files([arguments.file]) as files:
        if arguments.encoded is not None:
            found = nearest_encoded(vectors, arguments.encoded, lambda: read_lines(files), query, topn, oov)
        else:
            found = nearest_lines(vectors, read_lines(files), query, topn, oov)
    rows = [(line.cosine, line.number, line.text if arguments.json else _shortened(line.text)) for line in found]
    print_rows(rows, ("cosine", "line", "text"), arguments.json)


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
