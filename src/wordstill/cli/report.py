"""Write one HTML file about vectors, to be opened in any browser without a network.

  wordstill report run/ --out report.html
  wordstill report run/aggregate glove.txt --words river,bank --scores scores.json --out report.html

Scores with intervals and coverage, a map of the most frequent words with their neighbours in each of the vectors,
neighbours of chosen words, training curves and speed, and the model cards.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wordstill.cli.options import add_settings, read_settings
from wordstill.cli.output import tell
from wordstill.errors import InputError
from wordstill.explore.report import ReportSettings, report
from wordstill.system.progress import log


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("vectors", metavar="VECTORS", nargs="+", help="files or folders of vectors, or run folders")
    add("--out", metavar="FILE", type=Path, default=Path("report.html"), help="the file to write (report.html)")
    add("--scores", metavar="FILE", type=Path, help="scores that `wordstill evaluate --json FILE` wrote")
    add_settings(parser, ReportSettings)
    add("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> None:
    """Write the report and print where it is."""
    settings = read_settings(arguments, ReportSettings)
    if arguments.out.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"--out {arguments.out} must end in .html")
    if arguments.scores and settings.datasets:
        raise InputError("--scores brings its data sets along; give it or --datasets, not both")
    path = report(arguments.vectors, arguments.out, scores=arguments.scores, settings=settings)
    log.info("%.1f MB; open it in a browser:", path.stat().st_size / 1e6)
    tell(str(path))
