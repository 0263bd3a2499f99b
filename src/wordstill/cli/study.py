"""The papers' studies and tables, each by one command: a table, a chart (PNG or SVG) and every measurement (JSON).

  wordstill study window-size --teacher minilm --corpus wiki.txt --words 500000 --out studies
  wordstill study context-to-vec-table4 run/aggregate --lexicon ppdb-xl.txt --json table4.json --png table4.png

`wordstill study NAME --help` tells what a study compares and what it takes.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wordstill.cli.options import add_settings, typed_settings
from wordstill.cli.output import tell
from wordstill.cli.text_table import table
from wordstill.distillation.settings import DistillSettings, ExecutionSettings
from wordstill.evaluation.settings import EvaluationSettings
from wordstill.explore.charts import check_picture, save
from wordstill.io.files import check_replaceable, only_marked, replacing, write_json
from wordstill.options import Options, declared_fields, inner_settings
from wordstill.studies import STUDIES, StudySettings, study, study_settings
from wordstill.studies.paper_formats import PAPER_FORMATS
from wordstill.system.progress import log

# What all studies that distill or judge offer. In Python the other settings can be chosen too.
OFFERED: dict[type[Options], tuple[str, ...]] = {
    DistillSettings: (
        *("teacher", "words", "student_options", "context", "min_count"),
        *("precision", "threads", "seed"),
    ),
    ExecutionSettings: ("keep_bytes",),
    EvaluationSettings: ("datasets", "split", "resamples"),
}
# Settings that are not typed as other options are, but as an argument or as an option that can be repeated.
TYPED_OTHERWISE: dict[str, dict[str, Any]] = {
    "vectors": {"metavar": "VECTORS"},
    "models": {"metavar": "VECTORS", "nargs": "+"},
    "--lexicon": {"metavar": "FILE", "action": "append", "required": True},
    "--antonyms": {"metavar": "FILE", "action": "append"},
}
# What `wordstill study --json` writes begins so; no other file is replaced by it.
ONLY_STUDIES = only_marked(rb'\A\{\s*"study": "[a-z0-9-]+",\s*"settings": \{')


def configure(parser: argparse.ArgumentParser) -> None:
    """Add one sub-command per study."""
    studies = parser.add_subparsers(dest="study", metavar="NAME", required=True, title="studies")
    for name, kind in STUDIES.items():
        own = studies.add_parser(
            name,
            help=kind.settings.about,
            description=sys.modules[kind.run.__module__].__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        _add_study(own, kind.settings)
        add = own.add_argument
        add("--json", metavar="FILE", type=Path, help="write every measurement to FILE (OUT/NAME.json)")
        add("--png", metavar="FILE", type=Path, help="draw the chart to FILE, .png or .svg (OUT/NAME.png)")
        for ending, form in PAPER_FORMATS.items():
            add(f"--{ending}", metavar="FILE", type=Path, help=f"write the table to FILE, as {form.name}")
        add("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> None:
    """Run the study, print its table, write its measurements, draw its chart."""
    name = arguments.study
    settings = study_settings(name, **_typed(arguments, STUDIES[name].settings))
    out = getattr(settings, "out", None)
    places = {kind: getattr(arguments, kind) for kind in ("json", "png", *PAPER_FORMATS)}
    for kind in settings.writes if out else ():
        places[kind] = places[kind] or Path(str(out)) / f"{name}.{kind}"
    json, png = places["json"], places["png"]
    # Both before hours of work.
    if png:
        check_picture(png)
    if json:
        check_replaceable(json, ONLY_STUDIES)
    papers = {ending: places[ending] for ending in PAPER_FORMATS if places[ending]}
    for ending, path in papers.items():
        check_replaceable(path, PAPER_FORMATS[ending].ours)
    found = study(name, settings)
    if json:
        told = {"title": found.title, "records": found.records, "notes": found.notes}
        write_json(json, {"study": name, "settings": asdict(settings), **told}, ours=ONLY_STUDIES)
    if png and (missing := save(found.draw(), png)):
        log.info("no font here has %s: drawn as boxes in %s", missing, png)
    for ending, path in papers.items():
        form = PAPER_FORMATS[ending]
        with replacing(path, ours=form.ours) as temporary:
            temporary.write_text(form.write(found), encoding="utf-8", errors="backslashreplace")
    tell(found.title)
    for one in found.every_table:
        heading = "" if one.title == found.title else f"{one.title}\n\n"
        tell("\n".join([f"\n{heading}{table(one.head, one.rows)}", *one.notes]) + "\n")
    named = (("table", json), ("chart", png), *((PAPER_FORMATS[ending].name, path) for ending, path in papers.items()))
    tell("\n".join([*found.notes, *(f"{kind}: {path}" for kind, path in named if path)]))


def _add_study(parser: argparse.ArgumentParser, kind: type[StudySettings]) -> None:
    """Add what a study is told: its own settings, and those of the distillation and the evaluation inside them."""
    own = {item.keyword: item for item in declared_fields(kind)}
    for flag, how in TYPED_OTHERWISE.items():
        if (item := own.get(flag.lstrip("-"))) is not None:
            parser.add_argument(flag, help=item.declared.help, **how)
    options = [name for name, item in own.items() if item.option]
    add_settings(parser, kind, only=options, several=kind.several, required=kind.required)
    for inner in inner_settings(kind).values():
        add_settings(
            parser, inner, only={*OFFERED[inner], *kind.offered, *own}, several=kind.several, required=kind.required
        )
    defaults = [(name, item.default) for name, item in own.items() if item.default and not item.option]
    told = "; ".join(f"{name} {','.join(map(str, values))}" for name, values in defaults)
    parser.epilog = f"unless told otherwise: {told}" if told else None


def _typed(arguments: argparse.Namespace, kind: type[StudySettings]) -> dict[str, Any]:
    """Return what was typed of a study's settings, by keyword."""
    others = {flag.lstrip("-") for flag in TYPED_OTHERWISE}
    plain = {name: value for name, value in vars(arguments).items() if name in others and value is not None}
    return {**typed_settings(arguments, kind), **plain}
