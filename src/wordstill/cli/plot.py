"""Draw pictures of words, as PNG or SVG by the ending of the name.

  wordstill plot pairs run/aggregate --relation family --out pairs.png
  wordstill plot pairs run/aggregate run/closed --dimensions 3 --out pairs.png
  wordstill plot neighbors run/aggregate run/closed --word river --out river.svg
  wordstill plot categories run/aggregate --dataset ap --out ap.png
  wordstill plot attention run/dynamic-skipgram --sentence "the river flows to the sea" --out attention.png

`wordstill plot KIND --help` tells what a picture shows and what it takes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from wordstill.cli.options import add_settings, read_settings
from wordstill.cli.output import tell
from wordstill.explore.plot_kinds import KINDS, plot
from wordstill.system.progress import log


def configure(parser: argparse.ArgumentParser) -> None:
    """Add one sub-command per kind of picture."""
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True, title="pictures")
    for name, kind in KINDS.items():
        own = kinds.add_parser(name, help=kind.about, description=kind.about.capitalize() + ".", allow_abbrev=False)
        told = "vectors, or a run folder for all in it" if kind.several else "a vectors folder or file"
        own.add_argument("vectors", metavar="VECTORS", nargs="+" if kind.several else None, help=told)
        own.add_argument("--out", type=Path, required=True, metavar="FILE", help="the picture: .png or .svg")
        add_settings(own, kind, required=kind.required)


def run(arguments: argparse.Namespace) -> None:
    """Draw, write, and tell what is not in the picture."""
    settings = read_settings(arguments, KINDS[arguments.kind])
    picture = plot(arguments.kind, arguments.vectors, arguments.out, settings=settings)
    for note in picture.notes:
        log.info(note)
    tell(str(arguments.out))
