"""The papers' studies and tables, each by one command: a table, a chart (PNG or SVG) and every measurement (JSON).

  wordstill study window-size --teacher minilm --corpus wiki.txt --words 500000 --out studies
  wordstill study context-to-vec-table4 run/aggregate --lexicon ppdb-xl.txt --json table4.json --png table4.png

`wordstill study NAME --help` tells what a study compares and what it takes.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from wordstill.cli.text_table import table
from wordstill.io.files import write_json
from wordstill.options import listed
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
        add = study.add_argument
        add("--json", metavar="FILE", type=Path, help="write every measurement to FILE (OUT/NAME.json)")
        add("--png", metavar="FILE", type=Path, help="draw the chart to FILE, .png or .svg (OUT/NAME.png)")
        study.set_defaults(run_study=module.run)


def run(arguments: argparse.Namespace) -> None:
    """Run the study, print its table, write its measurements, draw its chart."""
    from wordstill.evaluation.dataset_loading import load_datasets
    from wordstill.evaluation.tasks import Settings
    from wordstill.explore.charts import check_picture, save

    out: Path | None = getattr(arguments, "out", None)
    json, png = (getattr(arguments, kind) or (out and out / f"{arguments.study}.{kind}") for kind in ("json", "png"))
    # What would fail at the end fails here, before hours of work.
    if png:
        check_picture(png)
    if getattr(arguments, "datasets", None):
        load_datasets(None, listed(arguments.datasets), Settings())
    study = arguments.run_study(arguments)
    if json:
        given = {name: value for name, value in vars(arguments).items() if not callable(value)}
        found = {"title": study.title, "records": study.records, "notes": study.notes}
        write_json(json, {"study": arguments.study, "arguments": given, **found})
    if png:
        missing = save(study.draw(), png)
        if missing:
            print(f"no font here has {missing}: drawn as boxes in {png}", file=sys.stderr)
    print(f"{study.title}\n\n{table(study.head, study.rows)}\n")
    print("\n".join([*study.notes, *(f"{kind}: {path}" for kind, path in (("table", json), ("chart", png)) if path)]))
