"""Distill a teacher over a corpus into static word vectors.

    wordstill distill --teacher minilm --corpus texts.txt --student aggregate,closed --out run

Every student named learns from one pass of the teacher. The run's folder gets run.json and one folder of vectors per
student. Ctrl-C stops a run safely; --resume goes on, after a crash too. Several machines can share a run: on a Ray
cluster (--on ray), or each with a part of the shards (--shard 1/4, ...), and one that finishes with --resume.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wordstill.cli.options import add_settings, read_settings, typed_settings
from wordstill.cli.output import tell
from wordstill.cli.text_table import table
from wordstill.distillation.settings import DistillSettings, ExecutionSettings
from wordstill.system.progress import log

if TYPE_CHECKING:
    from wordstill.distillation.run_record import RunRecord


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("--corpus", metavar="F", nargs="+", default=[], help="files or folders of text; - is standard input")
    add("--out", metavar="RUN", type=Path, required=True, help="the run's folder")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true", help="go on with the run in --out, if there is one")
    again.add_argument("--overwrite", action="store_true", help="replace the run in --out when this one is finished")
    again.add_argument("--shard", metavar="I/N", help="do the I-th of N shares of the run's shards, and stop")
    add_settings(parser, DistillSettings)
    add_settings(parser, ExecutionSettings)
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("-q", "--quiet", action="store_true", help="no progress")
    loudness.add_argument("-v", "--verbose", action="store_true", help="say more")


def run(arguments: argparse.Namespace) -> None:
    """Distill, and tell what came of it."""
    settings = read_settings(arguments, DistillSettings)
    if arguments.shard is not None:
        run_share(arguments, settings)
        return
    from wordstill.distillation.distill import distill

    finished = distill(
        arguments.corpus,
        out=arguments.out,
        settings=settings,
        resume=arguments.resume,
        overwrite=arguments.overwrite,
        **typed_settings(arguments, ExecutionSettings),
    )
    for line in remarks(finished.record):
        log.info(line)
    log.debug("seconds: %s", ", ".join(f"{part} {spent:.1f}" for part, spent in finished.record.seconds.named_parts()))
    tell(summary(arguments.out, finished.record))


def run_share(arguments: argparse.Namespace, settings: DistillSettings) -> None:
    """Do a share of the shards, and tell what is missing."""
    from wordstill.distillation.share import distill_share

    share = distill_share(
        arguments.corpus,
        out=arguments.out,
        share=arguments.shard,
        settings=settings,
        **typed_settings(arguments, ExecutionSettings),
    )
    tell(f"{len(share.done)} shards were done now; {len(share.missing)} of {share.shards} are missing.")
    tell("The same command with --resume instead of --shard does what is missing, and finishes the run.")


def remarks(record: RunRecord) -> list[str]:
    """Tell what a user should know of a run, and might not look for."""
    corpus = record.corpus
    told = [
        f"{corpus.words:,} words in {corpus.sentences:,} sentences; "
        f"{record.words_per_second:,.0f} words/s; peak memory {record.peak_memory_bytes / 1e9:.2f} GB"
    ]
    if corpus.replaced_bytes:
        told.append(f"{corpus.replaced_bytes:,} bytes that are not UTF-8 were replaced")
    if record.truncated_words:
        told.append(f"{record.truncated_words:,} words have more pieces than the teacher can read, and no vector")
    for name, student in record.students.items():
        missing = corpus.vocabulary - student.words
        if missing:
            told.append(f"{name}: {missing:,} words of the vocabulary have no vector: the teacher cannot read them")
        if added := student.unseen.get("words_never_seen"):
            told.append(f"{name}: {added:,} words that it never saw got a vector from what the teacher says of them")
    if record.best is not None:
        told += [f"{name}, {value}" for name, value in record.best.lines()]
        if lacking := record.best.lacking():
            told.append(lacking)
    return told


def summary(out: Path, record: RunRecord) -> str:
    """Make a table of the students, and tell what to do next."""
    rows = [
        [
            name,
            str(student.dimensions),
            f"{student.words:,}",
            f"{record.seconds.of_student(name):.1f}",
            f"{student.loss[-1][1]:.4f}" if student.loss else "-",
        ]
        for name, student in record.students.items()
    ]
    first = next(iter(record.students.values())).path
    return "\n".join(
        [
            table(["student", "dimensions", "words", "seconds", "loss"], rows),
            "",
            f"wordstill evaluate {out}",
            f"wordstill neighbors {out / first} WORD",
        ]
    )
