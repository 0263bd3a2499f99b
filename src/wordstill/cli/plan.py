"""Estimate the hours, the memory and the disk of a large run on 1 to 1,000 machines, from a minute of measuring.

wordstill plan --teacher minilm --words 1e9 --student aggregate,closed --vocabulary-size 750000
"""

from __future__ import annotations

import argparse
from typing import Any

from wordstill.cli.options import add_settings, read_settings
from wordstill.cli.output import give_json, tell
from wordstill.cli.text_table import table
from wordstill.planning.settings import PlannedRun
from wordstill.system.progress import duration

# What a plan needs to know of the run itself, and of its size and measuring.
OF_THE_RUN = ("teacher", "students", "student_options", "layer", "dimensions", "epochs", "threads", "shard_words")
OF_THE_PLAN = ("total_words", "vocabulary_size", "corpus", "measure", "seconds", "spread", "failures_per_hour")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_settings(parser, PlannedRun, only=OF_THE_RUN + OF_THE_PLAN, required=("teacher", "total_words"))
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")


def run(arguments: argparse.Namespace) -> None:
    """Measure, and print the plan."""
    settings = read_settings(arguments, PlannedRun)
    from wordstill.planning.plan import plan

    planned = plan(settings)
    if arguments.json:
        give_json(planned)
    else:
        tell(in_words(planned))


def in_words(planned: dict[str, Any]) -> str:
    """Tell the plan in tables and sentences."""
    measured, ways = planned["measured"], planned["precisions"]
    fastest = max(ways, key=lambda name: ways[name]["gain"])
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
        table(
            ["adding up a shard of the", "distinct words", "MB", "s to write", "s to read", "s to merge"],
            [
                [
                    kind,
                    f"{one['words']:,}",
                    f"{one['bytes'] / 1e6:,.0f}",
                    *(f"{one[part]:.2f}" for part in ("saving", "reading", "merging")),
                ]
                for kind, one in measured["adding_up"].items()
            ],
        ),
        "",
        f"{planned['words']:,} words, {planned['vocabulary']:,} of them in the vocabulary"
        + (" (an estimate: Wikipedia's growth)" if planned["vocabulary_is_estimated"] else ""),
        table(
            ["workers", *(f"hours, {name}" for name in ways), "efficiency", "what binds"],
            [
                [
                    f"{row['workers']:,}",
                    *(_hours(row[name]["hours"]) for name in ways),
                    f"{row[fastest]['efficiency']:.2f}",
                    row[fastest]["binds"],
                ]
                for row in planned["hours"]
            ],
        ),
        "",
        _gigabytes("memory of the driver", planned["memory_bytes"]["driver"]),
        "",
        _gigabytes("memory of a worker", planned["memory_bytes"]["worker"]),
        "",
        _gigabytes("on disk", planned["disk_bytes"]),
        "",
        *_notes(planned, fastest),
    ]
    return "\n".join(lines)


def _hours(hours: float) -> str:
    return f"{hours:,.1f}" if hours >= 1 else f"{hours:.3f}"


def _gigabytes(title: str, sizes: dict[str, int]) -> str:
    return table([title, "GB"], [[name, f"{size / 1e9:.2f}"] for name, size in sizes.items()])


def _notes(planned: dict[str, Any], fastest: str) -> list[str]:
    total, memory = planned["memory_bytes"]["driver"]["total"], planned["machine"]["memory_bytes"]
    notes = []
    if memory and total > memory:
        notes.append(
            f"It does not fit into this machine's {memory / 1e9:.1f} GB. Tables of aggregate, principal and words "
            "alone become files beyond half of the memory; the others need the room, or a smaller vocabulary."
        )
    assumed, end, later = planned["assumed"], planned["stops_scaling"][fastest], planned["learns_after_the_pass"]
    notes.append(
        "Several workers are simulated, from what was measured here: machines like this one, the speed of most within "
        f"{assumed['spread']:.0%} of it, {assumed['failures_per_hour']:g} failures an hour of each, and shards of "
        f"{assumed['shard_words']:,} words, which a driver reads as fast as from this machine's disk and adds up one "
        "after the other. They give the same vectors as one worker."
    )
    if end is not None:
        notes.append(f"At {end['workers']:,} workers less than half of their time is of use: {end['why']}.")
    if later:
        notes.append(
            f"{', '.join(later)} learn{'s' if len(later) == 1 else ''} after the pass, step by step, on one machine."
        )
    notes.append(
        "Several machines do one run with `wordstill distill ... --on ray`, or with --shard I/N on each of N machines "
        "and --resume on one of them in the end."
    )
    if "bfloat16" not in planned["precisions"]:
        notes.append("Compiled bfloat16 was not measured here for this teacher; --measure does.")
    return notes
