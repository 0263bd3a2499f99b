"""Write vectors in another format.

The format is read from the content of IN and from the name of OUT: .txt and .vec are word2vec text, .bin is word2vec's
binary form, each also with .gz after it; any other name is a folder that wordstill, sentence-transformers and model2vec
open. word2vec and GloVe files keep neither counts nor the model card.

  wordstill convert glove.6B.300d.txt glove
  wordstill convert run/closed vectors.bin
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wordstill.errors import InputError
from wordstill.formats import WRITTEN
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    parser.add_argument("source", metavar="IN", help="vectors in any format that is read")
    parser.add_argument("target", metavar="OUT", type=Path, help="the file or folder to write")
    parser.add_argument("--format", choices=WRITTEN, help="the format to write, whatever the name of OUT")
    parser.add_argument("--overwrite", action="store_true", help="replace OUT where it exists")


def run(arguments: argparse.Namespace) -> None:
    """Read, write, and tell what was odd."""
    if arguments.target.exists() and not arguments.overwrite:
        raise InputError(f"{arguments.target} exists; give another name, or --overwrite to replace it")
    vectors = WordVectors.load(arguments.source)
    for note in vectors.card.get("notes", ()):
        print(f"note: {note}", file=sys.stderr)
    vectors.save(arguments.target, format=arguments.format)
    print(f"{arguments.target}: {len(vectors)} words, {vectors.vector_size} dimensions")
