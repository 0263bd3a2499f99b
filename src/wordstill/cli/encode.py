"""Write the vector of each line of text to a .npy file: the mean of the vectors of its words.

  wordstill encode run/closed texts.txt --out vectors.npy
  zcat texts.gz | wordstill encode run/closed - --out vectors.npy --normalize

Row i is line i of all files together; an empty line, or one without a known word, is a row of zeros. Files may be
packed (.gz, .bz2, .xz, .zst). `wordstill search --encoded` reads the file, and so does numpy.load.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wordstill.cli.output import tell
from wordstill.cli.words import add_oov, add_vectors
from wordstill.corpus.lines import read_lines, text_files
from wordstill.errors import InputError
from wordstill.io.files import check_replaceable
from wordstill.vectors import WordVectors
from wordstill.vectors.text_search import OURS, write_encoded

TYPES = ("float32", "float16")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add_vectors(parser)
    parser.add_argument("files", metavar="FILE", nargs="+", help="texts, one per line; - for standard input")
    parser.add_argument("--out", metavar="FILE.npy", type=Path, required=True, help="the file to write")
    parser.add_argument("--normalize", action="store_true", help="bring every vector to length 1")
    parser.add_argument("--dtype", choices=TYPES, default=TYPES[0], help=f"the type of the numbers ({TYPES[0]})")
    parser.add_argument("--overwrite", action="store_true", help="replace the file if it is a .npy file")
    add_oov(parser)


def run(arguments: argparse.Namespace) -> None:
    """Encode, and print what was written."""
    out: Path = arguments.out
    if out.suffix != ".npy":
        raise InputError(f"{out} must be named .npy, as numpy names such files")
    if out.exists() and not arguments.overwrite:
        raise InputError(f"{out} exists; give another name, or --overwrite to replace it")
    check_replaceable(out, OURS)
    vectors = WordVectors.load(arguments.vectors)
    with text_files(arguments.files) as files:
        rows = write_encoded(
            vectors,
            read_lines(files),
            out,
            normalize=arguments.normalize,
            oov=arguments.oov,
            dtype=arguments.dtype,
        )
    tell(f"{out}: {rows:,} lines, {vectors.vector_size} dimensions of {arguments.dtype}")
