"""Write vectors in another format, or make them smaller.

  wordstill convert glove.6B.300d.txt glove                   a folder that sentence-transformers and model2vec open
  wordstill convert run/closed vectors.bin                    word2vec's binary form, for gensim
  wordstill convert run/closed small --dtype int8 --dim 128 --top 50000

The format of IN is told by its content, that of OUT by the ending of its name; --from and --to overrule both.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wordstill.cli.options import add_settings, read_settings
from wordstill.cli.output import tell
from wordstill.formats import FORMATS, Format
from wordstill.refinement.convert import ConvertSettings, convert


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    parser.add_argument("source", metavar="IN", help="vectors in any format that is read")
    parser.add_argument("target", metavar="OUT", type=Path, help="the file or folder to write")
    add_settings(parser, ConvertSettings)
    parser.epilog = "formats:\n" + "\n".join(_line(format) for format in FORMATS.values())


def run(arguments: argparse.Namespace) -> None:
    """Convert, and print what was written."""
    vectors = convert(arguments.source, arguments.target, read_settings(arguments, ConvertSettings))
    tell(f"{arguments.target}: {len(vectors)} words, {vectors.vector_size} dimensions")


def _line(format: Format) -> str:
    endings = ", ".join(format.endings) or ("any other name" if format.name == "folder" else "only read")
    return f"  {format.name:<17} {format.about} ({endings})"
