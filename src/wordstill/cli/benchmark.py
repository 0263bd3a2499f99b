"""Measure wordstill on this machine; print JSON.

    wordstill benchmark                                            the demo's corpus, a few minutes
    wordstill benchmark --corpus wiki.txt.xz --words 2000000 --repeats 1 --only run,loop --precisions float32,bfloat16

Every figure is a ratio of two sides that ran in turns, with the least and the largest of its repeats: a busy machine
slows both sides alike. The parts:

"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from wordstill.benchmarking import PARTS, choose_parts

__doc__ += "\n".join(
    f"  {name:<14}{part.what}{'' if part.usual else '; only if named'}" for name, part in PARTS.items()
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("--corpus", metavar="F", nargs="+", type=Path, help="text to measure on (the demo's corpus)")
    add("--words", metavar="N", type=int, default=60_000, help="how much of it (60,000)")
    add("--teacher", metavar="T", default="minilm", help="a model folder, a Hub name, or 'minilm'")
    add("--repeats", metavar="R", type=int, default=3, help="turns of each side (3)")
    add("--only", metavar="PART,..", default="", help="only these parts")
    add("--precisions", metavar="P,..", default="float32", help="of whole runs: float32, int8, bfloat16, float16")
    add("--students", metavar="S,..", default="", help="of whole runs (aggregate; then closed too; then x2static too)")
    add("--threads", metavar="N", type=int, help="threads to compute with")
    add("--json", metavar="FILE", type=Path, help="write it to a file besides")
    add("-q", "--quiet", action="store_true", help="do not tell what is measured")


def run(arguments: argparse.Namespace) -> None:
    """Measure and print."""
    from wordstill.errors import InputError
    from wordstill.io.files import write_json
    from wordstill.options import listed
    from wordstill.system.machine import guard

    parts = choose_parts(listed(arguments.only))
    students, precisions = tuple(listed(arguments.students)), tuple(listed(arguments.precisions))
    for name in precisions:
        if name not in ("float32", "int8", "bfloat16", "float16"):
            raise InputError(f"--precisions takes float32, int8, bfloat16 and float16, not {name!r}")
    for option, least in (("words", 1000), ("repeats", 1), ("threads", 1)):
        value = getattr(arguments, option)
        if value is not None and value < least:
            raise InputError(f"--{option} must be at least {least}, not {value}")
    guard()  # before torch is imported
    from wordstill.benchmarking import benchmark
    from wordstill.benchmarking.material import STUDENT_SETS, Subject
    from wordstill.studies.demo import demo_corpus

    def say(text: str) -> None:
        if not arguments.quiet:
            print(text, file=sys.stderr, flush=True)

    subject = Subject(
        corpus=tuple(arguments.corpus or [demo_corpus()]),
        teacher=arguments.teacher,
        words=arguments.words,
        repeats=arguments.repeats,
        precisions=precisions,
        students=(students,) if students else STUDENT_SETS,
        threads=arguments.threads,
        say=say,
    )
    measured = benchmark(subject, parts)
    if arguments.json:
        write_json(arguments.json, measured)
    print(json.dumps(measured, indent=2))
