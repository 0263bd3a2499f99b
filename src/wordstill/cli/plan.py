"""Estimate the hours, the memory and the disk of a large run, from 20 seconds of measuring.

wordstill plan --teacher minilm --words 1e9 --student aggregate,closed --vocabulary-size 750000
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from wordstill.cli.options import add_settings, read_settings
from wordstill.cli.text_table import table
from wordstill.planning.settings import PlannedRun
from wordstill.system.progress import duration

# What a plan needs to know of the run itself, and of its size and measuring.
OF_THE_RUN = ("teacher", "students", "student_options", "layer", "dimensions", "threads")
OF_THE_PLAN = ("total_words", "vocabulary_size", "corpus", "measure", "seconds")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_settings(parser, PlannedRun, only=OF_THE_RUN + OF_THE_PLAN, required=("teacher", "total_words"))
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def run(arguments: argparse.Namespace) -> None:
    """Measure, and print the plan."""
    settings = read_settings(arguments, PlannedRun)
    from wordstill.planning.plan import plan

    planned = plan(settings)
    print(json.dumps(planned, indent=2) if arguments.json else in_words(planned))


def in_words(planned: dict[str, Any]) -> str:
    """Tell the plan in tables and sentences."""
    measured, ways = planned["measured"], planned["precisions"]
    lines = [
        f"measured over {measured['words']:,} words: {measured['tokens_a_word']:.2f} tokens per word; "
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
        _gigabytes("in memory", planned["memory_bytes"]),
        "",
        _gigabytes("on disk", planned["disk_bytes"]),
        "",
        *_notes(planned),
    ]
    return "\n".join(lines)


def _hours(hours: float) -> str:
    return f"{hours:,.1f}" if hours >= 1 else f"{hours:.3f}"


def _gigabytes(title: str, sizes: dict[str, int]) -> str:
    return table([title, "GB"], [[name, f"{size / 1e9:.2f}"] for name, size in sizes.items()])


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
