"""Fit a model of spellings to vectors and store it with them, so that --oov subwords can answer for any word.

wordstill subwords refined

`wordstill distill` does so by itself; refined, combined and converted vectors have none until this is run.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wordstill.cli.output import tell
from wordstill.errors import InputError
from wordstill.formats import detect
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    parser.add_argument("vectors", metavar="VECTORS", help="a vectors folder")


def run(arguments: argparse.Namespace) -> None:
    """Fit, and write subwords.safetensors into the folder."""
    from wordstill.vectors import subwords

    folder = Path(arguments.vectors)
    if (found := detect(folder)) != "folder":
        raise InputError(f"{folder} is {found}, which holds no model of spellings; convert it to a folder first")
    vectors = WordVectors.load(folder)
    made = subwords.fit_subwords(vectors)
    made.save(folder)
    tell(f"{folder / subwords.FILE}: {made.bytes / 1e6:.1f} MB, learned from {len(vectors):,} words")
