"""Write one HTML file about vectors, to be opened in any browser without a network.

  wordstill report run/ --out report.html
  wordstill report run/aggregate glove.txt --words river,bank --scores scores.json --out report.html

Scores with intervals and coverage, a map of the most frequent words with their neighbours in each of the vectors,
neighbours of chosen words, training curves and speed, and the model cards.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wordstill.errors import InputError
from wordstill.options import listed


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("vectors", metavar="VECTORS", nargs="+", help="files or folders of vectors, or run folders")
    add("--out", metavar="FILE", type=Path, default=Path("report.html"), help="the file to write (report.html)")
    add("--words", type=listed, default=[], metavar="WORD,..", help="words whose neighbours are listed")
    add("--datasets", type=listed, metavar="NAME,..", help="data sets to judge (all that are here)")
    add("--scores", metavar="FILE", type=Path, help="scores that `wordstill evaluate --json FILE` wrote")
    add("--title", default="Word vectors", help="the page's title")
    add("--map-words", metavar="N", type=int, default=20_000, help="words on the map (20000)")
    add("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> None:
    """Write the report and print where it is."""
    from wordstill.explore.report import write_report
    from wordstill.explore.report_facts import read_scores

    if arguments.out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--out {arguments.out} must end in .html")
    if arguments.scores and arguments.datasets:
        raise InputError("--scores brings its data sets along; give it or --datasets, not both")

    def say(line: str) -> None:
        if not arguments.quiet:
            print(line, file=sys.stderr, flush=True)

    path = write_report(
        arguments.vectors,
        arguments.out,
        words=arguments.words,
        scores=read_scores(arguments.scores) if arguments.scores else None,
        datasets=arguments.datasets,
        title=arguments.title,
        map_words=arguments.map_words,
        say=say,
    )
    say(f"{path.stat().st_size / 1e6:.1f} MB; open it in a browser:")
    print(path)
