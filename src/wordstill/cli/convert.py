"""Write vectors in another format, or make them smaller.

  wordstill convert glove.6B.300d.txt glove                   a folder that sentence-transformers and model2vec open
  wordstill convert run/closed vectors.bin                    word2vec's binary form, for gensim
  wordstill convert run/closed small --dtype int8 --dim 128 --top 50000

The format of IN is told by its content, that of OUT by the ending of its name; --from and --to overrule both.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wordstill.cli.refine import refuse_existing
from wordstill.cli.words import text_of
from wordstill.formats import FORMATS, READ, TYPES, WRITTEN, Format, detect, format_to_write, load, save
from wordstill.io.sizes import bytes_of, in_units
from wordstill.refinement.smaller import smaller, without_unheld
from wordstill.vectors import WordVectors


def configure(parser: argparse.ArgumentParser) -> None:
    """Add this command's arguments."""
    add = parser.add_argument
    add("source", metavar="IN", help="vectors in any format that is read")
    add("target", metavar="OUT", type=Path, help="the file or folder to write")
    add("--from", metavar="FORMAT", dest="read_as", choices=READ, help="the format of IN, whatever its content")
    add(
        "--to",
        "--format",
        metavar="FORMAT",
        dest="format",
        choices=WRITTEN,
        help="the format of OUT, whatever its name",
    )
    add("--dtype", choices=TYPES, help="the type of the stored numbers; int8 in folders only")
    add("--dim", metavar="N", type=int, help="reduce the vectors to N dimensions by PCA")
    add("--top", metavar="N", type=int, help="keep the N most frequent words (the first N where counts are not known)")
    add("--min-count", metavar="N", type=int, help="keep the words that were seen N times or more")
    add("--drop", action="store_true", help="leave out words that the format cannot hold, instead of refusing them")
    add("--overwrite", action="store_true", help="replace OUT where it exists")
    parser.epilog = "formats:\n" + "\n".join(_line(format) for format in FORMATS.values())


def run(arguments: argparse.Namespace) -> None:
    """Read, make smaller, write, and tell on stderr what was done."""
    chosen = format_to_write(arguments.target, arguments.format)
    for path in chosen.files(arguments.target):
        refuse_existing(path, arguments.overwrite)
    name = arguments.read_as or detect(arguments.source)
    vectors = load(arguments.source, name)
    _say(f"read {arguments.source} as {name}: {_sizes(vectors)}, {_counts(vectors)}")
    for note in vectors.card.get("notes", ()):
        _say(f"note: {note}")
    vectors = smaller(vectors, arguments.top, arguments.min_count, arguments.dim, _say)
    if arguments.drop:
        vectors, left_out = without_unheld(vectors, chosen.holds)
        if left_out:
            shown = ", ".join(repr(word[:30]) for word in left_out[:5])
            _say(f"left out {len(left_out):,} words that {chosen.name} cannot hold: {shown}")
    save(vectors, arguments.target, format=chosen.name, dtype=arguments.dtype)
    size = in_units(sum(bytes_of(path) for path in chosen.files(arguments.target)))
    _say(
        f"wrote {', '.join(map(str, chosen.files(arguments.target)))} as {chosen.name}: {size}{_lost(vectors, chosen)}"
    )
    print(f"{arguments.target}: {len(vectors)} words, {vectors.vector_size} dimensions")


def _sizes(vectors: WordVectors) -> str:
    return f"{len(vectors):,} words, {vectors.vector_size} dimensions of {vectors.matrix.dtype.name}"


def _counts(vectors: WordVectors) -> str:
    return "no counts" if vectors.counts is None else "with counts"


def _lost(vectors: WordVectors, chosen: Format) -> str:
    """What the vectors have and the format does not keep."""
    lost = [
        *(["counts"] if vectors.counts is not None and not chosen.keeps_counts else []),
        *(["the model card"] if vectors.card and not chosen.keeps_card else []),
    ]
    return f"; not kept by this format: {' and '.join(lost)}" if lost else ""


def _line(format: Format) -> str:
    endings = ", ".join(format.endings) or ("any other name" if format.name == "folder" else "only read")
    return f"  {format.name:<17} {format.about} ({endings})"


def _say(line: str) -> None:
    print(text_of(line), file=sys.stderr)
