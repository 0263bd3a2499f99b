"""Run the campaign for some minutes, or repeat one case.

    python -m campaign --minutes 30
    python -m campaign --seed 5 --case kill-17

Prints every failure with the call that repeats it, and the counts as JSON at the end. Exits with 1 after a failure.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import selectors
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path
from typing import Any

os.environ.update(OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1", PYTHONSAFEPATH="1")

from campaign import disks, kills, mutated, names, states
from campaign.case import Case, Place
from campaign.runs import command, distill
from campaign.samples import make_samples
from texts import write_corpus

AREAS: dict[str, Callable[[Case], str]] = {
    "mutated": mutated.run,
    "kill": kills.run,
    "state": states.run,
    "disk": disks.run,
    "names": names.run,
}
# What each of the two processes does, over and over.
SCHEDULES = (("mutated",), (*["kill"] * 5, "state", *["kill"] * 5, "state", "disk", *["kill"] * 5, "state", "names"))
# Seconds after which a case of an area hangs; a case of the others is several runs, which have a limit each.
PATIENCE = {"mutated": 60.0}
OTHERS_PATIENCE = 1200.0
# What the process that reads damaged input may take: a reader that asks for more is one that can be made to.
MEMORY = 8 << 30


@dataclass
class Worker:
    """A process that works through cases, and what it said last."""

    schedule: Sequence[str]
    process: int = 0
    pipe: int = -1
    case: str = ""
    since: float = 0.0
    unread: bytes = b""
    done: Counter[str] = field(default_factory=Counter)


@dataclass
class Tally:
    """What came of all cases."""

    seed: int
    outcomes: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[dict[str, str]] = field(default_factory=list)

    def add(self, case: str, outcome: str) -> None:
        """Count a case that went well."""
        self.outcomes.setdefault(case.partition("-")[0], Counter())[outcome] += 1

    def fail(self, case: str, what: str, why: str) -> None:
        """Print a failure, and how to repeat it."""
        repeat = f"python -m campaign --seed {self.seed} --case {case}"
        self.add(case, "FAILED")
        self.failures.append({"case": case, "repeat": repeat, "what": what, "why": why})
        print(f"FAILED {case}: {why}\n  {what}\n  repeat: {repeat}", flush=True)

    def counts(self, minutes: float) -> dict[str, Any]:
        """Return all counts."""
        killed = self.outcomes.get("kill", Counter())
        return {
            "seed": self.seed,
            "minutes": round(minutes, 1),
            "cases": {area: sum(found.values()) for area, found in self.outcomes.items()},
            "kills": sum(
                int(outcome.split()[0]) * number for outcome, number in killed.items() if outcome[0].isdigit()
            ),
            "outcomes": {area: dict(found.most_common()) for area, found in self.outcomes.items()},
            "failures": len(self.failures),
        }


def main() -> int:
    """Read the command line and run the campaign."""
    parser = argparse.ArgumentParser(prog="python -m campaign", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="how long (30)")
    parser.add_argument("--seed", type=int, help="where chance begins (the time)")
    parser.add_argument("--case", metavar="AREA-N", help="repeat one case")
    parser.add_argument("--areas", nargs="+", choices=AREAS, default=list(AREAS), help="only these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the counts to FILE too")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int(time.time())
    place = Place(Path(tempfile.mkdtemp(prefix="campaign-")))
    try:
        prepare(place)
        if options.case:
            return repeat(seed, options.case, place)
        tally = campaign(seed, place, options.minutes, options.areas)
    finally:
        shutil.rmtree(place.root, ignore_errors=True)
    counts = tally.counts(options.minutes)
    print(json.dumps(counts, indent=2))
    if options.json:
        options.json.write_text(json.dumps(counts | {"failed": tally.failures}, indent=2))
    return 1 if tally.failures else 0


def prepare(place: Place) -> None:
    """Make the samples in a process of their own, and load what the others need: whoever forks has not computed."""
    child = os.fork()
    if not child:
        try:
            make_samples(place)
            write_corpus(place.root / "texts.txt", 60)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("the samples cannot be made")
    modules = place.root / "modules.json"
    first = command(distill(place, place.scratch("first") / "run"), Case(0, "first", place), modules=modules)
    if first.code:
        raise SystemExit(f"a run that nothing disturbs fails: {first.errors[-2000:]}")
    # What a run loads one by one, all runs to come have from the beginning.
    for name in json.loads(modules.read_text()):
        with suppress(Exception):
            importlib.import_module(name)
    import torch

    torch.set_num_threads(1)


def repeat(seed: int, name: str, place: Place) -> int:
    """Run one case in this process, with its traceback."""
    case = Case(seed, name, place)
    os.chdir(place.traps)
    try:
        print(AREAS[name.partition("-")[0]](case))
    finally:
        print(case.what)
    return 0


def campaign(seed: int, place: Place, minutes: float, areas: Sequence[str]) -> Tally:
    """Run cases in two processes until the time is over; a process that dies or hangs is a failure, and replaced."""
    tally, end = Tally(seed), time.monotonic() + 60 * minutes
    schedules = [[area for area in schedule if area in areas] for schedule in SCHEDULES]
    workers = [Worker(schedule) for schedule in schedules if schedule]
    with selectors.DefaultSelector() as selector:
        for worker in workers:
            start(worker, seed, place, end)
            selector.register(worker.pipe, selectors.EVENT_READ, worker)
        while selector.get_map():
            for key, _ in selector.select(timeout=1.0):
                if not listen(key.data, tally):
                    selector.unregister(key.fd)
                    status = bury(key.data)
                    if key.data.case:
                        tally.fail(key.data.case, "", f"the process ended with status {status}")
                        start(key.data, seed, place, end)
                        selector.register(key.data.pipe, selectors.EVENT_READ, key.data)
            for worker in workers:
                patience = PATIENCE.get(worker.case.partition("-")[0], OTHERS_PATIENCE)
                if worker.case and time.monotonic() - worker.since > patience:
                    os.killpg(worker.process, signal.SIGKILL)
    return tally


def start(worker: Worker, seed: int, place: Place, end: float) -> None:
    """Fork a process that goes on behind the cases that are done."""
    reading, writing = os.pipe()
    worker.process = os.fork()
    if not worker.process:
        os.setpgid(0, 0)
        os.close(reading)
        try:
            work(worker, seed, place, end, writing)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writing)
    worker.pipe, worker.case, worker.unread = reading, "", b""


def work(worker: Worker, seed: int, place: Place, end: float, pipe: int) -> None:
    """Run case after case; tell of each when it begins and what came of it."""
    os.chdir(place.traps)
    if worker.schedule == ["mutated"]:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    for name in case_names(worker):
        if time.monotonic() > end:
            return
        tell(pipe, begin=name)
        case = Case(seed, name, place)
        try:
            tell(pipe, end=name, outcome=AREAS[name.partition("-")[0]](case))
        except disks.Skipped as reason:
            tell(pipe, end=name, outcome=f"skipped: {reason}")
        except BaseException as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            why = f"{type(error).__name__}: {str(error)[:1500]} ({Path(where.filename).name}:{where.lineno})"
            tell(pipe, end=name, what=case.what, why=why)


def case_names(worker: Worker) -> Iterator[str]:
    """The names of the cases to come, in turn."""
    numbers = {area: count(worker.done[area]) for area in worker.schedule}
    return (f"{area}-{next(numbers[area])}" for area in cycle(worker.schedule))


def tell(pipe: int, **message: str) -> None:
    """Write a line to the process that counts."""
    os.write(pipe, json.dumps(message).encode() + b"\n")


def listen(worker: Worker, tally: Tally) -> bool:
    """Read what a process says; False where it has ended."""
    chunk = os.read(worker.pipe, 1 << 16)
    *lines, worker.unread = (worker.unread + chunk).split(b"\n")
    for line in lines:
        message = json.loads(line)
        if "begin" in message:
            worker.case, worker.since = message["begin"], time.monotonic()
            worker.done[worker.case.partition("-")[0]] += 1
        elif "why" in message:
            tally.fail(message["end"], message["what"], message["why"])
            worker.case = ""
        else:
            tally.add(message["end"], message["outcome"])
            worker.case = ""
    return bool(chunk)


def bury(worker: Worker) -> int:
    """Wait for a process that has ended."""
    os.close(worker.pipe)
    return os.waitpid(worker.process, 0)[1]


if __name__ == "__main__":
    sys.exit(main())
