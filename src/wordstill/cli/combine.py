"""Join several vectors of the same words into one: side by side, each at length 1 times its weight.

  wordstill combine joined run/aggregate run/closed:0.5
  wordstill combine joined.vec glove.txt fasttext.vec --dim 300

The words are those that all have, in the order of the first. --dim reduces the joined vectors (uncentred PCA).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wordstill.cli.output import tell
from wordstill.formats import WRITTEN, check_target


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add = parser.add_argument
    add("target", metavar="OUT", type=Path, help="the file or folder to write")
    add("sources", metavar="IN[:WEIGHT]", nargs="+", help="vectors in any format that is read; weight 1 by default")
    add("--dim", metavar="N", type=int, help="reduce the joined vectors to N dimensions")
    add("--format", choices=WRITTEN, help="the format to write, whatever the name of OUT")
    add("--overwrite", action="store_true", help="replace OUT where it holds vectors that wordstill wrote")


def run(arguments: argparse.Namespace) -> None:
    """Read, join, write."""
    from wordstill.refinement import combine

    check_target(arguments.target, arguments.format, arguments.overwrite)
    sources = [source_and_weight(text) for text in arguments.sources]
    joined = combine([path for path, _ in sources], [weight for _, weight in sources], arguments.dim)
    joined.save(arguments.target, format=arguments.format)
    tell(f"{arguments.target}: {len(joined)} words, {joined.vector_size} dimensions")


def source_and_weight(text: str) -> tuple[str, float]:
    """`run/closed:0.5` as ("run/closed", 0.5); a name that has a colon itself needs no weight where it exists."""
    path, colon, weight = text.rpartition(":")
    if not colon or Path(text).exists():
        return text, 1.0
    try:
        return path, float(weight)
    except ValueError:
        return text, 1.0
