"""Judge word vectors on public data sets, or on your own.

  wordstill evaluate run/                          every student of a run, every data set that is here
  wordstill evaluate a.vec b.txt --tasks similarity --json scores.json
  wordstill evaluate v/ --datasets ws353,my-pairs.tsv --split dev

Every score stands beside its coverage and a 95 % bootstrap interval. Data sets are found in $WORDSTILL_DATA,
the cache and installed packages; `wordstill data list` shows them.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from wordstill.cli.options import add_settings, read_settings
from wordstill.cli.output import give, tell_bold
from wordstill.errors import InputError
from wordstill.evaluation import EvaluationSettings, compare, evaluate
from wordstill.evaluation.sources import Source, sources
from wordstill.evaluation.tables import CSV_COLUMNS, LATEX_HEAD
from wordstill.evaluation.tasks import all_tasks
from wordstill.io.files import check_replaceable, only_marked, replacing

FORMATS = ("json", "csv", "latex")
# How each of the tables begins. A file that does not begin so is somebody's, and is not replaced.
OWN_TABLES = {
    "json": only_marked(rb'\A\[\s*\{\s*"vectors": "(?:[^"\\]|\\.)*",\s*"task": "\w+",\s*"dataset": '),
    "csv": only_marked(rb"\A" + ",".join(CSV_COLUMNS).encode("ascii") + rb"\r?\n"),
    "latex": only_marked(re.escape(LATEX_HEAD.encode("ascii"))),
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `wordstill evaluate`."""
    add = parser.add_argument
    add("vectors", nargs="*", metavar="VECTORS", help="files or folders of vectors, or run folders")
    add_settings(parser, EvaluationSettings)
    add("--compare", nargs=2, metavar=("A", "B"), help="paired difference of two of the vectors (or paths)")
    add("--parts", action="store_true", help="show every part of a result, such as the sections of an analogy set")
    for name in FORMATS:
        add(f"--{name}", nargs="?", const="-", metavar="FILE", help=f"write {name} to FILE, or print it for the table")
    tasks = [f"  {task.name:15} {task.about} ({task.missing})" for task in all_tasks()]
    parser.epilog = "\n".join(["tasks (how an item with a missing word counts in the column `all`):", *tasks])


def run(arguments: argparse.Namespace) -> None:
    """Evaluate, write what is asked for, print the table where nothing else is printed."""
    written = {name: getattr(arguments, name) for name in FORMATS if getattr(arguments, name)}
    if list(written.values()).count("-") > 1:
        raise InputError("only one of --json, --csv and --latex can go to standard output; give a FILE")
    for name, place in written.items():
        if place != "-":
            check_replaceable(Path(place), OWN_TABLES[name])
    settings = read_settings(arguments, EvaluationSettings)
    others = bool(settings.teacher_rows or settings.encoder_rows)
    vectors, compared = _chosen(arguments.vectors, arguments.compare or [], others)
    results = evaluate(vectors, settings=settings)
    if compared:
        first, second = compared
        results.differences = compare(results, first, second, settings.resamples, settings.seed)
    texts = {"json": results.to_json, "csv": results.to_csv, "latex": results.to_latex}
    for name, place in written.items():
        text = texts[name]()
        if place == "-":
            give(text)
        else:
            with replacing(Path(place), ours=OWN_TABLES[name]) as temporary:
                temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
    if "-" not in written.values():
        tell_bold(results.table(bold=sys.stdout.isatty(), parts=arguments.parts))


def _chosen(paths: list[str], compared: list[str], others: bool) -> tuple[list[str], list[str]]:
    """Return the paths to evaluate, and the names of the two to compare, which may be given as paths too."""
    known = sources(paths) if paths else []
    paths = paths + [path for path in compared if not _matching(known, path)]
    judged = sources(paths, allow_none=others)
    chosen = []
    for path in compared:
        matching = _matching(judged, path)
        if len(matching) != 1:
            raise InputError(f"{path} stands for {len(matching)} vectors; compare one of {', '.join(matching)}")
        chosen += matching
    return paths, chosen


def _matching(judged: list[Source], path: str) -> list[str]:
    named = [one.name for one in judged if one.name == path]
    within = Path(path).resolve()
    return named or [one.name for one in judged if one.path and one.path.resolve().is_relative_to(within)]
