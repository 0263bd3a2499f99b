"""Estimate the hours, the memory and the disk of a large run, from 20 seconds of measuring.

wordstill plan --teacher minilm --words 1e9 --student aggregate,closed --vocabulary-size 750000
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from wordstill.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add = parser.add_argument
    add("--teacher", metavar="T", required=True, help="a model folder, a Hub name, or 'minilm'")
    add("--words", metavar="N", type=whole, required=True, help="words of the corpus, such as 1e9")
    add("--student", metavar="NAME[,NAME..]", default="aggregate", help="as for distill (aggregate)")
    add("--set", metavar="STUDENT.OPTION=VALUE", nargs="+", action="extend", default=[], help="a student's option")
    add("--layer", metavar="N|all|last", default="last", help="as for distill")
    add("--dim", metavar="N", type=whole, help="dimensions of the vectors in the end")
    add("--vocabulary-size", metavar="V", type=whole, help="words with a vector (what Wikipedia would have)")
    add("--corpus", metavar="F", nargs="+", type=Path, default=[], help="text to measure on (made-up text)")
    add("--measure", action="store_true", help="measure int8 and compiled bfloat16 too: a minute or two more")
    add("--seconds", metavar="S", type=float, default=20.0, help="how long to measure, about (20)")
    add("--threads", metavar="N", type=whole, help="threads to compute with")
    add("--json", action="store_true", help="print JSON instead of tables")


def whole(text: str) -> int:
    """A whole number of at least 1, as people write large ones: 1e9, 750_000, 750,000."""
    try:
        number = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not 1 <= number < 1e18:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 1e18")
    return int(number)


def run(arguments: argparse.Namespace) -> None:
    """Measure, and tell."""
    from wordstill.cli.distill import _layer
    from wordstill.options import given_options, listed
    from wordstill.students.registry import choose_students
    from wordstill.system.machine import guard

    students = tuple(listed(arguments.student))
    options = given_options(arguments.set)
    choose_students(students, options)  # a wrong name is told before anything is loaded
    if not 1 <= arguments.seconds <= 3600:
        raise InputError(f"--seconds must be between 1 and 3600, not {arguments.seconds:g}")
    guard()  # before torch is imported
    from wordstill.planning.plan import Job, plan

    job = Job(
        teacher=arguments.teacher,
        words=arguments.words,
        students=students,
        options=options,
        vocabulary=arguments.vocabulary_size,
        layer=_layer(arguments.layer),
        dimensions=arguments.dim,
        threads=arguments.threads,
    )
    ways = ("bfloat16", "int8") if arguments.measure else ()
    planned = plan(job, arguments.corpus, ways, arguments.seconds, lambda text: print(text, file=sys.stderr))
    if arguments.json:
        print(json.dumps(planned, indent=2))
    else:
        print(told(planned))


def told(planned: dict[str, Any]) -> str:
    """The plan for people."""
    from wordstill.cli.text_table import table
    from wordstill.system.progress import duration

    measured, ways = planned["measured"], planned["precisions"]
    lines = [
        f"measured over {measured['words']:,} words: {measured['tokens_a_word']:.2f} tokens a word; "
        f"{measured['efficiency']:.0%} of the time that grows with the text is the teacher's",
        "",
        table(
            ["teacher in", "tokens/s", "ready after", "measured"],
            [
                [name, f"{way['tokens_per_second']:,.0f}", duration(way["preparing"]), way["measured"]]
                for name, way in ways.items()
            ],
        ),
        *(f"{name} does not work here: {why}" for name, why in planned["precisions_that_do_not_work"].items()),
        "",
        f"{planned['words']:,} words, {planned['vocabulary']:,} of them in the vocabulary"
        + (" (an estimate: Wikipedia's growth)" if planned["vocabulary_is_estimated"] else ""),
        table(
            ["machines", *(f"hours, {name}" for name in ways)],
            [[str(row["machines"]), *(_hours(row["hours"][name]) for name in ways)] for row in planned["hours"]],
        ),
        "",
        table(["in memory", "GB"], [[name, f"{size / 1e9:.2f}"] for name, size in planned["memory_bytes"].items()]),
        "",
        table(["on disk", "GB"], [[name, f"{size / 1e9:.2f}"] for name, size in planned["disk_bytes"].items()]),
        "",
        *_notes(planned),
    ]
    return "\n".join(lines)


def _hours(hours: float) -> str:
    return f"{hours:,.1f}" if hours >= 1 else f"{hours:.3f}"


def _notes(planned: dict[str, Any]) -> list[str]:
    total, memory = planned["memory_bytes"]["total"], planned["machine"]["memory_bytes"]
    notes = []
    if memory and total > memory:
        notes.append(
            f"It does not fit into this machine's {memory / 1e9:.1f} GB. Tables of aggregate, principal and words "
            "alone become files beyond half of the memory; the others need the room, or a smaller vocabulary."
        )
    summed = [name for name, divides in planned["divides"].items() if divides]
    alone = [name for name, divides in planned["divides"].items() if not divides]
    if summed:
        notes.append(
            f"On several machines the text is shared out, and the states of {', '.join(summed)}, which are sums, are "
            "added up: exactly the same vectors. Assumed are machines like this one and 1 Gbit/s between them."
        )
    if alone:
        notes.append(
            f"{', '.join(alone)} learn{'s' if len(alone) == 1 else ''} step by step: on one machine, after the "
            "teacher's pass over the text, which is shared out."
        )
    notes.append(
        "wordstill itself runs on one machine today: `merge` adds up two students in Python, but no command shares out "
        "a corpus or joins runs. Hours for more than one machine are arithmetic."
    )
    if "bfloat16" not in planned["precisions"]:
        notes.append("Compiled bfloat16 was not measured here for this teacher; --measure does.")
    return notes
