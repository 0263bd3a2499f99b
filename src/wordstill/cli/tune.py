"""Search the options of a student on the dev halves of data sets, and report the winner on the test halves.

  wordstill tune x2static --grid negatives=5,10 epochs=1,5 --teacher minilm --corpus wiki.txt --out search
  wordstill tune closed --grid power=0.25,0.5,1 view=sentence,window --on ws353,men3k:dev --teacher minilm ...

Every combination of the values is a point. Points that differ in the student's options alone share one pass of the
teacher. The folder of the search holds its runs and the table of the search (tune.json, tune.txt): the same command
goes on after a stop, and a larger grid pays only for its new points.
"""

from __future__ import annotations

import argparse

from wordstill.cli.options import add_settings, typed_settings
from wordstill.cli.output import tell
from wordstill.cli.text_table import table
from wordstill.studies.tuning import TABLE, tune
from wordstill.studies.tuning_plan import RECORD, TuneSettings

# What the search chooses itself is left out.
OFFERED = (
    *("grid", "decide_on", "together", "corpus", "out", "teacher", "words", "context", "layer", "pooling", "min_count"),
    *("student_options", "precision", "threads", "seed", "keep_bytes"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("student", metavar="STUDENT", help="the student whose options are searched")
    needed = tuple(name for name in TuneSettings.required if name != "student")
    add_settings(parser, TuneSettings, only=OFFERED, several=("corpus", "grid"), required=needed)
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> None:
    """Search, and print the table of the search and the winner."""
    typed = typed_settings(arguments, TuneSettings)
    grid = typed.pop("grid")
    found = tune(arguments.student, grid, **typed)
    tell(f"{table(found.head, found.rows)}\n")
    chosen = ", ".join(f"{name}={value}" for name, value in found.winner.options.items())
    tell(f"best of {len(found.points)} points: {chosen} ({found.winner.vectors})\n\non the test halves:\n")
    tell(found.test.table())
    tell("\n".join([*found.notes, f"table: {typed['out']}/{RECORD}, {typed['out']}/{TABLE}"]))
