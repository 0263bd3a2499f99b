"""Judge word vectors on public data sets: similarity, analogy, relations, categories.

  wordstill evaluate run/                          every student of a run, every data set that is here
  wordstill evaluate a.vec b.txt --tasks similarity --json scores.json
  wordstill evaluate v/ --datasets ws353,my-pairs.tsv --split dev

Every score stands beside its coverage and a 95 % bootstrap interval. Data sets are found in $WORDSTILL_DATA,
the cache and installed packages; `wordstill data list` shows them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wordstill.errors import InputError
from wordstill.io.files import replacing
from wordstill.options import listed

if TYPE_CHECKING:
    from wordstill.evaluation.sources import Subject

FORMATS = ("json", "csv", "latex")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `wordstill evaluate`."""
    add = parser.add_argument
    add("vectors", nargs="*", metavar="VECTORS", help="files or folders of vectors, or run folders")
    add("--tasks", type=_list, metavar="NAME,..", help="similarity, analogy, relations, categorization")
    add(
        "--datasets",
        type=_list,
        metavar="NAME,..",
        help="data sets, or files of your own (FILE or TASK:FILE)",
    )
    add("--split", choices=("dev", "test"), help="judge only one half of every set")
    add("--compat", choices=("web", "muse"), help="reproduce another harness, defects included")
    add("--compare", nargs=2, metavar=("A", "B"), help="paired difference of two of the vectors (or paths)")
    add("--case", choices=("auto", "exact", "ignore"), default="auto", help="how words are looked up")
    add("--top", type=int, metavar="N", help="use only the first N words of the vocabulary")
    add("--method", choices=("add", "multiply"), default="add", help="analogies by 3CosAdd or 3CosMul")
    add("--resamples", type=int, default=1000, metavar="N", help="draws of the bootstrap (1000)")
    add("--seed", type=int, default=0, metavar="N", help="seed of the bootstrap and of k-means (0)")
    add("--seeds", type=int, default=5, metavar="N", help="k-means runs of categorization (5)")
    add("--parts", action="store_true", help="show every section of the analogy sets")
    for name in FORMATS:
        add(f"--{name}", nargs="?", const="-", metavar="FILE", help=f"write {name} to FILE, or print it for the table")


def run(arguments: argparse.Namespace) -> None:
    """Evaluate, write what is asked for, print the table where nothing else is printed."""
    from wordstill.evaluation import compare, evaluate

    written = {name: getattr(arguments, name) for name in FORMATS if getattr(arguments, name)}
    if list(written.values()).count("-") > 1:
        raise InputError("only one of --json, --csv and --latex can go to standard output; give a FILE")
    for name, place in written.items():
        # `--json vectors.txt` must not write over vectors that were meant to be read.
        if Path(place).exists() and Path(place).suffix not in (".json", ".csv", ".tex"):
            raise InputError(f"--{name} {place} would replace a file that is no table; name it .json, .csv or .tex")
    vectors, compared = _chosen(arguments.vectors, arguments.compare or [])
    results = evaluate(
        vectors,
        arguments.tasks,
        arguments.datasets,
        split=arguments.split,
        compat=arguments.compat,
        case=arguments.case,
        top=arguments.top,
        method=arguments.method,
        resamples=arguments.resamples,
        seed=arguments.seed,
        seeds=arguments.seeds,
        progress=lambda line: print(line, file=sys.stderr),
    )
    if compared:
        first, second = compared
        results.differences = compare(results, first, second, arguments.resamples, arguments.seed)
    texts = {"json": results.to_json, "csv": results.to_csv, "latex": results.to_latex}
    for name, place in written.items():
        text = texts[name]()
        text += "" if text.endswith("\n") else "\n"
        if place == "-":
            sys.stdout.write(text)
        else:
            with replacing(Path(place)) as temporary:
                temporary.write_text(text, encoding="utf-8")
    if "-" not in written.values():
        sys.stdout.write(results.table(bold=sys.stdout.isatty(), parts=arguments.parts))


def _chosen(paths: list[str], compared: list[str]) -> tuple[list[str], list[str]]:
    """The paths to evaluate, and the shown names of the two to compare, which may be given as paths too."""
    from wordstill.evaluation.sources import subjects

    known = subjects(paths) if paths else []
    paths = paths + [path for path in compared if not _matching(known, path)]
    judged = subjects(paths)
    chosen = []
    for path in compared:
        matching = _matching(judged, path)
        if len(matching) != 1:
            raise InputError(f"{path} stands for {len(matching)} vectors; compare one of {', '.join(matching)}")
        chosen += matching
    return paths, chosen


def _matching(judged: list[Subject], path: str) -> list[str]:
    named = [one.name for one in judged if one.name == path]
    return named or [one.name for one in judged if one.path and _within(one.path, Path(path))]


def _within(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _list(text: str) -> list[str]:
    names = listed(text)
    if not names:
        raise argparse.ArgumentTypeError("at least one name is needed")
    return names
