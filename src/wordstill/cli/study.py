"""The papers' studies and tables, each by one command.

  wordstill study context-to-vec-table4 run/aggregate --lexicon ppdb-xl.txt --json table4.json

`wordstill study NAME --help` tells what a study compares and what it takes.
"""

from __future__ import annotations

import argparse
import importlib
from pathlib import Path

from wordstill.cli.tables import table
from wordstill.files import write_json
from wordstill.studies import STUDIES


def configure(parser: argparse.ArgumentParser) -> None:
    """One sub-command a study; a study's module is light until it runs."""
    studies = parser.add_subparsers(dest="study", metavar="NAME", required=True, title="studies")
    for name, told in STUDIES.items():
        module = importlib.import_module(f"wordstill.studies.{name.replace('-', '_')}")
        study = studies.add_parser(
            name,
            help=told,
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.configure(study)
        study.add_argument("--json", metavar="FILE", type=Path, help="write every measurement to FILE")
        study.set_defaults(run_study=module.run)


def run(arguments: argparse.Namespace) -> None:
    """Run the study, print its table, write its measurements."""
    study = arguments.run_study(arguments)
    if arguments.json:
        write_json(
            arguments.json,
            {
                "study": arguments.study,
                "arguments": {name: value for name, value in vars(arguments).items() if not callable(value)},
                "title": study.title,
                "records": study.records,
                "notes": study.notes,
            },
        )
    print(f"{study.title}\n\n{table(study.head, study.rows)}\n")
    print("\n".join(study.notes))
