"""Compare the time that a whole run takes with two versions of the code, in turns. Prints JSON.

    git worktree add ../before HEAD~1
    python benchmarks/speed_of_versions.py --other ../before/src

The run reads the demo's corpus through the command line, in float32, from the start of the process to its end: so the
script works with any two versions. A ratio above 1 means that this checkout is slower than the other one. Processor
time tells more than wall time where the machine has other work.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring.turns import figures, load_average, ratio
from wordstill.studies.demo import demo_corpus

STUDENTS = "aggregate,closed,x2static"


def main() -> None:
    """Run both versions in turns and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", metavar="SRC", type=Path, required=True, help="the src folder of another checkout")
    parser.add_argument("--words", metavar="N", type=int, default=300_000)
    parser.add_argument("--repeats", metavar="R", type=int, default=3, help="turns of each version")
    arguments = parser.parse_args()
    versions = {"this": Path(__file__).resolve().parents[1] / "src", "other": arguments.other.resolve()}
    corpus = demo_corpus()
    for source in versions.values():
        check_source(source)
        time_version(source, corpus, 1000)  # the compiled loops are compiled now
    wall: dict[str, list[float]] = {name: [] for name in versions}
    busy: dict[str, list[float]] = {name: [] for name in versions}
    before = load_average()
    for turn in range(arguments.repeats):
        # Whoever comes first changes from turn to turn: a machine that gets slower favours neither.
        for name in sorted(versions, reverse=turn % 2 == 0):
            seconds, processor = time_version(versions[name], corpus, arguments.words)
            wall[name].append(seconds)
            busy[name].append(processor)
    found = {
        "words": arguments.words,
        "repeats": arguments.repeats,
        "load_before": before,
        "seconds": {name: figures(each) for name, each in wall.items()},
        "processor_seconds": {name: figures(each) for name, each in busy.items()},
        "this_over_other": ratio(wall["this"], wall["other"]),
        "this_over_other_in_processor_time": ratio(busy["this"], busy["other"]),
    }
    print(json.dumps(found, indent=2))


def check_source(source: Path) -> None:
    """Stop if a folder is not where wordstill is imported from."""
    command = [sys.executable, "-c", "import wordstill; print(wordstill.__file__)"]
    with tempfile.TemporaryDirectory() as folder:
        found = subprocess.run(
            command, env=_environment(source), cwd=folder, capture_output=True, text=True, check=True
        )
    if source not in Path(found.stdout.strip()).resolve().parents:
        raise SystemExit(f"{source} is no src folder of wordstill")


def time_version(source: Path, corpus: Path, words: int) -> tuple[float, float]:
    """Distill with the code of a src folder; return the wall-clock and the processor seconds."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "wordstill.cli", "distill", "--teacher", "minilm", "--corpus", str(corpus)]
        command += ["--student", STUDENTS, "--words", str(words), "--precision", "float32", "--quiet", "--out", "run"]
        began, before = time.perf_counter(), _children_seconds()
        subprocess.run(command, env=_environment(source), cwd=folder, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - began, _children_seconds() - before


def _environment(source: Path) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(source)}


def _children_seconds() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


if __name__ == "__main__":
    main()
