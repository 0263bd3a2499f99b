"""Everything on what pip installed, offline, in minutes.

Distills the packaged MiniLM teacher over the small real Wikipedia in gensim's wheel, judges the vectors beside a
skip-gram that gensim trains on the same text, and writes a report to open in a browser. Leaves a run folder that the
other commands read.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--out", metavar="RUN", type=Path, default=Path("demo-run"), help="the run's folder (demo-run)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> None:
    """Distill, compare, show, report."""
    from wordstill.cli.output import tell
    from wordstill.cli.text_table import table
    from wordstill.evaluation import evaluate
    from wordstill.studies.demo import DATASETS, demo_report, demo_run, neighbors_table, skip_gram
    from wordstill.system.progress import duration

    out = arguments.out
    finished = demo_run(out)
    record = finished.record
    spaces = {"skip-gram": skip_gram(finished), **{name: finished.vectors(name) for name in record.students}}
    tell(
        f"{record.corpus.words:,} words distilled in {duration(record.seconds.total)}, "
        f"{record.words_per_second:,.0f} words/s\n"
    )
    results = evaluate(spaces, datasets=DATASETS)
    tell(results.table())
    tell(table(["word", "vectors", "nearest words"], neighbors_table(spaces)))
    report = demo_report(finished, results)
    tell(
        f"\nTry next:\n"
        f"  wordstill neighbors {out}/aggregate ocean\n"
        f"  wordstill analogy {out}/aggregate man woman king\n"
        f"  wordstill plot pairs {out}/aggregate --out pairs.png\n"
        f"  wordstill convert {out}/closed closed.txt\n"
        f"  wordstill distill --teacher minilm --corpus YOUR.txt --student aggregate,closed --out run\n"
        f"\nOpen in a browser: {report.resolve().as_uri()}"
    )
